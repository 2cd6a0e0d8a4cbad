// PREEMPT-001: the scheduler preempts an engine whatever packets it has.

#include <d3dkmddi.h>

#include "conformance/rules/preempt/resubmissions.h"
#include "reference/trace/ddi.h"

namespace wddm::preempt_001 {
namespace {

// Between the reason and the call nothing runs that could hold it up.
void check(const Trace& trace, const Platform&, Judgement& judgement) {
  std::uint32_t due = kNone;  // PreemptionDue without its call
  for (const std::uint32_t index : trace.of_any<ev::OpStarted, ev::PreemptionDue, ev::DdiEntered,
                                                ev::Submitted, ev::Stuck, ev::Ended>()) {
    const Event& event = trace.events()[index];
    if (event.kind == EventKind::DdiEntered) {
      const auto entered = Trace::as<ev::DdiEntered>(event);
      if (entered.ddi != static_cast<std::uint32_t>(DdiId::PreemptCommand)) continue;
      const auto call = trace.blob<ddi_arguments::PreemptCommand>(event);
      const bool is_due = due != kNone && !call.empty() &&
                          engine_of(call.front()) == engine_of(trace.at<ev::PreemptionDue>(due));
      if (is_due) due = kNone;
      continue;
    }
    if (due != kNone) {
      const auto wanted = trace.at<ev::PreemptionDue>(due);
      judgement.fail(due, "PreemptCommand, whatever packets the engine has",
                     "no call, with " + std::to_string(wanted.outstanding) + " packets, " +
                         std::to_string(wanted.paging) + " of them paging");
      due = kNone;
    }
    if (event.kind != EventKind::PreemptionDue) continue;
    if (Trace::as<ev::PreemptionDue>(event).outstanding == 0) continue;
    judgement.reached(index);
    due = index;
  }
}

const Rule kRule{
    .id = "PREEMPT-001",
    .title = "Preemption cannot be switched off",
    .binds = Binds::Os,
    .rule =
        "With PreemptionAware the scheduler calls PreemptCommand for any node that has packets, of "
        "whatever kind they are, when it has a reason to preempt it.",
    .sources =
        "gpu-preemption.md # introduction\n"
        "gpu-preemption.md # Driver implementation steps (8)",
    .note =
        "What is a reason is for the scenario to say: contexts have no priorities here. An engine "
        "that owes an answer, or that a page fault has stopped, is not asked again. Flips are left "
        "out with all displays.",
    .applies = preempt::preempting,
    .check = check,
    .played_in = {Configured::Default, Configured::NoDmaPatching, Configured::GpuVirtual},
    .scenario = R"(
about: an engine is preempted while it pages, while it renders, and with both in its queue
ops:
- create_context: {context: 0}
- create_allocation: {allocation: 0, pages: 32, place: local}
- create_allocation: {allocation: 1, pages: 32, place: local}
- make_resident: {allocation: 0}
- advance: {units: 3}
- preempt: {node: 0}
- idle
- render: {context: 0}
- spin: {units: 300}
- advance: {units: 10}
- preempt: {node: 0}
- idle
- make_resident: {allocation: 1}
- advance: {units: 3}
- render: {context: 0}
- spin: {units: 5}
- advance: {units: 1}
- preempt: {node: 0}
- idle
)",
    .control = R"(
about: an engine that has nothing to do
ops:
- create_context: {context: 0}
- render: {context: 0}
- spin: {units: 5}
- idle
- preempt: {node: 0}
- idle
)",
    .fault = {.about = "no engine is preempted while it has paging",
              .seat = FaultSeat::Oracle,
              .oracle = OracleFault::SkipBesidePaging}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::preempt_001
