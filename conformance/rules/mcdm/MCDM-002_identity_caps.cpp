// MCDM-002: what a device that only computes says it is.

#include "conformance/rules/mcdm/compute_only.h"

namespace wddm {
namespace {

void check(const Trace& trace, const Platform&, Judgement& judgement) {
  for (const std::uint32_t index : trace.of<ev::CapsReported>()) {
    const auto reported = trace.at<ev::CapsReported>(index);
    if (reported.status != 0) continue;
    judgement.reached(index);
    if (reported.interface_version >= DXGKDDI_INTERFACE_VERSION_WDDM2_6) continue;
    judgement.fail(index, "a Version of WDDM 2.6 or later with ComputeOnly", "an older one");
  }
  compute::judge_caps(trace, judgement, "WDDMVersion of 2.6 or later, and SupportPerEngineTDR",
                      [](const DXGK_DRIVERCAPS& caps, compute::Listed& listed) {
                        // DXGK_WDDMVERSION has the digits of the version in hexadecimal.
                        std::uint32_t version;
                        std::memcpy(&version, &caps.WDDMVersion, sizeof(version));
                        listed.add(version < 0x2600, "WDDMVersion");
                        listed.add(caps.SupportPerEngineTDR == FALSE, "SupportPerEngineTDR");
                      });
}

void alter(DXGK_DRIVERCAPS& caps) {
  caps.WDDMVersion = static_cast<DXGK_WDDMVERSION>(0);
}

const Rule kRule{
    .id = "MCDM-002",
    .title = "Compute-only identity caps are set",
    .rule =
        "With MiscCaps.ComputeOnly WDDMVersion is DXGKDDI_WDDMv2_6 or later, SupportPerEngineTDR "
        "is "
        "TRUE, and the interface version is that of WDDM 2.6 or later.",
    .sources =
        "mcdm-implementation-guidelines.md # Driver capability requirements\n"
        "ns-d3dkmddi-_dxgk_drivercaps.md # MiscCaps.ComputeOnly, WDDMVersion\n"
        "mcdm.md # introduction",
    .note = "Other pages call WDDMVersion reserved; the guidelines are newer and of this class.",
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
    .fault = {.about = "WDDMVersion is left 0", .interposer = answers::alters_caps<alter>}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm
