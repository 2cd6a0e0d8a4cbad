// A page table entry as the DDI states it, independent of any hardware encoding.
//
// Source: DXGK_PTE; clauses PTE-001..008, MMU-012, LDA-006. Leaves out SystemReserved0,
// BlockAccessMode (undescribed) and DriverProtection, which comes with the update and not with the
// entry (PTE-008).
#pragma once

#include <cstdint>
#include <optional>

#include "reference/gpummu/address.h"
#include "reference/gpummu/geometry.h"

namespace wddm::gpummu {

/// D3DDDIGPUVIRTUALADDRESS_PROTECTION_TYPE and what the MMU adds, as it goes into entries. Reading
/// is always granted.
struct Protection {
  bool read_only = false;
  bool no_execute = false;
  bool cache_coherent = false;
  friend bool operator==(const Protection&, const Protection&) = default;
};

/// DXGK_PTE. A default one is invalid: accesses through it fault.
struct Entry {
  /// Of the page, or of the table below: bytes into `segment`, a multiple of 4096 (PTE-001; the
  /// DDI's field holds it divided by 4096).
  std::uint64_t address = 0;
  SegmentId segment{};             ///< 0 = system memory
  PhysicalAdapterIndex adapter{};  ///< owner of the page; of no meaning in pointers to tables
  /// Of the leaf below; level 1 only, and only without dual PTEs (PGSZ-008).
  PageTablePageSize page_table_page_size = PageTablePageSize::Page4K;
  bool valid : 1 = false;
  bool zero : 1 = false;  ///< with `valid`: reads give zero, writes are dropped (PTE-003)
  bool cache_coherent : 1 = false;
  bool read_only : 1 = false;
  bool no_execute : 1 = false;
  bool large_page : 1 = false;  ///< above level 0: maps memory itself (PTE-007)

  [[nodiscard]] PhysicalAddress place() const { return {address, segment, adapter}; }
  friend bool operator==(const Entry&, const Entry&) = default;
};
static_assert(sizeof(Entry) == 16, "as large as a DXGK_PTE: spaces hold millions of them");

[[nodiscard]] constexpr Entry invalid_entry() {
  return {};
}

[[nodiscard]] constexpr Entry zero_entry() {
  Entry entry;
  entry.valid = true;
  entry.zero = true;
  return entry;
}

/// Maps the page at `place`.
[[nodiscard]] constexpr Entry page_entry(const PhysicalAddress& place, Protection protection = {}) {
  Entry entry;
  entry.address = place.offset;
  entry.segment = place.segment;
  entry.adapter = place.adapter;
  entry.valid = true;
  entry.cache_coherent = protection.cache_coherent;
  entry.read_only = protection.read_only;
  entry.no_execute = protection.no_execute;
  return entry;
}

/// Maps all that an entry of its level covers, beginning at `place`.
[[nodiscard]] constexpr Entry large_page_entry(const PhysicalAddress& place,
                                               Protection protection = {}) {
  Entry entry = page_entry(place, protection);
  entry.large_page = true;
  return entry;
}

/// Leads to the table at `place`. Linked adapters hold the same entry, and each GPU finds its own
/// instance of the table there (LDA-003, LDA-004): the adapter is left 0.
[[nodiscard]] constexpr Entry pointer_entry(
    const PhysicalAddress& place, PageTablePageSize page_size = PageTablePageSize::Page4K) {
  Entry entry;
  entry.address = place.offset;
  entry.segment = place.segment;
  entry.valid = true;
  entry.page_table_page_size = page_size;
  return entry;
}

/// Leads down to a table: neither memory nor nothing.
[[nodiscard]] constexpr bool is_pointer(const Entry& entry, std::uint32_t level) {
  return level > 0 && entry.valid && !entry.zero && !entry.large_page;
}

/// An entry that an operating system must not write.
enum class EntryDefect : std::uint8_t {
  ZeroWithoutValid,          ///< the reading of PTE-003: never issued
  ZeroUnsupported,           ///< ZeroInPteSupported is 0 (PTE-003)
  ReadOnlyUnsupported,       ///< PTE-004
  NoExecuteUnsupported,      ///< PTE-004
  CacheCoherentUnsupported,  ///< PTE-005
  LargePageUnsupported,      ///< the cap is 0, or level 0 (PTE-007)
  LargePageNotAligned,       ///< without AllowNonAlignedLargePageAddress (PTE-007)
  AddressNotAligned,         ///< no multiple of the page size (PTE-001, PGSZ-006)
  PageSizeNotAtLevel1,       ///< PageTablePageSize is of level 1 and of single PTEs (PGSZ-008)
  PhysicalAdapter,           ///< not one of the link's (LDA-006)
};

/// What is wrong with an entry of a table of `level`; `page_size` is that of a leaf table.
[[nodiscard]] std::optional<EntryDefect> check_entry(const Geometry& geometry,
                                                     std::uint32_t physical_adapters,
                                                     std::uint32_t level,
                                                     PageTablePageSize page_size,
                                                     const Entry& entry);

}  // namespace wddm::gpummu
