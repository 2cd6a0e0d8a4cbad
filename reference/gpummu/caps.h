// What a driver reports about its GPU MMU, as far as the oracle decides by it.
//
// Sources: DXGK_GPUMMUCAPS, DXGK_PAGE_TABLE_LEVEL_DESC, DXGK_SEGMENTFLAGS, DXGK_PTE,
// DXGK_PAGETABLEUPDATEMODE; names are those of the DDI. Values are the driver's and may be
// anything: geometry.h checks them. Leaves out LegacyBehaviors and the caps that no document
// describes (CachedPageTables, PerPtePageSize, OpportunisticSysMem64KBPageSupported).
#pragma once

#include <cstdint>

#include "reference/types.h"

namespace wddm::gpummu {

inline constexpr std::uint32_t kMinPageTableLevelCount = 2;
inline constexpr std::uint32_t kMaxPageTableLevelCount = 6;
inline constexpr std::uint32_t kMaxGpuVaBitCount = 63;

/// DXGK_PAGETABLEUPDATEMODE: who writes entries, and by which address of the table (PT-010).
enum class PageTableUpdateMode : std::uint32_t { CpuVirtual = 0, GpuVirtual = 1, GpuPhysical = 2 };

/// DXGK_GPUMMUCAPS.
struct GpuMmuCaps {
  bool read_only_memory_supported = false;
  bool no_execute_memory_supported = false;
  bool zero_in_pte_supported = false;
  bool explicit_page_table_invalidation = false;
  bool cache_coherent_memory_supported = false;
  bool page_table_update_require_address_space_idle = false;
  bool large_page_supported = false;
  bool dual_pte_supported = false;
  bool allow_non_aligned_large_page_address = false;
  bool sys_mem_64kb_page_supported = false;
  bool invalid_tlb_entries_not_cached = false;
  bool sys_mem_large_page_supported = false;
  PageTableUpdateMode page_table_update_mode = PageTableUpdateMode::CpuVirtual;
  std::uint32_t virtual_address_bit_count = 0;
  std::uint32_t leaf_page_table_size_for_64kb_pages_in_bytes = 0;  ///< 0 = no 64 KB leaf tables
  std::uint32_t page_table_level_count = 0;
  friend bool operator==(const GpuMmuCaps&, const GpuMmuCaps&) = default;
};

/// DXGK_PAGE_TABLE_LEVEL_DESC.
struct PageTableLevelDesc {
  std::uint32_t page_table_index_bit_count = 0;  ///< root of two levels: an initial value, or 0
  SegmentId page_table_segment_id{};             ///< 0 = system memory (MMU-009)
  SegmentId paging_process_page_table_segment_id{};
  std::uint32_t page_table_size_in_bytes = 0;       ///< root of two levels: an initial value, or 0
  std::uint32_t page_table_alignment_in_bytes = 0;  ///< 0 = no more than a page
  friend bool operator==(const PageTableLevelDesc&, const PageTableLevelDesc&) = default;
};

/// A segment that the driver enumerated; segment n is element n - 1 of the list.
struct ReportedSegment {
  bool aperture = false;
  bool use_64kb_pages = false;  ///< DXGK_SEGMENTFLAGS.Use64KBPages
};

/// DxgkDdiGetRootPageTableSize: the return value, and NumberOfPte as the driver left it.
struct RootPageTableSize {
  std::uint64_t bytes = 0;
  std::uint32_t number_of_pte = 0;
  friend bool operator==(const RootPageTableSize&, const RootPageTableSize&) = default;
};

}  // namespace wddm::gpummu
