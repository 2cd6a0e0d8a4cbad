// FENCE-006: QueryCurrentFence reports only newer fences.

#include "conformance/host/interposer.h"
#include "conformance/rules/fence/reported_fences.h"
#include "conformance/rules/rule.h"

namespace wddm::fence_006 {
namespace {

// That reports come at device IRQL the kernel sees itself.
void check(const Trace& trace, const Platform&, Judgement& judgement) {
  for_each_query(trace, [&](const FenceQuery& query) {
    if (query.missed != kNone) return;
    judgement.reached(query.event);
    if (query.repeated == kNone) return;
    judgement.fail(query.repeated, "no report of what has been reported",
                   "QueryCurrentFence reports SubmissionFenceId " +
                       std::to_string(trace.at<ev::Notified>(query.repeated).fence) + " again",
                   {query.report});
  });
}

// A driver that reports what it finds, whoever has reported it before.
class ReportsAgain final : public Interposer {
 public:
  NTSTATUS QueryCurrentFence(HANDLE adapter, DXGKARG_QUERYCURRENTFENCE* query) override {
    const NTSTATUS status = Interposer::QueryCurrentFence(adapter, query);
    if (handle_ != nullptr && query->CurrentFence == last_.DmaCompleted.SubmissionFenceId) {
      Interposer::NotifyInterrupt(handle_, &last_);
    }
    return status;
  }
  void NotifyInterrupt(HANDLE adapter, const DXGKARGCB_NOTIFY_INTERRUPT_DATA* data) override {
    Interposer::NotifyInterrupt(adapter, data);
    if (data->InterruptType != DXGK_INTERRUPT_DMA_COMPLETED) return;
    handle_ = adapter;
    last_ = *data;
  }

 private:
  HANDLE handle_ = nullptr;
  DXGKARGCB_NOTIFY_INTERRUPT_DATA last_{};
};

const Rule kRule{
    .id = "FENCE-006",
    .title = "QueryCurrentFence reports only newer fences",
    .rule =
        "QueryCurrentFence compares what completed last with what was reported last in step with "
        "the interrupt routine, and reports a fence only if it is newer.",
    .sources = "nc-d3dkmddi-dxgkddi_querycurrentfence.md # numbered steps 1-4",
    .note =
        "Reports of the interrupt routine and of the DPC, which may come in meanwhile, count once. "
        "Nobody says whether LastCompletedFenceId is a report of its fence: what only that has "
        "named may be reported.",
    .applies = fences_are_queried,
    .check = check,
    .played_in = kBothAddressings | ConfigurationSet{Configured::Linked},
    .scenario = kAskedWhilePacketsEnd,
    .control = R"(
about: it has been reported before
ops:
- create_context: {context: 0}
- render: {context: 0}
- idle
- query_fence: {node: 0}
)",
    .fault = {.about = "QueryCurrentFence reports what it finds in any case, with no lock held",
              .interposer = [] { return std::unique_ptr<Interposer>(new ReportsAgain); },
              .also_fires = "INTR-002 IRQL-002"}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::fence_006
