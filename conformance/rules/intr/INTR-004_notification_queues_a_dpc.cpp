// INTR-004: each notification is followed by a queued DPC.

#include "conformance/host/interposer.h"
#include "conformance/rules/rule.h"
#include "conformance/rules/scratch.h"

namespace wddm::intr_004 {
namespace {

// Who notifies queues the DPC before the call into the driver ends that it does so in: an ISR; of a
// synchronized routine the one that it is part of. Calls nest, where an interrupt comes in.
struct Call {
  EventKind begun{};               // DdiEntered, IsrEntered or DpcEntered
  std::uint32_t notified = kNone;  // event without QueueDpc yet
};

EventKind begin_of(EventKind left) {
  if (left == EventKind::IsrLeft) return EventKind::IsrEntered;
  return left == EventKind::DpcLeft ? EventKind::DpcEntered : EventKind::DdiEntered;
}

class Calls {
 public:
  explicit Calls(Judgement& judgement) : judgement_(judgement) {}
  void begin(EventKind kind) { open_.push_back({kind}); }
  void notified(std::uint32_t index) { open_.back().notified = index; }
  void queued() {
    Call& call = open_.back();
    if (call.notified != kNone) judgement_.reached(call.notified);
    call.notified = kNone;
  }
  /// What the DPC is for: of what was notified inside of it the scheduler knows.
  void told_in_dpc() {
    if (open_.back().begun == EventKind::DpcEntered) queued();
  }
  void end(std::uint32_t index, EventKind begun) {
    if (open_.size() == 1 || open_.back().begun != begun) return;
    settle(index, open_.back());
    open_.pop_back();
  }
  void trace_ended(std::uint32_t index) {
    for (const Call& call : open_) settle(index, call);
  }

 private:
  void settle(std::uint32_t index, const Call& call) {
    if (call.notified == kNone) return;
    judgement_.fail(index, "DxgkCbQueueDpc after DxgkCbNotifyInterrupt, before the call ends",
                    "it ended without it", {call.notified});
  }

  Judgement& judgement_;
  ScratchVector<Call> open_{Call{}};  // the first is the thread itself
};

void check(const Trace& trace, const Platform&, Judgement& judgement) {
  // Interrupts and DPCs are taken on the thread that they come into. A call below DISPATCH_LEVEL
  // may go on on another processor.
  ScratchMap<std::uint16_t, Calls> threads;
  for (const std::uint32_t index :
       trace.of_any<ev::Notified, ev::CallbackCalled, ev::IsrEntered, ev::IsrLeft, ev::DpcEntered,
                    ev::DpcLeft, ev::DdiEntered, ev::DdiReturned, ev::Ended>()) {
    const Event& event = trace.events()[index];
    if (event.kind == EventKind::Ended) {
      for (auto& [thread, calls] : threads) calls.trace_ended(index);
      continue;
    }
    Calls& calls = threads.try_emplace(event.thread, judgement).first->second;
    if (event.kind == EventKind::Notified) {
      const auto place = static_cast<CallPlace>(Trace::as<ev::Notified>(event).place);
      const bool is_judged = place == CallPlace::Isr || place == CallPlace::Synchronize;
      if (is_judged) calls.notified(index);
    } else if (event.kind == EventKind::CallbackCalled) {
      const auto callback = static_cast<CallbackId>(Trace::as<ev::CallbackCalled>(event).callback);
      if (callback == CallbackId::QueueDpc) calls.queued();
      if (callback == CallbackId::NotifyDpc) calls.told_in_dpc();
    } else if (event.kind == EventKind::IsrLeft || event.kind == EventKind::DpcLeft ||
               event.kind == EventKind::DdiReturned) {
      calls.end(index, begin_of(event.kind));
    } else {
      calls.begin(event.kind);
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
        "of the driver's own the end of the run. What a DPC has notified it may tell the scheduler "
        "itself, by DxgkCbNotifyDpc behind that: this is what the other DPC would be for.",
    .applies = submitting,
    .check = check,
    .played_in = kBothAddressings | ConfigurationSet{Configured::Display},
    .scenario = R"(
about: of a packet that has been told by then the retrace alone is left; a running packet is preempted
ops:
- requery
- create_context: {context: 0}
- render: {context: 0}
- spin: {units: 20}
- advance: {units: 4}
- advance: {units: 4}
- advance: {units: 4}
# While its interrupt waits the engine is asked, and finds that the packet has ended.
- hold_interrupts
- advance: {units: 80}
- query_fence: {node: 0}
- hold_interrupts: {on: false}
- idle
- render: {context: 0}
- spin: {units: 200}
- advance: {units: 5}
- preempt: {node: 0}
- idle
# Two engines have ended something when the interrupt comes. Of the one it has been told already:
# once of the last engine, once of the first. On a driver with one node nothing of it is left.
- create_context: {context: 1, node: 1}
- render: {context: 0}
- spin: {units: 80}
- render: {context: 1}
- spin: {units: 20}
- advance: {units: 4}
- advance: {units: 4}
- advance: {units: 4}
- hold_interrupts
- advance: {units: 40}
- query_fence: {node: 1}
- advance: {units: 80}
- hold_interrupts: {on: false}
- idle
- render: {context: 0}
- spin: {units: 20}
- render: {context: 1}
- spin: {units: 80}
- advance: {units: 4}
- advance: {units: 4}
- advance: {units: 4}
- hold_interrupts
- advance: {units: 40}
- query_fence: {node: 0}
- advance: {units: 80}
- hold_interrupts: {on: false}
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
}  // namespace wddm::intr_004
