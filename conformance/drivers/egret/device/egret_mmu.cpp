#include "conformance/drivers/egret/device/egret_mmu.h"

#include <algorithm>
#include <cstring>

namespace egret {
namespace {

constexpr std::uint32_t kMiddleShift = 12 + EG_L0_BITS, kRootShift = kMiddleShift + EG_L1_BITS;

std::uint64_t index_of(std::uint64_t va, std::uint32_t shift, std::uint32_t bits) {
  return va >> shift & ((1u << bits) - 1);
}

std::uint64_t target_of(std::uint64_t entry) {
  return (entry & EG_PTE_ADDRESS) | ((entry & EG_PTE_SYSTEM) != 0 ? EG_SYS_BIT : 0);
}

}  // namespace

const std::uint64_t* Mmu::Tlb::find(std::uint32_t space, std::uint64_t va) const {
  const auto found = entries.find(key(space, va >> shift));
  return found == entries.end() ? nullptr : &found->second;
}

void Mmu::Tlb::flush(std::uint32_t space, std::uint64_t start, std::uint64_t end) {
  std::erase_if(entries, [&](const auto& entry) {
    const auto of = static_cast<std::uint32_t>(entry.first >> 40);
    const std::uint64_t va = (entry.first & ((1ull << 40) - 1)) << shift;
    const bool inside = (start == 0 && end == 0) || (va < end && va + (1ull << shift) > start);
    return (space == ~0u || of == space) && inside;
  });
}

void Mmu::flush(std::uint32_t space, std::uint64_t start, std::uint64_t end) {
  small_.flush(space, start, end);
  large_.flush(space, start, end);
}

void Mmu::lose_power() {
  small_.entries.clear();
  large_.entries.clear();
}

bool Mmu::refuse(const Accessor& by, std::uint64_t va, std::uint32_t level, bool write,
                 Fault& fault) {
  WddmDeviceEvent event = record_of(WDDM_DEVICE_PAGE_FAULT, by, va, 0);
  event.level = level;
  event.write = write ? 1 : 0;
  event.process = by.job.space;
  log_.push_back(event);
  fault = {va, level, write};
  return false;
}

void Mmu::read_entry(const Accessor& by, std::uint64_t at, std::uint64_t* words,
                     std::uint32_t bytes, std::uint64_t va, std::uint32_t level, bool write) {
  memory_.access(by, at, words, bytes, false);
  WddmDeviceEvent event = record_of(WDDM_DEVICE_WALK, by, va, bytes);
  event.entry_address = at & ~EG_SYS_BIT;
  event.entry_system = (at & EG_SYS_BIT) != 0 ? 1 : 0;
  event.level = level;
  event.write = write ? 1 : 0;
  event.process = by.job.space;
  log_.push_back(event);
}

bool Mmu::take(const Accessor& by, std::uint64_t va, std::uint64_t entry, Tlb& tlb,
               Translation& found) {
  tlb.entries[Tlb::key(by.job.space, va >> tlb.shift)] = entry;
  found = {entry, tlb.shift};
  return true;
}

// An entry with ZERO ends a walk at any level, for the small page that is asked for.
bool Mmu::walk(const Accessor& by, std::uint64_t va, bool write, Translation& found, Fault& fault) {
  const std::uint64_t zero = EG_PTE_VALID | EG_PTE_ZERO;
  const std::uint64_t root_index = va >> kRootShift;
  std::uint64_t root = 0, leaf = 0, pair[2] = {};
  if (by.job.root == 0 || root_index >= by.job.root_entries) return refuse(by, va, 2, write, fault);
  read_entry(by, by.job.root + root_index * 8, &root, 8, va, 2, write);
  if ((root & EG_PTE_VALID) == 0) return refuse(by, va, 2, write, fault);
  if ((root & EG_PTE_ZERO) != 0) return take(by, va, zero, small_, found);

  read_entry(by, target_of(root) + index_of(va, kMiddleShift, EG_L1_BITS) * 16, pair, 16, va, 1,
             write);
  if (((pair[0] | pair[1]) & EG_PTE_ZERO) != 0) return take(by, va, zero, small_, found);
  const bool has_large = (pair[1] & EG_PTE_VALID) != 0;
  if (has_large) {
    read_entry(by, target_of(pair[1]) + index_of(va, large_.shift, EG_L0_BITS - 4) * 8, &leaf, 8,
               va, 0, write);
    if ((leaf & EG_PTE_VALID) != 0) return take(by, va, leaf, large_, found);
  }
  if ((pair[0] & EG_PTE_VALID) == 0) return refuse(by, va, has_large ? 0 : 1, write, fault);
  read_entry(by, target_of(pair[0]) + index_of(va, small_.shift, EG_L0_BITS) * 8, &leaf, 8, va, 0,
             write);
  if ((leaf & EG_PTE_VALID) == 0) return refuse(by, va, 0, write, fault);
  return take(by, va, leaf, small_, found);
}

bool Mmu::translate(const Accessor& by, std::uint64_t va, bool write, Translation& found,
                    Fault& fault) {
  if (va >> EG_VA_BITS != 0) return refuse(by, va, EG_LEVELS - 1, write, fault);
  if (const std::uint64_t* large = large_.find(by.job.space, va)) {
    found = {*large, large_.shift};
  } else if (const std::uint64_t* small = small_.find(by.job.space, va)) {
    found = {*small, small_.shift};
  } else if (!walk(by, va, write, found, fault)) {
    return false;
  }
  if (write && (found.entry & EG_PTE_READ_ONLY) != 0) return refuse(by, va, 0, write, fault);
  return true;
}

// By 4 KB even in large pages: behind the aperture they need not be contiguous.
bool Mmu::access(const Accessor& by, std::uint64_t va, void* buffer, std::uint64_t bytes,
                 bool write, Fault& fault) {
  auto* at = static_cast<std::uint8_t*>(buffer);
  while (bytes != 0) {
    Translation found;
    if (!translate(by, va, write, found, fault)) return false;
    const auto now =
        static_cast<std::uint32_t>(std::min<std::uint64_t>(bytes, 0x1000 - (va & 0xfff)));
    if ((found.entry & EG_PTE_ZERO) == 0) {
      const std::uint64_t in_page = va & ((1ull << found.shift) - 1);
      memory_.access(by, target_of(found.entry) + in_page, at, now, write);
    } else if (!write) {
      std::memset(at, 0, now);
    }
    va += now;
    at += now;
    bytes -= now;
  }
  return true;
}

}  // namespace egret
