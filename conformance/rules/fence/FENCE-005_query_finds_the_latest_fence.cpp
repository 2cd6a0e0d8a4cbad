// FENCE-005: QueryCurrentFence finds and reports a missed fence.

#include "conformance/host/interposer.h"
#include "conformance/rules/fence/reported_fences.h"
#include "conformance/rules/rule.h"

namespace wddm::fence_005 {
namespace {

void check(const Trace& trace, const Platform& platform, Judgement& judgement) {
  for_each_query(trace, [&](const FenceQuery& query) {
    const auto asked = trace.at<ev::FenceQueried>(query.event);
    if (asked.status != 0) return;
    judgement.reached(query.event);
    const std::string named = "CurrentFence " + std::to_string(asked.fence);
    if (query.missed != kNone) {
      // Without a device the driver's own threads are the GPU, and may have gone on meanwhile.
      if (!platform.has_device) return;
      judgement.fail(query.event,
                     "fence " + std::to_string(trace.at<ev::Notified>(query.missed).fence) +
                         ": it had completed, and its interrupt was held back",
                     named, {query.missed});
      return;
    }
    if (query.place == 0 && query.reported_before != 0) {
      judgement.fail(query.event, "the fence of a packet of the engine", named);
    } else if (query.place < query.reported_before) {
      judgement.fail(query.event, "the packet that was reported last, or one behind it", named,
                     {query.report});
    } else if (query.place < query.reported_by_call) {
      judgement.fail(query.event, "the packet that the call itself has reported, or one behind it",
                     named, {query.report});
    } else if (query.place > query.reported_at_return && !query.overtaken) {
      judgement.fail(query.event, "what it names has been reported when it returns",
                     named + ", which has not been");
    }
  });
}

// A driver that says what it heard of when the engine was asked for last.
class FromItsCopy final : public Interposer {
 public:
  NTSTATUS QueryCurrentFence(HANDLE adapter, DXGKARG_QUERYCURRENTFENCE* query) override {
    const NTSTATUS status = Interposer::QueryCurrentFence(adapter, query);
    const UINT now = query->CurrentFence;
    UINT& copy = copies_[query->NodeOrdinal & 63];
    if (copy != 0) query->CurrentFence = copy;
    copy = now;
    return status;
  }

 private:
  UINT copies_[64] = {};
};

const Rule kRule{
    .id = "FENCE-005",
    .title = "QueryCurrentFence finds and reports a missed fence",
    .rule =
        "CurrentFence is the fence of the packet that completed last on the engine; where that has "
        "not been reported it is before the function returns.",
    .sources =
        "nc-d3dkmddi-dxgkddi_querycurrentfence.md # Remarks\n"
        "ns-d3dkmddi-_dxgkarg_querycurrentfence.md",
    .note =
        "Judged by what the driver has reported by then, and by what its interrupt routine reports "
        "after it although the GPU has not gone on: that interrupt was held back. Packets that it "
        "refused need no report, and what an engine stands at after a reset is ENGRST-003 and "
        "TDR-002.",
    .applies = fences_are_queried,
    .check = check,
    .played_in = kBothAddressings | ConfigurationSet{Configured::Linked},
    .scenario = kAskedWhilePacketsEnd,
    .control = R"(
about: nothing has completed since the last report
ops:
- create_context: {context: 0}
- render: {context: 0}
- idle
- query_fence: {node: 0}
- render: {context: 0}
- spin: {units: 200}
- advance: {units: 10}
- advance: {units: 10}
- advance: {units: 40}
- query_fence: {node: 0}
- idle
)",
    .fault = {.about = "QueryCurrentFence answers what it found the time before",
              .interposer = [] { return std::unique_ptr<Interposer>(new FromItsCopy); }}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::fence_005
