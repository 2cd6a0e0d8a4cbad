// SPLIT-018: a preemption-aware driver treats a portion as a full packet.

#include "conformance/rules/differing_memory.h"
#include "conformance/rules/rule.h"
#include "conformance/rules/split/split_memory.h"

namespace wddm::split_018 {
namespace {

NotApplicable interleaved_portions(const Platform& platform) {
  if (const NotApplicable reason = patch_lists(platform)) return reason;
  return platform.scheduling.preemption_aware()
             ? nullptr
             : "no other context runs between portions: PreemptionAware is not set";
}

void check(const Trace& trace, const Platform&, Judgement& judgement) {
  split::for_each_split_result(trace, [&](std::uint32_t index, const split::Submission& buffer,
                                          std::uint32_t differs) {
    if (!buffer.interleaved) return;  // SPLIT-005
    judgement.reached(index);
    if (differs == kNone) return;
    const auto difference = trace.at<ev::MemoryDiffers>(differs);
    judgement.fail(differs, "the bytes of a run without the other context",
                   difference_text(difference) + ", after another context ran between the portions",
                   {buffer.last_event});
  });
}

const Rule kRule{
    .id = "SPLIT-018",
    .aliases = "PREEMPT-021 PREEMPT-022",
    .title = "A preemption-aware driver treats a partial portion as a full packet",
    .evidence = Evidence::Memory,
    .rule =
        "The scheduler may run other contexts between two portions of one buffer, so the state "
        "of the context is restored for every portion, also for one that does not begin at the "
        "start of its buffer. The results are those of the uninterrupted run.",
    .sources = "gpu-preemption.md # Memory mapping considerations (split packets)",
    .unreached = "no other context ran between portions of a buffer",
    .applies = interleaved_portions,
    .check = check,
    .scenario = R"(
about: a context with other values runs between the two portions of a buffer
ops:
- create_allocation: {allocation: 0, place: local}
- create_allocation: {allocation: 1, place: local}
- create_allocation: {allocation: 2, place: local}
- make_resident: {allocation: 0}
- make_resident: {allocation: 1}
- make_resident: {allocation: 2}
- create_context: {context: 0}
- create_context: {context: 1}
# What every buffer ends with is brought in here, so that none of the two waits for paging.
- render: {context: 0}
- spin: {units: 1}
- idle
- interleave: {}
- split_points: {take: all}
- render: {context: 0}
- bind: {slot: 0, allocation: 0}
- spin: {units: 50}
- fill: {slot: 0, value: 0x11111111}
- bind: {slot: 0, allocation: 1}
- fill: {slot: 0, value: 0x22222222}
- spin: {units: 50}
- bind: {slot: 0, allocation: 0}
- fill: {slot: 0, value: 0x33333333, size: 1024}
- render: {context: 1}
- bind: {slot: 0, allocation: 2}
- fill: {slot: 0, value: 0x44444444}
- spin: {units: 50}
- bind: {slot: 0, allocation: 2}
- fill: {slot: 0, value: 0x55555555, size: 1024}
- idle
)",
    .control = R"(
about: two contexts, one whole buffer after the other
ops:
- create_allocation: {allocation: 0, place: local}
- create_allocation: {allocation: 1, place: local}
- create_context: {context: 0}
- create_context: {context: 1}
- render: {context: 0}
- bind: {slot: 0, allocation: 0}
- fill: {slot: 0, value: 0x11111111}
- render: {context: 1}
- bind: {slot: 0, allocation: 1}
- fill: {slot: 0, value: 0x44444444}
- idle
)",
    .fault = {.about = "context state is restored only where DmaBufferSubmissionStartOffset is 0",
              .seat = FaultSeat::Variant,
              .variant = 2,
              .also_fires = "FENCE-002 SPLIT-006"}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::split_018
