// MCDM-011: a device that only computes has no capability of displays.

#include "conformance/rules/mcdm/compute_only.h"

namespace wddm::mcdm_011 {
namespace {

void check(const Trace& trace, const Platform&, Judgement& judgement) {
  compute::judge_caps(
      trace, judgement, "capabilities of displays that are 0",
      [](const DXGK_DRIVERCAPS& caps, compute::Listed& listed) {
        const auto any = [&](const auto& member, const char* name) {
          const auto* first = reinterpret_cast<const std::uint8_t*>(&member);
          bool set = false;
          for (std::size_t i = 0; i < sizeof(member); ++i) set |= first[i] != 0;
          listed.add(set, name);
        };
        any(caps.MaxPointerWidth, "MaxPointerWidth");
        any(caps.MaxPointerHeight, "MaxPointerHeight");
        any(caps.PointerCaps, "PointerCaps");
        any(caps.NumberOfSwizzlingRanges, "NumberOfSwizzlingRanges");
        any(caps.MaxOverlays, "MaxOverlays");
        any(caps.GammaRampCaps, "GammaRampCaps");
        any(caps.PresentationCaps, "PresentationCaps");
        any(caps.MaxQueuedFlipOnVSync, "MaxQueuedFlipOnVSync");
        any(caps.FlipCaps, "FlipCaps");
        any(caps.SupportNonVGA, "SupportNonVGA");
        any(caps.SupportSmoothRotation, "SupportSmoothRotation");
        any(caps.SupportDirectFlip, "SupportDirectFlip");
        any(caps.SupportMultiPlaneOverlay, "SupportMultiPlaneOverlay");
        any(caps.MaxOverlayPlanes, "MaxOverlayPlanes");
        any(caps.SupportMultiPlaneOverlayImmediateFlip, "SupportMultiPlaneOverlayImmediateFlip");
        any(caps.CursorScaledWithMultiPlaneOverlayPlane0,
            "CursorScaledWithMultiPlaneOverlayPlane0");
        any(caps.MaxQueuedMultiPlaneOverlayFlipVSync, "MaxQueuedMultiPlaneOverlayFlipVSync");
        listed.add(caps.MiscCaps.SupportContextlessPresent != 0, "SupportContextlessPresent");
      });
}

void alter(DXGK_DRIVERCAPS& caps) {
  caps.FlipCaps.FlipOnVSyncMmIo = 1;
}

const Rule kRule{
    .id = "MCDM-011",
    .title = "Display caps are zero",
    .rule =
        "Pointers, swizzling ranges, overlays, gamma ramps, presentation, flips, SupportNonVGA, "
        "SupportSmoothRotation, SupportDirectFlip, multiplane overlays and contextless present are "
        "0 "
        "in the DXGK_DRIVERCAPS of a device that only computes.",
    .sources =
        "mcdm-implementation-guidelines.md # Driver capability requirements (zero or FALSE)\n"
        "ns-d3dkmddi-_dxgk_drivercaps.md # fields",
    .note =
        "Older pages make some of them mandatory for drivers that draw; the guidelines are newer, "
        "of this class, and say must. That Microsoft's own sample keeps several changes nothing.",
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
    .fault = {.about = "FlipOnVSyncMmIo is kept from a driver that draws",
              .interposer = answers::alters_caps<alter>}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::mcdm_011
