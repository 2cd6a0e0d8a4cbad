// PREEMPT-007: LastCompletedFenceId covers all finished work.

#include "conformance/host/interposer.h"
#include "conformance/rules/rule.h"
#include "reference/vidsch/fence_ledger.h"

namespace wddm {
namespace {

void check(const Trace& trace, const Platform&, Judgement& judgement) {
  for (const std::uint32_t index : trace.of<ev::MarkerRead>()) {
    const auto marker = trace.at<ev::MarkerRead>(index);
    if (marker.reason != static_cast<std::uint32_t>(MarkerReason::AtPreempted)) continue;
    judgement.reached(index);
    if (marker.expected != 0 || marker.runs == 0) continue;
    judgement.fail(index, "no packet behind LastCompletedFenceId has run to its end",
                   "packet " + std::to_string(marker.packet) + " with SubmissionFenceId " +
                       std::to_string(marker.fence) + " has");
  }
  for (const std::uint32_t index : trace.of<ev::ReportJudged>()) {
    const auto judged = trace.at<ev::ReportJudged>(index);
    if (judged.type != DXGK_INTERRUPT_DMA_PREEMPTED ||
        judged.outcome != static_cast<std::uint32_t>(vidsch::ReportOutcome::LastCompletedTooOld)) {
      continue;
    }
    judgement.fail(index, "the latest finished packet as LastCompletedFenceId",
                   "one that lies before a fence reported earlier");
  }
}

// A driver that reports, as last completed, the packet before the last completed one.
class OneBehind final : public Interposer {
 public:
  void NotifyInterrupt(HANDLE adapter, const DXGKARGCB_NOTIFY_INTERRUPT_DATA* data) override {
    DXGKARGCB_NOTIFY_INTERRUPT_DATA altered = *data;
    if (data->InterruptType == DXGK_INTERRUPT_DMA_COMPLETED) {
      before_ = last_;
      last_ = data->DmaCompleted.SubmissionFenceId;
    } else if (data->InterruptType == DXGK_INTERRUPT_DMA_PREEMPTED) {
      altered.DmaPreempted.LastCompletedFenceId = before_;
    }
    Interposer::NotifyInterrupt(adapter, &altered);
  }

 private:
  UINT before_ = 0;
  UINT last_ = 0;
};

const Rule kRule{
    .id = "PREEMPT-007",
    .title = "LastCompletedFenceId covers all finished work",
    .evidence = Evidence::Memory,
    .rule =
        "LastCompletedFenceId is the latest finished packet of the engine at the time of the "
        "report, one included that finished between PreemptCommand and the interrupt and whose "
        "completion was not reported on its own.",
    .sources =
        "ne-d3dkmddi-_dxgk_interrupt_type.md # DXGK_INTERRUPT_DMA_PREEMPTED\n"
        "ns-d3dkmddi-_dxgkargcb_notify_interrupt_data.md # DmaPreempted",
    .applies = rendering,
    .check = check,
    .scenario = R"(
about: two packets are done and a third is running when the request comes
ops:
- create_context: {context: 0}
- render: {context: 0}
- spin: {units: 1}
- idle
- render: {context: 0}
- spin: {units: 1}
- idle
- render: {context: 0}
- spin: {units: 300}
- advance: {units: 5}
- preempt: {node: 0}
- idle
)",
    .control = R"(
about: an idle engine has finished everything
ops:
- create_context: {context: 0}
- render: {context: 0}
- spin: {units: 1}
- idle
- preempt: {node: 0}
- idle
)",
    .fault = {.about = "the packet before the last completed one is reported",
              .interposer = [] { return std::unique_ptr<Interposer>(new OneBehind); }}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm
