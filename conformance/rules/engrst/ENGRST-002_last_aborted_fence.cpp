// ENGRST-002: LastAbortedFenceId lies in the valid range.

#include <utility>
#include <vector>

#include "conformance/host/interposer.h"
#include "conformance/rules/device_tells.h"
#include "conformance/rules/engrst/other_gpu.h"
#include "conformance/rules/engrst/resets.h"
#include "conformance/rules/engrst/resets_before_threads.h"
#include "conformance/rules/engrst/wrapped_numbers.h"
#include "conformance/rules/page_fault_flags.h"
#include "conformance/rules/scratch.h"
#include "conformance/rules/submit/in_order_of_calls.h"
#include "conformance/rules/submit/null_rendering.h"
#include "reference/is_any_of.h"
#include "reference/trace/ddi.h"

namespace wddm::engrst_002 {
namespace {

// Packets that an engine has: what was submitted since the last one known to have ended.
struct Queue {
  ScratchVector<std::uint32_t> fences;  // oldest first
  std::uint32_t begun = 0;              // fence of what the engine works on, by its log; 0: nothing
  ScratchSet<std::uint32_t> waiting;    // of those with commands, what it has not begun by its log
  bool in_reset = false;                // what stops now stops by ResetEngine
  std::uint32_t completed = 0;          // the last one reported
  std::uint32_t ended = 0;              // the last one that has come to its end, by its log
  bool faulted = false;                 // by the last report, which asks for a reset

