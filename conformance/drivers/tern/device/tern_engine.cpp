#include "conformance/drivers/tern/device/tern_engine.h"

#include <algorithm>
#include <cstring>

namespace tern {
namespace {

constexpr Fault kNonsense{.command = true};
constexpr std::uint64_t kBytesPerUnit = 4096;
constexpr std::uint64_t kMostBytes = 1ull << 32;

// Words that a command has, 0 if there is no such command.
std::uint32_t words_of(std::uint32_t op) {
  switch (op) {
    case TERN_NOP:
      return 1;
    case TERN_SIGNAL:
    case TERN_WAIT:
    case TERN_SPIN:
      return 2;
    case TERN_ADD:
    case TERN_TLB_FLUSH:
    case TERN_PTE_WRITE:  // and its entries
      return 3;
    case TERN_FILL:
    case TERN_COPY:
    case TERN_PTE_COPY:
      return 4;
    case TERN_PTE_FILL:
      return 5;
    default:
      return 0;
  }
}

std::uint64_t cost_of(const std::vector<std::uint64_t>& word) {
  switch (TERN_OP(word[0])) {
    case TERN_SPIN:
      return word[1];
    case TERN_FILL:
      return 1 + word[2] / kBytesPerUnit;
    case TERN_COPY:
      return 1 + word[3] / kBytesPerUnit;
    default:
      return 1;
  }
}

}  // namespace

void Engine::tell(std::uint32_t kind, std::uint64_t address, std::uint32_t bytes) {
  log_.push_back({.kind = kind, .fence = packet_.fence, .address = address, .length = bytes});
}

std::uint32_t Engine::status() const {
  std::uint32_t status = 0;
  if (busy_) status |= TERN_STATUS_RUNNING;
  if (halted_) status |= TERN_STATUS_HALTED;
  if (stalled()) status |= TERN_STATUS_STALLED;
  return status;
}

bool Engine::stalled() const {
  if (!busy_ || command_.empty() || TERN_OP(command_[0]) != TERN_WAIT) return false;
  return semaphores_[TERN_OPERAND(command_[0]) % TERN_SEMAPHORES] < command_[1];
}

std::uint32_t Engine::work(std::uint32_t units) {
  std::uint32_t used = 0;
  const std::size_t events = events_.size();
  while (used < units && !halted_ && events_.size() == events) {
    if (!busy_ && !begin_packet()) break;
    if (offset_ >= packet_.bytes) {
      end_packet();
      continue;
    }
    if (command_.empty() && !fetch()) break;
    if (stalled()) break;
    const auto now = static_cast<std::uint32_t>(std::min<std::uint64_t>(left_, units - used));
    used += now, left_ -= now;
    if (left_ != 0 || !execute()) break;
    offset_ += static_cast<std::uint32_t>(command_.size() * 8);
    packet_.spin_left = 0;
    forget_command();
    if (offset_ >= packet_.bytes) end_packet();
  }
  return used;
}

// Packets with nothing to execute end as soon as all before them have.
void Engine::pass_void_packets() {
  while (!busy_ && !halted_ && head_ != tail_) {
    TernPacket next;
    std::memcpy(&next, memory_.local() + head_ * sizeof(next), sizeof(next));
    if ((next.flags & TERN_PACKET_VOID) == 0) return;
    completed = next.fence;
    head_ = (head_ + 1) % TERN_RING_ENTRIES;
  }
}

void Engine::ring_tail(std::uint32_t tail) {
  tail_ = tail % TERN_RING_ENTRIES;
  pass_void_packets();
}

bool Engine::begin_packet() {
  if (head_ == tail_) return false;
  std::memcpy(&packet_, memory_.local() + head_ * sizeof(packet_), sizeof(packet_));
  head_ = (head_ + 1) % TERN_RING_ENTRIES;
  busy_ = true;
  offset_ = packet_.start;
  space_ = {packet_.root, packet_.root_entries, packet_.space, packet_.fence};
  forget_command();
  tell(WDDM_DEVICE_PACKET_BEGIN);
  return true;
}

void Engine::end_packet() {
  busy_ = false;
  completed = packet_.fence;
  tell(WDDM_DEVICE_PACKET_END, packet_.va + packet_.bytes);
  events_.push_back({.kind = TERN_EVENT_COMPLETED, .fence = packet_.fence, .completed = completed});
}

bool Engine::fetch() {
  const std::uint64_t at = packet_.va + offset_;
  const std::uint32_t room = packet_.bytes - offset_;
  std::uint64_t header = 0;
  Fault fault;
  if (room < 8) return stop(kNonsense), false;
  if (!mmu_.read(space_, at, &header, 8, fault)) return stop(fault), false;
  const std::uint32_t least = words_of(TERN_OP(header));
  const std::uint32_t words = TERN_WORDS(header);
  const bool longer = TERN_OP(header) == TERN_PTE_WRITE;
  const bool paging = TERN_OP(header) >= TERN_PTE_WRITE;
  if (least == 0 || words < least || (words > least && !longer) || words * 8 > room ||
      (paging && (packet_.flags & TERN_PACKET_PRIVILEGED) == 0)) {
    return stop(kNonsense), false;
  }
  command_.resize(words);
  if (!mmu_.read(space_, at, command_.data(), words * 8, fault)) return stop(fault), false;
  tell(WDDM_DEVICE_FETCH, at, words * 8);
  left_ = packet_.spin_left != 0 ? packet_.spin_left : cost_of(command_);
  return true;
}

bool Engine::copy(std::uint64_t to, std::uint64_t from, std::uint64_t bytes, Fault& fault) {
  std::uint8_t page[kBytesPerUnit];
  for (std::uint64_t done = 0; done < bytes;) {
    const std::uint64_t part = std::min(bytes - done, kBytesPerUnit);
    if (!mmu_.read(space_, from + done, page, part, fault)) return false;
    if (!mmu_.write(space_, to + done, page, part, fault)) return false;
    done += part;
  }
  return true;
}

bool Engine::execute() {
  const std::uint64_t* const word = command_.data();
  Fault fault = kNonsense;
  bool done = true;
  switch (TERN_OP(word[0])) {
    case TERN_FILL: {
      done = word[2] < kMostBytes;
      std::uint32_t pattern[kBytesPerUnit / 4];
      std::fill(std::begin(pattern), std::end(pattern), static_cast<std::uint32_t>(word[3]));
      for (std::uint64_t at = 0; done && at < word[2]; at += sizeof(pattern)) {
        done = mmu_.write(space_, word[1] + at, pattern,
                          std::min<std::uint64_t>(sizeof(pattern), word[2] - at), fault);
      }
      break;
    }
    case TERN_COPY:
      done = word[3] < kMostBytes && copy(word[1], word[2], word[3], fault);
      break;
    case TERN_ADD: {
      std::uint32_t value = 0;
      done = mmu_.read(space_, word[1], &value, 4, fault);
      value += static_cast<std::uint32_t>(word[2]);
      done = done && mmu_.write(space_, word[1], &value, 4, fault);
      break;
    }
    case TERN_SIGNAL:
      semaphores_[TERN_OPERAND(word[0]) % TERN_SEMAPHORES] = word[1];
      break;
    default:
      if (TERN_OP(word[0]) >= TERN_PTE_WRITE) done = execute_paging(word, fault);
  }
  if (!done) stop(fault);
  return done;
}

bool Engine::execute_paging(const std::uint64_t* word, Fault& fault) {
  switch (TERN_OP(word[0])) {
    case TERN_PTE_WRITE:
      return write_entries(word, word + 3, TERN_WORDS(word[0]) - 3, false, fault);
    case TERN_PTE_FILL:
      return write_entries(word, word + 4, word[3], true, fault);
    case TERN_PTE_COPY: {
      std::vector<std::uint64_t> entries(std::min<std::uint64_t>(word[3], TERN_TABLE_BYTES));
      return mmu_.read(space_, word[2], entries.data(), entries.size() * 8, fault) &&
             mmu_.write(space_, word[1], entries.data(), entries.size() * 8, fault);
    }
    default:
      mmu_.flush(TERN_OPERAND(word[0]), word[1], word[2]);
      return true;
  }
}

bool Engine::write_entries(const std::uint64_t* word, const std::uint64_t* entries,
                           std::uint64_t count, bool repeat, Fault& fault) {
  const std::uint32_t table = TERN_FLAGS(word[0]);
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::uint64_t at = word[1] + (word[2] + i) * 8;
    const std::uint64_t* const entry = repeat ? entries : entries + i;
    if (table == TERN_TABLE_VIRTUAL) {
      if (!mmu_.write(space_, at, entry, 8, fault)) return false;
    } else {
      memory_.write(table == TERN_TABLE_SYSTEM, at, entry, 8);
    }
  }
  return true;
}

