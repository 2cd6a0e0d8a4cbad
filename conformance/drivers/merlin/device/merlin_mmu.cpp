// Walks of page tables, what is kept of them, and the memory behind.
#include "conformance/drivers/merlin/device/merlin_mmu.h"

#include <algorithm>
#include <cstring>
#include <iterator>

namespace merlin {
namespace {

constexpr std::uint64_t kPageBytes = 4096;
constexpr std::uint32_t kSpaceShift = 40;
constexpr std::size_t kMostTranslations = 4096;

}  // namespace

bool Mmu::local(bool write, std::uint64_t address, void* data, std::uint32_t bytes) {
  const std::uint64_t offset = address - MERLIN_VRAM_BASE;
  if (address < MERLIN_VRAM_BASE || offset > MERLIN_VRAM_BYTES - bytes) {
    if (!write) std::memset(data, 0, bytes);
    return false;
  }
  if (write) {
    std::memcpy(vram_ + offset, data, bytes);
    host_.memory_written(host_.host, MERLIN_BAR_VRAM, offset, bytes);
  } else {
    std::memcpy(data, vram_ + offset, bytes);
  }
  return true;
}

bool Mmu::physical(const Accessor& by, bool system, bool write, std::uint64_t address, void* data,
                   std::uint32_t bytes) {
  bool good = false;
  if (!system) {
    good = local(write, address, data, bytes);
  } else if (write) {
    good = host_.dma_write(host_.host, address, data, bytes) == 0;
  } else {
    good = host_.dma_read(host_.host, address, data, bytes) == 0;
  }
  if (!good) log_.push_back(record_of(WDDM_DEVICE_FAULT, by.node, by.job, address, bytes));
  return good;
}

void Mmu::tell_walk(const Accessor& by, bool write, std::uint64_t va, std::uint64_t entry,
                    bool system, std::uint32_t level) {
  WddmDeviceEvent record = record_of(WDDM_DEVICE_WALK, by.node, by.job, va, 8);
  record.entry_address = entry;
  record.entry_system = system ? 1 : 0;
  record.level = level;
  record.write = write ? 1 : 0;
  record.process = by.job.space;
  log_.push_back(record);
}

// An entry of the root that is Zero stands for all the pages below it.
bool Mmu::walk(const Accessor& by, bool write, std::uint64_t va, std::uint64_t& leaf,
               Fault& fault) {
  const MerlinJob& job = by.job;
  const std::uint64_t page = va >> 12;
  const std::uint64_t index = page >> MERLIN_LEAF_BITS;
  if (index >= job.root_entries) return false;
  const bool root_system = (job.flags & MERLIN_JOB_ROOT_SYSTEM) != 0;
  const std::uint64_t root_at = job.root + index * 8;
  std::uint64_t up = 0;
  tell_walk(by, write, va, root_at, root_system, 1);
  if (!physical(by, root_system, false, root_at, &up, 8) || (up & MPTE_VALID) == 0) return false;
  if ((up & MPTE_ZERO) != 0) {
    leaf = MPTE_VALID | MPTE_ZERO;
    return true;
  }
  const bool system = (up & MPTE_SYSTEM) != 0;
  const std::uint64_t leaf_at = (up & MPTE_ADDRESS) + (page & ((1u << MERLIN_LEAF_BITS) - 1)) * 8;
  fault.level = 0;
  tell_walk(by, write, va, leaf_at, system, 0);
  return physical(by, system, false, leaf_at, &leaf, 8) && (leaf & MPTE_VALID) != 0;
}

bool Mmu::translate(const Accessor& by, Access access, std::uint64_t va, std::uint64_t& entry,
                    Fault& fault) {
  const bool write = access == Access::Write;
  fault = {va, 1, write, MF_CODE_PAGE};
  if (va >> MERLIN_VA_BITS != 0) return false;
  const std::uint64_t key = std::uint64_t{by.job.space} << kSpaceShift | va >> 12;
  const auto found = translations_.find(key);
  if (found != translations_.end()) {
    entry = found->second;
  } else {
    if (!walk(by, write, va, entry, fault)) return false;
    if (translations_.size() > kMostTranslations) translations_.clear();
    translations_[key] = entry;
  }
  fault.level = 0;
  if (write && (entry & MPTE_READ_ONLY) != 0) return false;
  return access != Access::Execute || (entry & MPTE_NO_EXECUTE) == 0;
}

bool Mmu::access(const Accessor& by, Access access, std::uint64_t va, void* data,
                 std::uint64_t bytes, Fault& fault) {
  const bool write = access == Access::Write;
  auto* at = static_cast<std::uint8_t*>(data);
  while (bytes != 0) {
    const std::uint64_t offset = va % kPageBytes;
    const auto piece = static_cast<std::uint32_t>(std::min(kPageBytes - offset, bytes));
    std::uint64_t entry = 0;
    if (!translate(by, access, va, entry, fault)) return false;
    if ((entry & MPTE_ZERO) != 0) {
      if (!write) std::memset(at, 0, piece);
    } else {
      // Over the bridge, memory of the other GPU lies on the bus like the system's.
      const bool peer = (entry & MPTE_PEER) != 0;
      std::uint64_t address = (entry & MPTE_ADDRESS) + offset;
      if (peer) address += peer_ - MERLIN_VRAM_BASE;
      if (!physical(by, peer || (entry & MPTE_SYSTEM) != 0, write, address, at, piece)) {
        fault = {va, 0, write, MF_CODE_PAGE};
        return false;
      }
    }
    va += piece;
    at += piece;
    bytes -= piece;
  }
  return true;
}

void Mmu::flush(std::uint32_t space, std::uint64_t first, std::uint64_t last) {
  for (auto i = translations_.begin(); i != translations_.end();) {
    const std::uint64_t page = i->first & ((1ull << kSpaceShift) - 1);
    const bool hit =
        (space == ~0u || i->first >> kSpaceShift == space) && page >= first && page <= last;
    i = hit ? translations_.erase(i) : std::next(i);
  }
}

void Mmu::reset() {
  peer_ = 0;
  translations_.clear();
}

}  // namespace merlin
