// What an address space decides, one structure per decision; the host carries them out in order.
//
// Sources: gpu-virtual-address.md (creation, update, move of page tables; growing and shrinking a
// root), DXGK_BUILDPAGINGBUFFER_UPDATEPAGETABLE, ..._COPYPAGETABLEENTRIES, ..._FLUSHTLB,
// DXGKARG_SETROOTPAGETABLE. Where a table lies is the host's affair: decisions name tables by id,
// and the host fills places in (pointer_entry).
#pragma once

#include <cstdint>
#include <variant>

#include "reference/gpummu/address.h"
#include "reference/gpummu/pte.h"
#include "reference/types.h"

namespace wddm::gpummu {

/// A page table of one address space: an implicit allocation without driver handle (PT-001). An id
/// is used again after DestroyTable.
using TableId = Strong<struct PageTableTag>;
inline constexpr TableId kNoTable{UINT32_MAX};

/// What an entry is to hold. A pointer has its table here, and in `entry` everything but the place:
/// the host puts in segment and address of the table (PTE-001). With dual PTEs a pointer may have
/// two tables, or the second only; then `entry` is invalid and pPageTableEntries64KB has the
/// pointer.
struct Written {
  Entry entry;
  TableId table = kNoTable;       ///< for pPageTableEntries
  TableId table_64kb = kNoTable;  ///< for pPageTableEntries64KB (PGSZ-009)
  friend bool operator==(const Written&, const Written&) = default;
};

/// No context of the process runs until ResumeContexts; wait for those that do (PT-006, PT-016,
/// PGSZ-008, ROOT-012).
struct SuspendContexts {
  friend bool operator==(const SuspendContexts&, const SuspendContexts&) = default;
};
struct ResumeContexts {
  friend bool operator==(const ResumeContexts&, const ResumeContexts&) = default;
};

/// Create the allocation and make it resident, with undefined content (PT-002). In a link the root
/// is LinkMirrored, all others are LinkInstanced (LDA-003, LDA-004).
struct CreateTable {
  TableId table{};
  std::uint32_t level = 0;
  PageTablePageSize page_size{};  ///< of a leaf
  std::uint32_t entries = 0;
  std::uint64_t bytes = 0;
  std::uint32_t alignment = 0;  ///< bytes; 0 = no more than a page
  SegmentId segment{};          ///< 0 = system memory
  friend bool operator==(const CreateTable&, const CreateTable&) = default;
};

/// BuildPagingBuffer with UpdatePageTable, in the system context of GPU `adapter` (LDA-005).
struct UpdateEntries {
  TableId table{};
  std::uint32_t level = 0;        ///< PageTableLevel
  PageTablePageSize page_size{};  ///< Flags.Use64KBPages; of a leaf
  PhysicalAdapterIndex adapter{};
  std::uint32_t first = 0;       ///< StartIndex, in entries of the table
  std::uint32_t count = 0;       ///< NumPageTableEntries
  bool repeat = false;           ///< one element for all entries (PT-009)
  bool initial = false;          ///< Flags.InitialUpdate (PT-003)
  bool notify_eviction = false;  ///< Flags.NotifyEviction (PT-004)
  std::uint64_t driver_protection = 0;
  GpuVirtualAddress first_va{};  ///< FirstPteVirtualAddress
  std::uint32_t elements = 0;    ///< where AddressSpace::elements() finds them
  friend bool operator==(const UpdateEntries&, const UpdateEntries&) = default;
};

/// CopyPageTableEntries on GPU `adapter`: late, when it is executed (PT-017, PT-018).
struct CopyEntries {
  TableId from{};
  TableId to{};
  PhysicalAdapterIndex adapter{};
  std::uint32_t from_first = 0;
  std::uint32_t to_first = 0;
  std::uint32_t count = 0;
  friend bool operator==(const CopyEntries&, const CopyEntries&) = default;
};

/// SetRootPageTable for one context, which does not run meanwhile (ROOT-004, ROOT-009).
struct SetRoot {
  ContextId context{};
  TableId root{};
  std::uint32_t entries = 0;  ///< NumEntries
  friend bool operator==(const SetRoot&, const SetRoot&) = default;
};

/// BuildPagingBuffer with FlushTlb on GPU `adapter` (VPAGE-004). The whole space is 0/0 at the DDI.
struct FlushTlb {
  PhysicalAdapterIndex adapter{};
  VaRange range;
  friend bool operator==(const FlushTlb&, const FlushTlb&) = default;
};

/// Move the table's content to another place; what points to it follows (PT-007).
struct RelocateTable {
  TableId table{};
  friend bool operator==(const RelocateTable&, const RelocateTable&) = default;
};
/// The table has no place any more; its content need not be kept.
struct ReleaseTable {
  TableId table{};
  friend bool operator==(const ReleaseTable&, const ReleaseTable&) = default;
};
/// The table has a place again, with undefined content.
struct CommitTable {
  TableId table{};
  friend bool operator==(const CommitTable&, const CommitTable&) = default;
};
/// Nothing points to it: free it. A table that was released has no place to free.
struct DestroyTable {
  TableId table{};
  friend bool operator==(const DestroyTable&, const DestroyTable&) = default;
};

enum class Refusal : std::uint8_t {
  BeyondAddressSpace,  ///< the range is empty, or ends behind the space
  NotPageAligned,      ///< address, size or page is no multiple of 4 KB
  RunsOfOtherSize,     ///< the pages are more or fewer than the range
  NotCongruent64K,     ///< address and page differ in their low 16 bits (PGSZ-006)
  PageBeyondSegment,   ///< a page's address wraps around
  PhysicalAdapter,     ///< not one of the link's
  ZeroUnsupported,     ///< ZeroInPteSupported is 0 (PTE-003)
  RootTooSmall,        ///< ResizeRoot first: the root needs `value` entries (ROOT-007)
  RootInUse,           ///< a root of `value` entries would lose mappings (ROOT-008)
  AlreadySo,           ///< evicted already, or resident
};
/// Nothing is done.
struct Refused {
  Refusal why{};
  std::uint64_t value = 0;
  friend bool operator==(const Refused&, const Refused&) = default;
};

using Decision =
    std::variant<SuspendContexts, ResumeContexts, CreateTable, UpdateEntries, CopyEntries, SetRoot,
                 FlushTlb, RelocateTable, ReleaseTable, CommitTable, DestroyTable, Refused>;

}  // namespace wddm::gpummu
