// MCDM-035: a device of a machine with Modern Standby manages its power at run time.

#include "conformance/rules/mcdm/compute_only.h"

namespace wddm::mcdm_035 {
namespace {

constexpr std::uint32_t kRuntimePower = 1;  // CapsReported::more

// That the entry points go with the capability is MCDM-007.
void check(const Trace& trace, const Platform&, Judgement& judgement) {
  std::uint32_t reported = kNone;
  bool manages = false;
  for (const std::uint32_t index : trace.of_any<ev::CapsReported, ev::PlatformDeclared>()) {
    const Event& event = trace.events()[index];
    if (event.kind == EventKind::CapsReported) {
      const auto caps = trace.at<ev::CapsReported>(index);
      if (!NT_SUCCESS(static_cast<NTSTATUS>(caps.status))) continue;
      reported = index;
      manages = (caps.more & kRuntimePower) != 0;
      continue;
    }
    if (trace.at<ev::PlatformDeclared>(index).modern_standby == 0 || reported == kNone) continue;
    judgement.reached(index);
    if (manages) continue;
    judgement.fail(index, "SupportRuntimePowerManagement on a machine with Modern Standby",
                   "it is FALSE", {reported});
  }
}

void alter(DXGK_DRIVERCAPS& caps) {
  caps.SupportRuntimePowerManagement = FALSE;
}

const Rule kRule{
    .id = "MCDM-035",
    .title = "Power management is present on Modern Standby systems",
    .rule =
        "A device that only computes, in a machine with Modern Standby or Connected Standby, "
        "reports SupportRuntimePowerManagement.",
    .sources =
        "mcdm-implementation-guidelines.md # Power management support\n"
        "ns-d3dkmddi-_dxgk_drivercaps.md # SupportRuntimePowerManagement",
    .note =
        "That support is what this capability says is derived. No DDI tells what the machine is: "
        "it is one with Modern Standby if the service key has ModernStandby (--config "
        "ModernStandby=1).",
    .unreached = "the machine has no Modern Standby, but with --config ModernStandby=1",
    .applies = compute::only,
    .check = check,
    .played_in = {Configured::Managed},
    .scenario = R"(
about: the adapter starts; what its machine is, the user says
ops:
- start
)",
    .control = R"(
about: it starts again
ops:
- start
- stop
- start
)",
    .fault = {.about = "SupportRuntimePowerManagement is FALSE",
              .interposer = answers::alters_caps<alter>}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::mcdm_035
