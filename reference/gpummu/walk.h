// The walk: what an access to a GPU virtual address gives, by the tables that lie in memory.
//
// Sources: gpu-virtual-address.md and its figure (translation starts at the root), DXGK_PTE,
// DXGKARG_SETROOTPAGETABLE (NumEntries), support-for-64kb-pages.md; clauses MMU-002, -006, -007,
// -012, -013, PTE-003, -004, -006, -007, ROOT-011, PGSZ-007..009, LDA-004, LDA-006. Steps:
//   1. The address lies in the space.
//   2. Its index in the root is below NumEntries (ROOT-011).
//   3. The entry of the current level is read, at the index cut from the address (MMU-007).
//   4. Invalid: the access faults, and this is the level it is reported with (MMU-012, MMU-013).
//   5. Zero: reads give zero and writes are dropped, at every level (PTE-003).
//   6. Above level 0, a large page: memory, linear from its address on (PTE-007).
//   7. Above level 0, else: it leads to a table of the level below (MMU-002). Below level 1 that is
//      a leaf of the page size that the entry says (PGSZ-008), or with dual PTEs there are two, and
//      the walk succeeds through whichever has a valid entry (PGSZ-009).
//   8. At level 0: the page, and in it the low bits of the address (MMU-006).
//   9. A write to what is read-only faults at the level of the entry (PTE-004).
// What protection bits of pointers to tables do is nowhere said: the walk minds those of the last
// entry only. NoExecute never stops a walk: no document says that a fetch faults (PTE-004, note).
// Leaves out what a TLB remembers (tlb_model.h), fences and notifications.
#pragma once

#include <concepts>
#include <cstdint>

#include "reference/gpummu/address.h"
#include "reference/gpummu/geometry.h"
#include "reference/gpummu/pte.h"

