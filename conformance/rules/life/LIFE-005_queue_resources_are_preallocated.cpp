// LIFE-005: queue resources for RequiredDmaQueueEntry are preallocated.

#include "conformance/host/interposer.h"
#include "conformance/rules/rule.h"

namespace wddm {
namespace {

// The scenario lets every pool allocation fail; what was queued must be submitted all the same.
void check(const Trace& trace, const Platform&, Judgement& judgement) {
  for (const std::uint32_t index : trace.of<ev::Submitted>()) {
    const auto submitted = trace.at<ev::Submitted>(index);
    judgement.reached(index);
    if (submitted.status == 0) continue;
    judgement.fail(index, "SubmitCommand takes up to RequiredDmaQueueEntry packets without fail",
                   status_name(submitted.status));
  }
}

const Rule kRule{.id = "LIFE-005",
                 .title = "Queue resources for RequiredDmaQueueEntry are preallocated",
                 .rule =
                     "Before the first submission the driver reserves resources for at least "
                     "DXGK_START_INFO::RequiredDmaQueueEntry DMA buffers in its queue; up to "
                     "that many outstanding submissions it neither fails nor drops one, even "
                     "when allocations fail meanwhile.",
                 .sources = "ns-dispmprt-_dxgk_start_info.md # RequiredDmaQueueEntry",
                 .applies = rendering,
                 .check = check,
                 .scenario = R"(
about: sixteen packets on a stalled node while no pool allocation succeeds
ops:
- create_context: {context: 0}
- render: {context: 0}
- idle
- render: {context: 0}
- spin: {units: 20}
- render: {context: 0}
- spin: {units: 20}
- render: {context: 0}
- spin: {units: 20}
- render: {context: 0}
- spin: {units: 20}
- render: {context: 0}
- spin: {units: 20}
- render: {context: 0}
- spin: {units: 20}
- render: {context: 0}
- spin: {units: 20}
- render: {context: 0}
- spin: {units: 20}
- render: {context: 0}
- spin: {units: 20}
- render: {context: 0}
- spin: {units: 20}
- render: {context: 0}
- spin: {units: 20}
- render: {context: 0}
- spin: {units: 20}
- render: {context: 0}
- spin: {units: 20}
- render: {context: 0}
- spin: {units: 20}
- render: {context: 0}
- spin: {units: 20}
- render: {context: 0}
- spin: {units: 20}
- fail_pool: {kth: 1, every: true}
- queue_depth: {packets: 16}
- idle
)",
                 .control = R"(
about: sixteen packets, and allocations succeed
ops:
- create_context: {context: 0}
- queue_depth: {packets: 16}
- render: {context: 0}
- spin: {units: 2}
- render: {context: 0}
- spin: {units: 2}
- render: {context: 0}
- spin: {units: 2}
- render: {context: 0}
- spin: {units: 2}
- render: {context: 0}
- spin: {units: 2}
- render: {context: 0}
- spin: {units: 2}
- render: {context: 0}
- spin: {units: 2}
- render: {context: 0}
- spin: {units: 2}
- render: {context: 0}
- spin: {units: 2}
- render: {context: 0}
- spin: {units: 2}
- render: {context: 0}
- spin: {units: 2}
- render: {context: 0}
- spin: {units: 2}
- render: {context: 0}
- spin: {units: 2}
- render: {context: 0}
- spin: {units: 2}
- render: {context: 0}
- spin: {units: 2}
- render: {context: 0}
- spin: {units: 2}
- idle
)",
                 .fault = {.about = "SubmitCommand allocates a block from pool for each packet",
                           .seat = FaultSeat::Variant,
                           .variant = 9,
                           .also_fires = "PATCH-004"}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm
