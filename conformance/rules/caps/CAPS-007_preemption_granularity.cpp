// CAPS-007: the granularity of preemption is reported, with values that there are.

#include "conformance/rules/caps/answered_caps.h"

namespace wddm::caps_007 {
namespace {

// Each enumeration has six values, NONE first, a hundred apart.
constexpr std::uint32_t kStep = 100, kLast = 500;

bool is_value(std::uint32_t number) {
  return number % kStep == 0 && number <= kLast;
}

std::uint32_t number_of(const void* member) {
  std::uint32_t number;
  std::memcpy(&number, member, sizeof(number));
  return number;
}

void check(const Trace& trace, const Platform& platform, Judgement& judgement) {
  for (const std::uint32_t index : trace.of<ev::CapsAnswered>()) {
    DXGK_DRIVERCAPS caps;
    if (!answers::caps_of(trace, index, caps)) continue;
    judgement.reached(index);
    const std::uint32_t graphics = number_of(&caps.PreemptionCaps.GraphicsPreemptionGranularity);
    const std::uint32_t compute = number_of(&caps.PreemptionCaps.ComputePreemptionGranularity);
    // In a buffer of other bytes what is left out shows. Without PreemptionAware it may be.
    const bool kept = !answers::over_zeros(trace, index) && !platform.scheduling.preemption_aware();
    if (!kept && (!is_value(graphics) || !is_value(compute))) {
      judgement.fail(index,
                     "GraphicsPreemptionGranularity and ComputePreemptionGranularity with values",
                     std::to_string(graphics) + " and " + std::to_string(compute));
    } else if (platform.compute_only && compute == 0) {
      judgement.fail(index, "a ComputePreemptionGranularity other than NONE", "NONE");
    }
  }
}

NotApplicable from_windows_8(const Platform& platform) {
  if (const NotApplicable reason = needs_caps(platform)) return reason;
  return platform.wddm1_2() ? nullptr : "older than WDDM 1.2: there are no PreemptionCaps";
}

// A driver that has no line for PreemptionCaps.
class LeavesThemOut final : public Interposer {
 public:
  NTSTATUS QueryAdapterInfo(HANDLE adapter, const DXGKARG_QUERYADAPTERINFO* query) override {
    if (query->Type != DXGKQAITYPE_DRIVERCAPS) return Interposer::QueryAdapterInfo(adapter, query);
    auto& caps = *static_cast<DXGK_DRIVERCAPS*>(query->pOutputData);
    D3DKMDT_PREEMPTION_CAPS before;
    std::memcpy(&before, &caps.PreemptionCaps, sizeof(before));
    const NTSTATUS status = Interposer::QueryAdapterInfo(adapter, query);
    std::memcpy(&caps.PreemptionCaps, &before, sizeof(before));
    return status;
  }
};

const Rule kRule{
    .id = "CAPS-007",
    .title = "Preemption granularity is reported, and with defined values",
    .rule =
        "PreemptionCaps.GraphicsPreemptionGranularity and ComputePreemptionGranularity are one of "
        "the six values of their enumerations; a driver with PreemptionAware writes both. Of a "
        "driver that only computes the latter is not NONE.",
    .sources =
        "gpu-preemption.md # Driver implementation steps (3)\n"
        "ns-d3dkmdt-_d3dkmdt_preemption_caps.md # fields\n"
        "wddm-driver-and-feature-caps.md # WDDM 1.2 feature caps\n"
        "mcdm-implementation-guidelines.md # Driver capability requirements",
    .note =
        "The documents give the values by name, the headers by number. NONE, which is 0, is a "
        "value for "
        "drivers that draw. That both are written shows in an answer to a buffer of other bytes.",
    .applies = from_windows_8,
    .check = check,
    .played_in = kBothAddressings,
    .scenario = R"(
about: asked again, with other bytes in the buffer
ops:
- requery
)",
    .control = R"(
about: the adapter starts
ops:
- start
)",
    .fault = {.about = "PreemptionCaps keep what the buffer held",
              .interposer = [] { return std::unique_ptr<Interposer>(new LeavesThemOut); }}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::caps_007
