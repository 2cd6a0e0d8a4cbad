#include "conformance/drivers/plover/device/plover_mmu.h"

#include <algorithm>
#include <cstring>

namespace plover {
namespace {

constexpr std::uint64_t kPage = 4096;
constexpr std::uint32_t kBits[PLOVER_LEVELS] = PLOVER_INDEX_BITS;
constexpr std::uint32_t kShift[PLOVER_LEVELS] = PLOVER_INDEX_SHIFT;
constexpr std::uint32_t kBytes[PLOVER_LEVELS] = PLOVER_ENTRY_BYTES;

std::uint32_t rest_of_page(std::uint64_t va, std::uint64_t count) {
  return static_cast<std::uint32_t>(std::min(count, kPage - va % kPage));
}

}  // namespace

// An entry with ZERO ends a walk at any level, and isn't kept: it says nothing of a page.
bool Mmu::walk(const Accessor& by, std::uint64_t va, bool write, std::uint64_t& entry,
               Fault& fault) {
  const PloverPacket& packet = by.packet;
  fault = {va, PLOVER_LEVELS - 1, write};
  if (va >> PLOVER_VA_BITS != 0 || va >> kShift[fault.level] >= packet.root_entries) return false;
  std::uint64_t table = packet.root;
  for (std::uint32_t level = PLOVER_LEVELS; level-- > 0;) {
    const std::uint64_t index = va >> kShift[level] & ((1u << kBits[level]) - 1);
    const std::uint64_t at = (table & PLOVER_PTE_ADDRESS) + index * kBytes[level];
    fault.level = level;
    WddmDeviceEvent record = record_of(WDDM_DEVICE_WALK, by.node, packet.fence, va, kBytes[level]);
    record.entry_address = at;
    record.entry_system = 1;
    record.level = level;
    record.write = write;
    record.process = packet.space;
    log_.push_back(record);
    entry = 0;
    if (host_.dma_read(host_.host, at, &entry, sizeof(entry)) != 0) return false;
    if ((entry & PLOVER_PTE_VALID) == 0) return false;
    if ((entry & PLOVER_PTE_ZERO) != 0) return true;
    table = entry;
  }
  kept(packet, va / kPage) = {packet.space, packet.root, va / kPage, entry};
  return true;
}

bool Mmu::translate(const Accessor& by, std::uint64_t va, bool write, std::uint64_t& entry,
                    Fault& fault) {
  const PloverPacket& packet = by.packet;
  const Translation& known = kept(packet, va / kPage);
  if (known.entry != 0 && known.space == packet.space && known.root == packet.root &&
      known.page == va / kPage) {
    entry = known.entry;
    fault = {va, 0, write};
  } else if (!walk(by, va, write, entry, fault)) {
    return false;
  }
  return !write || (entry & PLOVER_PTE_READ_ONLY) == 0;
}

// Where the Plover's own memory has `count` bytes; null and a record of the log if it has not.
std::uint8_t* Mmu::inside(const Accessor& by, std::uint64_t address, std::uint32_t count) {
  const std::uint64_t offset = address - PLOVER_MEMORY_BASE;
  if (offset < PLOVER_MEMORY_BYTES && count <= PLOVER_MEMORY_BYTES - offset) {
    return memory_ + offset;
  }
  log_.push_back(record_of(WDDM_DEVICE_FAULT, by.node, by.packet.fence, address, count));
  return nullptr;
}

bool Mmu::read(const Accessor& by, std::uint64_t va, void* bytes, std::uint64_t count,
               Fault& fault) {
  auto* to = static_cast<std::uint8_t*>(bytes);
  while (count != 0) {
    const std::uint32_t part = rest_of_page(va, count);
    std::uint64_t entry = 0;
    if (!translate(by, va, false, entry, fault)) return false;
    const std::uint64_t at = (entry & PLOVER_PTE_ADDRESS) + va % kPage;
    if ((entry & PLOVER_PTE_ZERO) != 0) {
      std::memset(to, 0, part);
    } else if ((entry & PLOVER_PTE_SYSTEM) != 0) {
      host_.dma_read(host_.host, at, to, part);
    } else if (const std::uint8_t* from = inside(by, at, part)) {
      std::memcpy(to, from, part);
    } else {
      std::memset(to, 0, part);
    }
    va += part, to += part, count -= part;
  }
  return true;
}

bool Mmu::write(const Accessor& by, std::uint64_t va, const void* bytes, std::uint64_t count,
                Fault& fault) {
  const auto* from = static_cast<const std::uint8_t*>(bytes);
  while (count != 0) {
    const std::uint32_t part = rest_of_page(va, count);
    std::uint64_t entry = 0;
    if (!translate(by, va, true, entry, fault)) return false;
    const std::uint64_t at = (entry & PLOVER_PTE_ADDRESS) + va % kPage;
    if ((entry & PLOVER_PTE_SYSTEM) != 0 && (entry & PLOVER_PTE_ZERO) == 0) {
      host_.dma_write(host_.host, at, from, part);
    } else if ((entry & PLOVER_PTE_ZERO) == 0) {
      if (std::uint8_t* to = inside(by, at, part)) {
        std::memcpy(to, from, part);
        host_.memory_written(host_.host, 1, at - PLOVER_MEMORY_BASE, part);
      }
    }
    va += part, from += part, count -= part;
  }
  return true;
}

void Mmu::flush(std::uint32_t space, std::uint64_t first, std::uint64_t last) {
  for (Translation& known : translations_) {
    const bool hit = known.page >= first / kPage && known.page <= last / kPage;
    if (hit && (space == ~0u || known.space == space)) known = {};
  }
}

}  // namespace plover
