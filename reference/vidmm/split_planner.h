// The split planner: how a DMA buffer is cut into portions that each fit into memory.
//
// Models windows-driver-docs "Splitting a DMA Buffer", clauses SPLIT-010..015 and BIND-005:
//   1. The patch-location list is walked from first to last element; elements with one SplitOffset
//      s form the group at s. A group joins the current portion as a whole or not at all.
//   2. Within a portion nothing moves: what the portion uses, and what a row of the slot table
//      names, is pinned. To join a portion that starts before s, the group's allocations that are
//      resident are pinned where they are, then the others are brought in, in list order. If
//      element k cannot be, the group leaves no trace and the portion ends at s; the group opens
//      the next one. Its paging thus comes after the submission of the portion before (SPLIT-016).
//   3. At the start of a portion at s, what the last portion used and no row names any more is
//      released. Then the rows that the group at s reprograms are emptied, so that their
//      allocations are free to move or leave (SPLIT-014); all other rows keep allocation and
//      location (SPLIT-013).
//   4. The group at the start of its portion is brought in as in 2. If that fails, everything
//      unpinned leaves the segments it may use, and its allocations are placed afresh in list
//      order. If that fails too, the buffer cannot go on: CannotFit.
//   5. What the allocation list marks as written is written from when it is brought in.
//   6. Released allocations become the most recently used, in the order of the elements that last
//      named them; so does the rest at the end of the buffer.
// The choice: every split point of the list may end a portion although memory suffices. Which do is
// input (`taken`, a subset of split_points); everything else is decided here and in vidmm.h.
// Cost: O(n) for the n elements of a list and the rows up to its highest slot, O(m log m) for each
// portion during which m allocations are held, and that of VidMm for what is brought in and
// evicted, in vain or not (rule 2). Leaves out: waiting for the GPU, fences, patching. The host
// carries out steps of a portion after the portion before it.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "reference/types.h"
#include "reference/vidmm/paging_step.h"
#include "reference/vidmm/patch_list.h"
#include "reference/vidmm/slot_table.h"
#include "reference/vidmm/vidmm.h"

namespace wddm::vidmm {

/// Why a portion ends where it does.
enum class CutReason : std::uint8_t {
  EndOfBuffer,  ///< nothing is left
  LowMemory,    ///< element `cut_element` could not be brought in beside this portion
  Chosen,       ///< the split point of `cut_element` is one of those taken
};

/// One submission: bytes [start_offset, end_offset) patched with elements
/// [first_element, first_element + element_count).
struct Portion {
  std::uint32_t start_offset = 0;
  std::uint32_t end_offset = 0;
  std::uint32_t first_element = 0;
  std::uint32_t element_count = 0;
  /// The first so many elements reprogram their rows at the cut that starts this portion.
  std::uint32_t reprogrammed_count = 0;
  /// Rows that the cut left bound, with their allocations in place.
  std::uint32_t kept_rows = 0;
  /// Paging between the portion before and this one: steps [first_step, first_step + step_count).
  std::uint32_t first_step = 0;
  std::uint32_t step_count = 0;
  CutReason cut = CutReason::EndOfBuffer;
  std::uint32_t cut_element = 0;  ///< with LowMemory and Chosen
  friend bool operator==(const Portion&, const Portion&) = default;
};

enum class PlanStatus : std::uint8_t {
  Portion,    ///< a portion was planned
  Done,       ///< the last portion was planned before
  CannotFit,  ///< element failing_element() cannot be brought in even on its own
};

/// Plans one DMA buffer at a time: begin, next until Done, finish. Several planners may share a
/// VidMm; what one holds, another cannot evict.
class SplitPlanner {
 public:
  /// `rows` is MaxAllocationListSlotId; rows beyond 2^24 cannot be named and are not counted.
  explicit SplitPlanner(std::uint32_t rows);

