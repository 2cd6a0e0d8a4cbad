#include "conformance/drivers/reference/device/mmu.h"

#include <algorithm>

namespace wddm::reference_device {
namespace {

constexpr std::uint32_t kPageShift = 12;
constexpr std::uint32_t kLargeLeafShift = 16;

bool ends_walk(std::uint64_t entry) {
  return (entry & HW_PTE_VALID) == 0 || (entry & (HW_PTE_ZERO | HW_PTE_LARGE)) != 0;
}

bool permits(std::uint64_t entry, Access access) {
  if ((entry & HW_PTE_VALID) == 0) return false;
  if (access == Access::Write) return (entry & HW_PTE_READ_ONLY) == 0;
  if (access == Access::Fetch) return (entry & HW_PTE_NO_EXECUTE) == 0;
  return true;
}

bool are_of(Leaves leaves, std::uint32_t shift) {
  return leaves == Leaves::Any || (leaves == Leaves::Of64K) == (shift == kLargeLeafShift);
}

}  // namespace

std::uint32_t MmuGeometry::shift(std::uint32_t level) const {
  std::uint32_t bits = kPageShift;
  for (std::uint32_t below = 0; below < level; ++below) bits += index_bits_[below];
  return bits;
}

std::uint64_t MmuGeometry::index(std::uint32_t level, std::uint64_t address) const {
  const std::uint64_t all = address >> shift(level);
  return level + 1 == levels_ ? all : all & ((std::uint64_t{1} << index_bits_[level]) - 1);
}

void MmuGeometry::set_levels(std::uint32_t value) {
  levels_ = std::clamp(value, 2u, HW_MMU_MAX_LEVELS);
}

void MmuGeometry::set_index_bits(std::uint32_t level, std::uint32_t value) {
  index_bits_[level] = std::clamp(value, 4u, 12u);
}

TlbKey Mmu::key_of(std::uint32_t level, std::uint32_t shift, std::uint64_t address) const {
  return {space_.root, space_.id, level, shift, address >> shift};
}

const TableEntry* Mmu::kept(std::uint32_t level, std::uint32_t shift, std::uint64_t address) const {
  return tlb_.find(key_of(level, shift, address));
}

Mmu::Place Mmu::place_of(std::uint64_t entry) const {
  if ((entry & HW_PTE_PEER) != 0) {
    return {Space::System, geometry_.peer_base() + (entry & HW_PTE_ADDRESS_MASK) - HW_LOCAL_BASE};
  }
  return {(entry & HW_PTE_SYSTEM) != 0 ? Space::System : Space::Gpu, entry & HW_PTE_ADDRESS_MASK};
}

// From the TLB, or from memory. A table outside of any memory has only invalid entries.
TableEntry Mmu::entry_of(const Place& table, std::uint32_t level, std::uint32_t shift,
                         std::uint64_t address, Access access) {
  if (const TableEntry* const entry = kept(level, shift, address)) return *entry;
  const bool pair = level == 1 && geometry_.dual();
  const std::uint32_t bytes = pair ? sizeof(TableEntry) : sizeof(std::uint64_t);
  // A leaf table of larger pages has fewer entries: its index lacks the lowest bits.
  const std::uint64_t index = index_of(level, address) >> (shift - geometry_.shift(level));
  const std::uint64_t where = table.address + index * bytes;
  WddmDeviceEvent event{};
  event.size = sizeof(event);
  event.kind = WDDM_DEVICE_WALK;
  event.node = node_;
  event.tag = space_.tag;
  event.address = address;
  event.length = bytes;
  event.entry_address = where;
  event.entry_system = table.space == Space::System ? 1 : 0;
  event.level = level;
  event.write = access == Access::Write ? 1 : 0;
  event.process = space_.id;
  log_.push(event);

  TableEntry entry{};
  std::uint64_t bad = 0;
  if (!memory_.read(table.space, where, entry.data(), bytes, &bad)) {
    event.kind = WDDM_DEVICE_FAULT;
    event.address = bad;
    log_.push(event);
    entry = {};
  }
  const bool valid = ((entry[0] | entry[1]) & HW_PTE_VALID) != 0;
  if (valid || (geometry_.flags() & HW_MMU_KEEP_INVALID) != 0) {
    tlb_.keep(key_of(level, shift, address), entry);
  }
  return entry;
}

// Both leaf tables below a pair may be there; at most one of their entries is valid. One that the
// access does not go through counts as none.
Mmu::End Mmu::walk_leaves(std::uint64_t address, const TableEntry& above, Access access,
                          Leaves leaves) {
  const End nothing{0, 1, geometry_.shift(1)};
  const auto leaf = [&](std::uint64_t pointer, std::uint32_t shift) -> End {
    return {entry_of(place_of(pointer), 0, shift, address, access)[0], 0, shift};
  };
  if (!geometry_.dual()) {
    const bool large = (above[0] & HW_PTE_LEAF_64KB) != 0;
    const std::uint32_t shift = large ? kLargeLeafShift : kPageShift;
    return are_of(leaves, shift) ? leaf(above[0], shift) : nothing;
  }
  const bool small = (above[0] & HW_PTE_VALID) != 0 && are_of(leaves, kPageShift);
  if ((above[1] & HW_PTE_VALID) != 0 && are_of(leaves, kLargeLeafShift)) {
    const End end = leaf(above[1], kLargeLeafShift);
    if ((end.entry & HW_PTE_VALID) != 0 || !small) return end;
  }
  return small ? leaf(above[0], kPageShift) : nothing;
}

Mmu::End Mmu::walk(std::uint64_t address, Access access, Leaves leaves) {
  const std::uint32_t root = geometry_.levels() - 1;
  if (geometry_.index(root, address) >= space_.root_entries) {
    return {0, root, geometry_.shift(root)};
  }
  // A kept leaf needs nothing from above it.
  for (const std::uint32_t shift : {kLargeLeafShift, kPageShift}) {
    if (!are_of(leaves, shift)) continue;
    const TableEntry* const entry = kept(0, shift, address);
    if (entry != nullptr && ((*entry)[0] & HW_PTE_VALID) != 0) return {(*entry)[0], 0, shift};
  }
  // And of those above it the lowest one that is kept.
  std::uint32_t level = 1;
  while (level < root && kept(level, geometry_.shift(level), address) == nullptr) ++level;
  Place table{(space_.root & HW_ROOT_SYSTEM) != 0 ? Space::System : Space::Gpu,
              space_.root & HW_PTE_ADDRESS_MASK};
  for (;; --level) {
    const std::uint32_t shift = geometry_.shift(level);
    const TableEntry entry = entry_of(table, level, shift, address, access);
    const bool second = level == 1 && geometry_.dual() && (entry[1] & HW_PTE_VALID) != 0;
    if (ends_walk(entry[0]) && !(second && (entry[0] & HW_PTE_VALID) == 0)) {
      return {entry[0], level, shift};
    }
    if (level == 1) return walk_leaves(address, entry, access, leaves);
    table = place_of(entry[0]);
  }
}

Translation Mmu::translate(std::uint64_t address, Access access, Leaves leaves) {
  const End end = walk(address, access, leaves);
  Translation result;
  if (!permits(end.entry, access)) {
    result.fault_level = end.level;
    return result;
  }
  const std::uint64_t size = std::uint64_t{1} << end.shift;
  const std::uint64_t offset = address & (size - 1);
  const Place page = place_of(end.entry);
  result.valid = true;
  result.zero = (end.entry & HW_PTE_ZERO) != 0;
  result.space = page.space;
  result.address = page.address + offset;
  result.bytes = size - offset;
  return result;
}

}  // namespace wddm::reference_device
