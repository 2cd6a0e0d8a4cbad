// CAPS-006: a driver of WDDM 1.2 or later may keep the Windows 7 model, and starts.

#include "conformance/rules/rule.h"

namespace wddm::caps_006 {
namespace {

constexpr std::uint32_t kWddm1_2 = static_cast<std::uint32_t>(InterfaceVersion::Win8);

// How such a driver is scheduled then is SPLIT-017.
void check(const Trace& trace, const Platform&, Judgement& judgement) {
  std::uint32_t reported = kNone;
  bool starting = false;
  for (const std::uint32_t index :
       trace.of_any<ev::DeviceStarted, ev::CapsReported, ev::StartRefused, ev::Running,
                    ev::MappingBalance>()) {
    const Event& event = trace.events()[index];
    if (event.kind == EventKind::CapsReported) {
      const auto caps = trace.at<ev::CapsReported>(index);
      const bool windows7 = caps.status == 0 && caps.interface_version >= kWddm1_2 &&
                            !SchedulingCaps{caps.scheduling}.preemption_aware();
      // Asked again while it runs, it says nothing of its start.
      if (windows7 && starting) reported = index;
      continue;
    }
    if (event.kind == EventKind::Running && reported != kNone) {
      judgement.reached(index);
    } else if (event.kind == EventKind::MappingBalance && reported != kNone) {
      judgement.reached(index);
      judgement.fail(index, "an adapter that starts without PreemptionAware",
                     "it is stopped before it runs", {reported});
    }
    starting = event.kind == EventKind::DeviceStarted;
    reported = kNone;
  }
}

NotApplicable reports_caps(const Platform& platform) {
  if (const NotApplicable reason = needs_caps(platform)) return reason;
  if (platform.interface_version < kWddm1_2) return "a driver of before WDDM 1.2";
  return platform.scheduling.preemption_aware() ? "PreemptionAware is set" : nullptr;
}

const Rule kRule{
    .id = "CAPS-006",
    .title = "A WDDM 1.2 driver may keep the Windows 7 model at run time",
    .binds = Binds::Os,
    .rule =
        "A driver of the interface of WDDM 1.2 or later whose PreemptionAware is 0 starts as any "
        "other.",
    .sources =
        "gpu-preemption.md # introduction\n"
        "ns-d3dkmddi-_dxgk_vidschcaps.md # PreemptionAware",
    .note =
        "The article says both that every driver of WDDM 1.2 must support the newer model and that "
        "it may refuse it: read as that the code must be there, and the bit is a free choice.",
    .applies = reports_caps,
    .check = check,
    .played_in = {Configured::NotPreemptionAware},
    .scenario = R"(
about: the adapter starts
ops:
- start
)",
    .control = R"(
about: it starts again after a stop
ops:
- start
- stop
- start
)",
    .fault = {.about = "adapters without PreemptionAware are refused",
              .seat = FaultSeat::Oracle,
              .oracle = OracleFault::RefuseWithoutPreemption}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::caps_006
