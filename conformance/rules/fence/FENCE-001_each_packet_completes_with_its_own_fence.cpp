// FENCE-001: each submitted packet completes with its own fence.

#include <set>

#include "conformance/host/interposer.h"
#include "conformance/rules/fence/engine_history.h"

namespace wddm {
namespace {

void check(const Trace& trace, const Platform&, Judgement& judgement) {
  const EngineHistory history(trace);
  const auto runs = runs_at_end(trace);
  // Only a trace that came to its end shows that no report is still to come.
  const bool complete = !trace.of<ev::Ended>().empty();
  for (const auto& [node, submissions] : history.by_node()) {
    for (const Submission& submission : submissions) {
      if (submission.covered_by != kNone) {
        judgement.reached(submission.covered_by);
        continue;
      }
      const auto ran = runs.find(submission.packet);
      if (!complete || ran == runs.end() || ran->second == 0) continue;
      judgement.fail(submission.event,
                     "a report that covers SubmissionFenceId " + std::to_string(submission.fence),
                     "the packet ran to its end and no report covers it");
    }
  }
}

// A driver that reports, for packets of contexts, the sequence number of its ring.
class RingNumbers final : public Interposer {
 public:
  NTSTATUS SubmitCommand(HANDLE adapter, const DXGKARG_SUBMITCOMMAND* submit) override {
    if (!submit->Flags.Paging) from_context_.insert(submit->SubmissionFenceId);
    return Interposer::SubmitCommand(adapter, submit);
  }
  void NotifyInterrupt(HANDLE adapter, const DXGKARGCB_NOTIFY_INTERRUPT_DATA* data) override {
    DXGKARGCB_NOTIFY_INTERRUPT_DATA altered = *data;
    if (data->InterruptType == DXGK_INTERRUPT_DMA_COMPLETED &&
        from_context_.contains(data->DmaCompleted.SubmissionFenceId)) {
      altered.DmaCompleted.SubmissionFenceId += 0x1000;
    }
    Interposer::NotifyInterrupt(adapter, &altered);
  }

 private:
  std::set<UINT> from_context_;
};

const Rule kRule{
    .id = "FENCE-001",
    .title = "Each submitted packet completes with its own fence",
    .evidence = Evidence::Memory,
    .rule =
        "Every packet that finishes is covered by a DXGK_INTERRUPT_DMA_COMPLETED, its own or a "
        "later one of the engine, whose SubmissionFenceId is that of the latest finished "
        "packet; a DMA_PREEMPTED covers it too.",
    .sources =
        "ne-d3dkmddi-_dxgk_interrupt_type.md # DXGK_INTERRUPT_DMA_COMPLETED\n"
        "ns-d3dkmddi-_dxgkargcb_notify_interrupt_data.md # DmaCompleted\n"
        "submitting-a-command-buffer.md # steps 7-9",
    .note =
        "That a packet finished is read from its last command, an addition into CPU-visible "
        "memory, so that no device log is needed.",
    .applies = rendering,
    .check = check,
    .scenario = R"(
about: three packets, one after the other
ops:
- create_context: {context: 0}
- render: {context: 0}
- spin: {units: 2}
- render: {context: 0}
- spin: {units: 2}
- render: {context: 0}
- spin: {units: 2}
- idle
)",
    .control = R"(
about: two packets in the hardware queue whose completions are reported by one interrupt
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
    .fault = {.about = "completions carry a number of the driver's own",
              .interposer = [] { return std::unique_ptr<Interposer>(new RingNumbers); },
              .also_fires = "FENCE-003"}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm
