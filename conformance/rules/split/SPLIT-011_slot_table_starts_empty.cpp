// SPLIT-011: the slot table is per DMA buffer and starts empty.

#include "conformance/rules/rule.h"
#include "conformance/rules/split/refusals.h"

namespace wddm::split_011 {
namespace {

void check(const Trace& trace, const Platform& platform, Judgement& judgement) {
  const auto& buffers = split::planned_buffers(trace);
  for (const auto& [key, buffer] : buffers) {
    if (!buffer.portions.empty()) judgement.reached(buffer.portions.front().event);
  }
  split::for_each_refusal(trace, platform, buffers, [&](const split::Refusal& refusal) {
    if (refusal.reprogrammed) return;  // SPLIT-014
    judgement.reached(refusal.event);
    judgement.fail(
        refusal.event,
        "room for " + split::number(refusal.pages) + " pages: nothing else is bound in this buffer",
        "refused", {refusal.list->rendered});
  });
}

const Rule kRule{
    .id = "SPLIT-011",
    .title = "Slot table is per DMA buffer and starts empty",
    .binds = Binds::Os,
    .rule =
        "For each DMA buffer VidMm uses a table of MaxAllocationListSlotId rows that are all "
        "empty at the start: what an earlier buffer left bound is not required by a later one.",
    .sources =
        "splitting-a-dma-buffer.md # To track allocation usage\n"
        "ns-d3dkmddi-_dxgk_drivercaps.md # MaxAllocationListSlotId",
    .note =
        "That one element updates one row shows in SPLIT-013 and SPLIT-014. Judged where an "
        "allocation that fits a segment is refused although no row of its buffer is bound.",
    .applies = patch_lists,
    .check = check,
    .scenario = R"(
about: a buffer without room for releases leaves a slot bound; the next needs the memory
ops:
# Allocations that no driver has to round up; in the aperture the second has no room either.
- limit_memory: {local: 64, aperture: 40}
- create_allocation: {allocation: 0, pages: 32, place: local}
- create_allocation: {allocation: 2, pages: 48, place: local}
- create_context: {context: 0}
# Releases are elements like others, and the last that a driver makes.
- render: {context: 0, patch_measure: needed_minus, patch_capacity: 2}
- bind: {slot: 0, allocation: 0}
- fill: {slot: 0}
- idle
- render: {context: 0}
- bind: {slot: 1, allocation: 2}
- fill: {slot: 1}
- idle
)",
    .control = R"(
about: the same with room for releases
ops:
- limit_memory: {local: 64, aperture: 40}
- create_allocation: {allocation: 0, pages: 32, place: local}
- create_allocation: {allocation: 2, pages: 48, place: local}
- create_context: {context: 0}
- render: {context: 0}
- bind: {slot: 0, allocation: 0}
- fill: {slot: 0}
- idle
- render: {context: 0}
- bind: {slot: 1, allocation: 2}
- fill: {slot: 1}
- idle
)",
    .fault = {.about = "what a buffer leaves in the table stays required",
              .seat = FaultSeat::Oracle,
              .oracle = OracleFault::KeepSlotTableAcrossBuffers}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::split_011
