// ENGRST-004: an engine that has emptied just before it is reset names what it completed last.

#include "conformance/host/interposer.h"
#include "conformance/rules/engrst/resets.h"
#include "conformance/rules/scratch.h"
#include "conformance/rules/submit/in_order_of_calls.h"

namespace wddm::engrst_004 {
namespace {

// What an engine has, by what the driver itself has said of it: also to nobody who listens.
struct Queue {
  ScratchVector<std::uint32_t> fences;  // oldest first
  std::uint32_t completed = 0;          // the last one reported
  std::uint32_t emptied = kNone;        // ReportIgnored that left nothing
  bool in_reset = false;                // what is reported now belongs to ResetEngine

  void forget_through(std::uint32_t fence) {
    std::size_t place = fences.size();
    while (place != 0 && fences[place - 1] != fence) --place;
    fences.erase(fences.begin(), fences.begin() + static_cast<std::ptrdiff_t>(place));
  }
  template <class Report>
  void take(const Report& report) {
    if (report.type == DXGK_INTERRUPT_DMA_PREEMPTED) {
      fences.clear();
      completed = report.last_completed;
    } else if (report.type == DXGK_INTERRUPT_DMA_COMPLETED ||
               report.type == DXGK_INTERRUPT_DMA_PAGE_FAULTED) {
      forget_through(report.fence);
      completed = report.fence;
    }
  }
};

// `can_reset`: an engine that cannot be reset is none that has nothing to be reset.
void judge(const ev::EngineReset& reset, const Queue& queue, bool can_reset, std::uint32_t index,
           Judgement& judgement) {
  if (queue.emptied == kNone) return;
  if (!engrst::succeeded(reset.status) && !can_reset) return;
  judgement.reached(index);
  if (!engrst::succeeded(reset.status)) {
    judgement.fail(index, "ResetEngine succeeds for an engine that has nothing any more",
                   status_name(reset.status), {queue.emptied});
    // What the last completed fence is before any packet has completed nobody says.
  } else if (reset.aborted != queue.completed && queue.completed != 0) {
    judgement.fail(index,
                   "the fence that the engine completed last, " + std::to_string(queue.completed) +
                       ", as it has nothing any more",
                   "LastAbortedFenceId " + std::to_string(reset.aborted), {queue.emptied});
  }
}

void check(const Trace& trace, const Platform&, Judgement& judgement) {
  ScratchMap<EngineId, Queue> queues;
  ScratchMap<EngineId, bool> was_reset;
  using StopReturned = ev::MappingBalance;
  in_order_of_calls<ev::Notified, ev::ReportIgnored, ev::EngineReset, ev::AdapterReset,
                    StopReturned, ev::DdiEntered>(trace, [&](std::uint32_t index) {
    const Event& event = trace.events()[index];
    if (event.kind == EventKind::Submitted) {
      const auto packet = trace.at<ev::Submitted>(index);
      queues[engine_of(packet)].fences.push_back(packet.fence);
    } else if (event.kind == EventKind::Notified) {
      const auto report = Trace::as<ev::Notified>(event);
      queues[engine_of(report)].take(report);
    } else if (event.kind == EventKind::ReportIgnored) {
      const auto report = Trace::as<ev::ReportIgnored>(event);
      Queue& queue = queues[engine_of(report)];
      queue.take(report);
      if (queue.fences.empty() && !queue.in_reset) queue.emptied = index;
    } else if (event.kind == EventKind::DdiEntered) {
      const auto entered = Trace::as<ev::DdiEntered>(event);
      if (static_cast<DdiId>(entered.ddi) != DdiId::ResetEngine) return;
      for (auto& [engine, queue] : queues) queue.in_reset |= engine.node.value == entered.object;
    } else if (event.kind == EventKind::EngineReset) {
      const auto reset = Trace::as<ev::EngineReset>(event);
      Queue& queue = queues[engine_of(reset)];
      bool& can_reset = was_reset[engine_of(reset)];
      judge(reset, queue, can_reset, index, judgement);
      can_reset |= engrst::succeeded(reset.status);
      for (auto& [engine, other] : queues) other.in_reset = false;
      queue = {};
      queue.completed = reset.aborted;
    } else {
      queues.clear();
    }
  });
}

// A driver that refuses where nothing hangs.
class FindsNothingToReset final : public Interposer {
 public:
  NTSTATUS SubmitCommand(HANDLE adapter, const DXGKARG_SUBMITCOMMAND* submit) override {
    if (submit->NodeOrdinal == 0) at_work_ = true;
    return Interposer::SubmitCommand(adapter, submit);
  }
  NTSTATUS SubmitCommandVirtual(HANDLE adapter,
                                const DXGKARG_SUBMITCOMMANDVIRTUAL* submit) override {
    if (submit->NodeOrdinal == 0) at_work_ = true;
    return Interposer::SubmitCommandVirtual(adapter, submit);
  }
  void NotifyInterrupt(HANDLE adapter, const DXGKARGCB_NOTIFY_INTERRUPT_DATA* data) override {
    const bool empty =
        data->InterruptType == DXGK_INTERRUPT_DMA_PREEMPTED && data->DmaPreempted.NodeOrdinal == 0;
    if (empty) at_work_ = false;
    Interposer::NotifyInterrupt(adapter, data);
  }
  NTSTATUS ResetEngine(HANDLE adapter, DXGKARG_RESETENGINE* reset) override {
    if (reset->NodeOrdinal == 0 && !at_work_) return STATUS_UNSUCCESSFUL;
    return Interposer::ResetEngine(adapter, reset);
  }