  [[nodiscard]] std::size_t place_of(std::uint32_t fence) const {
    std::size_t place = fences.size();
    while (place != 0 && fences[place - 1] != fence) --place;
    return place;  // counted from 1; 0: it has no such packet
  }
  // What an engine that has begun nothing comes to next. Behind a page fault that asks for a reset
  // nothing does.
  [[nodiscard]] bool is_next(std::size_t place) const {
    return !faulted && (place == 1 || fences[place - 2] == ended);
  }
  void reported(const ev::Notified& report) {
    faulted = report.type == DXGK_INTERRUPT_DMA_PAGE_FAULTED;
    if (report.type == DXGK_INTERRUPT_DMA_COMPLETED ||
        report.type == DXGK_INTERRUPT_DMA_PAGE_FAULTED) {
      const auto end = fences.begin() + static_cast<std::ptrdiff_t>(place_of(report.fence));
      fences.erase(fences.begin(), end);
      completed = report.fence;
    } else if (report.type == DXGK_INTERRUPT_DMA_PREEMPTED) {
      fences.clear();
      waiting.clear();
      begun = 0;
      completed = report.last_completed;
    }
  }
  // Hardware may be given several packets in one go, under the fence of the last; and what has
  // another number may be any of them.
  void begins(std::uint32_t fence) {
    begun = fence;
    const std::size_t place = place_of(fence);
    if (place == 0) waiting.clear();
    for (std::size_t i = 0; i < place; ++i) waiting.erase(fences[i]);
  }
};

// What the last completed fence is before any packet has completed nobody says, but that it is none
// behind the last submitted one.
bool may_be_the_first(const ev::EngineReset& reset) {
  if (reset.last_completed != 0) return false;
  return reset.last_submitted == 0 ||
         static_cast<std::int32_t>(reset.aborted - reset.last_submitted) <= 0;
}

void judge(const ev::EngineReset& reset, const Queue& queue, std::uint32_t index,
           Judgement& judgement) {
  judgement.reached(index);
  const std::size_t place = queue.place_of(reset.aborted);
  if (place == 0) {
    const bool last = reset.aborted == reset.last_completed || reset.aborted == queue.completed ||
                      may_be_the_first(reset);
    if (!last) {
      judgement.fail(index, "the fence of a packet on the engine, or the last completed one",
                     "LastAbortedFenceId " + std::to_string(reset.aborted));
      return;
    }
  }
  if (queue.place_of(queue.begun) != 0) {
    if (queue.begun == reset.aborted) return;
    judgement.fail(index, "the packet that ran, SubmissionFenceId " + std::to_string(queue.begun),
                   "LastAbortedFenceId " + std::to_string(reset.aborted));
  } else if (place != 0 && queue.waiting.contains(reset.aborted) && !queue.is_next(place)) {
    judgement.fail(index, "a packet that the engine has begun, or the last completed one",
                   "LastAbortedFenceId " + std::to_string(reset.aborted) +
                       ", which waited behind it, says the device's log");
  }
}

void check(const Trace& trace, const Platform&, Judgement& judgement) {
  ScratchMap<EngineId, Queue> queues;
  const ScratchSet<EngineId> telling = engines_that_tell(trace, WDDM_DEVICE_PACKET_BEGIN);
  bool runs_nothing = false;  // the submission under way
  using StopReturned = ev::MappingBalance;
  in_order_of_calls<ev::Notified, ev::PageFaultReported, ev::ReportIgnored, ev::DeviceLogged,
                    ev::DdiEntered, ev::EngineReset, ev::AdapterReset, StopReturned>(
      trace, [&](std::uint32_t index) {
        const Event& event = trace.events()[index];
        if (event.kind == EventKind::Submitted) {
          const auto packet = trace.at<ev::Submitted>(index);
          Queue& queue = queues[engine_of(packet)];
          queue.fences.push_back(packet.fence);
          const bool tells = telling.contains(engine_of(packet)) && packet.paging == 0;
          const bool has_commands = packet.start != packet.end && !runs_nothing;
          if (tells && has_commands && packet.status == 0) queue.waiting.insert(packet.fence);
        } else if (event.kind == EventKind::Notified) {
          const auto report = Trace::as<ev::Notified>(event);
          queues[engine_of(report)].reported(report);
        } else if (event.kind == EventKind::PageFaultReported) {
          const auto fault = trace.at<ev::PageFaultReported>(index);
          queues[engine_of(fault)].faulted = asks_for_reset(fault.flags);
        } else if (event.kind == EventKind::ReportIgnored) {
          const auto report = Trace::as<ev::ReportIgnored>(event);
          // It was stopped, or has faulted: for its driver there is nothing to abort, or the next.
          if (is_any_of(report.type, static_cast<std::uint32_t>(DXGK_INTERRUPT_DMA_PREEMPTED),
                        static_cast<std::uint32_t>(DXGK_INTERRUPT_DMA_PAGE_FAULTED))) {
            Queue& queue = queues[engine_of(report)];
            queue.begun = 0;
            queue.waiting.clear();
          }
        } else if (event.kind == EventKind::DdiEntered) {
          const auto ddi = static_cast<DdiId>(Trace::as<ev::DdiEntered>(event).ddi);
          if (is_any_of(ddi, DdiId::SubmitCommand, DdiId::SubmitCommandVirtual)) {
            runs_nothing = submit::runs_nothing(trace, index);
          }
          if (ddi != DdiId::ResetEngine) return;
          const auto call = trace.blob<ddi_arguments::ResetEngine>(event);
          if (!call.empty()) queues[engine_of(call.front())].in_reset = true;
        } else if (event.kind == EventKind::DeviceLogged) {
          const auto record = Trace::as<ev::DeviceLogged>(event);
          Queue& queue = queues[engine_of(record)];
          if (record.kind == WDDM_DEVICE_PACKET_BEGIN) queue.begins(record.tag);
          const bool stops = record.kind == WDDM_DEVICE_PACKET_STOPPED && !queue.in_reset;
          if (record.kind == WDDM_DEVICE_PACKET_END || stops) queue.begun = 0;
          if (record.kind == WDDM_DEVICE_PACKET_END) queue.ended = record.tag;
        } else if (event.kind == EventKind::EngineReset) {
          const auto reset = Trace::as<ev::EngineReset>(event);
          Queue& queue = queues[engine_of(reset)];
          queue.in_reset = false;
          if (!engrst::succeeded(reset.status)) return;
          judge(reset, queue, index, judgement);
          queue = {};
        } else {
          queues.clear();
        }
      });
}

// A driver that leaves the fence as it was given.
class NamesNone final : public Interposer {
 public:
  NTSTATUS ResetEngine(HANDLE adapter, DXGKARG_RESETENGINE* reset) override {
    const UINT given = reset->LastAbortedFenceId;
    const NTSTATUS status = Interposer::ResetEngine(adapter, reset);
    reset->LastAbortedFenceId = given;
    return status;
  }
};

const Rule kRule{
    .id = "ENGRST-002",
    .title = "LastAbortedFenceId is of a packet that the engine had",
    .rule =
        "ResetEngine names as LastAbortedFenceId the packet that it ended in the middle: one that "
        "was on the engine and is not known to have ended, or the last completed one if there is "
        "none any more; never one behind the last that was submitted.",
    .sources =
        "tdr-changes-in-windows-8.md # Calling sequence to reset an engine (8)\n"
        "ns-d3dkmddi-_dxgkarg_resetengine.md # LastAbortedFenceId\n"
        "bug-check-0x119---video-scheduler-internal-error.md # 0xA",
    .note =
        "The text has the packet that ran, a published sample the one submitted last. Both lie in "
        "the range that the bug check names; but who is named is taken for guilty, and so are the "
        "packets before it. Where the device's log tells what ran it is held to the text; where it "
        "tells that nothing had begun, the next packet may be what the engine hangs at.",
    .unreached = "no engine was reset",
    .applies = engrst::engine_resets,
    .check = check,
    .played_in = kBothAddressings | ConfigurationSet{Configured::Linked},
    .scenario = R"(
about: an engine that was told of nothing; a packet has completed, one runs, and one waits behind it; then two resets in a row, and numbers that wrap in between
ops:
)" WDDM_RESETS_ENGINE_BEFORE_THREADS R"(
- create_device: {device: 1}
- create_context: {context: 0}
- create_context: {context: 1, device: 1}
- queue_depth: {packets: 3}
- render: {context: 0}
- idle
- render: {context: 0}
- spin: {units: 300}
- render: {context: 1}
- spin: {units: 5}
- advance: {units: 10}
- advance: {units: 10}
- advance: {units: 10}
- advance: {units: 10}
- advance: {units: 10}
- advance: {units: 10}
- advance: {units: 40}
- time_out: {node: 0}
- idle
- render: {context: 1}
- spin: {units: 300}
- advance: {units: 10}
- advance: {units: 10}
- advance: {units: 10}
- advance: {units: 10}
- advance: {units: 10}
- advance: {units: 10}
- advance: {units: 40}
- time_out: {node: 0}
- idle
# Two resets, and nothing has completed in between.
- create_device: {device: 4}
- create_device: {device: 5}
- create_context: {context: 4, device: 4}
- create_context: {context: 5, device: 5}
- render: {context: 4}
- render: {context: 5}
- idle
- render: {context: 4}
- spin: {units: 3000}
- advance: {units: 100}
- advance: {units: 100}
- advance: {units: 100}
- time_out: {node: 0}
- render: {context: 5}
- spin: {units: 3000}
- advance: {units: 100}
- advance: {units: 100}
- advance: {units: 100}
- time_out: {node: 0}
- query_fence: {node: 0}
- preempt: {node: 0}
- idle
)" WDDM_RESETS_BEHIND_THE_END_OF_NUMBERS WDDM_RESETS_ENGINE_OF_OTHER_GPU,
    .control = R"(
about: nothing has completed before
ops:
- create_context: {context: 0}
- render: {context: 0}
- spin: {units: 300}
- advance: {units: 10}
- advance: {units: 10}
- advance: {units: 10}
- advance: {units: 10}
- advance: {units: 10}
- advance: {units: 10}
- advance: {units: 40}
- time_out: {node: 0}
- idle
)",
    .fault = {.about = "ResetEngine leaves LastAbortedFenceId as it was",
              .interposer = [] { return std::unique_ptr<Interposer>(new NamesNone); }}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::engrst_002