namespace wddm::gpummu {

enum class Access : std::uint8_t { Read, Write };

enum class Outcome : std::uint8_t {
  Memory,       ///< the bytes at `place`
  Zero,         ///< reads as zero, drops writes
  Fault,        ///< `fault` at `level`; no memory changes, no data arrives
  Unspecified,  ///< the walk left what is known: anything may happen
};

enum class FaultReason : std::uint8_t {
  None,
  BeyondAddressSpace,  ///< step 1; reported with the root's level
  BeyondRoot,          ///< step 2
  InvalidEntry,        ///< step 4
  ReadOnly,            ///< step 9
};

/// What a walk gives.
struct Translation {
  Outcome outcome = Outcome::Fault;
  FaultReason fault = FaultReason::None;
  std::uint8_t level = 0;   ///< of the entry that ended the walk (PageTableLevel of a fault)
  bool no_execute = false;  ///< of a page: it should not be fetched from
  bool cache_coherent = false;
  PhysicalAddress place{};      ///< of the byte
  std::uint64_t run_bytes = 0;  ///< that many bytes from the address on are under the same entry
  friend bool operator==(const Translation&, const Translation&) = default;
};

/// Tables that can be walked. Each function may be asked about anything that entries lead to: a
/// null pointer says that nothing is known of that memory. A returned entry lives until the next
/// call.
template <class T>
concept Tables = requires(const T& tables, typename T::Table table, std::uint32_t n,
                          PageTablePageSize page_size, const Entry& pointer) {
  /// The table of the last SetRootPageTable, and its NumEntries.
  { tables.root() } -> std::same_as<typename T::Table>;
  { tables.root_entries() } -> std::same_as<std::uint32_t>;
  /// Entry `n` of a table of level `n`.
  { tables.read(table, n, page_size, n) } -> std::same_as<const Entry*>;
  /// The second pointer of entry `n` of a level-1 table, of dual PTEs.
  { tables.read_64kb_pointer(table, n) } -> std::same_as<const Entry*>;
  /// The table that a pointer leads to.
  { tables.below(pointer) } -> std::same_as<typename T::Table>;
};

namespace walking {

constexpr Translation fault(FaultReason reason, std::uint32_t level) {
  Translation result;
  result.fault = reason;
  result.level = static_cast<std::uint8_t>(level);
  return result;
}

constexpr Translation unspecified(std::uint32_t level) {
  Translation result;
  result.outcome = Outcome::Unspecified;
  result.level = static_cast<std::uint8_t>(level);
  return result;
}

/// Zero or a large page: nothing is below, whatever the level.
constexpr bool is_last(const Entry& entry) {
  return entry.valid && (entry.zero || entry.large_page);
}

/// Steps 4 to 6, 8 and 9: what an entry gives that is no pointer and covers `bytes`.
constexpr Translation end(const Entry& entry, std::uint32_t level, std::uint64_t bytes,
                          GpuVirtualAddress va, Access access) {
  if (!entry.valid) return fault(FaultReason::InvalidEntry, level);
  const std::uint64_t into = va.value & (bytes - 1);
  Translation result;
  result.level = static_cast<std::uint8_t>(level);
  result.run_bytes = bytes - into;
  if (entry.zero) {
    result.outcome = Outcome::Zero;
    return result;
  }
  if (access == Access::Write && entry.read_only) return fault(FaultReason::ReadOnly, level);
  result.outcome = Outcome::Memory;
  result.place.offset = entry.address + into;
  result.place.segment = entry.segment;
  result.place.adapter = entry.adapter;
  result.no_execute = entry.no_execute;
  result.cache_coherent = entry.cache_coherent;
  return result;
}

/// Step 3 at level 0, and what follows. Inline, for compilers to make one function of the walk.
template <Tables T>
inline Translation leaf(const Geometry& geometry, const T& tables, typename T::Table table,
                        PageTablePageSize page_size, GpuVirtualAddress va, Access access) {
  const bool is_64kb = page_size == PageTablePageSize::Page64K;
  const std::uint32_t index = is_64kb ? geometry.index_64kb(va) : geometry.index(0, va);
  const Entry* entry = tables.read(table, 0, page_size, index);
  if (entry == nullptr) return unspecified(0);
  return end(*entry, 0, is_64kb ? kPageSize64K : kPageSize, va, access);
}

/// Step 7 with dual PTEs: through the 64 KB leaf, else through the 4 KB leaf. Both valid is
/// something that an operating system never writes.
template <Tables T>
Translation dual_leaf(const Geometry& geometry, const T& tables, typename T::Table table,
                      std::uint32_t index, const Entry& pointer, GpuVirtualAddress va,
                      Access access) {
  Translation result = fault(FaultReason::InvalidEntry, 1);
  const Entry small = pointer;
  const Entry* large = tables.read_64kb_pointer(table, index);
  if (large == nullptr) return unspecified(1);
  if (large->valid) {
    result = leaf(geometry, tables, tables.below(*large), PageTablePageSize::Page64K, va, access);
    if (result.fault != FaultReason::InvalidEntry || !small.valid) return result;
  }
  if (!small.valid) return result;
  return leaf(geometry, tables, tables.below(small), PageTablePageSize::Page4K, va, access);
}

}  // namespace walking

/// What an access to the byte at `va` gives. Any address and any entries will do.
template <Tables T>
[[nodiscard]] Translation walk(const Geometry& geometry, const T& tables, GpuVirtualAddress va,
                               Access access) {
  std::uint32_t level = geometry.root_level();
  if (!geometry.contains(va)) {  // step 1
    return walking::fault(FaultReason::BeyondAddressSpace, level);
  }
  if (geometry.index(level, va) >= tables.root_entries()) {  // step 2
    return walking::fault(FaultReason::BeyondRoot, level);
  }
  PageTablePageSize page_size = PageTablePageSize::Page4K;
  auto table = tables.root();
  for (; level > 0; --level) {
    const std::uint32_t index = geometry.index(level, va);
    const Entry* entry = tables.read(table, level, PageTablePageSize::Page4K, index);  // step 3
    if (entry == nullptr) return walking::unspecified(level);
    if (level == 1 && geometry.dual_pte() && !walking::is_last(*entry)) {  // step 7
      return walking::dual_leaf(geometry, tables, table, index, *entry, va, access);
    }
    if (!is_pointer(*entry, level)) {  // steps 4 to 6, and 9
      return walking::end(*entry, level, geometry.entry_bytes(level), va, access);
    }
    page_size = entry->page_table_page_size;  // step 7; it counts at level 1
    table = tables.below(*entry);
  }
  return walking::leaf(geometry, tables, table, page_size, va, access);  // steps 3 to 5, 8 and 9
}

}  // namespace wddm::gpummu
