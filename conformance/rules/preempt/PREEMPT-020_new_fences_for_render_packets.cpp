// PREEMPT-020: rendering that was preempted comes again under a new fence.

#include <algorithm>

#include "conformance/rules/preempt/resubmissions.h"

namespace wddm::preempt_020 {
namespace {

// Fences are numbers of 32 bits that wrap.
bool is_later(std::uint32_t fence, std::uint32_t than) {
  return static_cast<std::int32_t>(fence - than) > 0;
}

// An adapter that was started anew may count from anywhere.
bool started_between(const Trace& trace, std::uint32_t former, std::uint32_t latter) {
  const auto& starts = trace.of<ev::DeviceStarted>();
  return std::any_of(starts.begin(), starts.end(), [&](std::uint32_t start) {
    return former < start && start < latter;
  });
}

void check(const Trace& trace, const Platform&, Judgement& judgement) {
  ScratchMap<EngineId, ScratchMap<std::uint32_t, std::uint32_t>> used;  // fence: Submitted
  preempt::for_each_submission(trace, [&](const preempt::Submission& one) {
    auto& fences = used[engine_of(one.packet)];
    auto [known, is_new] = fences.try_emplace(one.packet.fence, one.event);
    if (!is_new && started_between(trace, known->second, one.event)) {
      known->second = one.event;
      is_new = true;
    }
    if (one.packet.paging != 0 || one.from != preempt::CameBack::Preempted) return;
    judgement.reached(one.event);
    const std::string fence = "SubmissionFenceId " + std::to_string(one.packet.fence);
    if (!is_new) {
      judgement.fail(one.event, "a fence that the engine has not had",
                     fence + " for the second time", {known->second, one.returned});
    } else if (!is_later(one.packet.fence, one.request)) {
      judgement.fail(one.event, "a fence behind PreemptionFenceId " + std::to_string(one.request),
                     fence, {one.before, one.returned});
    }
  });
}

const Rule kRule{
    .id = "PREEMPT-020",
    .title = "Preempted non-paging packets get new fence identifiers",
    .binds = Binds::Os,
    .rule =
        "A packet that is not of paging and was preempted is submitted again under a "
        "SubmissionFenceId that was not used on the engine before, later than the "
        "PreemptionFenceId.",
    .sources = "gpu-preemption.md # Memory mapping considerations (paging command fence IDs)",
    .note =
        "That the number is later than that of the preemption follows from its being new: both "
        "are drawn from one sequence. Numbers may wrap.",
    .applies = preempt::preempting_commands,
    .check = check,
    .played_in = {Configured::Default, Configured::NoDmaPatching, Configured::GpuVirtual},
    .scenario = R"(
about: one packet is stopped, and one has not begun
ops:
- create_context: {context: 0}
- queue_depth: {packets: 2}
- render: {context: 0}
- idle
- render: {context: 0}
- spin: {units: 300}
- render: {context: 0}
- spin: {units: 5}
- advance: {units: 10}
- advance: {units: 10}
- advance: {units: 40}
- preempt: {node: 0}
- idle
)",
    .control = R"(
about: all has completed before
ops:
- create_context: {context: 0}
- render: {context: 0}
- idle
- preempt: {node: 0}
- idle
)",
    .fault = {.about = "rendering that was preempted keeps its fence",
              .seat = FaultSeat::Oracle,
              .oracle = OracleFault::RenderFenceKept}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::preempt_020
