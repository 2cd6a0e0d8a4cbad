// SPLIT-015: any split point may be taken, repeatedly, and portions tile the buffer.

#include "conformance/rules/rule.h"
#include "conformance/rules/split/portions.h"

namespace wddm::split_015 {
namespace {

void check_plan(const split::PlannedBuffer& buffer, Judgement& judgement) {
  std::uint32_t offset = 0, element = 0;
  for (const split::Planned& planned : buffer.portions) {
    const ev::PortionPlanned& portion = planned.portion;
    judgement.reached(planned.event);
    if (portion.start != offset || portion.first != element) {
      judgement.fail(
          planned.event,
          "byte " + split::number(offset) + " and element " + split::number(element) + " next",
          "byte " + split::number(portion.start) + " and element " + split::number(portion.first),
          {buffer.list.rendered});
      return;
    }
    offset = portion.end;
    element += portion.count;
    const bool last = portion.why == static_cast<std::uint32_t>(CutReason::End);
    if (!last || (offset == buffer.list.bytes && element == buffer.list.elements.size())) continue;
    judgement.fail(
        planned.event, "the last portion ends with the buffer",
        "it ends at byte " + split::number(offset) + ", element " + split::number(element),
        {buffer.list.rendered});
  }
}

void check_submissions(const Trace& trace, Judgement& judgement) {
  for (const auto& [index, plan] : split::first_submissions(trace)) {
    const auto submitted = trace.at<ev::Submitted>(index);
    judgement.reached(index);
    if (plan != kNone) {
      const auto portion = trace.at<ev::PortionPlanned>(plan);
      if (submitted.start == portion.start && submitted.end == portion.end) continue;
    }
    judgement.fail(
        index, "the next portion of the buffer",
        "bytes " + split::number(submitted.start) + " to " + split::number(submitted.end), {plan});
  }
}

void check(const Trace& trace, const Platform&, Judgement& judgement) {
  for (const auto& [key, buffer] : split::planned_buffers(trace)) check_plan(buffer, judgement);
  check_submissions(trace, judgement);
}

const Rule kRule{
    .id = "SPLIT-015",
    .aliases = "SCHED-004",
    .title = "Any emitted split point may be taken, repeatedly, and portions tile the buffer",
    .binds = Binds::Os,
    .rule =
        "One DMA buffer may be split at any number of its SplitOffsets. The first portion starts "
        "at 0, each other where the one before ends, the last ends with the buffer; the element "
        "ranges tile the list in the same way.",
    .sources =
        "splitting-a-dma-buffer.md # Each split point is used / continues to process the "
        "list, potentially splitting multiple times",
    .note = "A portion that is submitted again after preemption is not covered.",
    .applies = patch_lists,
    .check = check,
    .scenario = R"(
about: three groups, each split point taken; every word is to grow once
ops:
- create_allocation: {allocation: 0, place: local}
- create_allocation: {allocation: 1, place: local}
- create_allocation: {allocation: 2, place: local}
- create_context: {context: 0}
- split_points: {take: all}
- render: {context: 0}
- bind: {slot: 0, allocation: 0}
- add: {slot: 0}
- bind: {slot: 1, allocation: 1}
- add: {slot: 1}
- bind: {slot: 2, allocation: 2}
- add: {slot: 2}
- idle
)",
    .control = R"(
about: one of the split points taken
ops:
- create_allocation: {allocation: 0, place: local}
- create_allocation: {allocation: 1, place: local}
- create_context: {context: 0}
- split_points: {take: mask, mask: 0x2}
- render: {context: 0}
- bind: {slot: 0, allocation: 0}
- add: {slot: 0}
- bind: {slot: 1, allocation: 1}
- add: {slot: 1}
- idle
)",
    .fault = {.about = "after the second split the buffer starts again at offset 0",
              .seat = FaultSeat::Oracle,
              .oracle = OracleFault::RestartAfterSecondSplit,
              .also_fires = "PATCH-006 SPLIT-005"}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::split_015
