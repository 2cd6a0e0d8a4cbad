// PREEMPT-027: an engine is asked for one preemption at a time.

#include "conformance/rules/preempt/resubmissions.h"
#include "reference/trace/ddi.h"

namespace wddm::preempt_027 {
namespace {

// The answer may come before PreemptCommand returns: what counts is where the calls begin.
void check(const Trace& trace, const Platform&, Judgement& judgement) {
  ScratchMap<EngineId, std::uint32_t> asked;  // DdiEntered of the request without an answer
  using StopReturned = ev::MappingBalance;
  for (const std::uint32_t index :
       trace.of_any<ev::DdiEntered, ev::Notified, ev::ReportIgnored, ev::EngineReset,
                    ev::AdapterReset, StopReturned>()) {
    const Event& event = trace.events()[index];
    if (event.kind == EventKind::DdiEntered) {
      if (Trace::as<ev::DdiEntered>(event).ddi !=
          static_cast<std::uint32_t>(DdiId::PreemptCommand)) {
        continue;
      }
      const auto call = trace.blob<ddi_arguments::PreemptCommand>(event);
      if (call.empty()) continue;
      judgement.reached(index);
      const auto [before, is_new] = asked.try_emplace(engine_of(call.front()), index);
      if (is_new) continue;
      judgement.fail(
          index, "a request once the engine has answered the one before, or was reset",
          "PreemptionFenceId " + std::to_string(call.front().fence) + " before the answer",
          {before->second});
      before->second = index;
    } else if (event.kind == EventKind::Notified) {
      const auto report = Trace::as<ev::Notified>(event);
      if (report.type == DXGK_INTERRUPT_DMA_PREEMPTED) asked.erase(engine_of(report));
    } else if (event.kind == EventKind::ReportIgnored) {
      const auto report = Trace::as<ev::ReportIgnored>(event);
      if (report.type == DXGK_INTERRUPT_DMA_PREEMPTED) asked.erase(engine_of(report));
    } else if (event.kind == EventKind::EngineReset) {
      asked.erase(engine_of(Trace::as<ev::EngineReset>(event)));
    } else {
      asked.clear();
    }
  }
}

NotApplicable asked_to_preempt(const Platform& platform) {
  if (const NotApplicable reason = submitting(platform)) return reason;
  return needs(platform, DdiId::PreemptCommand);
}

const Rule kRule{
    .id = "PREEMPT-027",
    .title = "One preemption request per engine at a time",
    .binds = Binds::Os,
    .rule =
        "After PreemptCommand for an engine there is no other for it until DMA_PREEMPTED has "
        "answered the first, or the engine was reset.",
    .sources =
        "microsoft/graphics-driver-samples compute-only-sample/coskmd/CosKmdAdapter.cpp # "
        "PreemptCommand comment",
    .note =
        "Said by a published sample alone. A driver that keeps one request is safe with it, so "
        "this host keeps to it.",
    .applies = asked_to_preempt,
    .check = check,
    .played_in = kBothAddressings,
    .scenario = R"(
about: the engine is to be preempted again before it has had time to answer
ops:
- create_context: {context: 0}
- render: {context: 0}
- spin: {units: 300}
- advance: {units: 10}
- advance: {units: 40}
- preempt: {node: 0}
- preempt: {node: 0}
- idle
)",
    .control = R"(
about: it has answered by then
ops:
- create_context: {context: 0}
- render: {context: 0}
- spin: {units: 300}
- advance: {units: 10}
- advance: {units: 40}
- preempt: {node: 0}
- advance: {units: 40}
- preempt: {node: 0}
- idle
)",
    .fault = {.about = "each request is made twice",
              .seat = FaultSeat::Oracle,
              .oracle = OracleFault::PreemptTwice}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::preempt_027