 private:
  bool at_work_ = false;
};

const Rule kRule{
    .id = "ENGRST-004",
    .title = "A packet that ended just before the reset is named as aborted",
    .level = Level::Should,
    .rule =
        "If the queue of an engine empties between the snapshot of its fences and ResetEngine, "
        "the driver, which has no packet left there, returns STATUS_SUCCESS and names as "
        "LastAbortedFenceId the packet that the engine completed last.",
    .sources =
        "tdr-changes-in-windows-8.md # Calling sequence to reset an engine\n"
        "tdr-changes-in-windows-8.md # Special cases",
    .note =
        "The special case is of a packet that completes; the sequence says the same of a queue "
        "that "
        "empties. A late answer to the preemption empties it too, and that is what any hardware "
        "can "
        "be brought to. Nothing is asked of the number before any packet has completed. Hardware "
        "that cannot be reset may say so: a refusal counts where the engine was reset before. A "
        "packet that was stopped and is not named comes again, and goes on where it was "
        "(SUBMIT-015).",
    .unreached =
        "no engine reported what left it empty between the snapshot and ResetEngine: each was "
        "reset with packets, or refused it and was never reset before",
    .applies = engrst::engine_resets,
    .check = check,
    .played_in = kBothAddressings,
    .scenario = R"(
about: the engine answers the preemption when nobody listens any more; then once more behind another reset, and without its interrupt
ops:
- create_device: {device: 1}
- create_context: {context: 0}
- create_context: {context: 1, device: 1}
- render: {context: 0}
- idle
- render: {context: 1}
- spin: {units: 300}
- advance: {units: 10}
- advance: {units: 10}
- advance: {units: 10}
- advance: {units: 40}
# Hardware that stops between buffers alone answers when the packet has ended; time that is left
# over is not spent.
- time_out: {node: 0, late: 10000}
- render: {context: 0}
- spin: {units: 5}
- idle
# What it completed last is what a reset has aborted: nothing has completed since.
- create_device: {device: 2}
- create_device: {device: 3}
- create_context: {context: 2, device: 2}
- create_context: {context: 3, device: 3}
- render: {context: 2}
- render: {context: 3}
- idle
- render: {context: 2}
- spin: {units: 300}
- advance: {units: 10}
- advance: {units: 10}
- advance: {units: 10}
- advance: {units: 40}
- time_out: {node: 0}
- render: {context: 3}
- spin: {units: 300}
- advance: {units: 10}
- advance: {units: 10}
- advance: {units: 10}
- advance: {units: 40}
- time_out: {node: 0, late: 10000}
- idle
# It has stopped a packet in its middle, with one behind it that had been stopped before, and its
# interrupt comes too late: whatever is named, no part of either runs twice.
- create_device: {device: 4}
- create_allocation: {allocation: 0, place: local, device: 4}
- create_allocation: {allocation: 1, place: local, device: 4}
- make_resident: {allocation: 0}
- make_resident: {allocation: 1}
- create_context: {context: 4, device: 4}
- create_context: {context: 5, device: 4}
- render: {context: 4}
- bind: {slot: 0, allocation: 0}
- fill: {slot: 0, offset: 0, size: 64}
- render: {context: 5}
- bind: {slot: 0, allocation: 1}
- fill: {slot: 0, offset: 0, size: 64}
- idle
- queue_depth: {packets: 2}
- render: {context: 5}
- bind: {slot: 0, allocation: 1}
- add: {slot: 0, offset: 0, value: 1}
- spin: {units: 400}
- add: {slot: 0, offset: 4, value: 1}
- advance: {units: 10}
- advance: {units: 10}
- advance: {units: 100}
- keep_stopped
- preempt: {node: 0}
- advance: {units: 20}
- render: {context: 4}
- bind: {slot: 0, allocation: 0}
- add: {slot: 0, offset: 0, value: 1}
- spin: {units: 400}
- add: {slot: 0, offset: 4, value: 1}
- advance: {units: 10}
- advance: {units: 10}
- keep_stopped: {on: false}
- advance: {units: 10}
- advance: {units: 100}
- hold_interrupts
- time_out: {node: 0, units: 100}
- hold_interrupts: {on: false}
- idle
# Nothing of it is left behind the reset of the engine in another packet: the next of its shape begins
# at its beginning.
- create_device: {device: 5}
- create_context: {context: 6, device: 5}
- render: {context: 6}
- idle
- render: {context: 6}
- spin: {units: 3000}
- advance: {units: 20}
- advance: {units: 20}
- advance: {units: 100}
- time_out: {node: 0}
- render: {context: 4}
- bind: {slot: 0, allocation: 0}
- add: {slot: 0, offset: 8, value: 1}
- spin: {units: 400}
- add: {slot: 0, offset: 12, value: 1}
- idle
# The second engine as well. On a driver with one node what this context does is skipped.
- create_device: {device: 6}
- create_device: {device: 7}
- create_context: {context: 7, device: 6, node: 1}
- create_context: {context: 8, device: 7, node: 1}
- render: {context: 8}
- idle
- render: {context: 7}
- spin: {units: 300}
- advance: {units: 10}
- advance: {units: 10}
- advance: {units: 10}
- advance: {units: 40}
- time_out: {node: 1}
- render: {context: 8}
- spin: {units: 300}
- advance: {units: 10}
- advance: {units: 10}
- advance: {units: 10}
- advance: {units: 40}
- time_out: {node: 1, late: 10000}
- idle
)",
    .control = R"(
about: it has had no time to
ops:
- create_context: {context: 0}
- render: {context: 0}
- idle
- render: {context: 0}
- spin: {units: 300}
- advance: {units: 10}
- advance: {units: 10}
- advance: {units: 10}
- advance: {units: 40}
- time_out: {node: 0}
- idle
)",
    .fault = {.about = "ResetEngine fails where nothing is on the engine",
              .interposer = [] { return std::unique_ptr<Interposer>(new FindsNothingToReset); }}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::engrst_004
