// SPLIT-014: slots reprogrammed at the split point are free to move.

#include "conformance/rules/rule.h"
#include "conformance/rules/split/refusals.h"

namespace wddm::split_014 {
namespace {

void check(const Trace& trace, const Platform& platform, Judgement& judgement) {
  const auto& buffers = split::planned_buffers(trace);
  for (const auto& [key, buffer] : buffers) {
    for (const split::Planned& planned : buffer.portions) {
      if (planned.portion.index != 0) judgement.reached(planned.event);
    }
  }
  split::for_each_refusal(trace, platform, buffers, [&](const split::Refusal& refusal) {
    if (!refusal.reprogrammed) return;  // SPLIT-011
    judgement.reached(refusal.event);
    judgement.fail(refusal.event,
                   "room for " + split::number(refusal.pages) +
                       " pages: every bound slot is reprogrammed at the split point",
                   "refused", {refusal.list->rendered});
  });
}

const Rule kRule{
    .id = "SPLIT-014",
    .title = "Slots reprogrammed at the split point are free to move",
    .binds = Binds::Os,
    .rule =
        "Where a split is taken, the allocations of slots that have an element with that "
        "SplitOffset do not constrain by their old places where the next portion's allocations "
        "go.",
    .sources = "splitting-a-dma-buffer.md # When calculating the state at a split point",
    .note =
        "Judged where a group whose allocations fit a segment together is refused although "
        "every bound slot is reprogrammed by it.",
    .applies = patch_lists,
    .check = check,
    .scenario = R"(
about: a texture in the middle of the segment has to move to make room for what needs more than half of it in one piece
ops:
# Allocations that no driver has to round up; in the aperture neither has room.
- limit_memory: {local: 176, aperture: 40}
- create_allocation: {allocation: 3, pages: 48, place: local}
- create_allocation: {allocation: 0, pages: 64, place: local}
- create_allocation: {allocation: 1, pages: 96, place: local}
- make_resident: {allocation: 3}
- make_resident: {allocation: 0}
- evict: {allocation: 3}
- create_context: {context: 0}
- render: {context: 0}
- bind: {slot: 0, allocation: 0}
- fill: {slot: 0}
- bind: {slot: 1, allocation: 1}
- copy: {slot: 0, source: 1}
- idle
)",
    .control = R"(
about: the texture lies at the start of the segment and need not move
ops:
- limit_memory: {local: 176, aperture: 40}
- create_allocation: {allocation: 0, pages: 64, place: local}
- create_allocation: {allocation: 1, pages: 96, place: local}
- make_resident: {allocation: 0}
- create_context: {context: 0}
- render: {context: 0}
- bind: {slot: 0, allocation: 0}
- fill: {slot: 0}
- bind: {slot: 1, allocation: 1}
- copy: {slot: 0, source: 1}
- idle
)",
    .fault = {.about = "what a buffer names and is resident stays where it is",
              .seat = FaultSeat::Oracle,
              .oracle = OracleFault::PinReprogrammedRows}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::split_014