void Engine::stop(const Fault& fault) {
  tell(WDDM_DEVICE_PACKET_STOPPED);
  busy_ = false, halted_ = true;
  forget_command();
  completed = packet_.fence;
  Event event{.kind = TERN_EVENT_FAULT, .fence = packet_.fence, .completed = completed};
  event.va = fault.va;
  event.info = fault.level;
  if (fault.write) event.info |= TERN_INFO_WRITE;
  if (fault.command) event.info |= TERN_INFO_COMMAND;
  events_.push_back(event);
}

void Engine::preempt(std::uint32_t fence) {
  Event event{.kind = TERN_EVENT_PREEMPTED, .fence = fence};
  if (busy_) {
    tell(WDDM_DEVICE_PACKET_STOPPED);
    event.info = TERN_INFO_STOPPED;
    event.stopped = packet_.fence;
    event.offset = offset_;
    const bool spinning = !command_.empty() && TERN_OP(command_[0]) == TERN_SPIN;
    event.spin_left = spinning ? static_cast<std::uint32_t>(left_) : packet_.spin_left;
    busy_ = false;
  }
  event.completed = completed;
  head_ = tail_;
  forget_command();
  events_.push_back(event);
}

void Engine::reset(std::uint32_t how) {
  if (busy_) tell(WDDM_DEVICE_PACKET_STOPPED);
  busy_ = halted_ = false;
  head_ = tail_ = 0;
  events_.clear();
  forget_command();
  flush(0);
  if (how == TERN_RESET_ALL) std::fill(std::begin(semaphores_), std::end(semaphores_), 0);
}

}  // namespace tern
