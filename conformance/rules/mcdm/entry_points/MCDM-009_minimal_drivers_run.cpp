// MCDM-009: a driver that only computes and has no more than it must have starts, and nothing calls
// what it does not have.

#include "conformance/rules/mcdm/compute_only.h"

namespace wddm::mcdm_009 {
namespace {

// Entry points that the driver has not filled, or that its interface does not have.
void judge_calls(const Trace& trace, const Platform& platform, Judgement& judgement) {
  for (const std::uint32_t index : trace.of<ev::DdiEntered>()) {
    const std::uint32_t ddi = trace.at<ev::DdiEntered>(index).ddi;
    if (ddi >= kDdis || static_cast<DdiId>(ddi) == DdiId::DriverEntry) continue;
    if (platform.has(static_cast<DdiId>(ddi))) continue;
    judgement.fail(index, "no call of what the driver does not have", ddi_name(ddi));
  }
}

void check(const Trace& trace, const Platform& platform, Judgement& judgement) {
  judge_calls(trace, platform, judgement);
  std::uint32_t asked = kNone;
  bool starting = false;
  for (const std::uint32_t index :
       trace.of_any<ev::DeviceStarted, ev::CapsAnswered, ev::StartRefused, ev::Running,
                    ev::MappingBalance>()) {
    const Event& event = trace.events()[index];
    DXGK_DRIVERCAPS caps;
    if (event.kind == EventKind::CapsAnswered) {
      // Asked again while it runs, it says nothing of its start.
      const bool answered =
          starting && answers::over_zeros(trace, index) && answers::caps_of(trace, index, caps);
      const bool minimal = answered && caps.MiscCaps.ComputeOnly != 0 && caps.FlipCaps.Value == 0 &&
                           caps.PresentationCaps.Value == 0;
      if (minimal) asked = index;
      continue;
    }
    if (event.kind == EventKind::Running && asked != kNone) {
      judgement.reached(index);
    } else if (event.kind == EventKind::MappingBalance && asked != kNone) {
      judgement.reached(index);
      judgement.fail(index, "an adapter that starts without capabilities of displays",
                     "it is stopped before it runs", {asked});
    }
    starting = event.kind == EventKind::DeviceStarted;
    asked = kNone;
  }
}

const Rule kRule{
    .id = "MCDM-009",
    .title = "The OS runs a minimal compute-only driver",
    .binds = Binds::Os,
    .rule =
        "An adapter that only computes starts with FlipCaps and PresentationCaps of 0, and "
        "whatever "
        "optional entry point its driver leaves NULL is never called.",
    .sources =
        "mcdm-implementation-guidelines.md # Driver function support requirements\n"
        "mcdm-implementation-guidelines.md # Query adapter info requirements\n"
        "wddm-driver-and-feature-caps.md # WDDM 1.2 feature caps",
    .note =
        "What a driver refuses among optional queries is seen here by that it runs all the same. "
        "That work on it gives the right results is for all other clauses.",
    .applies = compute::only,
    .check = check,
    .played_in = compute::kPlayedIn,
    .scenario = R"(
about: the adapter starts, packets run and allocations move
ops:
- start
- create_context: {context: 0}
- create_allocation: {allocation: 0, place: local}
- create_allocation: {allocation: 1, place: local}
- render: {context: 0}
- bind: {slot: 0, allocation: 0}
- fill: {slot: 0}
- idle
- evict: {allocation: 0}
- render: {context: 0}
- bind: {slot: 0, allocation: 1}
- fill: {slot: 0}
- idle
- requery
- stop
)",
    .control = R"(
about: the adapter starts, and again after a stop
ops:
- start
- stop
- start
)",
    .fault = {.about = "adapters without FlipOnVSyncMmIo are refused",
              .seat = FaultSeat::Oracle,
              .oracle = OracleFault::InsistOnFlips}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::mcdm_009
