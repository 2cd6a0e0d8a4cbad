// MCDM-002: what a device that only computes says it is.

#include "conformance/rules/mcdm/compute_only.h"

namespace wddm::mcdm_002 {
namespace {

// DXGK_WDDMVERSION has the digits of the version in hexadecimal.
std::uint32_t version_of(const DXGK_DRIVERCAPS& caps) {
  std::uint32_t version = 0;
  std::memcpy(&version, &caps.WDDMVersion, sizeof(version));
  return version;
}

// DXGK_WDDMDEVICECAPS has the same version, where it is answered.
void judge_device_caps(const Trace& trace, Judgement& judgement) {
  std::uint32_t said_at = kNone, version = 0;
  for (const std::uint32_t index : trace.of<ev::CapsAnswered>()) {
    DXGK_DRIVERCAPS caps;
    if (!answers::over_zeros(trace, index) || !answers::caps_of(trace, index, caps)) continue;
    said_at = index;
    version = version_of(caps);
    break;
  }
  if (said_at == kNone) return;
  for (const std::uint32_t index : trace.of<ev::InfoAnswered>()) {
    const auto answer = trace.at<ev::InfoAnswered>(index);
    // With less room it need not be whole.
    const bool whole = answer.how != static_cast<std::uint32_t>(InfoQuestion::Short);
    if (answer.type != DXGKQAITYPE_WDDMDEVICECAPS || !whole ||
        !NT_SUCCESS(static_cast<NTSTATUS>(answer.status))) {
      continue;
    }
    judgement.reached(index);
    if (answer.first == version) continue;
    judgement.fail(index, "the WDDMVersion of DXGK_DRIVERCAPS in DXGK_WDDMDEVICECAPS", "another",
                   {said_at});
  }
}

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
                        const std::uint32_t version = version_of(caps);
                        listed.add(version < 0x2600, "WDDMVersion");
                        listed.add(caps.SupportPerEngineTDR == FALSE, "SupportPerEngineTDR");
                      });
  judge_device_caps(trace, judgement);
}

void alter(DXGK_DRIVERCAPS& caps) {
  caps.WDDMVersion = static_cast<DXGK_WDDMVERSION>(0);
}

const Rule kRule{
    .id = "MCDM-002",
    .title = "Compute-only identity caps are set",
    .rule =
        "With MiscCaps.ComputeOnly WDDMVersion is DXGKDDI_WDDMv2_6 or later, SupportPerEngineTDR "
        "is TRUE, and the interface version is that of WDDM 2.6 or later. DXGK_WDDMDEVICECAPS, "
        "where it is answered, has the same WDDMVersion.",
    .sources =
        "mcdm-implementation-guidelines.md # Driver capability requirements\n"
        "ns-d3dkmddi-_dxgk_drivercaps.md # MiscCaps.ComputeOnly, WDDMVersion\n"
        "ns-d3dkmddi-_dxgk_wddmdevicecaps.md # WDDMVersion\n"
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
}  // namespace wddm::mcdm_002
