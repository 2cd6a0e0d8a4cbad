// PREEMPT-004: DxgkDdiPreemptCommand never fails.

#include "conformance/host/interposer.h"
#include "conformance/rules/rule.h"

namespace wddm::preempt_004 {
namespace {

void check(const Trace& trace, const Platform&, Judgement& judgement) {
  for (const std::uint32_t index : trace.of<ev::PreemptAsked>()) {
    const auto asked = trace.at<ev::PreemptAsked>(index);
    // On an idle node there is nothing that could fail.
    if (asked.outstanding != 0) judgement.reached(index);
    if (asked.status == 0) continue;
    judgement.fail(index, "STATUS_SUCCESS from DxgkDdiPreemptCommand", status_name(asked.status));
  }
}

// A driver that refuses because its granularity is NONE.
class Refuses final : public Interposer {
 public:
  NTSTATUS PreemptCommand(HANDLE adapter, const DXGKARG_PREEMPTCOMMAND* preempt) override {
    static_cast<void>(Interposer::PreemptCommand(adapter, preempt));
    return STATUS_NOT_SUPPORTED;
  }
};

const Rule kRule{
    .id = "PREEMPT-004",
    .title = "DxgkDdiPreemptCommand never fails",
    .rule =
        "DxgkDdiPreemptCommand returns STATUS_SUCCESS in every state of the engine: idle, "
        "running, stalled, just preempted, with as many packets as were announced, and where no "
        "memory is to be had. An error is bug check 0x119 with parameter 1 = 0x2.",
    .sources = "nc-d3dkmddi-dxgkddi_preemptcommand.md # return value, Remarks",
    .applies = submitting,
    .check = check,
    .played_in = kBothAddressings,
    .scenario = R"(
about: preempted while idle, busy, stalled on a semaphore that is signalled later, and full
ops:
- create_context: {context: 0}
# On a driver with one node nobody signals; a stall that the scenario makes itself is excused.
- create_context: {context: 1, node: 1}
- preempt: {node: 0}
- idle
- render: {context: 0}
- spin: {units: 100}
- advance: {units: 3}
- preempt: {node: 0}
- idle
- render: {context: 0}
- wait: {semaphore: 1, value: 1}
- advance: {units: 10}
- preempt: {node: 0}
- render: {context: 1}
- signal: {semaphore: 1, value: 1}
- idle
# As full as the driver was told to have room for, behind a packet that runs.
- queue_depth: {packets: 64}
- render: {context: 0}
- spin: {units: 3000}
- render: {context: 0}
- render: {context: 0}
- render: {context: 0}
- render: {context: 0}
- render: {context: 0}
- render: {context: 0}
- render: {context: 0}
- render: {context: 0}
- render: {context: 0}
- render: {context: 0}
- render: {context: 0}
- render: {context: 0}
- render: {context: 0}
- render: {context: 0}
- render: {context: 0}
- render: {context: 0}
- render: {context: 0}
- render: {context: 0}
- render: {context: 0}
- render: {context: 0}
- advance: {units: 20}
- advance: {units: 40}
- preempt: {node: 0}
- idle
)",
    .control = R"(
about: a busy engine, an idle one, and the same while no pool allocation succeeds
ops:
- create_context: {context: 0}
- render: {context: 0}
- spin: {units: 100}
- advance: {units: 3}
- preempt: {node: 0}
- idle
- fail_pool: {kth: 1, every: true}
- preempt: {node: 0}
- render: {context: 0}
- spin: {units: 300}
- advance: {units: 10}
- advance: {units: 10}
- advance: {units: 20}
- fail_pool: {kth: 1, every: true}
- preempt: {node: 0}
- idle
)",
    .fault = {.about = "the request is carried out and refused",
              .interposer = [] { return std::unique_ptr<Interposer>(new Refuses); }}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::preempt_004
