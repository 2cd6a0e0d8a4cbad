#include "conformance/drivers/kestrel/device/kestrel_memory.h"

#include <algorithm>
#include <cstring>

namespace kestrel {
namespace {

constexpr std::uint64_t kPage = 4096;

std::uint32_t up_to(std::uint64_t most, std::uint32_t count) {
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(most, count));
}

}  // namespace

Memory::Piece Memory::in_aperture(std::uint64_t offset, std::uint32_t count) {
  std::uint64_t entry = 0;
  if (host_.dma_read(host_.host, gart + offset / kPage * 8, &entry, sizeof(entry)) != 0) return {};
  if ((entry & KST_GART_VALID) == 0) return {};
  return {(entry & ~(kPage - 1)) + offset % kPage, nullptr, up_to(kPage - offset % kPage, count),
          false};
}

Memory::Piece Memory::piece(Place at, std::uint32_t count) {
  if (at.system) return {at.address, nullptr, count, false};
  if (const std::uint64_t offset = at.address - KST_APERTURE_BASE; offset < KST_APERTURE_BYTES) {
    return in_aperture(offset, count);
  }
  if (const std::uint64_t offset = at.address - KST_VISIBLE_BASE; offset < KST_VISIBLE_BYTES) {
    return {offset, visible_ + offset, up_to(KST_VISIBLE_BYTES - offset, count), true};
  }
  if (const std::uint64_t offset = at.address - KST_HIDDEN_BASE; offset < KST_HIDDEN_BYTES) {
    return {offset, hidden_.get() + offset, up_to(KST_HIDDEN_BYTES - offset, count), false};
  }
  return {};
}

bool Memory::read(Place from, void* bytes, std::uint32_t count) {
  auto* to = static_cast<std::uint8_t*>(bytes);
  while (count != 0) {
    const Piece part = piece(from, count);
    if (part.count == 0) return false;
    if (part.own != nullptr) {
      std::memcpy(to, part.own, part.count);
    } else if (host_.dma_read(host_.host, part.address, to, part.count) != 0) {
      return false;
    }
    from.address += part.count, to += part.count, count -= part.count;
  }
  return true;
}

bool Memory::write(Place to, const void* bytes, std::uint32_t count) {
  const auto* from = static_cast<const std::uint8_t*>(bytes);
  while (count != 0) {
    const Piece part = piece(to, count);
    if (part.count == 0) return false;
    if (part.own != nullptr) {
      std::memcpy(part.own, from, part.count);
    } else if (host_.dma_write(host_.host, part.address, from, part.count) != 0) {
      return false;
    }
    if (part.visible) host_.memory_written(host_.host, 1, part.address, part.count);
    to.address += part.count, from += part.count, count -= part.count;
  }
  return true;
}

bool Memory::peek(std::uint64_t address, void* bytes, std::uint32_t count) const {
  const std::uint64_t offset = address - KST_HIDDEN_BASE;
  if (offset >= KST_HIDDEN_BYTES || count > KST_HIDDEN_BYTES - offset) return false;
  std::memcpy(bytes, hidden_.get() + offset, count);
  return true;
}

void Memory::write_gart(std::uint64_t entry, std::uint64_t value) {
  if (entry >= KST_GART_ENTRIES) return;
  host_.dma_write(host_.host, gart + entry * sizeof(value), &value, sizeof(value));
}

}  // namespace kestrel
