// PREEMPT-006: LastCompletedFenceId never claims unfinished work.

#include "conformance/host/interposer.h"
#include "conformance/rules/fence/device_says.h"
#include "conformance/rules/fence/never_begun.h"
#include "conformance/rules/preempt/every_place.h"
#include "conformance/rules/rule.h"
#include "conformance/rules/scratch.h"
#include "conformance/rules/submit/silent_engines.h"
#include "reference/is_any_of.h"
#include "reference/vidsch/fence_ledger.h"

namespace wddm::preempt_006 {
namespace {

bool claims_what_never_was(std::uint32_t outcome) {
  using enum vidsch::ReportOutcome;
  return is_any_of(static_cast<vidsch::ReportOutcome>(outcome), LastCompletedUnknown,
                   LastCompletedWasPreempted, LastCompletedAfterRequest);
}

// Paging, hostile input and all portions but one have no marker to look at, nor has a packet whose
// marker is brought in by paging of the same report.
void check_begins(const Trace& trace, Judgement& judgement) {
  fence::NeverBegun(trace, DXGK_INTERRUPT_DMA_PREEMPTED)
      .each([&](std::uint32_t report, std::uint32_t submitted) {
        const auto packet = trace.at<ev::Submitted>(submitted);
        judgement.fail(report, "every packet up to LastCompletedFenceId has run to its end",
                       "the device has not begun packet " + std::to_string(packet.packet) +
                           " with SubmissionFenceId " + std::to_string(packet.fence),
                       {submitted});
      });
}

void check(const Trace& trace, const Platform&, Judgement& judgement) {
  check_begins(trace, judgement);
  // Those that were reported as faulted have ended without it. The scheduler hears of that at the
  // DPC only, and reads their markers until then.
  ScratchSet<std::uint32_t> faulted;
  for (const std::uint32_t index : trace.of_any<ev::PageFaultReported, ev::MarkerRead>()) {
    if (trace.events()[index].kind == EventKind::PageFaultReported) {
      faulted.insert(trace.at<ev::PageFaultReported>(index).packet);
      continue;
    }
    const auto marker = trace.at<ev::MarkerRead>(index);
    if (marker.reason != static_cast<std::uint32_t>(MarkerReason::AtPreempted)) continue;
    if (faulted.contains(marker.packet)) continue;
    judgement.reached(index);  // of a packet that the engine had: it could have been claimed
    if (marker.runs >= marker.expected) continue;
    if (submit::memory_says_nothing(trace, marker.packet, index)) continue;  // FENCE-002
    judgement.fail(index, "every packet up to LastCompletedFenceId has run to its end",
                   "what the last command of packet " + std::to_string(marker.packet) +
                       " with SubmissionFenceId " + std::to_string(marker.fence) +
                       " writes is not in memory" + device_says(trace, marker, index));
  }
  for (const std::uint32_t index : trace.of<ev::ReportJudged>()) {
    const auto judged = trace.at<ev::ReportJudged>(index);
    if (judged.type != DXGK_INTERRUPT_DMA_PREEMPTED || !claims_what_never_was(judged.outcome)) {
      continue;
    }
    judgement.fail(index, "LastCompletedFenceId names a packet of this engine that finished",
                   vidsch::name(static_cast<vidsch::ReportOutcome>(judged.outcome)));
  }
}

// A driver that reports the last submitted fence as the last completed one.
class LastSubmitted final : public Interposer {
 public:
  NTSTATUS SubmitCommand(HANDLE adapter, const DXGKARG_SUBMITCOMMAND* submit) override {
    last_[submit->NodeOrdinal & 63] = submit->SubmissionFenceId;
    return Interposer::SubmitCommand(adapter, submit);
  }
  void NotifyInterrupt(HANDLE adapter, const DXGKARGCB_NOTIFY_INTERRUPT_DATA* data) override {
    DXGKARGCB_NOTIFY_INTERRUPT_DATA altered = *data;
    if (data->InterruptType == DXGK_INTERRUPT_DMA_PREEMPTED) {
      altered.DmaPreempted.LastCompletedFenceId = last_[data->DmaPreempted.NodeOrdinal & 63];
    }
    Interposer::NotifyInterrupt(adapter, &altered);
  }

 private:
  UINT last_[64] = {};
};

const Rule kRule{
    .id = "PREEMPT-006",
    .title = "LastCompletedFenceId never claims unfinished work",
    .evidence = Evidence::Memory,
    .rule =
        "LastCompletedFenceId is the fence of a packet that the hardware finished, and every "
        "packet up to it has run to its end; a partly executed packet does not count.",
    .sources =
        "ns-d3dkmddi-_dxgkargcb_notify_interrupt_data.md # DmaPreempted\n"
        "ne-d3dkmddi-_dxgk_interrupt_type.md # DXGK_INTERRUPT_DMA_PREEMPTED\n"
        "tdr-changes-in-windows-8.md # last completed fence",
    .note =
        "That a packet finished is read from its last command, an addition into CPU-visible "
        "memory, at the callback; that it never began, from the device's log.",
    .unreached = "no engine answered a preemption while it had a packet",
    .applies = running_commands,
    .check = check,
    .played_in = kBothAddressings,
    .scenario = R"(
about: of three packets the first is done, the second stopped in the middle, the third not begun
ops:
- create_context: {context: 0}
- queue_depth: {packets: 3}
- render: {context: 0}
- idle
- render: {context: 0}
- spin: {units: 1}
- render: {context: 0}
- spin: {units: 500}
- render: {context: 0}
- spin: {units: 500}
- advance: {units: 60}
- preempt: {node: 0}
- idle
# Behind the one that is stopped lies one that has nothing to do.
- render: {context: 0}
- spin: {units: 500}
- null_rendering
- render: {context: 0}
- advance: {units: 10}
- advance: {units: 10}
- advance: {units: 60}
- preempt: {node: 0}
- null_rendering: {on: false}
- idle
# With GPU virtual addresses a packet that is refused has a place in the queue too. A good one comes
# to lie in every place after it, and goes back before it has begun.
- create_device: {device: 1, process: 1}
- create_context: {context: 1, device: 1}
- render: {context: 1}
- spin: {units: 2}
- idle
- render: {context: 1}
- tamper_private: {offset: 0, value: 0xffffffff}
- spin: {units: 2}
- idle
- render: {context: 0}
- spin: {units: 500}
# What is paged in for it comes to its end in so little time, and it does not begin.
- preempt: {node: 0}
- advance: {units: 2}
)" WDDM_HAS_EVERY_PLACE(1) R"(
- idle
)",
    .control = R"(
about: everything submitted has finished when the request comes
ops:
- create_context: {context: 0}
- render: {context: 0}
- idle
- preempt: {node: 0}
- idle
)",
    .fault = {.about = "the last submitted fence is reported as the last completed one",
              .interposer = [] { return std::unique_ptr<Interposer>(new LastSubmitted); },
              .also_fires = "SUBMIT-005 SUBMIT-015"}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::preempt_006
