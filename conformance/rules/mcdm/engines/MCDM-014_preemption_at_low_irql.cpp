// MCDM-014: PreemptCommand comes below DISPATCH_LEVEL where the driver asks for it.

#include "conformance/rules/preempt/low_irql.h"

namespace wddm::mcdm_014 {
namespace {

void check(const Trace& trace, const Platform&, Judgement& judgement) {
  for (const std::uint32_t index : trace.of<ev::PreemptAsked>()) {
    const auto asked = trace.at<ev::PreemptAsked>(index);
    judgement.reached(index);
    if (asked.irql < static_cast<std::uint32_t>(Irql::Dispatch)) continue;
    judgement.fail(index, "PreemptCommand below DISPATCH_LEVEL, as LowIrqlPreemptCommand",
                   "IRQL " + std::to_string(asked.irql));
  }
}

NotApplicable low_irql(const Platform& platform) {
  if (const NotApplicable reason = submitting(platform)) return reason;
  if (!preempt::wants_low_irql(platform)) return "no LowIrqlPreemptCommand";
  return needs(platform, DdiId::PreemptCommand);
}

const Rule kRule{
    .id = "MCDM-014",
    .title = "PreemptCommand is called at low IRQL when the driver asks for it",
    .binds = Binds::Os,
    .rule =
        "With SchedulingCaps.LowIrqlPreemptCommand every call of PreemptCommand comes below "
        "DISPATCH_LEVEL, those before a timeout too.",
    .sources =
        "mcdm-implementation-guidelines.md # SchedulingCaps requirements\n"
        "nc-d3dkmddi-dxgkddi_preemptcommand.md # Remarks",
    .note =
        "The page of PreemptCommand knows DISPATCH_LEVEL only, and no page gives the low level a "
        "number.",
    .applies = low_irql,
    .check = check,
    .played_in = {Configured::ComputeOnly},
    .scenario = R"(
about: a packet is preempted, and another before its engine is reset
ops:
- create_context: {context: 0}
- render: {context: 0}
- spin: {units: 100}
- advance: {units: 20}
- preempt: {node: 0}
- idle
- render: {context: 0}
- spin: {units: 100000}
- advance: {units: 20}
- time_out: {node: 0}
- idle
)",
    .control = R"(
about: an engine that has nothing to do is preempted
ops:
- create_context: {context: 0}
- preempt: {node: 0}
- idle
)",
    .fault = {.about = "requests come from a DPC",
              .seat = FaultSeat::Oracle,
              .oracle = OracleFault::PreemptAtDispatch,
              .also_fires = "IRQL-003"}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::mcdm_014
