// INTR-007: where one run of the ISR finds causes of engines and of displays, it reports those of
// engines first.

#include <utility>
#include <vector>

#include "conformance/host/interposer.h"
#include "conformance/rules/rule.h"
#include "conformance/rules/scratch.h"

namespace wddm::intr_007 {
namespace {

enum class Cause { Engine, Display, Other };

Cause cause_of(std::uint32_t type) {
  switch (type) {
    case DXGK_INTERRUPT_DMA_COMPLETED:
    case DXGK_INTERRUPT_DMA_PREEMPTED:
    case DXGK_INTERRUPT_DMA_FAULTED:
    case DXGK_INTERRUPT_DMA_PAGE_FAULTED:
      return Cause::Engine;
    case DXGK_INTERRUPT_CRTC_VSYNC:
    case DXGK_INTERRUPT_CRTC_VSYNC_WITH_MULTIPLANE_OVERLAY:
    case DXGK_INTERRUPT_CRTC_VSYNC_WITH_MULTIPLANE_OVERLAY2:
    case DXGK_INTERRUPT_CRTC_VSYNC_WITH_MULTIPLANE_OVERLAY3:
      return Cause::Display;
    default:  // any number
      return Cause::Other;
  }
}

// One run of the ISR. What is reported second was there already when the first was reported, unless
// the device has worked in between. An ISR may look for causes again until there are none.
class Run {
 public:
  explicit Run(Judgement& judgement) : judgement_(judgement) {}

  void enter() {
    running_ = true;
    first_ = kNone;
  }
  void leave() { running_ = false; }
  void device_worked() { running_ = false; }
  void notified(std::uint32_t index, Cause cause) {
    if (!running_ || cause == Cause::Other) return;
    if (first_ == kNone) {
      first_ = index;
      first_cause_ = cause;
      return;
    }
    if (cause == first_cause_) return;
    running_ = false;  // what follows may follow from either
    judgement_.reached(index);
    if (first_cause_ == Cause::Engine) return;
    judgement_.fail(index, "what engines have to report before a vertical retrace",
                    "the ISR has reported the retrace before it", {first_});
  }

 private:
  Judgement& judgement_;
  bool running_ = false;
  std::uint32_t first_ = kNone;  // event
  Cause first_cause_ = Cause::Other;
};

void check(const Trace& trace, const Platform&, Judgement& judgement) {
  ScratchMap<std::uint16_t, Run> runs;  // by the thread that is interrupted
  const auto run_of = [&](const Event& event) -> Run& {
    return runs.try_emplace(event.thread, judgement).first->second;
  };
  for (const std::uint32_t index :
       trace.of_any<ev::IsrEntered, ev::IsrLeft, ev::Notified, ev::GpuAdvanced>()) {
    const Event& event = trace.events()[index];
    if (event.kind == EventKind::IsrEntered) {
      run_of(event).enter();
    } else if (event.kind == EventKind::IsrLeft) {
      run_of(event).leave();
    } else if (event.kind == EventKind::Notified) {
      run_of(event).notified(index, cause_of(trace.at<ev::Notified>(index).type));
    } else if (trace.at<ev::GpuAdvanced>(index).used != 0) {
      for (auto& [thread, run] : runs) run.device_worked();
    }
  }
}

NotApplicable showing(const Platform& platform) {
  if (const NotApplicable reason = submitting(platform)) return reason;
  if (const NotApplicable reason = needs(platform, DdiId::InterruptRoutine)) return reason;
  if (platform.sources == 0) return "no video present source: there is no vertical retrace";
  return platform.has_device ? nullptr
                             : "no device: nobody knows what was there when the ISR began";
}

// A driver that looks at the retrace first.
class RetraceFirst final : public Interposer {
 public:
  BOOLEAN InterruptRoutine(PVOID miniport, ULONG message) override {
    in_isr_ = true;
    const BOOLEAN claimed = Interposer::InterruptRoutine(miniport, message);
    report_held();
    in_isr_ = false;
    return claimed;
  }
  void NotifyInterrupt(HANDLE adapter, const DXGKARGCB_NOTIFY_INTERRUPT_DATA* data) override {
    if (in_isr_ && data != nullptr &&
        cause_of(static_cast<std::uint32_t>(data->InterruptType)) == Cause::Engine) {
      adapter_ = adapter;
      held_.push_back(*data);
    } else {
      Interposer::NotifyInterrupt(adapter, data);
    }
  }
  BOOLEAN QueueDpc(HANDLE adapter) override {
    if (in_isr_) report_held();
    return Interposer::QueueDpc(adapter);
  }

 private:
  void report_held() {
    for (const auto& data : std::exchange(held_, {})) Interposer::NotifyInterrupt(adapter_, &data);
  }

  bool in_isr_ = false;
  HANDLE adapter_ = nullptr;
  std::vector<DXGKARGCB_NOTIFY_INTERRUPT_DATA> held_;
};

const Rule kRule{
    .id = "INTR-007",
    .title = "DMA interrupts are reported before vsync",
    .level = Level::Should,
    .rule =
        "A run of the ISR that finds causes of both kinds reports what engines have to say "
        "(DMA_COMPLETED, DMA_PREEMPTED, DMA_PAGE_FAULTED) before it reports a vertical retrace "
        "(CRTC_VSYNC).",
    .sources =
        "nc-d3dkmddi-dxgkcb_notify_interrupt.md # Remarks\n"
        "ne-d3dkmddi-_dxgk_interrupt_type.md",
    .note =
        "Judged is which kind comes first in a run. An ISR may look for causes again until there "
        "are none: what comes up while it runs may be reported in any order, so that a run in "
        "which the device has worked is left out, as is all that follows the first report of the "
        "second kind.",
    .applies = showing,
    .check = check,
    .played_in = {Configured::Display},
    .scenario = R"(
about: retrace is enabled, and packets of two engines end
ops:
- requery
- create_context: {context: 0}
- create_context: {context: 1, node: 1}
- render: {context: 0}
- spin: {units: 10}
- render: {context: 1}
- spin: {units: 10}
- idle
)",
    .control = R"(
about: retrace is enabled; one packet ends, another one is preempted
ops:
- requery
- create_context: {context: 0}
- render: {context: 0}
- spin: {units: 10}
- idle
- render: {context: 0}
- spin: {units: 100}
- advance: {units: 10}
- preempt: {node: 0}
- idle
)",
    .fault = {.about = "the retrace is reported before anything of engines",
              .interposer = [] { return std::unique_ptr<Interposer>(new RetraceFirst); }}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::intr_007
