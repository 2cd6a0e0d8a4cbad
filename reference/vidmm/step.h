// VidMm as one machine: what it is asked, and what is to be done about it, in order.
//
// Models windows-driver-docs "Paging video memory resources" and "Splitting a DMA buffer" (clauses
// SPLIT-010..017, BIND-002) on top of vidmm.h, which decides what lies where, and split_planner.h,
// which cuts buffers. What is added here is when:
//   1. What paging takes or overwrites may be in use by work queued earlier. A request that pages
//      thus waits for all of that first; one that pages nothing waits for nothing.
//   2. Paging between two portions of a buffer follows the portion before it and comes before the
//      one that needs it (SPLIT-016). That order is all it needs: nobody else waits for it, but for
//      rule 3.
//   3. What an earlier buffer brings in between its portions is not there before that. A buffer
//      waits for queued paging of what it uses.
//   4. What was decided holds whether the buffer runs or not, since later decisions rest on it: the
//      paging of a refused buffer is carried out. It is refused in its turn, after what it would
//      have waited for; but a list that check_list refuses waits for nothing.
//   5. Paging behind the last command of a buffer (empty_end.h) is due when the buffer has ended.
//   6. A buffer that is cut where a binding leaks is refused, and so never patched, if leaks count:
//      for a driver that is PreemptionAware and does not say NoDmaPatching (BIND-002). One that
//      reports no slots has no table in which a binding could stay.
//   7. One legal choice is that what a buffer lists moves before the buffer is planned.
// The state is VidMm's: after step() it is as if all had been carried out.
// Leaves out: fences and queues, and whose turn it is among contexts.
#pragma once

#include <cstdint>
#include <span>
#include <variant>
#include <vector>

#include "reference/types.h"
#include "reference/vidmm/paging_step.h"
#include "reference/vidmm/patch_list.h"
#include "reference/vidmm/split_planner.h"
#include "reference/vidmm/vidmm.h"

namespace wddm::vidmm {

// What VidMm is asked. Allocations must exist; anything else is a defect of the caller.

/// Brings an allocation in.
struct MakeResident {
  AllocationId allocation;
};
/// Evicts an allocation that nothing holds.
struct Evict {
  AllocationId allocation;
};
/// Moves an allocation that nothing holds within its segment.
struct Move {
  AllocationId allocation;
  bool at_once = false;  ///< in a memory segment: by one transfer, not by way of system memory
  Towards towards = Towards::Start;
};
/// Lets go of an allocation that nothing holds, for ever.
struct Destroy {
  AllocationId allocation;
};
/// Makes a DMA buffer ready to run; `taken` as for SplitPlanner::begin.
struct Prepare {
  PatchList list;
  std::span<const std::uint32_t> taken;
  bool preemption_aware = false;  ///< DXGK_VIDSCHCAPS
  bool no_dma_patching = false;   ///< DXGK_VIDSCHCAPS
  bool moves_first = false;       ///< rule 7
  bool has_slots = true;          ///< MaxAllocationListSlotId is not 0
};

using Input = std::variant<MakeResident, Evict, Move, Destroy, Prepare>;

// What is to be done, in this order.

/// Nothing further before everything that was queued earlier has ended.
struct AwaitEarlierWork {
  friend bool operator==(const AwaitEarlierWork&, const AwaitEarlierWork&) = default;
};
/// Nothing further before queued paging of what the buffer lists has ended.
struct AwaitItsPaging {
  friend bool operator==(const AwaitItsPaging&, const AwaitItsPaging&) = default;
};
/// Queue this paging.
struct Page {
  PagingStep step;
  friend bool operator==(const Page&, const Page&) = default;
};
/// Element `element` cannot be brought in even on its own: the buffer will be refused.
struct CannotBringIn {
  std::uint32_t element = 0;
  friend bool operator==(const CannotBringIn&, const CannotBringIn&) = default;
};
/// Binding leaks of a buffer that is cut: how many its cuts have, and the first of them.
struct LeaksJudged {
  bool judged = false;  ///< they count (rule 6)
  std::uint32_t leaks = 0;
  std::uint32_t split_offset = 0;  ///< of the cut; this and what follows: if there are any
  SlotId slot{};
  std::uint32_t bound_by = 0;  ///< element
  [[nodiscard]] bool refuses() const { return judged && leaks != 0; }
  friend bool operator==(const LeaksJudged&, const LeaksJudged&) = default;
};
/// Queue `paging` behind the portion before, and behind it this portion. Portions of one buffer
/// follow each other with nothing in between.
struct RunPortion {
  Portion portion;
  PagingSteps paging;  ///< the steps that the portion names
  friend bool operator==(const RunPortion&, const RunPortion&) = default;
};

enum class Refusal : std::uint8_t {
  IsResident,     ///< MakeResident
  IsNotResident,  ///< Evict, Move
  NoRoom,         ///< MakeResident: nothing can make room for it
  NoOtherPlace,   ///< Move
  BadList,        ///< Prepare: check_list refuses element `element`
  CannotFit,      ///< Prepare: CannotBringIn
  LeaksBinding,   ///< Prepare: what element `element` binds leaks
};
/// It is not done; for a buffer: no portion of it runs.
struct Refused {
  Refusal why{};
  std::uint32_t element = 0;
  friend bool operator==(const Refused&, const Refused&) = default;
};

using Decision = std::variant<AwaitEarlierWork, AwaitItsPaging, CannotBringIn, LeaksJudged, Page,
                              RunPortion, Refused>;
using Decisions = std::vector<Decision>;

/// `planner` is idle before and after.
[[nodiscard]] Decisions step(VidMm& vidmm, SplitPlanner& planner, const Input& input);

}  // namespace wddm::vidmm
