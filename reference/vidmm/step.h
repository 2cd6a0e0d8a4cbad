// VidMm as one machine: what it is asked, and what is to be done about it, in order.
//
// Models windows-driver-docs "Paging video memory resources" and "Splitting a DMA buffer" (clauses
// SPLIT-010..017) on top of vidmm.h, which decides what lies where, and split_planner.h, which cuts
// buffers. What is added here is when:
//   1. What paging takes or overwrites may be in use by work queued earlier. A request that pages
//      thus waits for all of that first; one that pages nothing waits for nothing.
//   2. Paging between two portions of a buffer follows the portion before it and comes before the
//      one that needs it (SPLIT-016). That order is all it needs: nobody else waits for it, but for
//      rule 3.
//   3. What an earlier buffer brings in between its portions is not there before that. A buffer
//      waits for queued paging of what it uses.
//   4. What was decided holds whether the buffer runs or not, since later decisions rest on it: the
//      paging of a refused buffer is carried out.
//   5. Paging behind the last command of a buffer (empty_end.h) is due when the buffer has ended.
// The state is VidMm's: after step() it is as if all had been carried out.
// Leaves out: leak detection (BIND-002), fences and queues, and whose turn it is among contexts.
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
};
/// Lets go of an allocation that nothing holds, for ever.
struct Destroy {
  AllocationId allocation;
};
/// Makes a DMA buffer ready to run; `taken` as for SplitPlanner::begin.
struct Prepare {
  PatchList list;
  std::span<const std::uint32_t> taken;
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
/// Queue this portion, behind the paging since the portion before it.
struct RunPortion {
  Portion portion;
  friend bool operator==(const RunPortion&, const RunPortion&) = default;
};

enum class Refusal : std::uint8_t {
  IsResident,     ///< MakeResident
  IsNotResident,  ///< Evict, Move
  NoRoom,         ///< MakeResident: nothing can make room for it
  NoOtherPlace,   ///< Move
  BadList,        ///< Prepare: check_list refuses element `element`
  CannotFit,      ///< Prepare: element `element` cannot be brought in even on its own
};
/// It is not done; for a buffer: no portion of it runs.
struct Refused {
  Refusal why{};
  std::uint32_t element = 0;
  friend bool operator==(const Refused&, const Refused&) = default;
};

using Decision = std::variant<AwaitEarlierWork, AwaitItsPaging, Page, RunPortion, Refused>;

/// `planner` is idle before and after.
[[nodiscard]] std::vector<Decision> step(VidMm& vidmm, SplitPlanner& planner, const Input& input);

}  // namespace wddm::vidmm
