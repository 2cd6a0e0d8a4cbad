// PREEMPT-008: a preemption fence is not a submission fence.

#include <utility>

#include "conformance/host/interposer.h"
#include "conformance/rules/rule.h"
#include "conformance/rules/scratch.h"
#include "reference/vidsch/fence_ledger.h"

namespace wddm::preempt_008 {
namespace {

bool named_a_preemption(std::uint32_t outcome) {
  return outcome == static_cast<std::uint32_t>(vidsch::ReportOutcome::PreemptionFence) ||
         outcome == static_cast<std::uint32_t>(vidsch::ReportOutcome::LastCompletedIsPreemption);
}

void check(const Trace& trace, const Platform&, Judgement& judgement) {
  if (trace.of<ev::PreemptAsked>().empty()) return;
  // An answer may come before PreemptCommand returns.
  const std::uint32_t first = trace.of<ev::PreemptAsked>().front();
  const auto follows = [&](std::uint32_t index) {
    return index > first || trace.at<ev::ReportJudged>(index).type == DXGK_INTERRUPT_DMA_PREEMPTED;
  };
  for (const std::uint32_t index : trace.of<ev::ReportJudged>()) {
    const auto judged = trace.at<ev::ReportJudged>(index);
    if (follows(index)) judgement.reached(index);
    if (!named_a_preemption(judged.outcome)) continue;
    judgement.fail(index, "a fence of a submitted packet",
                   "a PreemptionFenceId, which completes no packet");
  }
  ScratchSet<std::pair<EngineId, std::uint32_t>> preemptions;  // engine, id; of this start
  using StopReturned = ev::MappingBalance;
  for (const std::uint32_t index :
       trace.of_any<ev::PreemptAsked, ev::FenceQueried, StopReturned>()) {
    const Event& event = trace.events()[index];
    if (event.kind == EventKind::PreemptAsked) {
      const auto asked = Trace::as<ev::PreemptAsked>(event);
      preemptions.insert({engine_of(asked), asked.fence});
    } else if (event.kind == EventKind::FenceQueried) {
      const auto queried = Trace::as<ev::FenceQueried>(event);
      if (index > first) judgement.reached(index);
      if (!preemptions.contains({engine_of(queried), queried.fence})) continue;
      judgement.fail(index, "the fence of a completed packet in CurrentFence",
                     "PreemptionFenceId " + std::to_string(queried.fence));
    } else {
      preemptions.clear();
    }
  }
}

// Hardware that writes the preemption fence where completions go, and an ISR that reports it.
class ReportsBoth final : public Interposer {
 public:
  void NotifyInterrupt(HANDLE adapter, const DXGKARGCB_NOTIFY_INTERRUPT_DATA* data) override {
    if (data->InterruptType == DXGK_INTERRUPT_DMA_PREEMPTED) {
      DXGKARGCB_NOTIFY_INTERRUPT_DATA completed{};
      completed.InterruptType = DXGK_INTERRUPT_DMA_COMPLETED;
      completed.DmaCompleted.SubmissionFenceId = data->DmaPreempted.PreemptionFenceId;
      completed.DmaCompleted.NodeOrdinal = data->DmaPreempted.NodeOrdinal;
      Interposer::NotifyInterrupt(adapter, &completed);
    }
    Interposer::NotifyInterrupt(adapter, data);
  }
};

const Rule kRule{
    .id = "PREEMPT-008",
    .title = "A preemption fence is not a submission fence",
    .rule =
        "A PreemptionFenceId is never reported in DmaCompleted.SubmissionFenceId and never "
        "becomes LastCompletedFenceId or CurrentFence: a preemption completes no packet.",
    .sources =
        "tdr-changes-in-windows-8.md # last completed fence\n"
        "ns-d3dkmddi-_dxgkargcb_notify_interrupt_data.md # DmaPreempted",
    .note =
        "The documents call PreemptionFenceId a submission identifier; it is drawn from the same "
        "sequence, which does not make it a packet.",
    .applies = submitting,
    .check = check,
    .played_in = kBothAddressings,
    .scenario = R"(
about: a busy engine is preempted, asked for its fence, and preempted again while idle
ops:
- create_context: {context: 0}
- render: {context: 0}
- spin: {units: 1}
- idle
- render: {context: 0}
- spin: {units: 100}
- advance: {units: 5}
- preempt: {node: 0}
- idle
- query_fence: {node: 0}
- preempt: {node: 0}
- idle
- query_fence: {node: 0}
)",
    .control = R"(
about: the fence after a preemption that found nothing to stop
ops:
- create_context: {context: 0}
- render: {context: 0}
- spin: {units: 1}
- idle
- preempt: {node: 0}
- idle
- query_fence: {node: 0}
)",
    .fault = {.about = "DMA_PREEMPTED is preceded by a DMA_COMPLETED with the preemption's fence",
              .interposer = [] { return std::unique_ptr<Interposer>(new ReportsBoth); }}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::preempt_008
