// ENGRST-005: where the reset of an engine does not suffice the adapter is reset.

#include "conformance/rules/engrst/resets.h"
#include "conformance/rules/scratch.h"
#include "conformance/rules/submit/in_order_of_calls.h"

namespace wddm::engrst_005 {
namespace {

constexpr std::uint32_t kStuck = 2;  // of the causes of resets: because nothing went on

void check(const Trace& trace, const Platform&, Judgement& judgement) {
  ScratchMap<EngineId, ScratchSet<std::uint32_t>> paging;  // fences of what the engine has
  std::uint32_t due = kNone;                               // EngineReset
  EngineId due_for{};
  const auto too_late = [&](std::uint32_t index, const char* what) {
    judgement.fail(index, "the adapter is reset next: the reset of an engine did not suffice", what,
                   {due});
    due = kNone;
  };
  in_order_of_calls<ev::PacketEnded, ev::EngineReset, ev::AdapterReset, ev::Stuck, ev::Ended>(
      trace, [&](std::uint32_t index) {
        const Event& event = trace.events()[index];
        if (event.kind == EventKind::Submitted) {
          const auto packet = trace.at<ev::Submitted>(index);
          const bool same = engine_of(packet) == due_for;
          if (due != kNone && same) too_late(index, "the engine is given a packet");
          if (packet.paging != 0) paging[engine_of(packet)].insert(packet.fence);
        } else if (event.kind == EventKind::PacketEnded) {
          const auto ended = Trace::as<ev::PacketEnded>(event);
          paging[engine_of(ended)].erase(ended.fence);
        } else if (event.kind == EventKind::EngineReset) {
          const auto reset = Trace::as<ev::EngineReset>(event);
          const bool hit_paging = paging[engine_of(reset)].contains(reset.aborted);
          if (engrst::succeeded(reset.status) && !hit_paging) return;
          judgement.reached(index);
          due = index;
          due_for = engine_of(reset);
        } else if (event.kind == EventKind::AdapterReset) {
          const auto reset = Trace::as<ev::AdapterReset>(event);
          if (due != kNone && reset.cause == kStuck) too_late(index, "it is, since work was stuck");
          due = kNone;
        } else if (due != kNone) {
          too_late(index, event.kind == EventKind::Stuck ? "nothing goes on" : "the run ends");
        }
      });
}

NotApplicable both_resets(const Platform& platform) {
  if (const NotApplicable reason = engrst::engine_resets(platform)) return reason;
  return engrst::adapter_resets(platform);
}

const Rule kRule{
    .id = "ENGRST-005",
    .title = "Impossible engine resets fail and are promoted",
    .binds = Binds::Os,
    .rule =
        "If ResetEngine fails, or the packet that it has aborted is one of paging, the adapter is "
        "reset with ResetFromTimeout and RestartFromTimeout before the engine is given a packet "
        "again.",
    .sources =
        "tdr-changes-in-windows-8.md # Special cases\n"
        "tdr-changes-in-windows-8.md # Calling sequence to reset an engine (9)",
    .note =
        "That a driver which cannot reset an engine says so, and does not pretend, is ENGRST-001: "
        "engines that were reset are quiet.",
    .applies = both_resets,
    .check = check,
    .played_in = kBothAddressings | ConfigurationSet{Configured::NoEngineResets},
    .scenario = R"(
about: a client's packet faults and another's hangs, which may cost the adapter; then an engine times out in the middle of paging, whichever it runs on
ops:
- create_device: {device: 1}
- create_context: {context: 1, device: 1}
- create_allocation: {allocation: 1, place: local, device: 1}
- make_resident: {allocation: 1}
- free_address: {allocation: 1}
- render: {context: 1}
- bind: {slot: 1, allocation: 1}
- fill: {slot: 1, offset: 0, size: 64, value: 0x55667788}
- idle
- create_device: {device: 2}
- create_context: {context: 2, device: 2}
- render: {context: 2}
- idle
- render: {context: 2}
- spin: {units: 300}
- advance: {units: 10}
- advance: {units: 10}
- advance: {units: 40}
- time_out: {node: 0}
- idle
- create_device: {device: 3}
- create_context: {context: 3, device: 3}
- render: {context: 3}
- idle
- create_allocation: {allocation: 0, pages: 32, place: local}
- make_resident: {allocation: 0}
- advance: {units: 3}
- time_out: {node: 0}
- time_out: {node: 1}
# On a driver with fewer nodes it is skipped.
- time_out: {node: 2}
- idle
# Where it has not begun; and where all of the paging is one short packet, in the middle of that.
- create_allocation: {allocation: 2, pages: 32, place: local}
- make_resident: {allocation: 2}
- time_out: {node: 0}
- time_out: {node: 1}
- time_out: {node: 2}
- idle
- create_allocation: {allocation: 3, pages: 32, place: local}
- make_resident: {allocation: 3}
- advance: {units: 1}
- time_out: {node: 0}
- time_out: {node: 1}
- time_out: {node: 2}
- idle
)",
    .control = R"(
about: an engine times out in the middle of a client's packet
ops:
- create_context: {context: 0}
- render: {context: 0}
- idle
- render: {context: 0}
- spin: {units: 300}
- advance: {units: 10}
- advance: {units: 10}
- advance: {units: 40}
- time_out: {node: 0}
- idle
)",
    .fault = {.about = "the reset of the engine is all there is",
              .seat = FaultSeat::Oracle,
              .oracle = OracleFault::NotPromoted}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::engrst_005
