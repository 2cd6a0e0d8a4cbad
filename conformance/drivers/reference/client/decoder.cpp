#include "conformance/drivers/reference/client/decoder.h"

#include <cstring>

#include "conformance/drivers/reference/device/hw.h"

namespace wddm::reference_client {
namespace {

constexpr std::uint32_t kNone = ~0u;

std::uint32_t word_at(const std::uint8_t* bytes, std::uint32_t word) {
  std::uint32_t value = 0;
  std::memcpy(&value, bytes + std::size_t{word} * 4, sizeof value);
  return value;
}

// Of a slot base register: it is of the kind that the whole packet has.
void add_address(WddmDecoded& decoded, const std::uint8_t* bytes, std::uint32_t word) {
  const std::uint32_t n = decoded.address_count++;
  decoded.address_offset[n] = decoded.offset + word * 4;
  decoded.address_width[n] = 8;
  decoded.address[n] = word_at(bytes, word) | std::uint64_t{word_at(bytes, word + 1)} << 32;
}

// Of a paging command, which says what kind it is. Pages of system memory have no GPU address.
void add_address_in(std::uint32_t space, WddmDecoded& decoded, const std::uint8_t* bytes,
                    std::uint32_t word) {
  if (space == HW_SPACE_SYSTEM) return;
  if (space == HW_SPACE_GPU) decoded.physical_addresses |= 1u << decoded.address_count;
  add_address(decoded, bytes, word);
}

// What the command at `bytes` is; false if the hardware doesn't know it.
bool describe(const std::uint8_t* bytes, WddmDecoded& decoded) {
  const std::uint32_t first = word_at(bytes, 0);
  const std::uint32_t a = HW_COMMAND_A(first);
  const std::uint32_t b = HW_COMMAND_B(first);
  std::uint32_t words = HW_COMMAND_WORDS(first);
  const std::uint32_t given = words;
  switch (HW_COMMAND_OPCODE(first)) {
    case HW_OP_NOP:
      break;
    case HW_OP_LOAD_CONSTANT:
      words = HW_WORDS_LOAD_CONSTANT;
      break;
    case HW_OP_FILL:
      words = HW_WORDS_FILL;
      decoded.kind = WDDM_COMMAND_FILL;
      decoded.slot = a;
      break;
    case HW_OP_COPY:
      words = HW_WORDS_COPY;
      decoded.kind = WDDM_COMMAND_COPY;
      decoded.slot = a;
      decoded.source_slot = b;
      break;
    case HW_OP_ADD:
      words = HW_WORDS_ADD;
      decoded.kind = WDDM_COMMAND_ADD;
      decoded.slot = decoded.source_slot = a;
      break;
    case HW_OP_SEM_SIGNAL:
      words = HW_WORDS_SEMAPHORE;
      decoded.kind = WDDM_COMMAND_SIGNAL;
      break;
    case HW_OP_SEM_WAIT:
      words = HW_WORDS_SEMAPHORE;
      decoded.kind = WDDM_COMMAND_WAIT;
      break;
    case HW_OP_SPIN:
      words = HW_WORDS_SPIN;
      decoded.kind = WDDM_COMMAND_SPIN;
      break;
    case HW_OP_SET_BASE:
      words = HW_WORDS_SET_BASE;
      if (given == words) add_address(decoded, bytes, HW_BASE_ADDRESS_OFFSET / 4);
      break;
    case HW_OP_CLEAR_BASE:
      words = HW_WORDS_CLEAR_BASE;
      break;
    case HW_OP_PAGING_COPY:
      words = HW_WORDS_PAGING_COPY;
      decoded.kind = WDDM_COMMAND_COPY;
      if (given == words) {
        add_address_in(b, decoded, bytes, 4);
        add_address_in(a, decoded, bytes, 2);
      }
      break;
    case HW_OP_PAGING_FILL:
      words = HW_WORDS_PAGING_FILL;
      decoded.kind = WDDM_COMMAND_FILL;
      if (given == words) add_address_in(b, decoded, bytes, 3);
      break;
    case HW_OP_PAGING_READ:
    case HW_OP_PAGING_WRITE:
      words = HW_WORDS_PAGING_TOUCH;
      if (given == words) add_address_in(a, decoded, bytes, 2);
      break;
    case HW_OP_APERTURE_MAP:
      words = HW_WORDS_APERTURE_MAP;
      break;
    case HW_OP_APERTURE_FILL:
      words = HW_WORDS_APERTURE_FILL;
      break;
    case HW_OP_WRITE_ENTRIES:
      if (given < HW_WORDS_WRITE_ENTRIES(0) || given % 2 != 0) return false;
      add_address_in(a, decoded, bytes, 2);
      break;
    case HW_OP_REPEAT_ENTRY:
      words = HW_WORDS_REPEAT_ENTRY;
      if (given == words) add_address_in(a, decoded, bytes, 2);
      break;
    case HW_OP_TLB_FLUSH:
      words = HW_WORDS_TLB_FLUSH;
      break;
    default:
      return false;
  }
  return given == words;
}

}  // namespace

int decode(const void* dma, std::uint32_t bytes, Strided<WddmDecoded> out) {
  const auto* start = static_cast<const std::uint8_t*>(dma);
  std::uint32_t offset = 0;
  int count = 0;
  while (offset != bytes) {
    if (bytes - offset < 4) return -1;
    WddmDecoded decoded{};
    decoded.offset = offset;
    decoded.length = HW_COMMAND_WORDS(word_at(start + offset, 0)) * 4;
    decoded.slot = decoded.source_slot = kNone;
    if (decoded.length == 0 || decoded.length > bytes - offset) return -1;
    if (!describe(start + offset, decoded)) return -1;
    out.put(static_cast<std::uint32_t>(count++), decoded);
    offset += decoded.length;
  }
  return count;
}

}  // namespace wddm::reference_client
