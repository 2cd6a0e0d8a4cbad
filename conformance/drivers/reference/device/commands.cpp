// What each command of hw.h does, one unit of time after the other.
//
// A unit is one small command or one chunk of up to HW_PAGE_SIZE bytes; units_done_ counts the
// chunks that are through, so that a stopped command goes on where it was.
#include <algorithm>
#include <cstddef>
#include <cstring>

#include "conformance/drivers/reference/device/gpu_engine.h"

namespace wddm::reference_device {
namespace {

struct Shape {
  std::uint32_t opcode;
  std::uint32_t words;    // 0 = any number
  std::uint32_t limit_a;  // operand a lies below; 0 = unused
  std::uint32_t limit_b;
};

constexpr Shape kShapes[] = {
    {HW_OP_NOP, 0, 0, 0},
    {HW_OP_LOAD_CONSTANT, HW_WORDS_LOAD_CONSTANT, HW_CONSTANT_COUNT, 0},
    {HW_OP_FILL, HW_WORDS_FILL, HW_SLOT_COUNT, HW_CONSTANT_COUNT},
    {HW_OP_COPY, HW_WORDS_COPY, HW_SLOT_COUNT, HW_SLOT_COUNT},
    {HW_OP_ADD, HW_WORDS_ADD, HW_SLOT_COUNT, HW_CONSTANT_COUNT},
    {HW_OP_SEM_SIGNAL, HW_WORDS_SEMAPHORE, HW_SEMAPHORE_COUNT, HW_CONSTANT_COUNT},
    {HW_OP_SEM_WAIT, HW_WORDS_SEMAPHORE, HW_SEMAPHORE_COUNT, HW_CONSTANT_COUNT},
    {HW_OP_SPIN, HW_WORDS_SPIN, 0, 0},
    {HW_OP_SET_BASE, HW_WORDS_SET_BASE, HW_SLOT_COUNT, 0},
    {HW_OP_CLEAR_BASE, HW_WORDS_CLEAR_BASE, HW_SLOT_COUNT, 0},
    {HW_OP_PAGING_COPY, HW_WORDS_PAGING_COPY, 4, 4},
    {HW_OP_PAGING_FILL, HW_WORDS_PAGING_FILL, 0, 3},
    {HW_OP_PAGING_READ, HW_WORDS_PAGING_TOUCH, 2, 0},
    {HW_OP_PAGING_WRITE, HW_WORDS_PAGING_TOUCH, 2, 0},
    {HW_OP_APERTURE_MAP, HW_WORDS_APERTURE_MAP, 0, 0},
    {HW_OP_APERTURE_FILL, HW_WORDS_APERTURE_FILL, 0, 0},
    {HW_OP_WRITE_ENTRIES, 0, 3, 0},
    {HW_OP_REPEAT_ENTRY, HW_WORDS_REPEAT_ENTRY, 3, 0},
    {HW_OP_TLB_FLUSH, HW_WORDS_TLB_FLUSH, 0, 0},
};

bool is_paging(std::uint32_t opcode) {
  return opcode >= HW_OP_PAGING_COPY;
}

// Whether an operand is a virtual space; of PAGING_FILL the first one is none.
bool names_virtual(std::uint32_t opcode, std::uint32_t a, std::uint32_t b) {
  if (opcode == HW_OP_PAGING_FILL) return b == HW_SPACE_VIRTUAL;
  if (opcode == HW_OP_PAGING_COPY) return a >= HW_SPACE_VIRTUAL || b >= HW_SPACE_VIRTUAL;
  const bool has_space = opcode == HW_OP_WRITE_ENTRIES || opcode == HW_OP_REPEAT_ENTRY;
  return has_space && a == HW_SPACE_VIRTUAL;
}

// An operand of PAGING_COPY: memory, and how it is reached.
Space space_of(std::uint32_t operand) {
  return operand == HW_SPACE_VIRTUAL_64KB ? Space::Virtual
                                          : Space{static_cast<std::uint8_t>(operand)};
}

Leaves leaves_of(std::uint32_t operand) {
  if (operand == HW_SPACE_VIRTUAL_64KB) return Leaves::Of64K;
  return operand == HW_SPACE_VIRTUAL ? Leaves::Of4K : Leaves::Any;
}

std::uint32_t chunks_of(std::uint32_t size) {
  return std::max(1u, size / HW_PAGE_SIZE + (size % HW_PAGE_SIZE != 0 ? 1 : 0));
}

std::uint32_t chunk_bytes(std::uint32_t chunk, std::uint32_t size) {
  return std::min(HW_PAGE_SIZE, size - chunk * HW_PAGE_SIZE);
}

}  // namespace

bool Engine::well_formed() const {
  if (is_paging(command_.opcode()) && (entry_.flags & HW_ENTRY_USER) != 0) return false;
  if (!is_virtual() && names_virtual(command_.opcode(), command_.a(), command_.b())) return false;
  for (const Shape& shape : kShapes) {
    if (shape.opcode != command_.opcode()) continue;
    return (shape.words == 0 || shape.words == command_.count) &&
           (shape.limit_a == 0 || command_.a() < shape.limit_a) &&
           (shape.limit_b == 0 || command_.b() < shape.limit_b);
  }
  return false;
}

bool Engine::set_state() {
  switch (command_.opcode()) {
    case HW_OP_LOAD_CONSTANT:
      constants_[command_.a()] = command_.words[1];
      return true;
    case HW_OP_SET_BASE:
      slots_[command_.a()] = command_.address(2);
      return true;
    case HW_OP_CLEAR_BASE:
      slots_[command_.a()] = HW_NO_ADDRESS;
      return true;
    default:
      return false;
  }
}

Engine::Result Engine::execute_unit() {
  if (set_state()) return Result::Done;
  const auto& words = command_.words;
  switch (command_.opcode()) {
    case HW_OP_NOP:
      return Result::Done;
    case HW_OP_SPIN:
      return units_done_ + 1 >= words[1] ? Result::Done : Result::Progress;
    case HW_OP_FILL:
      fill_chunk(slot_space(), in_slot(command_.a(), words[1]), units_done_, words[2],
                 constants_[command_.b()]);
      return after_chunk(words[2]);
    case HW_OP_COPY:
      copy_chunk({slot_space(), in_slot(command_.a(), words[1])},
                 {slot_space(), in_slot(command_.b(), words[2])}, words[3]);
      return after_chunk(words[3]);
    case HW_OP_ADD: {
      const std::uint64_t address = in_slot(command_.a(), words[1]);
      std::uint32_t word = 0;
      if (!read_memory(slot_space(), address, &word, sizeof word)) return Result::Done;
      word += constants_[command_.b()];
      write_memory(slot_space(), address, &word, sizeof word);
      return Result::Done;
    }
    case HW_OP_SEM_SIGNAL:
      semaphores_[command_.a()] = constants_[command_.b()];
      return Result::Done;
    case HW_OP_SEM_WAIT:
      return semaphores_[command_.a()] >= constants_[command_.b()] ? Result::Done : Result::Waiting;
    default:
      return paging_unit();
  }
}

Engine::Result Engine::paging_unit() {
  const auto& words = command_.words;
  switch (command_.opcode()) {
    case HW_OP_PAGING_COPY:
      copy_chunk({space_of(command_.b()), command_.address(4), leaves_of(command_.b())},
                 {space_of(command_.a()), command_.address(2), leaves_of(command_.a())}, words[1]);
      use_as_scratch(command_.address(2), command_.address(4), words[1]);
      return after_chunk(words[1]);
    case HW_OP_PAGING_FILL:
      fill_chunk(Space{static_cast<std::uint8_t>(command_.b())}, command_.address(3), units_done_,
                 words[1], words[2]);
      use_as_scratch(HW_NO_ADDRESS, command_.address(3), words[2]);
      return after_chunk(words[1]);
    case HW_OP_PAGING_READ:
    case HW_OP_PAGING_WRITE:
      if (words[1] == 0 || words[1] > 8) return Result::Undecodable;
      touch(command_.opcode() == HW_OP_PAGING_WRITE);
      use_as_scratch(command_.address(2), HW_NO_ADDRESS, words[1]);
      return Result::Done;
    case HW_OP_APERTURE_MAP:
      use_as_scratch(command_.address(2), HW_NO_ADDRESS, words[1]);
      return memory_.set_aperture_entry(words[1], command_.address(2)) ? Result::Done
                                                                       : Result::Undecodable;
    case HW_OP_APERTURE_FILL:
      use_as_scratch(command_.address(3), HW_NO_ADDRESS, words[1]);
      for (std::uint32_t i = 0; i < words[2]; ++i) {
        if (!memory_.set_aperture_entry(words[1] + i, command_.address(3))) {
          return Result::Undecodable;
        }
      }
      return Result::Done;
    case HW_OP_WRITE_ENTRIES:
    case HW_OP_REPEAT_ENTRY:
      return write_entries();
    case HW_OP_TLB_FLUSH:
      mmus_.flush(words[1], command_.address(2), command_.address(4));
      use_as_scratch(command_.address(2), HW_NO_ADDRESS, words[1]);
      return Result::Done;
    default:
      return Result::Undecodable;
  }
}

// One unit, all entries at once: no other engine finds some of them old and some new.
Engine::Result Engine::write_entries() {
  const auto& words = command_.words;
  const Space space{static_cast<std::uint8_t>(command_.a())};
  std::array<std::uint64_t, HW_MOST_REPEAT_ENTRY> entries;
  std::uint32_t count = 0;
  if (command_.opcode() == HW_OP_REPEAT_ENTRY) {
    count = words[1];
    if (count > entries.size()) return Result::Undecodable;
    std::fill_n(entries.begin(), count, command_.address(4));
  } else {
    if (command_.count < 4 || command_.count % 2 != 0) return Result::Undecodable;
    count = (command_.count - 4) / 2;
    for (std::uint32_t i = 0; i < count; ++i) entries[i] = command_.address(4 + 2 * i);
  }
  const std::uint64_t place = command_.address(2);
  if (count != 0) write_memory(space, place, entries.data(), count * 8);
  use_as_scratch(place, HW_NO_ADDRESS, count);
  return Result::Done;
}

void Engine::touch(bool write_back) {
  const Space space{static_cast<std::uint8_t>(command_.a())};
  std::uint64_t value = 0;
  read_memory(space, command_.address(2), &value, command_.words[1]);
  if (write_back) write_memory(space, command_.address(2), &value, command_.words[1]);
}

void Engine::fill_chunk(Space space, std::uint64_t address, std::uint32_t chunk, std::uint32_t size,
                        std::uint32_t pattern) {
  if (chunk >= chunks_of(size) || size == 0) return;
  std::array<std::uint8_t, HW_PAGE_SIZE> bytes;
  for (std::uint32_t i = 0; i < HW_PAGE_SIZE; i += sizeof pattern) {
    std::memcpy(bytes.data() + i, &pattern, sizeof pattern);
  }
  write_memory(space, address + std::uint64_t{chunk} * HW_PAGE_SIZE, bytes.data(),
               chunk_bytes(chunk, size));
}

void Engine::copy_chunk(const Side& to, const Side& from, std::uint32_t size) {
  const std::uint32_t chunks = chunks_of(size);
  if (units_done_ >= chunks || size == 0) return;
  // Overlapping ranges: the last chunk goes first if it would be overwritten before it is read.
  const bool backward =
      to.space == from.space && to.address > from.address && to.address - from.address < size;
  const std::uint32_t chunk = backward ? chunks - 1 - units_done_ : units_done_;
  const std::uint64_t offset = std::uint64_t{chunk} * HW_PAGE_SIZE;
  std::array<std::uint8_t, HW_PAGE_SIZE> bytes;
  const std::uint32_t count = chunk_bytes(chunk, size);
  if (!read_memory(from.space, from.address + offset, bytes.data(), count, Access::Read,
                   from.leaves)) {
    return;
  }
  write_memory(to.space, to.address + offset, bytes.data(), count, to.leaves);
}

Engine::Result Engine::after_chunk(std::uint32_t size) const {
  return units_done_ + 1 >= chunks_of(size) ? Result::Done : Result::Progress;
}

void Engine::use_as_scratch(std::uint64_t source, std::uint64_t destination, std::uint32_t value) {
  slots_.fill(HW_NO_ADDRESS);
  slots_[0] = source;
  slots_[1] = destination;
  for (std::uint32_t i = 0; i < HW_CONSTANT_COUNT; ++i) constants_[i] = value ^ (0x9e3779b9u * i);
}

std::uint64_t Engine::in_slot(std::uint32_t slot, std::uint32_t offset) const {
  // Stays outside of any memory when nothing is bound: no wrap-around to low addresses.
  return slots_[slot] >= HW_NO_ADDRESS - 0xffffffffull ? HW_NO_ADDRESS : slots_[slot] + offset;
}

}  // namespace wddm::reference_device
