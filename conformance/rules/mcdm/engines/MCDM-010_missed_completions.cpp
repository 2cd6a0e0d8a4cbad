// MCDM-010: without QueryCurrentFence a missed completion is found by a preemption, then a reset.

#include "conformance/rules/mcdm/compute_only.h"
#include "conformance/rules/preempt/answers.h"
#include "conformance/rules/scratch.h"

namespace wddm::mcdm_010 {
namespace {

constexpr std::uint32_t kTimeout = 1;  // cause of EngineReset and AdapterReset

void check(const Trace& trace, const Platform&, Judgement& judgement) {
  preempt::OwedAnswers owed;
  for (const std::uint32_t index : trace.of_any<ev::DdiEntered, ev::PreemptAsked, ev::ReportJudged,
                                                ev::EngineReset, ev::AdapterReset, ev::Running>()) {
    const Event& event = trace.events()[index];
    if (event.kind == EventKind::DdiEntered) {
      const auto entered = Trace::as<ev::DdiEntered>(event);
      if (entered.ddi != static_cast<std::uint32_t>(DdiId::QueryCurrentFence)) continue;
      judgement.fail(index, "no call of QueryCurrentFence, which the driver does not have",
                     "one on node " + std::to_string(entered.object));
    } else if (event.kind == EventKind::PreemptAsked) {
      owed.asked(Trace::as<ev::PreemptAsked>(event));
    } else if (event.kind == EventKind::ReportJudged) {
      owed.judged(Trace::as<ev::ReportJudged>(event));
    } else if (event.kind == EventKind::EngineReset) {
      const auto reset = Trace::as<ev::EngineReset>(event);
      if (reset.cause != kTimeout) continue;
      judgement.reached(index);
      const bool owes = owed.owes(engine_of(reset));
      owed.settle(engine_of(reset));
      if (owes) continue;
      judgement.fail(index, "a preemption that is not answered before an engine is reset",
                     "none on node " + std::to_string(reset.node));
    } else {
      owed.clear();
    }
  }
}

NotApplicable without_queries(const Platform& platform) {
  if (const NotApplicable reason = compute::only(platform)) return reason;
  if (const NotApplicable reason = running_commands(platform)) return reason;
  if (platform.has(DdiId::QueryCurrentFence)) return "the driver has DxgkDdiQueryCurrentFence";
  if (const NotApplicable reason = needs(platform, DdiId::PreemptCommand)) return reason;
  return needs(platform, DdiId::ResetEngine);
}

const Rule kRule{
    .id = "MCDM-010",
    .title = "A missed completion is handled without QueryCurrentFence",
    .binds = Binds::Os,
    .rule =
        "Where QueryCurrentFence is NULL it is not called when a completion is not reported: the "
        "engine is preempted, and reset only if that stays without an answer.",
    .sources =
        "mcdm-implementation-guidelines.md # Prohibited functions\n"
        "nc-d3dkmddi-dxgkddi_querycurrentfence.md # Remarks\n"
        "tdr-changes-in-windows-8.md # Calling sequence to reset an engine",
    .note =
        "The page of QueryCurrentFence has it as the way to find a completion that was missed; for "
        "a device that only computes that way is closed.",
    .applies = without_queries,
    .check = check,
    .played_in = compute::kPlayedIn,
    .scenario = R"(
about: an engine works for longer than anybody waits, and another context goes on after its reset
ops:
- create_context: {context: 0}
- create_device: {device: 1}
- create_context: {context: 1, device: 1}
- render: {context: 0}
- spin: {units: 100000}
- advance: {units: 20}
- time_out: {node: 0}
- render: {context: 1}
- spin: {units: 5}
- idle
)",
    .control = R"(
about: the engine answers in time
ops:
- create_context: {context: 0}
- render: {context: 0}
- spin: {units: 20}
- advance: {units: 5}
- time_out: {node: 0, units: 1000}
- idle
)",
    .fault = {.about = "engines are reset without a preemption before",
              .seat = FaultSeat::Oracle,
              .oracle = OracleFault::ResetUnasked,
              .also_fires = "ENGRST-007 PREEMPT-002"}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::mcdm_010
