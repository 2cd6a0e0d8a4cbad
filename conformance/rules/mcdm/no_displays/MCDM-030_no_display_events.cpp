// MCDM-030: a device that only computes reports nothing of displays.

#include "conformance/rules/mcdm/compute_only.h"

namespace wddm::mcdm_030 {
namespace {

const char* of_displays(std::uint32_t type) {
  switch (type) {
    case DXGK_INTERRUPT_CRTC_VSYNC:
    case DXGK_INTERRUPT_DISPLAYONLY_VSYNC:
    case DXGK_INTERRUPT_CRTC_VSYNC_WITH_MULTIPLANE_OVERLAY:
    case DXGK_INTERRUPT_CRTC_VSYNC_WITH_MULTIPLANE_OVERLAY2:
    case DXGK_INTERRUPT_CRTC_VSYNC_WITH_MULTIPLANE_OVERLAY3:
      return "vertical synchronization";
    case DXGK_INTERRUPT_DISPLAYONLY_PRESENT_PROGRESS:
    case DXGK_INTERRUPT_MICACAST_CHUNK_PROCESSING_COMPLETE:
    case DXGK_INTERRUPT_PERIODIC_MONITORED_FENCE_SIGNALED:
      return "presentation";
    default:  // any number
      return nullptr;
  }
}

void check(const Trace& trace, const Platform&, Judgement& judgement) {
  for (const std::uint32_t index : trace.of<ev::Notified>()) {
    judgement.reached(index);
    const char* const what = of_displays(trace.at<ev::Notified>(index).type);
    if (what == nullptr) continue;
    judgement.fail(index, "no notification of a display: there is none", what);
  }
}

NotApplicable reporting(const Platform& platform) {
  if (const NotApplicable reason = compute::only(platform)) return reason;
  return submitting(platform);
}

// A driver that keeps its vertical synchronization.
class KeepsVSync final : public Interposer {
 public:
  void NotifyInterrupt(HANDLE adapter, const DXGKARGCB_NOTIFY_INTERRUPT_DATA* data) override {
    Interposer::NotifyInterrupt(adapter, data);
    DXGKARGCB_NOTIFY_INTERRUPT_DATA vsync{};
    vsync.InterruptType = DXGK_INTERRUPT_CRTC_VSYNC;
    Interposer::NotifyInterrupt(adapter, &vsync);
  }
};

const Rule kRule{
    .id = "MCDM-030",
    .title = "The driver reports no display event",
    .rule =
        "A device that only computes never reports vertical synchronization, progress of "
        "presentation "
        "or periodic fences by DxgkCbNotifyInterrupt.",
    .sources =
        "mcdm.md # introduction\n"
        "ne-d3dkmddi-_dxgk_interrupt_type.md # enumerators\n"
        "ns-d3dkmddi-_dxgkargcb_notify_interrupt_data.md # CrtcVsync.VidPnTargetId",
    .note = "Derived: each of these names a target or a source, of which there is none.",
    .applies = reporting,
    .check = check,
    .played_in = compute::kPlayedIn,
    .scenario = R"(
about: a packet ends
ops:
- create_context: {context: 0}
- create_allocation: {allocation: 0}
- render: {context: 0}
- bind: {slot: 0, allocation: 0}
- fill: {slot: 0}
- idle
)",
    .control = R"(
about: packets of two contexts end
ops:
- create_context: {context: 0}
- create_context: {context: 1}
- create_allocation: {allocation: 0}
- render: {context: 0}
- bind: {slot: 0, allocation: 0}
- fill: {slot: 0}
- render: {context: 1}
- bind: {slot: 0, allocation: 0}
- fill: {slot: 0}
- idle
)",
    .fault = {.about = "vertical synchronization is reported beside each packet",
              .interposer = [] { return std::unique_ptr<Interposer>(new KeepsVSync); }}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::mcdm_030
