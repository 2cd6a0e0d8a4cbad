// SPLIT-013: allocations that are bound keep their location.

#include <algorithm>

#include "conformance/rules/rule.h"
#include "conformance/rules/scratch.h"
#include "conformance/rules/split/portions.h"

namespace wddm::split_013 {
namespace {

// Paging before a portion may take out what nothing names, and what the portion's first group
// reprograms until it has been brought in again.
void check_steps(const split::PlannedBuffer& buffer, const split::Planned& planned,
                 const ScratchSet<std::uint32_t>& kept, Judgement& judgement) {
  ScratchSet<std::uint32_t> placed = kept;
  ScratchSet<std::uint32_t> reported;
  for (std::size_t i = 0; i < planned.steps.size(); ++i) {
    const PagingStepRecord& step = planned.steps[i];
    judgement.reached(planned.event);
    if (split::is_page_in(planned.steps, i)) {
      placed.insert(step.allocation);
    } else if (placed.count(step.allocation) != 0 && reported.insert(step.allocation).second) {
      judgement.fail(planned.event,
                     "allocation " + split::number(step.allocation) + ", which is bound, stays",
                     "it is paged out before the portion from byte " +
                         split::number(planned.portion.start) + " on",
                     {buffer.list.rendered});
    }
  }
}

void check(const Trace& trace, const Platform&, Judgement& judgement) {
  for (const auto& [key, buffer] : split::planned_buffers(trace)) {
    const split::RenderedList& list = buffer.list;
    split::Rows rows;
    std::uint32_t applied = 0;
    for (const split::Planned& planned : buffer.portions) {
      const auto elements = split::elements_of(list, planned.portion);
      while (applied < std::min<std::size_t>(planned.portion.first, list.elements.size())) {
        rows.apply(list, applied++);
      }
      ScratchSet<std::uint32_t> reprogrammed, kept;
      for (const PatchRecord& element : elements) {
        if (element.split_offset == planned.portion.start) reprogrammed.insert(element.slot());
      }
      for (const auto& [slot, row] : rows.all()) {
        if (row.allocation != kNone && reprogrammed.count(slot) == 0) kept.insert(row.allocation);
      }
      check_steps(buffer, planned, kept, judgement);
    }
  }
}

const Rule kRule{
    .id = "SPLIT-013",
    .title = "Allocations still in the slot table keep their location across a split",
    .binds = Binds::Os,
    .rule =
        "Where a portion is cut, every allocation in a row that is not reprogrammed at the split "
        "point keeps its place, and so does what has been brought in for the next portion. Only "
        "allocations that no row names are paged out to make room.",
    .sources = "splitting-a-dma-buffer.md # Once submitted / When taking a split point",
    .note =
        "A driver that reprograms all slots at each split point, as the built-in one does, keeps "
        "none; then what the next portion has brought in already is judged.",
    .applies = patch_lists,
    .check = check,
    .scenario = R"(
about: one target for the whole buffer, and two textures of which one fits beside it
ops:
# Allocations that no driver has to round up.
- limit_memory: {local: 48, aperture: 8}
- create_allocation: {allocation: 0, pages: 16, place: local}
- create_allocation: {allocation: 1, pages: 32, place: local}
- create_allocation: {allocation: 2, pages: 32, place: local}
- create_context: {context: 0}
- render: {context: 0}
- bind: {slot: 0, allocation: 0}
- bind: {slot: 1, allocation: 1}
- copy: {slot: 0, source: 1}
- bind: {slot: 1, allocation: 2}
- copy: {slot: 0, source: 1}
- idle
)",
    .control = R"(
about: the same in a segment that holds all
ops:
- create_allocation: {allocation: 0, pages: 2, place: local}
- create_allocation: {allocation: 1, pages: 5, place: local}
- create_allocation: {allocation: 2, pages: 5, place: local}
- create_context: {context: 0}
- render: {context: 0}
- bind: {slot: 0, allocation: 0}
- bind: {slot: 1, allocation: 1}
- copy: {slot: 0, source: 1}
- bind: {slot: 1, allocation: 2}
- copy: {slot: 0, source: 1}
- idle
)",
    .fault = {.about = "what the last portion has brought in is paged out and in again",
              .seat = FaultSeat::Oracle,
              .oracle = OracleFault::RelocateBoundAllocations}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::split_013
