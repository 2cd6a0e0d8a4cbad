// BIND-003: NoDmaPatching needs PreemptionAware and MultiEngineAware.

#include "conformance/rules/caps/answered_caps.h"
#include "conformance/rules/rule.h"

namespace wddm::bind_003 {
namespace {

void check(const Trace& trace, const Platform&, Judgement& judgement) {
  for (const std::uint32_t index : trace.of<ev::CapsReported>()) {
    const auto reported = trace.at<ev::CapsReported>(index);
    if (reported.status != 0) continue;
    judgement.reached(index);
    const SchedulingCaps caps{reported.scheduling};
    if (!caps.no_dma_patching() || (caps.preemption_aware() && caps.multi_engine_aware())) continue;
    judgement.fail(index, "MultiEngineAware and PreemptionAware where NoDmaPatching is set",
                   "SchedulingCaps.Value " + std::to_string(caps.value));
  }
}

// A driver of the Windows 7 model that wants to be spared the leak detection.
void want_no_verifier(DXGK_DRIVERCAPS& caps) {
  caps.SchedulingCaps.PreemptionAware = 0;
  caps.SchedulingCaps.NoDmaPatching = 1;
}

const Rule kRule{
    .id = "BIND-003",
    .aliases = "CAPS-004",
    .title = "NoDmaPatching needs PreemptionAware and MultiEngineAware",
    .rule =
        "SchedulingCaps.NoDmaPatching (bit 3), the opt-out from the detection of binding leaks, "
        "is set only where PreemptionAware (bit 2) and MultiEngineAware (bit 0) are.",
    .sources =
        "ns-d3dkmddi-_dxgk_vidschcaps.md # NoDmaPatching\n"
        "gpu-preemption.md # Memory mapping considerations (NoDmaPatching)",
    .note = "What PreemptionAware and CancelCommandAware need is judged by CAPS-001.",
    .applies = needs_caps,
    .check = check,
    .scenario = R"(
about: the adapter starts
ops:
- start
)",
    .control = R"(
about: the opt-out of a preemption-aware driver
ops:
- configure: {setting: NoDmaPatching, value: 1}
- start
)",
    .fault = {.about = "NoDmaPatching is set while PreemptionAware is not",
              .interposer = answers::alters_caps<want_no_verifier>}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::bind_003
