// INTR-004: each notification is followed by a queued DPC.

#include "conformance/host/interposer.h"
#include "conformance/rules/rule.h"

namespace wddm {
namespace {

// The ISR or synchronise routine that a notification lies in ends with IsrLeft or SyncLeft.
void check(const Trace& trace, const Platform&, Judgement& judgement) {
  std::uint32_t waiting = kNone;  // the notification that has no QueueDpc yet
  for (const std::uint32_t index :
       trace.of_any<ev::Notified, ev::CallbackCalled, ev::IsrLeft, ev::SyncLeft>()) {
    const Event& event = trace.events()[index];
    if (event.kind == EventKind::Notified) {
      const auto place = static_cast<CallPlace>(Trace::as<ev::Notified>(event).place);
      if (place == CallPlace::Isr || place == CallPlace::Synchronize) waiting = index;
    } else if (event.kind == EventKind::CallbackCalled) {
      if (Trace::as<ev::CallbackCalled>(event).callback !=
          static_cast<std::uint32_t>(CallbackId::QueueDpc)) {
        continue;
      }
      if (waiting != kNone) judgement.reached(waiting);
      waiting = kNone;
    } else if (waiting != kNone) {
      judgement.fail(index, "DxgkCbQueueDpc after DxgkCbNotifyInterrupt, before the routine ends",
                     "the routine returned without it", {waiting});
      waiting = kNone;
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
        "After DxgkCbNotifyInterrupt and before the ISR or synchronise routine ends the driver "
        "calls DxgkCbQueueDpc. FALSE means that a DPC is already pending and is no error.",
    .sources =
        "nc-d3dkmddi-dxgkcb_notify_interrupt.md # Remarks\n"
        "nc-dispmprt-dxgkcb_queue_dpc.md # Remarks",
    .note =
        "The text speaks of the ISR; for notifications made inside SynchronizeExecution the end "
        "of the synchronise routine is taken as the same deadline.",
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
