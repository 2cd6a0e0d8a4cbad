// INTR-014: vertical retrace that was enabled is reported until it is disabled.
//
// Nobody sees when a display is in retrace. Judged is a driver that has reported retraces: how much
// work lay between two of them, in time that is counted, tells how much it takes at most. Behind
// what must leave them alone four times as much brings another.

#include <algorithm>

#include "conformance/host/interposer.h"
#include "conformance/rules/engrst/resets.h"
#include "conformance/rules/rule.h"
#include "reference/is_any_of.h"
#include "reference/trace/op.h"

namespace wddm::intr_014 {
namespace {

constexpr std::uint32_t kStuck = 2;   // cause of an AdapterReset: a driver in no state to judge
constexpr std::uint32_t kEnough = 3;  // gaps by which a device is known
constexpr std::uint64_t kAgain = 4;   // times as much as any of them

bool is_retrace(std::uint32_t type) {
  return type == DXGK_INTERRUPT_CRTC_VSYNC ||
         type == DXGK_INTERRUPT_CRTC_VSYNC_WITH_MULTIPLANE_OVERLAY ||
         type == DXGK_INTERRUPT_CRTC_VSYNC_WITH_MULTIPLANE_OVERLAY2 ||
         type == DXGK_INTERRUPT_CRTC_VSYNC_WITH_MULTIPLANE_OVERLAY3;
}

bool enables(const ev::InterruptControlled& controlled) {
  return controlled.form == 2 ? controlled.state == DXGK_VSYNC_ENABLE : controlled.state != 0;
}

// In these the GPU works as GpuAdvanced says, or not at all.
bool is_counted(OpKind op) {
  return is_any_of(op, OpKind::Advance, OpKind::Render, OpKind::Bind, OpKind::Fill, OpKind::Spin);
}

// What was done since a retrace, or since the device was disturbed.
struct Gap {
  std::uint64_t packets = 0;  // that were reported as completed
  std::uint64_t units = 0;    // that were offered to the GPU
  std::uint64_t used = 0;     // ... and that it used
  bool counted = true;        // that was all the time there was
};

class Retraces {
 public:
  explicit Retraces(Judgement& judgement) : judgement_(judgement) {}

  void controlled(std::uint32_t index, const ev::InterruptControlled& controlled) {
    if (!is_retrace(controlled.type) || controlled.status != 0) return;
    enabled_by_ = enables(controlled) ? index : kNone;
    disturbed(index);
  }
  void disturbed(std::uint32_t index) {
    disturbed_by_ = index;
    gap_ = {};
  }
  void op(OpKind kind) { gap_.counted &= is_counted(kind); }
  void advanced(const ev::GpuAdvanced& advanced) {
    gap_.units += advanced.units;
    gap_.used += advanced.used;
  }
  void completed(std::uint32_t index) {
    ++gap_.packets;
    if (enabled_by_ == kNone || disturbed_by_ == kNone || gaps_ < kEnough) return;
    if (gap_.packets <= kAgain * longest_.packets || gap_.used <= kAgain * longest_.units) return;
    judgement_.fail(index, "retraces are reported from ControlInterrupt on until it disables them",
                    "none for " + std::to_string(gap_.packets) + " packets, where " +
                        std::to_string(longest_.packets) + " brought one before",
                    {enabled_by_, disturbed_by_});
    enabled_by_ = kNone;
  }
  void reported(std::uint32_t index) {
    if (enabled_by_ != kNone) {
      if (disturbed_by_ != kNone && gaps_ >= kEnough) judgement_.reached(index);
      if (disturbed_by_ == kNone && gap_.counted) measure();
    }
    disturbed_by_ = kNone;
    gap_ = {};
  }
  /// The device of another start is another one.
  void clear() {
    enabled_by_ = disturbed_by_ = kNone;
    gap_ = longest_ = {};
    gaps_ = 0;
  }

 private:
  // From one retrace to the next: one packet at least, so that there is something to multiply.
  void measure() {
    longest_.packets = std::max({longest_.packets, gap_.packets, std::uint64_t{1}});
    longest_.units = std::max(longest_.units, gap_.units);
    ++gaps_;
  }

