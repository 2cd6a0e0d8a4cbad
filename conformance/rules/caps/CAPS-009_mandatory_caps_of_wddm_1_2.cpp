// CAPS-009: who claims WDDM 1.2 or later reports the capabilities that are mandatory there.

#include "conformance/rules/mcdm/compute_only.h"

namespace wddm::caps_009 {
namespace {

std::string missing(const DXGK_DRIVERCAPS& caps, bool displays) {
  compute::Listed listed;
  listed.add(!caps.SupportPerEngineTDR, "SupportPerEngineTDR");
  listed.add(displays && !caps.FlipCaps.FlipOnVSyncMmIo, "FlipCaps.FlipOnVSyncMmIo");
  return listed.names();
}

// Whether there are displays, a driver says when it starts; its capabilities are asked for after
// that.
void check(const Trace& trace, const Platform&, Judgement& judgement) {
  std::uint32_t started = kNone;
  for (const std::uint32_t index : trace.of_any<ev::DeviceStarted, ev::CapsAnswered>()) {
    const Event& event = trace.events()[index];
    if (event.kind == EventKind::DeviceStarted) {
      const auto start = Trace::as<ev::DeviceStarted>(event);
      if (NT_SUCCESS(static_cast<NTSTATUS>(start.status))) started = index;
    } else if (started != kNone) {
      DXGK_DRIVERCAPS caps;
      if (!answers::over_zeros(trace, index) || !answers::caps_of(trace, index, caps)) continue;
      judgement.reached(index);
      const std::uint32_t sources = trace.at<ev::DeviceStarted>(started).sources;
      const bool displays = sources != 0 && sources != kNone;  // kNone: it did not say (LIFE-012)
      const std::string what = missing(caps, displays);
      if (what.empty()) continue;
      judgement.fail(index,
                     displays ? "SupportPerEngineTDR, and with displays FlipOnVSyncMmIo"
                              : "SupportPerEngineTDR",
                     "not set: " + what, {started});
    }
  }
}

void forget(DXGK_DRIVERCAPS& caps) {
  caps.SupportPerEngineTDR = FALSE;
}

NotApplicable draws_by_wddm_1_2(const Platform& platform) {
  if (const NotApplicable reason = needs_caps(platform)) return reason;
  if (platform.compute_only) return "a device that only computes: ComputeOnly";
  return platform.wddm1_2() ? nullptr : "older than WDDM 1.2: nothing of it is mandatory";
}

const Rule kRule{
    .id = "CAPS-009",
    .title = "A driver of WDDM 1.2 or later reports what is mandatory there",
    .rule =
        "A driver with a Version of Windows 8 (0x300E) or later that draws sets "
        "SupportPerEngineTDR, and if it has video present sources "
        "FlipCaps.FlipOnVSyncMmIo. Windows makes no adapter of one that does not, and falls back "
        "to its basic display driver.",
    .sources =
        "wddm-v1-2-driver-enforcement.md # introduction, User experience\n"
        "wddm-driver-and-feature-caps.md # WDDM 1.2 feature caps\n"
        "tdr-changes-in-windows-8.md # Requirements",
    .note =
        "The document says what Windows does; it is the driver that is at fault, so it is judged, "
        "and this host starts it all the same, to judge the rest. FlipOnVSyncMmIo stands in the "
        "table for drivers that only render too, where nothing flips: not asked of them. That "
        "PreemptionCaps are written is CAPS-007. Other capabilities of displays are not judged.",
    .applies = draws_by_wddm_1_2,
    .check = check,
    .played_in = kBothAddressings,
    .scenario = R"(
about: the adapter starts
ops:
- start
)",
    .control = R"(
about: it starts again
ops:
- cycle: {count: 1}
)",
    .fault = {.about = "SupportPerEngineTDR is not set",
              .interposer = answers::alters_caps<forget>,
              .also_fires = "MCDM-044"}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::caps_009
