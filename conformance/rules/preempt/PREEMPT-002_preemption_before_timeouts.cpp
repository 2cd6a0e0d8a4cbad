// PREEMPT-002: an engine is asked to be preempted before it counts as hung.

#include "conformance/rules/engrst/resets.h"
#include "conformance/rules/preempt/answers.h"
#include "conformance/rules/scratch.h"
#include "reference/is_any_of.h"

namespace wddm::preempt_002 {
namespace {

constexpr std::uint32_t kTimeout = 1;  // of the causes of resets

bool resets(std::uint32_t ddi) {
  return is_any_of(static_cast<DdiId>(ddi), DdiId::ResetEngine, DdiId::ResetFromTimeout);
}

// A reset is decided on when it is called for: an answer that comes while the driver waits there
// comes too late.
void check(const Trace& trace, const Platform&, Judgement& judgement) {
  preempt::OwedAnswers owed;
  bool in_reset = false;
  ScratchVector<std::uint32_t> late;  // ReportJudged
  const auto reset_is_over = [&] {
    in_reset = false;
    for (const std::uint32_t index : late) owed.judged(trace.at<ev::ReportJudged>(index));
    late.clear();
  };
  using StopReturned = ev::MappingBalance;
  for (const std::uint32_t index :
       trace.of_any<ev::DdiEntered, ev::PreemptAsked, ev::ReportJudged, ev::EngineReset,
                    ev::AdapterReset, StopReturned>()) {
    const Event& event = trace.events()[index];
    if (event.kind == EventKind::DdiEntered) {
      in_reset |= resets(Trace::as<ev::DdiEntered>(event).ddi);
    } else if (event.kind == EventKind::PreemptAsked) {
      owed.asked(Trace::as<ev::PreemptAsked>(event));
    } else if (event.kind == EventKind::ReportJudged) {
      if (in_reset) late.push_back(index);
      if (!in_reset) owed.judged(Trace::as<ev::ReportJudged>(event));
    } else if (event.kind == EventKind::EngineReset) {
      const auto reset = Trace::as<ev::EngineReset>(event);
      const bool owes = owed.owes(engine_of(reset));
      reset_is_over();
      if (reset.cause != kTimeout) continue;
      judgement.reached(index);
      if (owes) continue;
      judgement.fail(index, "PreemptCommand without an answer before the engine is reset",
                     "none is outstanding");
    } else if (event.kind == EventKind::AdapterReset) {
      const auto reset = Trace::as<ev::AdapterReset>(event);
      if (reset.cause == kTimeout && reset.stage == 0) {
        judgement.reached(index);
        if (owed.none()) {
          judgement.fail(index, "PreemptCommand without an answer before the adapter is reset",
                         "none is outstanding on any engine");
        }
      }
      reset_is_over();
      owed.clear();
    } else {
      reset_is_over();
      owed.clear();
    }
  }
}

NotApplicable preempted_before_resets(const Platform& platform) {
  if (const NotApplicable reason = running_commands(platform)) return reason;
  if (const NotApplicable reason = needs(platform, DdiId::PreemptCommand)) return reason;
  return platform.scheduling.preemption_aware() ? nullptr : "PreemptionAware is 0";
}

const Rule kRule{
    .id = "PREEMPT-002",
    .title = "Preemption is always tried before TDR",
    .binds = Binds::Os,
    .rule =
        "With PreemptionAware an engine or the adapter is reset for a timeout only when "
        "PreemptCommand was called for the engine and has not been answered.",
    .sources =
        "gpu-preemption.md # introduction\n"
        "tdr-changes-in-windows-8.md # Calling sequence to reset an engine (1)",
    .note =
        "That the answer has had its time, 2 s by default, is for the scenario to say: here a "
        "timeout is an op.",
    .applies = preempted_before_resets,
    .check = check,
    .played_in = {Configured::Default, Configured::NoDmaPatching, Configured::GpuVirtual},
    .scenario = R"(
about: an engine times out, and the whole adapter does
ops:
- create_context: {context: 0}
- render: {context: 0}
- spin: {units: 300}
- advance: {units: 10}
- advance: {units: 40}
- time_out: {node: 0}
- create_device: {device: 1}
- create_context: {context: 1, device: 1}
- render: {context: 1}
- spin: {units: 300}
- advance: {units: 10}
- advance: {units: 40}
- time_out: {node: 0, adapter: true}
)",
    .control = R"(
about: the engine answers in time
ops:
- create_context: {context: 0}
- render: {context: 0}
- spin: {units: 300}
- advance: {units: 10}
- advance: {units: 40}
- time_out: {node: 0, units: 100}
- idle
)",
    .fault = {.about = "an engine that has run for too long is reset unasked",
              .seat = FaultSeat::Oracle,
              .oracle = OracleFault::ResetUnasked,
              .also_fires = "ENGRST-007"}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::preempt_002
