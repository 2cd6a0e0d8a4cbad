#include "fuzz/properties/memory_run.h"

#include <algorithm>
#include <string>

namespace wddm::fuzz {
namespace {

// These bring allocations to other places; whether they find something to do there changes nothing
// in memory. A preemption of nothing neither.
bool only_disturbs(OpKind kind) {
  return kind == OpKind::MakeResident || kind == OpKind::Evict || kind == OpKind::EvictLocked ||
         kind == OpKind::Move || kind == OpKind::Preempt;
}

harness::Replayer& replayer() {
  static harness::Replayer the_one;
  return the_one;
}

// With the op that was at hand, which two forms of a scenario have in common: the same reason may
// hold for one allocation here and for another there.
std::string left_out(const Trace& trace, const Event& event, std::span<const Op> ops) {
  const std::string at_hand = event.op < ops.size() ? print_op(ops[event.op]) : "the end";
  return at_hand + ": " + std::string(trace.blob_text(event));
}

void take_in(const Trace& trace, std::uint32_t index, std::span<const Op> ops, MemoryRun& run) {
  const Event& event = trace.events()[index];
  if (event.kind == EventKind::Ended) {
    run.ended = true;
  } else if (event.kind == EventKind::OpSkipped) {
    const auto kind = static_cast<OpKind>(Trace::as<ev::OpSkipped>(event).kind);
    if (!only_disturbs(kind)) run.left_out.push_back(left_out(trace, event, ops));
  } else if (event.kind == EventKind::LeakJudged) {
    if (Trace::as<ev::LeakJudged>(event).rejected) run.left_out.emplace_back("a leaking buffer");
  } else if (event.kind == EventKind::ContentsRead) {
    const auto read = Trace::as<ev::ContentsRead>(event);
    run.contents.push_back({read.allocation, read.pages, read.digest});
  } else if (event.kind == EventKind::Submitted) {
    const auto submitted = trace.at<ev::Submitted>(index);
    if (!submitted.paging) run.contexts.push_back(submitted.context);
  } else if (event.kind == EventKind::PortionPlanned) {
    run.chosen_cuts +=
        Trace::as<ev::PortionPlanned>(event).why == static_cast<std::uint32_t>(CutReason::Forced);
  } else if (event.kind == EventKind::PagingDone) {
    ++run.paging;
  } else if (event.kind == EventKind::RepatchCompared) {
    ++run.repatched;
    run.patched_otherwise += Trace::as<ev::RepatchCompared>(event).different;
  } else if (event.kind == EventKind::PacketEnded) {
    run.preempted +=
        Trace::as<ev::PacketEnded>(event).fate == static_cast<std::uint32_t>(PacketFate::Preempted);
  }
}

bool went_wrong(const Trace& trace) {
  const auto given_up = [&](std::uint32_t index) {
    return trace.at<ev::PagingDone>(index).gave_up != 0;
  };
  const auto paging = trace.of<ev::PagingDone>();
  return trace.truncated() || !trace.of<ev::Stuck>().empty() ||
         std::any_of(paging.begin(), paging.end(), given_up);
}

}  // namespace

MemoryRun run_for_memory(std::span<const Op> ops, const Fault* fault) {
  Scenario scenario;
  scenario.ops.assign(ops.begin(), ops.end());
  replayer().execute({.scenario = &scenario, .fault = fault, .read_contents = true});
  const Trace& trace = replayer().trace();
  MemoryRun run;
  for (std::uint32_t i = 0; i < trace.events().size(); ++i) take_in(trace, i, ops, run);
  if (went_wrong(trace)) run.ended = false;
  std::sort(run.left_out.begin(), run.left_out.end());
  std::stable_sort(
      run.contents.begin(), run.contents.end(),
      [](const Contents& l, const Contents& r) { return l.allocation < r.allocation; });
  return run;
}

}  // namespace wddm::fuzz
