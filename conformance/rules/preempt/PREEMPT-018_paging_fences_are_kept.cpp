// PREEMPT-018: paging that was preempted comes again under the fence that it had.

#include "conformance/rules/preempt/resubmissions.h"

namespace wddm::preempt_018 {
namespace {

void check(const Trace& trace, const Platform&, Judgement& judgement) {
  preempt::for_each_submission(trace, [&](const preempt::Submission& one) {
    if (one.packet.paging == 0 || one.from != preempt::CameBack::Preempted) return;
    judgement.reached(one.event);
    if (one.packet.fence == one.first_fence) return;
    judgement.fail(
        one.event,
        "paging that was preempted keeps SubmissionFenceId " + std::to_string(one.first_fence),
        "SubmissionFenceId " + std::to_string(one.packet.fence), {one.before, one.returned});
  });
}

const Rule kRule{
    .id = "PREEMPT-018",
    .title = "Preempted paging packets keep their fence identifiers",
    .binds = Binds::Os,
    .rule =
        "A packet of paging that was preempted is submitted again with exactly the "
        "SubmissionFenceId that it had at first.",
    .sources = "gpu-preemption.md # Memory mapping considerations (paging command fence IDs)",
    .note = "The order among several is PREEMPT-019.",
    .applies = preempt::preempting,
    .check = check,
    .played_in = {Configured::Default, Configured::NoDmaPatching, Configured::GpuVirtual},
    .scenario = R"(
about: a long Fill is preempted in the middle
ops:
- create_allocation: {allocation: 0, pages: 32, place: local}
- make_resident: {allocation: 0}
- advance: {units: 3}
- preempt: {node: 0}
- idle
)",
    .control = R"(
about: paging is done by then
ops:
- create_allocation: {allocation: 0, place: local}
- make_resident: {allocation: 0}
- idle
- preempt: {node: 0}
- idle
)",
    .fault = {.about = "paging that was preempted gets a new fence",
              .seat = FaultSeat::Oracle,
              .oracle = OracleFault::PagingFenceRenewed}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::preempt_018
