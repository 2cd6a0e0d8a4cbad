// The resource table of one DMA buffer: which allocation each slot names.
//
// Source: windows-driver-docs "Splitting a DMA buffer" (the array with MaxAllocationListSlotId
// rows), clause SPLIT-011. One element updates one row; a NULL allocation empties it. An allocation
// is required as long as any row names it.
// Leaves out: when rows are read or released for placement; that is split_planner.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "reference/types.h"
#include "reference/vidmm/allocation.h"

namespace wddm::vidmm {

/// `SlotId` has 24 bits, so a table never has more rows.
inline constexpr std::uint32_t kMaxSlots = 1u << 24;

/// Rows 0 .. rows-1, all empty after reset(). apply() and queries are O(1).
class SlotTable {
 public:
  /// What an update did to the row's former allocation.
  struct Change {
    AllocationId previous = kNoAllocation;  ///< what the row held
    bool released = false;  ///< `previous` was an allocation and no row names it now
  };

  /// Empties the table and gives it `rows` rows, for allocation ids below `allocations`.
  void reset(std::uint32_t rows, std::uint32_t allocations) {
    rows_.assign(rows, kNoAllocation);
    names_.assign(allocations, 0);
    bound_ = 0;
  }

  /// Writes `allocation` (kNoAllocation: none) into row `slot`.
  Change apply(SlotId slot, AllocationId allocation) {
    AllocationId& row = rows_[slot.value];
    const AllocationId previous = row;
    row = allocation;
    if (allocation != kNoAllocation) {
      ++names_[allocation.value];
      ++bound_;
    }
    if (previous == kNoAllocation) return {};
    --bound_;
    return {previous, --names_[previous.value] == 0};
  }

  [[nodiscard]] AllocationId at(SlotId slot) const {
    return slot.value < rows_.size() ? rows_[slot.value] : kNoAllocation;
  }

  /// Number of rows that name `allocation`.
  [[nodiscard]] std::uint32_t names(AllocationId allocation) const {
    return allocation.value < names_.size() ? names_[allocation.value] : 0;
  }

  /// Number of rows that are not empty.
  [[nodiscard]] std::uint32_t bound_count() const { return bound_; }

  /// Calls `visit(SlotId, AllocationId)` for every row that is not empty, in row order. O(rows).
  template <class Visit>
  void for_each_bound(Visit&& visit) const {
    for (std::uint32_t i = 0; i < rows_.size(); ++i) {
      const AllocationId bound = at(SlotId{i});
      if (bound != kNoAllocation) visit(SlotId{i}, bound);
    }
  }

  /// Checks the counts against the rows; a breach is a HARNESS error. O(rows + allocations).
  void validate() const;

 private:
  std::vector<AllocationId> rows_;
  std::vector<std::uint32_t> names_;  // rows that name it, by allocation id
  std::uint32_t bound_ = 0;
};

}  // namespace wddm::vidmm
