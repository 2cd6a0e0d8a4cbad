// CAPS-003: the Windows 8 model of scheduling belongs to the interface of Windows 8.

#include "conformance/rules/caps/answered_caps.h"
#include "conformance/rules/life/filled_entries.h"

namespace wddm::caps_003 {
namespace {

void check(const Trace& trace, const Platform&, Judgement& judgement) {
  for (const std::uint32_t index : trace.of<ev::CapsReported>()) {
    const auto reported = trace.at<ev::CapsReported>(index);
    if (reported.status != 0) continue;
    if (!SchedulingCaps{reported.scheduling}.preemption_aware()) continue;
    judgement.reached(index);
    if (reported.interface_version >= static_cast<std::uint32_t>(InterfaceVersion::Win8)) continue;
    judgement.fail(index, "a Version of Windows 8 (0x300E) or later with PreemptionAware",
                   "an older interface");
  }
}

void make_older(DRIVER_INITIALIZATION_DATA& table) {
  table.Version = DXGKDDI_INTERFACE_VERSION_WIN7;
}

const Rule kRule{
    .id = "CAPS-003",
    .title = "The Windows 8 model needs the interface of Windows 8",
    .rule =
        "A driver that sets SchedulingCaps.PreemptionAware passes a Version of "
        "DXGKDDI_INTERFACE_VERSION_WIN8 (0x300E) or later to DxgkInitialize.",
    .sources =
        "gpu-preemption.md # Driver implementation steps (1)\n"
        "wddm-2-1-features.md # interface version constants",
    .unreached = "PreemptionAware is 0",
    .applies = needs_caps,
    .check = check,
    .played_in = {Configured::Default, Configured::NoDmaPatching, Configured::GpuVirtual},
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
    .fault = {.about = "Version is that of Windows 7",
              .interposer = entries::alters_table<make_older>,
              .also_fires = "CAPS-005 CAPS-010"}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::caps_003
