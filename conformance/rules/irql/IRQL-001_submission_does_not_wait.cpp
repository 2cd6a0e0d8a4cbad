// IRQL-001: what submits and preempts does not wait for the GPU.

#include "conformance/rules/preempt/low_irql.h"
#include "conformance/rules/rule.h"
#include "reference/is_any_of.h"
#include "reference/trace/op.h"

namespace wddm::irql_001 {
namespace {

bool may_not_wait(std::uint32_t ddi, const Platform& platform) {
  const auto id = static_cast<DdiId>(ddi);
  if (id == DdiId::PreemptCommand) return !preempt::wants_low_irql(platform);
  return is_any_of(id, DdiId::SubmitCommand, DdiId::SubmitCommandVirtual);
}

// The call that the thread of the scheduler is in. They do not overlap.
struct Call {
  std::uint32_t entered = kNone;
  std::uint32_t ddi = 0;
  std::uint16_t thread = 0;
};

// The scenario gives the GPU time when nobody can go on: who is in a call then waits for it.
void check(const Trace& trace, const Platform& platform, Judgement& judgement) {
  Call call;
  bool time_inside = false;  // it also does in the middle of calls
  const auto waits = [&](std::uint32_t index, const char* what) {
    judgement.fail(index,
                   std::string(ddi_info(static_cast<DdiId>(call.ddi)).name) +
                       " returns without waiting for the GPU",
                   what, {call.entered});
    call = {};
  };
  for (const std::uint32_t index : trace.of_any<ev::OpStarted, ev::DdiEntered, ev::DdiReturned,
                                                ev::GpuAdvanced, ev::Hung, ev::Stuck>()) {
    const Event& event = trace.events()[index];
    if (event.kind == EventKind::OpStarted) {
      const auto kind = static_cast<OpKind>(Trace::as<ev::OpStarted>(event).kind);
      time_inside |= kind == OpKind::AdvanceInside;
    } else if (event.kind == EventKind::DdiEntered) {
      const auto entered = Trace::as<ev::DdiEntered>(event);
      if (!may_not_wait(entered.ddi, platform)) continue;
      call = {.entered = index, .ddi = entered.ddi, .thread = event.thread};
    } else if (event.kind == EventKind::DdiReturned) {
      if (call.entered == kNone || Trace::as<ev::DdiReturned>(event).ddi != call.ddi) continue;
      judgement.reached(index);
      call = {};
    } else if (call.entered == kNone) {
      continue;
    } else if (event.kind == EventKind::GpuAdvanced) {
      if (time_inside || event.thread == call.thread) continue;
      waits(index, "the GPU has had time, and it has not returned");
    } else {
      waits(index, "it never returned");
    }
  }
}

const Rule kRule{
    .id = "IRQL-001",
    .title = "Submission and preemption paths do not block",
    .rule =
        "SubmitCommand, SubmitCommandVirtual and PreemptCommand return at once: none of them waits "
        "for the GPU to finish something, or to acknowledge.",
    .sources =
        "nc-d3dkmddi-dxgkddi_submitcommand.md # Remarks, IRQL\n"
        "nc-d3dkmddi-dxgkddi_preemptcommand.md # Remarks, IRQL",
    .note =
        "The scenario lets the GPU advance once nobody can go on: who is in a call then waits for "
        "it. Waits and pageable code at DISPATCH_LEVEL are findings of the kernel, callbacks "
        "IRQL-002. Where the GPU advances inside calls, only calls that never return are judged. "
        "With LowIrqlPreemptCommand no page forbids PreemptCommand to wait for the "
        "acknowledgement.",
    .applies = submitting,
    .check = check,
    .played_in = kBothAddressings,
    .scenario = R"(
about: a long packet is preempted, and the engine has no time to answer in the call
ops:
- create_context: {context: 0}
- render: {context: 0}
- idle
- render: {context: 0}
- spin: {units: 300}
- advance: {units: 10}
- advance: {units: 10}
- advance: {units: 40}
- preempt: {node: 0}
- advance: {units: 40}
- idle
)",
    .control = R"(
about: several packets, one behind the other
ops:
- create_context: {context: 0}
- queue_depth: {packets: 3}
- render: {context: 0}
- spin: {units: 100}
- render: {context: 0}
- spin: {units: 100}
- advance: {units: 40}
- idle
)",
    .fault = {.about = "PreemptCommand looks at the engine until that has stopped",
              .seat = FaultSeat::Variant,
              .variant = 31}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::irql_001
