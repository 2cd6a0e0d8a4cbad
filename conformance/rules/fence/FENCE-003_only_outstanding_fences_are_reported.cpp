// FENCE-003: only outstanding fences are reported.

#include "conformance/host/interposer.h"
#include "conformance/rules/rule.h"
#include "reference/is_any_of.h"
#include "reference/vidsch/fence_ledger.h"

namespace wddm::fence_003 {
namespace {

// Outcomes that mean "this identifier is nobody's now". Order, preemption fences and what
// DMA_PREEMPTED claims have clauses of their own.
bool not_outstanding(std::uint32_t outcome) {
  using enum vidsch::ReportOutcome;
  return is_any_of(static_cast<vidsch::ReportOutcome>(outcome), UnknownFence, WasPreempted,
                   WasReset);
}

// A reset or stop of the adapter takes all packets back, and the scheduler forgets what it gave.
bool was_given_before(const Trace& trace, std::uint32_t event, const ev::ReportJudged& judged) {
  for (const std::uint32_t index : trace.of<ev::Submitted>()) {
    if (index > event) break;
    const auto submitted = trace.at<ev::Submitted>(index);
    if (submitted.fence == judged.fence && engine_of(submitted) == engine_of(judged)) return true;
  }
  return false;
}

const char* why_not(const Trace& trace, std::uint32_t event, const ev::ReportJudged& judged) {
  const auto outcome = static_cast<vidsch::ReportOutcome>(judged.outcome);
  const bool forgotten =
      outcome == vidsch::ReportOutcome::UnknownFence && was_given_before(trace, event, judged);
  return forgotten ? "fence is of before the adapter was reset or stopped" : vidsch::name(outcome);
}

void check(const Trace& trace, const Platform&, Judgement& judgement) {
  for (const std::uint32_t index : trace.of<ev::ReportJudged>()) {
    const auto judged = trace.at<ev::ReportJudged>(index);
    if (judged.type != DXGK_INTERRUPT_DMA_COMPLETED) continue;
    judgement.reached(index);
    if (!not_outstanding(judged.outcome)) continue;
    judgement.fail(index, "a SubmissionFenceId that is outstanding on the engine",
                   std::to_string(judged.fence) + " on node " + std::to_string(judged.node) + " (" +
                       why_not(trace, index, judged) + ")");
  }
}

// A driver that reports the completion on the other node as well.
class BothNodes final : public Interposer {
 public:
  void NotifyInterrupt(HANDLE adapter, const DXGKARGCB_NOTIFY_INTERRUPT_DATA* data) override {
    Interposer::NotifyInterrupt(adapter, data);
    if (data->InterruptType != DXGK_INTERRUPT_DMA_COMPLETED) return;
    DXGKARGCB_NOTIFY_INTERRUPT_DATA altered = *data;
    altered.DmaCompleted.NodeOrdinal ^= 1;
    Interposer::NotifyInterrupt(adapter, &altered);
  }
};

const Rule kRule{
    .id = "FENCE-003",
    .aliases = "PREEMPT-011",
    .title = "Only outstanding fences are reported",
    .rule =
        "A reported SubmissionFenceId belongs to a packet that was submitted to that engine and "
        "not yet reported, preempted, aborted or reset, or repeats the last reported one. "
        "Anything else is bug check 0x119 with parameter 1 = 0x1.",
    .sources =
        "bug-check-0x119---video-scheduler-internal-error.md # 0x1\n"
        "nc-d3dkmddi-dxgkddi_querycurrentfence.md # report only when newer",
    .note =
        "For some drivers before WDDM 2.4 Windows resets the GPU instead "
        "(DXGK_TDR_TYPE_INVALID_FENCE): a violation in both cases. A plain repeat of the last "
        "fence is not documented as an error and is tolerated. Nor is it said where numbers begin, "
        "or what comes behind the last of 32 bits: 1, here.",
    .applies = submitting,
    .check = check,
    .played_in = kBothAddressings,
    .scenario = R"(
about: one packet on node 0 of two; then numbers that wrap in as many bits as a counter may have
ops:
- create_context: {context: 0}
- render: {context: 0}
- spin: {units: 2}
- idle
- queue_depth: {packets: 4}
- stop
- first_fence: {fence: 0xfd}
- start
- create_context: {context: 0}
- render: {context: 0}
- spin: {units: 2}
- idle
- render: {context: 0}
- spin: {units: 40}
- render: {context: 0}
- spin: {units: 2}
- advance: {units: 20}
- preempt: {node: 0}
- idle
- render: {context: 0}
- render: {context: 0}
- idle
- stop
- first_fence: {fence: 0xfffd}
- start
- create_context: {context: 0}
- render: {context: 0}
- spin: {units: 2}
- idle
- render: {context: 0}
- spin: {units: 40}
- render: {context: 0}
- spin: {units: 2}
- advance: {units: 20}
- preempt: {node: 0}
- idle
- render: {context: 0}
- render: {context: 0}
- idle
- stop
- first_fence: {fence: 0xfffffd}
- start
- create_context: {context: 0}
- render: {context: 0}
- spin: {units: 2}
- idle
- render: {context: 0}
- spin: {units: 40}
- render: {context: 0}
- spin: {units: 2}
- advance: {units: 20}
- preempt: {node: 0}
- idle
- render: {context: 0}
- render: {context: 0}
- idle
- stop
- first_fence: {fence: 0x7ffffffd}
- start
- create_context: {context: 0}
- render: {context: 0}
- spin: {units: 2}
- idle
- render: {context: 0}
- spin: {units: 40}
- render: {context: 0}
- spin: {units: 2}
- advance: {units: 20}
- preempt: {node: 0}
- idle
- render: {context: 0}
- render: {context: 0}
- idle
- stop
- first_fence: {fence: 0xfffffffd}
- start
- create_context: {context: 0}
- render: {context: 0}
- spin: {units: 2}
- idle
- render: {context: 0}
- spin: {units: 40}
- render: {context: 0}
- spin: {units: 2}
- advance: {units: 20}
- preempt: {node: 0}
- idle
- render: {context: 0}
- render: {context: 0}
- idle
)",
    .control = R"(
about: the same fence values are outstanding on both nodes
ops:
- create_context: {context: 0}
# On a driver with one node what the second context does is skipped.
- create_context: {context: 1, node: 1}
- render: {context: 0}
- spin: {units: 20}
- render: {context: 1}
- spin: {units: 20}
- idle
)",
    .fault = {.about = "a completion is reported on the other node too",
              .interposer = [] { return std::unique_ptr<Interposer>(new BothNodes); }}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::fence_003
