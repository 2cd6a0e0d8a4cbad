// MCDM-013: how a device that only computes is scheduled.

#include "conformance/rules/mcdm/compute_only.h"

namespace wddm::mcdm_013 {
namespace {

void check(const Trace& trace, const Platform&, Judgement& judgement) {
  compute::judge_caps(
      trace, judgement,
      "MultiEngineAware, PreemptionAware and LowIrqlPreemptCommand, and nothing of displays and "
      "patching",
      [](const DXGK_DRIVERCAPS& caps, compute::Listed& listed) {
        const DXGK_VIDSCHCAPS& scheduling = caps.SchedulingCaps;
        listed.add(!scheduling.MultiEngineAware, "no MultiEngineAware");
        listed.add(!scheduling.PreemptionAware, "no PreemptionAware");
        listed.add(!scheduling.LowIrqlPreemptCommand, "no LowIrqlPreemptCommand");
        listed.add(scheduling.VSyncPowerSaveAware, "VSyncPowerSaveAware");
        listed.add(scheduling.NoDmaPatching, "NoDmaPatching");
        listed.add(scheduling.HwQueuePacketCap != 0, "HwQueuePacketCap");
      });
}

void alter(DXGK_DRIVERCAPS& caps) {
  caps.SchedulingCaps.NoDmaPatching = 1;
}

const Rule kRule{
    .id = "MCDM-013",
    .title = "SchedulingCaps have the compute-only pattern",
    .level = Level::Should,
    .rule =
        "MultiEngineAware, PreemptionAware and LowIrqlPreemptCommand are set; VSyncPowerSaveAware, "
        "NoDmaPatching and HwQueuePacketCap are 0.",
    .sources =
        "mcdm-implementation-guidelines.md # SchedulingCaps requirements\n"
        "ns-d3dkmddi-_dxgk_vidschcaps.md # fields",
    .note =
        "The page of the capabilities says that drivers should set NoDmaPatching with virtual "
        "addresses; the guidelines, which are of this class, that they must not. As who follows "
        "the one breaks the other, and Microsoft's own sample has no LowIrqlPreemptCommand, "
        "should.",
    .applies = compute::only,
    .check = check,
    .played_in = compute::kPlayedIn,
    .scenario = R"(
about: the adapter starts
ops:
- start
)",
    .control = R"(
about: asked again
ops:
- requery
)",
    .fault = {.about = "NoDmaPatching is set", .interposer = answers::alters_caps<alter>}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::mcdm_013
