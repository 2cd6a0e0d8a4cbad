// SPLIT-012: the portion up to the SplitOffset of the element that cannot be served is submitted.

#include "conformance/rules/rule.h"
#include "conformance/rules/split/portions.h"

namespace wddm::split_012 {
namespace {

void check(const Trace& trace, const Platform&, Judgement& judgement) {
  for (const auto& [key, buffer] : split::planned_buffers(trace)) {
    for (const split::Planned& planned : buffer.portions) {
      const ev::PortionPlanned& portion = planned.portion;
      if (portion.why == static_cast<std::uint32_t>(CutReason::End)) continue;
      judgement.reached(planned.event);
      const std::uint64_t next = std::uint64_t{portion.first} + portion.count;
      const auto& elements = buffer.list.elements;
      if (next >= elements.size() || elements[next].split_offset != portion.end) {
        judgement.fail(
            planned.event, "an end at the SplitOffset of the first element left out",
            "end " + split::number(portion.end) + ", next element " + split::number(next),
            {buffer.list.rendered});
      } else if (portion.count != 0 && elements[next - 1].split_offset >= portion.end) {
        judgement.fail(planned.event, "elements with a lower SplitOffset only",
                       "element " + split::number(next - 1) + " belongs to the next portion",
                       {buffer.list.rendered});
      }
    }
  }
}

const Rule kRule{
    .id = "SPLIT-012",
    .title = "On low memory the portion up to the failing element's SplitOffset is submitted",
    .binds = Binds::Os,
    .rule =
        "If the allocation of an element cannot be brought in, the bytes from the previous split "
        "point up to, not including, its SplitOffset are submitted, patched with the elements "
        "of lower SplitOffset, and work goes on from there.",
    .sources =
        "splitting-a-dma-buffer.md # When a point is reached\n"
        "ns-d3dkmddi-_dxgkarg_patch.md # submission offsets",
    .note =
        "Derived: elements that share the SplitOffset of the failing one belong to the next "
        "portion. Split points that are taken although memory suffices are judged alike.",
    .applies = patch_lists,
    .check = check,
    .scenario = R"(
about: segments with room for one of two allocations
ops:
# Allocations that no driver has to round up.
- limit_memory: {local: 24, aperture: 8}
- create_allocation: {allocation: 0, pages: 16, place: local}
- create_allocation: {allocation: 1, pages: 16, place: local}
- create_context: {context: 0}
- render: {context: 0}
- bind: {slot: 0, allocation: 0}
- fill: {slot: 0}
- unbind: {slot: 0}
- bind: {slot: 1, allocation: 1}
- fill: {slot: 1}
- idle
)",
    .control = R"(
about: room for both; then for one at a time of three that came in one call
ops:
- create_allocation: {allocation: 0, pages: 5, place: local}
- create_allocation: {allocation: 1, pages: 5, place: local}
- create_context: {context: 0}
- render: {context: 0}
- bind: {slot: 0, allocation: 0}
- fill: {slot: 0}
- unbind: {slot: 0}
- bind: {slot: 1, allocation: 1}
- fill: {slot: 1}
- idle
- stop
- limit_memory: {local: 24, aperture: 8}
- start
- share: {on: false, more: 2}
- create_allocation: {allocation: 0, pages: 16, place: local}
- create_context: {context: 0}
- render: {context: 0}
- bind: {slot: 0, allocation: 2}
- fill: {slot: 0}
- unbind: {slot: 0}
- bind: {slot: 1, allocation: 0}
- fill: {slot: 1}
- unbind: {slot: 1}
- bind: {slot: 0, allocation: 1}
- fill: {slot: 0, size: 256}
- idle
)",
    .fault = {.about = "the end is taken from PatchOffset instead of SplitOffset",
              .seat = FaultSeat::Oracle,
              .oracle = OracleFault::CutAtPatchOffset,
              .also_fires = "FENCE-001 SPLIT-013 SUBMIT-017"}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::split_012
