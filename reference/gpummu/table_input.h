// What an address space is told, one structure per event.
//
// Numbers that come from user mode or from the driver may be anything, and are refused (Refusal).
// Order is the host's duty: Open first, Close last, tables and contexts that exist; anything else
// is a defect of ours.
#pragma once

#include <cstdint>
#include <span>
#include <variant>

#include "reference/gpummu/address.h"
#include "reference/gpummu/caps.h"
#include "reference/gpummu/pte.h"
#include "reference/gpummu/table_decision.h"
#include "reference/types.h"

namespace wddm::gpummu {

/// GPUs of a link by bit; those that the paging queue or hContext names (LDA-005).
using AdapterSet = std::uint64_t;
inline constexpr AdapterSet kAllAdapters = UINT64_MAX;

/// Makes the root. `size` is the driver's answer for the entries that are wanted at first; with
/// more than two levels it is not looked at (ROOT-001, ROOT-006).
struct Open {
  RootPageTableSize size;
};
/// The process is gone: every table goes. Its contexts were removed before.
struct Close {};

/// DxgkDdiCreateContext succeeded: the context gets its root (ROOT-004).
struct AddContext {
  ContextId context{};
};
/// DxgkDdiDestroyContext is due.
struct RemoveContext {
  ContextId context{};
};

/// Pages that follow one another in memory.
struct PageRun {
  PhysicalAddress first{};
  std::uint64_t bytes = 0;
};

/// Maps a range to pages, or maps it anew because they moved (PT-005).
struct Map {
  VaRange range;
  std::span<const PageRun> pages;  ///< together as long as the range
  Protection protection;           ///< what the caps do not support is left out (PTE-004, PTE-005)
  std::uint64_t driver_protection = 0;  ///< PTE-008
  AdapterSet adapters = kAllAdapters;
  /// The allocation is aligned and sized to 64 KB, and lies in memory that has 64 KB pages
  /// (PGSZ-003); for system memory it counts with SysMem64KBPageSupported only (PGSZ-001).
  bool use_64kb_pages = false;
  /// The allocation does without DisableLargePageMapping (PTE-007).
  bool use_large_pages = false;
};
/// Reads zero, drops writes (VA-003, Protection.Zero).
struct MapZero {
  VaRange range;
  AdapterSet adapters = kAllAdapters;
};
/// Faults: Protection.NoAccess, or the addresses are free (VA-003, VA-007).
struct Unmap {
  VaRange range;
  AdapterSet adapters = kAllAdapters;
};

/// Tables for the whole range exist from here on, and stay: what the paging process has from its
/// start (VPAGE-010); new leaves are made for pages of this size, where there are such. Of what a
/// driver reserves those above the leaves do: leaves are the driver's, and what leads to them says
/// nothing as far as VidMm is concerned (PROC-003).
struct KeepTables {
  VaRange range;
  std::uint32_t lowest = 0;  ///< level: there are none below it
  PageTablePageSize page_size = PageTablePageSize::Page4K;
};

/// Puts a root of this size in the place of the present one, larger or smaller; `size` is the
/// driver's answer (ROOT-007, ROOT-008). For two levels only.
struct ResizeRoot {
  RootPageTableSize size;
};

/// Moves a table elsewhere, while its contexts are suspended (PT-006, PT-007, ROOT-010).
struct MoveTable {
  TableId table{};
};
/// Takes a table out of memory; its mappings fault until it is back (PT-004, PT-006).
struct EvictTable {
  TableId table{};
};
/// Brings it back and writes it anew (PT-003).
struct MakeTableResident {
  TableId table{};
};

/// Memory was lost, and the root and all other tables lie where they were: each is written anew
/// (PROC-004). Nothing has used them since.
struct RewriteTables {};

using Input = std::variant<Open, Close, AddContext, RemoveContext, Map, MapZero, Unmap, KeepTables,
                           ResizeRoot, MoveTable, EvictTable, MakeTableResident, RewriteTables>;

}  // namespace wddm::gpummu