  /// Starts a buffer. A list that fails check_list is refused and nothing changes. `taken`: the
  /// split points that are taken although memory suffices, ascending; others than the list has are
  /// ignored. The views in `list`, `taken`, and `vidmm` must live until finish().
  [[nodiscard]] ListError begin(VidMm& vidmm, const PatchList& list,
                                std::span<const std::uint32_t> taken = {});

  /// Plans the next portion and appends its paging to `steps`. After CannotFit the call may be
  /// repeated once memory has become free.
  [[nodiscard]] PlanStatus next(Portion& portion, PagingSteps& steps);

  /// The GPU has finished the last planned portion: releases what only that portion used. next()
  /// and finish() imply it.
  void portion_finished();

  /// Ends the buffer, at any time: releases everything it holds.
  void finish();

  [[nodiscard]] bool active() const { return vidmm_ != nullptr; }

  /// Valid after CannotFit: the first element of list order that could not be brought in.
  [[nodiscard]] std::uint32_t failing_element() const { return failing_element_; }

  /// The slot table after the elements planned so far.
  [[nodiscard]] const SlotTable& table() const { return table_; }

  /// Checks the invariants between calls; a breach is a HARNESS error. O(rows + allocations).
  void validate() const;

 private:
  struct Need {
    AllocationId allocation;
    std::uint32_t element;
  };
  struct Use {
    bool held = false;        // pinned for this buffer
    bool written = false;     // the buffer lists it with WriteOperation
    std::uint32_t named = 0;  // the last element that named it, plus 1
  };

  [[nodiscard]] AllocationId allocation_of(std::uint32_t element) const {
    return list_.allocations[list_.elements[element].allocation_index].allocation;
  }
  [[nodiscard]] std::uint32_t group_end(std::uint32_t first) const;
  [[nodiscard]] bool is_taken(std::uint32_t split_offset);
  void empty_rows(std::uint32_t first, std::uint32_t end);
  [[nodiscard]] bool bring_in(std::uint32_t first, std::uint32_t end, bool at_start,
                              PagingSteps& steps);
  [[nodiscard]] bool try_to_place(std::uint32_t segments, PagingSteps& steps);
  void join(std::uint32_t first, std::uint32_t end);
  void release(bool all);

  std::uint32_t rows_;
  VidMm* vidmm_ = nullptr;
  PatchList list_;
  std::span<const std::uint32_t> taken_;
  SlotTable table_;
  std::vector<Use> uses_;           // by allocation id
  std::vector<AllocationId> held_;  // in no order that counts
  std::vector<AllocationId> leaving_;
  std::vector<Need> needs_;
  std::uint32_t element_ = 0;  // first element not planned
  std::uint32_t offset_ = 0;   // first byte not planned
  std::uint32_t failing_element_ = 0;
  bool all_planned_ = false;
};

/// A row and what it holds.
struct BoundSlot {
  SlotId slot{};
  AllocationId allocation = kNoAllocation;
  friend bool operator==(const BoundSlot&, const BoundSlot&) = default;
};

/// What the cut that starts a portion does to the rows bound before it, in row order.
struct CutSlots {
  std::vector<BoundSlot> kept;   ///< keep allocation and location
  std::vector<BoundSlot> freed;  ///< reprogrammed at the cut: no constraint on the portion
};

/// Reads CutSlots off the list, without a planner. O(elements so far + rows named).
[[nodiscard]] CutSlots slots_at_cut(const PatchList& list, const Portion& portion);

/// All portions of one buffer, for callers that need no interleaving.
struct Plan {
  std::vector<Portion> portions;
  PagingSteps steps;
  PlanStatus status = PlanStatus::Done;
  std::uint32_t failing_element = 0;
};

/// Runs begin, next until it ends, and finish. `plan` is overwritten; its memory is reused.
[[nodiscard]] ListError plan_buffer(SplitPlanner& planner, VidMm& vidmm, const PatchList& list,
                                    std::span<const std::uint32_t> taken, Plan& plan);

}  // namespace wddm::vidmm
