// ENGRST-010: from the snapshot to its reset nobody listens to an engine.

#include "conformance/rules/engrst/resets.h"
#include "conformance/rules/scratch.h"

namespace wddm::engrst_010 {
namespace {

constexpr std::uint32_t kTimeout = 1;  // of the causes of resets

// QueryEngineStatus comes behind the snapshot; the reset ends what was begun by it.
void check(const Trace& trace, const Platform&, Judgement& judgement) {
  ScratchMap<EngineId, std::uint32_t> given_up;  // EngineAsked
  ScratchSet<EngineId> timed_out;                // others are reset with it: ENGRST-007
  using StopReturned = ev::MappingBalance;
  for (const std::uint32_t index :
       trace.of_any<ev::OpStarted, ev::EngineAsked, ev::PacketEnded, ev::ReportIgnored,
                    ev::EngineReset, ev::AdapterReset, StopReturned>()) {
    const Event& event = trace.events()[index];
    if (event.kind == EventKind::EngineAsked) {
      const auto asked = Trace::as<ev::EngineAsked>(event);
      timed_out.insert(engine_of(asked));
      if (asked.outstanding != 0) given_up[engine_of(asked)] = index;
    } else if (event.kind == EventKind::ReportIgnored) {
      judgement.reached(index);
    } else if (event.kind == EventKind::PacketEnded) {
      const auto ended = Trace::as<ev::PacketEnded>(event);
      const auto found = given_up.find(engine_of(ended));
      const bool cancelled = ended.fate == static_cast<std::uint32_t>(PacketFate::Lost);
      if (found == given_up.end() || cancelled) continue;
      judgement.fail(index, "reports of an engine that timed out lead to nothing before its reset",
                     "packet " + std::to_string(ended.packet) + " has left the engine",
                     {found->second});
    } else if (event.kind == EventKind::EngineReset) {
      const auto reset = Trace::as<ev::EngineReset>(event);
      const bool gave_up = timed_out.contains(engine_of(reset));
      if (reset.cause == kTimeout && gave_up && reset.outstanding == 0) {
        judgement.fail(index, "no reset of an engine whose queue was empty at the snapshot",
                       "ResetEngine is called");
      }
      given_up.erase(engine_of(reset));
    } else {
      given_up.clear();
      timed_out.clear();
    }
  }
}

NotApplicable asked_before_resets(const Platform& platform) {
  if (const NotApplicable reason = engrst::engine_resets(platform)) return reason;
  return needs(platform, DdiId::QueryEngineStatus);
}

const Rule kRule{
    .id = "ENGRST-010",
    .title = "Interrupts of the timed-out engine are fenced off",
    .binds = Binds::Os,
    .rule =
        "When an engine has timed out, its fences are recorded and from then to its reset nothing "
        "follows from what is reported of it; if its queue is empty by then it is not reset.",
    .sources = "tdr-changes-in-windows-8.md # Calling sequence to reset an engine (2-6)",
    .applies = asked_before_resets,
    .check = check,
    .played_in = kBothAddressings,
    .scenario = R"(
about: the engine answers the preemption when nobody listens any more
ops:
- create_device: {device: 1}
- create_context: {context: 0}
- create_context: {context: 1, device: 1}
- render: {context: 0}
- idle
- render: {context: 1}
- spin: {units: 300}
- advance: {units: 10}
- advance: {units: 10}
- advance: {units: 10}
- advance: {units: 40}
# Hardware that stops between buffers alone answers when the packet has ended; time that is left
# over is not spent.
- time_out: {node: 0, late: 10000}
- render: {context: 0}
- idle
)",
    .control = R"(
about: the engine answers in time, and is not reset
ops:
- create_context: {context: 0}
- render: {context: 0}
- idle
- render: {context: 0}
- spin: {units: 300}
- advance: {units: 10}
- advance: {units: 10}
- advance: {units: 10}
- advance: {units: 40}
- time_out: {node: 0, units: 100}
- idle
)",
    .fault = {.about = "a report after the snapshot takes its packet off the engine",
              .seat = FaultSeat::Oracle,
              .oracle = OracleFault::ListenAfterSnapshot}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::engrst_010
