// MCDM-044: what a driver without displays that draws reports, and what it does not.

#include "conformance/rules/life/filled_entries.h"
#include "conformance/rules/mcdm/compute_only.h"

namespace wddm::mcdm_044 {
namespace {

using entries::Entry;

constexpr Entry kRelease = WDDM_TABLE_ENTRY(StopDeviceAndReleasePostDisplayOwnership);
constexpr Entry kRotate = WDDM_TABLE_ENTRY(UpdateActiveVidPnPresentPath);
constexpr Entry kOverlays[] = {WDDM_TABLE_ENTRY(SetVidPnSourceAddressWithMultiPlaneOverlay),
                               WDDM_TABLE_ENTRY(SetVidPnSourceAddressWithMultiPlaneOverlay2),
                               WDDM_TABLE_ENTRY(SetVidPnSourceAddressWithMultiPlaneOverlay3)};

std::string wrong(const DXGK_DRIVERCAPS& caps, const entries::Filled& filled) {
  bool overlays = false;
  for (const Entry& entry : kOverlays) overlays |= filled.has(entry);
  compute::Listed listed;
  listed.add(!caps.SupportPerEngineTDR, "no SupportPerEngineTDR");
  listed.add(caps.SupportNonVGA && !filled.has(kRelease),
             "SupportNonVGA without StopDeviceAndReleasePostDisplayOwnership");
  listed.add(caps.SupportSmoothRotation && !filled.has(kRotate),
             "SupportSmoothRotation without UpdateActiveVidPnPresentPath");
  listed.add(caps.SupportMultiPlaneOverlay && !overlays,
             "SupportMultiPlaneOverlay without a function that shows overlays");
  return listed.names();
}

// That it has no display, a driver says when it starts; its capabilities are asked for after that.
void check(const Trace& trace, const Platform&, Judgement& judgement) {
  std::uint32_t filled = kNone, started = kNone;
  for (const std::uint32_t index :
       trace.of_any<ev::EntriesFilled, ev::DeviceStarted, ev::CapsAnswered>()) {
    const Event& event = trace.events()[index];
    if (event.kind == EventKind::EntriesFilled) {
      filled = index;
    } else if (event.kind == EventKind::DeviceStarted) {
      const auto start = Trace::as<ev::DeviceStarted>(event);
      if (!NT_SUCCESS(static_cast<NTSTATUS>(start.status))) continue;
      if (start.sources != 0 && start.sources != kNone) return;  // kNone: not said (LIFE-012)
      started = index;
    } else if (filled != kNone && started != kNone) {
      DXGK_DRIVERCAPS caps;
      if (!answers::over_zeros(trace, index) || !answers::caps_of(trace, index, caps)) continue;
      judgement.reached(index);
      const std::string what = wrong(caps, entries::Filled(trace, filled));
      if (what.empty()) continue;
      judgement.fail(index,
                     "SupportPerEngineTDR, and no capability of displays without its function",
                     what, {filled, started});
    }
  }
}

void alter(DXGK_DRIVERCAPS& caps) {
  caps.SupportSmoothRotation = TRUE;
}

NotApplicable drawing(const Platform& platform) {
  if (const NotApplicable reason = needs_caps(platform)) return reason;
  if (platform.compute_only) return "a device that only computes: ComputeOnly";
  return platform.wddm1_2() ? nullptr : "older than WDDM 1.2: no driver only renders";
}

const Rule kRule{
    .id = "MCDM-044",
    .title =
        "A render-only driver reports what is mandatory and no capability without its function",
    .level = Level::Should,
    .rule =
        "A driver that draws, and has no video present source, reports SupportPerEngineTDR. "
        "SupportNonVGA, SupportSmoothRotation and SupportMultiPlaneOverlay it reports only with "
        "StopDeviceAndReleasePostDisplayOwnership, UpdateActiveVidPnPresentPath and a function "
        "that shows overlays.",
    .sources =
        "wddm-driver-and-feature-caps.md # WDDM 1.2 driver requirements, WDDM 1.2 feature caps\n"
        "ns-d3dkmddi-_dxgk_drivercaps.md # SupportNonVGA, SupportSmoothRotation, "
        "SupportMultiPlaneOverlay\n"
        "tdr-changes-in-windows-8.md # Requirements",
    .note =
        "By the table of 1.2 FlipOnVSyncMmIo and hardware acceleration of GDI are mandatory too, "
        "which make no sense without a display. A published sample reports SupportNonVGA and "
        "SupportSmoothRotation without the functions, and no page says that these must come "
        "together, hence should. That PreemptionCaps are written is CAPS-007.",
    .applies = drawing,
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
    .fault = {.about = "SupportSmoothRotation is reported by a driver without paths",
              .interposer = answers::alters_caps<alter>}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::mcdm_044
