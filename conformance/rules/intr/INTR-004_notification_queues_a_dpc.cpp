// INTR-004: each notification is followed by a queued DPC.

#include <utility>

#include "conformance/host/interposer.h"
#include "conformance/rules/rule.h"
#include "conformance/rules/scratch.h"

namespace wddm {
namespace {

// Who notifies queues the DPC, so threads are apart: an interrupt that comes meanwhile has one of
// its own. The deadline is the end of the ISR; of a synchronized routine that of the call into the
// driver which it is part of.
struct Waiting {
  std::uint32_t notified = kNone;  // event without QueueDpc yet
  bool in_isr = false;
};

bool ends_call(EventKind kind, bool in_isr) {
  if (in_isr) return kind == EventKind::IsrLeft;
  return kind == EventKind::DdiReturned || kind == EventKind::DpcLeft || kind == EventKind::IsrLeft;
}

void check(const Trace& trace, const Platform&, Judgement& judgement) {
  ScratchMap<std::pair<std::uint16_t, std::uint8_t>, Waiting> threads;
  const auto missing = [&](std::uint32_t index, Waiting& waiting) {
    judgement.reached(waiting.notified);
    judgement.fail(index, "DxgkCbQueueDpc after DxgkCbNotifyInterrupt, before the call ends",
                   "it ended without it", {waiting.notified});
    waiting = {};
  };
  for (const std::uint32_t index : trace.of_any<ev::Notified, ev::CallbackCalled, ev::IsrLeft,
                                                ev::DpcLeft, ev::DdiReturned, ev::Ended>()) {
    const Event& event = trace.events()[index];
    if (event.kind == EventKind::Ended) {
      for (auto& [thread, waiting] : threads) {
        if (waiting.notified != kNone) missing(index, waiting);
      }
      continue;
    }
    Waiting& waiting = threads[{event.thread, event.cpu}];
    if (event.kind == EventKind::Notified) {
      const auto place = static_cast<CallPlace>(Trace::as<ev::Notified>(event).place);
      if (place == CallPlace::Isr || place == CallPlace::Synchronize) {
        waiting = {index, place == CallPlace::Isr};
      }
    } else if (event.kind == EventKind::CallbackCalled) {
      if (Trace::as<ev::CallbackCalled>(event).callback !=
          static_cast<std::uint32_t>(CallbackId::QueueDpc)) {
        continue;
      }
      if (waiting.notified != kNone) judgement.reached(waiting.notified);
      waiting = {};
    } else if (waiting.notified != kNone && ends_call(event.kind, waiting.in_isr)) {
      missing(index, waiting);
    }
  }
}

// A driver that queues its DPC for completions only.
class CompletionsOnly final : public Interposer {
 public:
  void NotifyInterrupt(HANDLE adapter, const DXGKARGCB_NOTIFY_INTERRUPT_DATA* data) override {
    preempted_ = data->InterruptType == DXGK_INTERRUPT_DMA_PREEMPTED;
    Interposer::NotifyInterrupt(adapter, data);
  }
  BOOLEAN QueueDpc(HANDLE adapter) override {
    if (preempted_) return TRUE;
    return Interposer::QueueDpc(adapter);
  }

 private:
  bool preempted_ = false;
};

const Rule kRule{
    .id = "INTR-004",
    .title = "Each notification is followed by a queued DPC",
    .rule =
        "After DxgkCbNotifyInterrupt and before the ISR ends the driver calls DxgkCbQueueDpc. "
        "FALSE "
        "means that a DPC is already pending and is no error.",
    .sources =
        "nc-d3dkmddi-dxgkcb_notify_interrupt.md # Remarks\n"
        "nc-dispmprt-dxgkcb_queue_dpc.md # Remarks",
    .note =
        "The text speaks of the ISR. Its own example notifies in a routine of SynchronizeExecution "
        "and queues nothing there, and DxgkCbQueueDpc may be called at any level: for such a "
        "notification the deadline is the end of the DDI, DPC or ISR that synchronizes, for a "
        "thread "
        "of the driver's own the end of the run.",
    .applies = submitting,
    .check = check,
    .played_in = kBothAddressings,
    .scenario = R"(
about: a running packet is preempted
ops:
- create_context: {context: 0}
- render: {context: 0}
- spin: {units: 200}
- advance: {units: 5}
- preempt: {node: 0}
- idle
)",
    .control = R"(
about: two notifications, one DPC - the second QueueDpc returns FALSE
ops:
- create_context: {context: 0}
- queue_depth: {packets: 2}
- hold_dpcs
- render: {context: 0}
- spin: {units: 1}
- render: {context: 0}
- spin: {units: 1}
- advance: {units: 200}
- hold_dpcs: {on: false}
- idle
)",
    .fault = {.about = "no DPC is queued for DMA_PREEMPTED",
              .interposer = [] { return std::unique_ptr<Interposer>(new CompletionsOnly); }}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm
