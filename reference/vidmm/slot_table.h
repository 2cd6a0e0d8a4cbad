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

/// Rows 0 .. rows-1, all empty at first and after reset(). apply() and queries are O(1), reset()
/// is O(1) but for one call in 2^32; memory follows the highest slot and id made ready.
class SlotTable {
 public:
  /// What an update did to the row's former allocation.
  struct Change {
    AllocationId previous = kNoAllocation;  ///< what the row held
    bool released = false;  ///< `previous` was an allocation and no row names it now
  };

  /// `first_epoch` exists for tests of the wrap-around.
  explicit SlotTable(std::uint32_t first_epoch = 1) : epoch_(first_epoch) {}

  /// Makes room for slots below `rows` and allocation ids below `allocations`.
  void make_ready(std::uint32_t rows, std::uint32_t allocations) {
    if (rows > rows_.size()) rows_.resize(rows);
    if (allocations > names_.size()) names_.resize(allocations);
  }

  /// Empties every row.
  void reset() {
    bound_ = 0;
    if (++epoch_ != 0) return;
    rows_.assign(rows_.size(), Row{});
    names_.assign(names_.size(), Names{});
    epoch_ = 1;
  }

  /// Writes `allocation` (kNoAllocation: none) into row `slot`.
  Change apply(SlotId slot, AllocationId allocation) {
    Row& row = rows_[slot.value];
    const AllocationId previous = row.epoch == epoch_ ? row.allocation : kNoAllocation;
    if (previous == allocation) return {previous, false};
    row = {epoch_, allocation};
    if (allocation != kNoAllocation) {
      Names& names = names_[allocation.value];
      if (names.epoch != epoch_) names = {epoch_, 0};
      ++names.count;
      ++bound_;
    }
    if (previous == kNoAllocation) return {previous, false};
    --bound_;
    return {previous, --names_[previous.value].count == 0};
  }

  [[nodiscard]] AllocationId at(SlotId slot) const {
    const bool written = slot.value < rows_.size() && rows_[slot.value].epoch == epoch_;
    return written ? rows_[slot.value].allocation : kNoAllocation;
  }

  /// Number of rows that name `allocation`.
  [[nodiscard]] std::uint32_t names(AllocationId allocation) const {
    const bool written =
        allocation.value < names_.size() && names_[allocation.value].epoch == epoch_;
    return written ? names_[allocation.value].count : 0;
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
  struct Row {
    std::uint32_t epoch = 0;
    AllocationId allocation = kNoAllocation;
  };
  struct Names {
    std::uint32_t epoch = 0;
    std::uint32_t count = 0;
  };

  std::vector<Row> rows_;
  std::vector<Names> names_;  // by allocation id
  std::uint32_t epoch_;       // rows and counts of another epoch are empty; never 0
  std::uint32_t bound_ = 0;
};

}  // namespace wddm::vidmm
