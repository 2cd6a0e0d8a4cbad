// The patch-location list and allocation list of a DMA buffer, as plain values.
//
// Source: D3DDDI_PATCHLOCATIONLIST, DXGK_ALLOCATIONLIST (wdk-ddi-src d3dukmdt, d3dkmddi); clauses
// SPLIT-001, SPLIT-002, SPLIT-004, BIND-001, BIND-004.
// check_list() asks only what planning rests on. PatchOffset and AllocationOffset play no part in
// planning and are judged by rules of their own (SPLIT-003, PATCH-001).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "reference/types.h"
#include "reference/vidmm/allocation.h"

namespace wddm::vidmm {

/// One element. Offsets are in bytes; nothing about the values may be taken for granted.
struct PatchElement {
  std::uint32_t allocation_index = 0;
  std::uint32_t slot = 0;
  std::uint32_t allocation_offset = 0;
  std::uint32_t patch_offset = 0;
  std::uint32_t split_offset = 0;
  friend bool operator==(const PatchElement&, const PatchElement&) = default;
};

/// One allocation-list entry: kNoAllocation stands for a NULL handle, which unbinds.
struct AllocationEntry {
  AllocationId allocation = kNoAllocation;
  bool write = false;  ///< WriteOperation
};

/// Both lists, and U: the bytes the producing call wrote. A view; it owns nothing.
struct PatchList {
  std::span<const PatchElement> elements;
  std::span<const AllocationEntry> allocations;
  std::uint32_t bytes = 0;
};

enum class ListFault : std::uint8_t {
  None,
  AllocationIndexOutOfRange,  ///< not below the length of the allocation list
  SlotOutOfRange,             ///< not below MaxAllocationListSlotId
  SplitOffsetDecreases,       ///< lower than that of the element before
  SplitOffsetBeyondEnd,       ///< above U
};

/// The first fault of a list, and its element.
struct ListError {
  ListFault fault = ListFault::None;
  std::uint32_t element = 0;
  friend bool operator==(const ListError&, const ListError&) = default;
};

/// Whether a list can be planned over a table of `rows` rows. One pass over the list.
[[nodiscard]] ListError check_list(const PatchList& list, std::uint32_t rows);

/// The distinct split points of any list, ascending: where a portion may end though memory
/// suffices. O(n log n).
[[nodiscard]] std::vector<std::uint32_t> split_points(const PatchList& list);

/// A binding that split points pass over: the row of `slot`, set by element `bound_by`, is neither
/// released, replaced nor reprogrammed at the `split_count` split points from `first_split` to
/// `last_split` (byte offsets, both included).
struct BindingLeak {
  SlotId slot{};
  std::uint32_t bound_by = 0;
  std::uint32_t first_split = 0;
  std::uint32_t last_split = 0;
  std::uint32_t split_count = 0;
  friend bool operator==(const BindingLeak&, const BindingLeak&) = default;
};

/// Every leaked binding of a list that passed check_list, ordered by `bound_by` (BIND-001).
/// A split point at U is not counted: nothing runs after it that could use a stale address.
/// O(n log n).
[[nodiscard]] std::vector<BindingLeak> find_binding_leaks(const PatchList& list);

/// The leaks that the split point at `split_offset` has. O(all leaks).
[[nodiscard]] std::vector<BindingLeak> leaks_at(std::span<const BindingLeak> leaks,
                                                std::uint32_t split_offset);

}  // namespace wddm::vidmm
