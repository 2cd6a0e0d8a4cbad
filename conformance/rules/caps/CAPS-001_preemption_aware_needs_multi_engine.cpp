// CAPS-001: PreemptionAware and CancelCommandAware imply MultiEngineAware.

#include "conformance/rules/caps/answered_caps.h"
#include "conformance/rules/rule.h"

namespace wddm::caps_001 {
namespace {

void check(const Trace& trace, const Platform&, Judgement& judgement) {
  for (const std::uint32_t index : trace.of<ev::CapsReported>()) {
    const auto reported = trace.at<ev::CapsReported>(index);
    if (reported.status != 0) continue;
    judgement.reached(index);
    const SchedulingCaps caps{reported.scheduling};
    if (caps.multi_engine_aware()) continue;
    if (caps.preemption_aware()) {
      judgement.fail(index, "MultiEngineAware (bit 0) where PreemptionAware (bit 2) is set",
                     "SchedulingCaps.Value without bit 0");
    }
    if (caps.cancel_command_aware()) {
      judgement.fail(index, "MultiEngineAware (bit 0) where CancelCommandAware (bit 4) is set",
                     "SchedulingCaps.Value without bit 0");
    }
  }
}

void know_one_engine(DXGK_DRIVERCAPS& caps) {
  caps.SchedulingCaps.PreemptionAware = 1;
  caps.SchedulingCaps.MultiEngineAware = 0;
  caps.SchedulingCaps.CancelCommandAware = 0;
  caps.SchedulingCaps.NoDmaPatching = 0;
}

const Rule kRule{
    .id = "CAPS-001",
    .aliases = "CAPS-002",
    .title = "PreemptionAware and CancelCommandAware imply MultiEngineAware",
    .rule =
        "In the DXGK_DRIVERCAPS of DXGKQAITYPE_DRIVERCAPS, SchedulingCaps.PreemptionAware (bit 2) "
        "and CancelCommandAware (bit 4) are set only where MultiEngineAware (bit 0) is. The "
        "Windows 8 model has it and PreemptionAware; in the Windows 7 model PreemptionAware is 0.",
    .sources =
        "gpu-preemption.md # Driver implementation steps (2)\n"
        "ns-d3dkmddi-_dxgk_vidschcaps.md # PreemptionAware, CancelCommandAware",
    .note =
        "Windows does not start such an adapter (CAPS-002; of NoDmaPatching BIND-003). It is the "
        "driver that is judged, and this host starts it all the same, to judge the rest.",
    .applies = needs_caps,
    .check = check,
    .scenario = R"(
about: the adapter starts
ops:
- start
)",
    .control = R"(
about: the Windows 7 model, PreemptionAware 0
ops:
- configure: {setting: PreemptionAware, value: 0}
- start
)",
    .fault = {.about = "MultiEngineAware is cleared",
              .interposer = answers::alters_caps<know_one_engine>,
              .also_fires = "CTX-016"}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::caps_001
