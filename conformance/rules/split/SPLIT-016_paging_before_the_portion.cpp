// SPLIT-016: paging between portions completes before the next portion starts.

#include <algorithm>

#include "conformance/rules/rule.h"
#include "conformance/rules/scratch.h"
#include "conformance/rules/split/portions.h"

namespace wddm::split_016 {
namespace {

// Whether the paging ends before the portion starts: it had ended when the portion was submitted,
// or stood before it in the queue of the same engine.
bool is_in_order(const Trace& trace, std::uint32_t done, std::uint32_t portion,
                 const ScratchMap<std::uint32_t, std::uint32_t>& first_submission) {
  if (done < portion) return true;
  const auto paging = first_submission.find(trace.at<ev::PagingDone>(done).packet);
  return paging != first_submission.end() && paging->second < portion &&
         engine_of(trace.at<ev::Submitted>(paging->second)) ==
             engine_of(trace.at<ev::Submitted>(portion));
}

using ByAllocation = ScratchMap<std::uint32_t, ScratchVector<std::uint32_t>>;

template <class Kind>
ByAllocation by_allocation(const Trace& trace) {
  ByAllocation all;
  for (const std::uint32_t index : trace.of<Kind>()) {
    all[trace.at<Kind>(index).allocation].push_back(index);
  }
  return all;
}

// Where the paging of the allocation for a portion was built, or else the plan of the portion. It
// is over before the plan where no packet is needed, and where the next operation waited for it.
// The last call before the plan: requests behind the plan before may have paged it as well.
std::uint32_t begin_of(const Trace& trace, const ScratchVector<std::uint32_t>& built,
                       std::uint32_t plan) {
  const auto plans = trace.of<ev::PortionPlanned>();
  const auto self = std::lower_bound(plans.begin(), plans.end(), plan);
  const std::uint32_t before = self == plans.begin() ? 0 : *(self - 1);
  const auto behind = std::lower_bound(built.begin(), built.end(), plan);
  return behind == built.begin() || *(behind - 1) <= before ? plan : *(behind - 1);
}

template <class Happened>
bool happened_between(const Trace& trace, std::uint32_t plan, std::uint32_t done) {
  const auto events = trace.of<Happened>();
  const auto next = std::upper_bound(events.begin(), events.end(), plan);
  return next != events.end() && *next < done;
}

// Work of before is lost: what ends later may be of another operation.
bool reset_between(const Trace& trace, std::uint32_t plan, std::uint32_t done) {
  return happened_between<ev::AdapterReset>(trace, plan, done) ||
         happened_between<ev::EngineReset>(trace, plan, done) ||
         happened_between<ev::Stuck>(trace, plan, done) ||  // of drivers without ResetFromTimeout
         happened_between<ev::SurpriseRemoved>(trace, plan, done);
}

void check(const Trace& trace, const Platform&, Judgement& judgement) {
  ByAllocation built = by_allocation<ev::PagingBuilt>(trace);
  ByAllocation done = by_allocation<ev::PagingDone>(trace);
  ScratchMap<std::uint32_t, std::uint32_t> first_submission;  // by packet
  for (const std::uint32_t index : trace.of<ev::Submitted>()) {
    first_submission.emplace(trace.at<ev::Submitted>(index).packet, index);
  }
  for (const auto& [submission, plan] : split::first_submissions(trace)) {
    if (plan == kNone) continue;
    const Event& event = trace.events()[plan];
    for (const PagingStepRecord& step : trace.blob<PagingStepRecord>(event)) {
      // One step is one operation or more.
      const auto& ends = done[step.allocation];
      const std::uint32_t begin = begin_of(trace, built[step.allocation], plan);
      const auto first = std::upper_bound(ends.begin(), ends.end(), begin);
      if (first == ends.end()) continue;  // the run was broken off
      if (*first < plan && trace.at<ev::PagingDone>(*first).packet == kNone) continue;
      if (reset_between(trace, plan, *first)) continue;
      judgement.reached(submission);
      if (is_in_order(trace, *first, submission, first_submission)) continue;
      judgement.fail(submission,
                     "paging of allocation " + split::number(step.allocation) +
                         " completes before the portion that needs it starts",
                     "the portion is submitted first", {plan});
      break;
    }
  }
}

const Rule kRule{
    .id = "SPLIT-016",
    .aliases = "SCHED-003",
    .title = "Paging between portions completes before the next portion starts",
    .binds = Binds::Os,
    .rule =
        "Paging that a portion needs is issued after the portion before it and has finished on "
        "the GPU before the portion starts.",
    .sources =
        "splitting-a-dma-buffer.md # Note (paging buffer between portions)\n"
        "paging-video-memory-resources.md",
    .note = "Paging queued before the portion on the same engine ends before it.",
    .applies = patch_lists,
    .check = check,
    .scenario = R"(
about: one eviction and one page-in between two portions, with paging on the other node
ops:
# Allocations that no driver has to round up.
- limit_memory: {local: 24, aperture: 8}
# Who does not read this pages on the node that it names.
- configure: {setting: PagingNode, value: 1}
- create_allocation: {allocation: 0, pages: 16, place: local}
- create_allocation: {allocation: 1, pages: 16, place: local}
- create_context: {context: 0}
- render: {context: 0}
- bind: {slot: 0, allocation: 0}
- fill: {slot: 0}
- unbind: {slot: 0}
- bind: {slot: 1, allocation: 1}
- fill: {slot: 1}
- idle
)",
    .control = R"(
about: a split without any paging
ops:
- create_allocation: {allocation: 0, place: local}
- create_allocation: {allocation: 1, place: local}
- make_resident: {allocation: 0}
- make_resident: {allocation: 1}
- create_context: {context: 0}
- split_points: {take: all}
- render: {context: 0}
- bind: {slot: 0, allocation: 0}
- fill: {slot: 0}
- bind: {slot: 1, allocation: 1}
- fill: {slot: 1}
- idle
)",
    .fault = {.about = "a portion does not wait for the paging before it",
              .seat = FaultSeat::Oracle,
              .oracle = OracleFault::SubmitBeforePageIn,
              .also_fires = "PAGE-005 PAGE-007 RES-003"}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::split_016
