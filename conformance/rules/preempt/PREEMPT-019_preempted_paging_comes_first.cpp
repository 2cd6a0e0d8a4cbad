// PREEMPT-019: paging that was preempted is submitted again before anything else of its engine.

#include "conformance/rules/preempt/paging_first.h"

namespace wddm::preempt_019 {
namespace {

// After a reset of the engine it is ENGRST-009.
void check(const Trace& trace, const Platform&, Judgement& judgement) {
  preempt::judge_paging_first(trace, preempt::CameBack::Preempted, judgement);
}

const Rule kRule{
    .id = "PREEMPT-019",
    .title = "Preempted paging packets come first on their engine",
    .binds = Binds::Os,
    .rule =
        "On an engine that was preempted nothing is submitted before all paging packets that came "
        "back have been submitted again, in their order and whatever the priority of the others.",
    .sources = "gpu-preemption.md # Memory mapping considerations (paging command fence IDs)",
    .applies = preempt::preempting_commands,
    .check = check,
    .played_in = {Configured::Default, Configured::NoDmaPatching, Configured::GpuVirtual},
    .scenario = R"(
about: an engine is preempted that has paging, and a packet behind it
ops:
- create_context: {context: 0}
- queue_depth: {packets: 4}
- render: {context: 0}
- idle
- create_allocation: {allocation: 0, pages: 32, place: local}
- make_resident: {allocation: 0}
- advance: {units: 2}
- render: {context: 0}
- spin: {units: 5}
- advance: {units: 1}
- preempt: {node: 0}
- idle
)",
    .control = R"(
about: an engine is preempted that has no paging
ops:
- create_context: {context: 0}
- render: {context: 0}
- spin: {units: 300}
- advance: {units: 10}
- preempt: {node: 0}
- idle
)",
    .fault = {.about = "what renders is submitted before what pages",
              .seat = FaultSeat::Oracle,
              .oracle = OracleFault::PagingAfterOthers}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::preempt_019