  Judgement& judgement_;
  std::uint32_t enabled_by_ = kNone;    // InterruptControlled
  std::uint32_t disturbed_by_ = kNone;  // event; kNone: a retrace was reported since
  Gap gap_, longest_;
  std::uint32_t gaps_ = 0;
};

void check(const Trace& trace, const Platform&, Judgement& judgement) {
  if (trace.of<ev::InterruptControlled>().empty()) return;
  Retraces retraces(judgement);
  using StopReturned = ev::MappingBalance;
  for (const std::uint32_t index :
       trace.of_any<ev::InterruptControlled, ev::Notified, ev::GpuAdvanced, ev::OpStarted,
                    ev::EngineReset, ev::AdapterReset, ev::PowerChanged, ev::SurpriseRemoved,
                    StopReturned>()) {
    const Event& event = trace.events()[index];
    if (event.kind == EventKind::InterruptControlled) {
      retraces.controlled(index, Trace::as<ev::InterruptControlled>(event));
    } else if (event.kind == EventKind::Notified) {
      const std::uint32_t type = Trace::as<ev::Notified>(event).type;
      if (is_retrace(type)) retraces.reported(index);
      if (type == DXGK_INTERRUPT_DMA_COMPLETED) retraces.completed(index);
    } else if (event.kind == EventKind::GpuAdvanced) {
      retraces.advanced(Trace::as<ev::GpuAdvanced>(event));
    } else if (event.kind == EventKind::OpStarted) {
      retraces.op(static_cast<OpKind>(Trace::as<ev::OpStarted>(event).kind));
    } else if (event.kind == EventKind::EngineReset || event.kind == EventKind::PowerChanged) {
      retraces.disturbed(index);
    } else if (event.kind == EventKind::AdapterReset) {
      const auto reset = Trace::as<ev::AdapterReset>(event);
      if (reset.cause == kStuck || reset.status != 0) {
        retraces.clear();
      } else {
        retraces.disturbed(index);
      }
    } else {
      retraces.clear();
    }
  }
}

NotApplicable with_retraces(const Platform& platform) {
  if (const NotApplicable reason = running_commands(platform)) return reason;
  if (const NotApplicable reason = needs(platform, DdiId::InterruptRoutine)) return reason;
  if (platform.sources == 0) return "no video present source: there is no vertical retrace";
  if (!platform.has_device) return "no device: nobody knows how much it works";
  if (platform.linked_adapters > 1) return "a link: nobody knows which GPU has the display";
  const bool either =
      platform.has(DdiId::ControlInterrupt) || platform.has(DdiId::ControlInterrupt2);
  return either ? nullptr : "the driver has no DxgkDdiControlInterrupt";
}

// A driver that restarts its hardware as it was when it was new.
class ForgetsRetraces final : public Interposer {
 public:
  NTSTATUS ControlInterrupt(HANDLE adapter, DXGK_INTERRUPT_TYPE type, BOOLEAN enable) override {
    forgotten_ = false;
    return Interposer::ControlInterrupt(adapter, type, enable);
  }
  NTSTATUS RestartFromTimeout(HANDLE adapter) override {
    forgotten_ = true;
    return Interposer::RestartFromTimeout(adapter);
  }
  void NotifyInterrupt(HANDLE adapter, const DXGKARGCB_NOTIFY_INTERRUPT_DATA* data) override {
    if (forgotten_ && data->InterruptType == DXGK_INTERRUPT_CRTC_VSYNC) return;
    Interposer::NotifyInterrupt(adapter, data);
  }

 private:
  bool forgotten_ = false;
};

// clang-format off
#define ONE_PACKET(context_number) \
  "- render: {context: " #context_number "}\n" \
  "- spin: {units: 10}\n" \
  "- advance: {units: 200}\n"
#define TWO_PACKETS(context_number) ONE_PACKET(context_number) ONE_PACKET(context_number)
#define FOUR_PACKETS(context_number) TWO_PACKETS(context_number) TWO_PACKETS(context_number)
#define TWELVE_PACKETS(context_number) \
  FOUR_PACKETS(context_number) FOUR_PACKETS(context_number) FOUR_PACKETS(context_number)
// clang-format on

const Rule kRule{
    .id = "INTR-014",
    .title = "Retraces that were enabled are reported until they are disabled",
    .level = Level::Should,
    .rule =
        "From a ControlInterrupt that enables DXGK_INTERRUPT_CRTC_VSYNC on the driver reports "
        "vertical retraces until one disables them, and again when they are enabled again. A reset "
        "of an engine or of the adapter, and power that goes and comes back, leave that as it is.",
    .sources =
        "nc-d3dkmddi-dxgkddi_controlinterrupt.md # Remarks\n"
        "ne-d3dkmddi-_dxgk_crtc_vsync_state.md # DXGK_VSYNC_ENABLE\n"
        "saving-energy-with-vsync-control.md\n"
        "nc-dispmprt-dxgkddi_set_power_state.md # Remarks (device context)",
    .note =
        "No page says that a reset ends what ControlInterrupt has asked for, and none that it does "
        "not, hence should. Displays are not played: a GPU whose retraces do not come without one "
        "is not judged. Reports of a retrace that was disabled are none of the matter: a driver "
        "may need that interrupt itself.",
    .unreached =
        "no retraces were reported between packets: displays are not played, and this GPU has none "
        "without",
    .applies = with_retraces,
    .check = check,
    .played_in = {Configured::Display},
    .scenario = R"(
about: packets end while retraces are enabled, and behind resets of an engine and of the adapter, losses of power for each reason, and another question
ops:
- create_context: {context: 0}
- render: {context: 0}
- spin: {units: 10}
- idle
- requery
)" FOUR_PACKETS(0) TWO_PACKETS(0) R"(
- create_device: {device: 1}
- create_context: {context: 1, device: 1}
- render: {context: 1}
- idle
- render: {context: 1}
- spin: {units: 3000}
- advance: {units: 20}
- advance: {units: 20}
- advance: {units: 100}
- time_out: {node: 0}
- idle
)" TWELVE_PACKETS(0) R"(
- render: {context: 0}
- spin: {units: 3000}
- advance: {units: 20}
- advance: {units: 20}
- advance: {units: 100}
- time_out: {node: 0, adapter: true}
- create_context: {context: 0}
- render: {context: 0}
- spin: {units: 10}
- idle
)" TWELVE_PACKETS(0) R"(
- power_cycle
)" TWELVE_PACKETS(0) R"(
- power_cycle: {hibernate: true}
)" TWELVE_PACKETS(0) R"(
- power_cycle: {above: 2}
)" TWELVE_PACKETS(0) R"(
- requery
)" TWELVE_PACKETS(0),
    .control = R"(
about: nothing comes in between
ops:
- create_context: {context: 0}
- render: {context: 0}
- spin: {units: 10}
- idle
- requery
)" FOUR_PACKETS(0) R"(
- idle
)",
    .fault = {.about = "behind RestartFromTimeout retraces are reported when they are enabled anew",
              .interposer = [] { return std::unique_ptr<Interposer>(new ForgetsRetraces); }}};

#undef ONE_PACKET
#undef TWO_PACKETS
#undef FOUR_PACKETS
#undef TWELVE_PACKETS

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::intr_014
