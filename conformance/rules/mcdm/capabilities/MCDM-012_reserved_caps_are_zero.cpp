// MCDM-012: what a device that only computes must leave 0 is 0.

#include "conformance/rules/mcdm/compute_only.h"

namespace wddm::mcdm_012 {
namespace {

void check(const Trace& trace, const Platform&, Judgement& judgement) {
  compute::judge_caps(
      trace, judgement, "0 in capabilities that are not for devices which only compute",
      [](const DXGK_DRIVERCAPS& caps, compute::Listed& listed) {
        listed.add(caps.MaxAllocationListSlotId != 0, "MaxAllocationListSlotId");
        listed.add(caps.ApertureSegmentCommitLimit != 0, "ApertureSegmentCommitLimit");
        listed.add(caps.MiscCaps.Detachable != 0, "Detachable");
        listed.add(caps.HybridDiscrete != FALSE, "HybridDiscrete");
        listed.add(caps.HybridIntegrated != FALSE, "HybridIntegrated");
        listed.add(caps.HybridAcpiChainingRequired != FALSE, "HybridAcpiChainingRequired");
        if (caps.MemoryManagementCaps.VirtualAddressingSupported) return;
        listed.add(caps.InternalGpuVirtualAddressRangeStart != 0,
                   "InternalGpuVirtualAddressRangeStart");
        listed.add(caps.InternalGpuVirtualAddressRangeEnd != 0,
                   "InternalGpuVirtualAddressRangeEnd");
      });
}

void alter(DXGK_DRIVERCAPS& caps) {
  caps.ApertureSegmentCommitLimit = 0x100000;
}

const Rule kRule{
    .id = "MCDM-012",
    .title = "Remaining caps that must be zero are zero",
    .rule =
        "MaxAllocationListSlotId, ApertureSegmentCommitLimit, MiscCaps.Detachable, HybridDiscrete, "
        "HybridIntegrated and HybridAcpiChainingRequired are 0, and without virtual addresses the "
        "limits of the internal range of addresses.",
    .sources =
        "mcdm-implementation-guidelines.md # Driver capability requirements\n"
        "ns-d3dkmddi-_dxgk_drivercaps.md # fields\n"
        "ns-d3dkmddi-_dxgk_segmentdescriptor4.md # CommitLimit",
    .note =
        "The limit of an aperture is that of its segment's descriptor, and slots are not counted.",
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
    .fault = {.about = "ApertureSegmentCommitLimit is the size of the aperture",
              .interposer = answers::alters_caps<alter>}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::mcdm_012
