// SPLIT-010: VidMm brings allocations in following list order.

#include "conformance/rules/rule.h"
#include "conformance/rules/scratch.h"
#include "conformance/rules/split/portions.h"

namespace wddm::split_010 {
namespace {

void check(const Trace& trace, const Platform&, Judgement& judgement) {
  for (const auto& [key, buffer] : split::planned_buffers(trace)) {
    for (const split::Planned& planned : buffer.portions) {
      const auto elements = split::elements_of(buffer.list, planned.portion);
      ScratchMap<std::uint32_t, std::uint32_t> first_named;  // element by allocation
      for (std::uint32_t i = 0; i < elements.size(); ++i) {
        if (buffer.list.names_allocation(elements[i])) {
          first_named.emplace(buffer.list.allocation_of(elements[i]), planned.portion.first + i);
        }
      }
      std::uint32_t latest = 0;
      for (std::size_t i = 0; i < planned.steps.size(); ++i) {
        const PagingStepRecord& step = planned.steps[i];
        const auto found = first_named.find(step.allocation);
        if (!split::is_page_in(planned.steps, i) || found == first_named.end()) continue;
        judgement.reached(planned.event);
        if (found->second < latest) {
          judgement.fail(planned.event,
                         "allocation " + split::number(step.allocation) + " of element " +
                             split::number(found->second) + " brought in before that of element " +
                             split::number(latest),
                         "it comes after it", {buffer.list.rendered});
          break;
        }
        latest = found->second;
      }
    }
  }
}

const Rule kRule{
    .id = "SPLIT-010",
    .title = "VidMm brings allocations in following list order",
    .binds = Binds::Os,
    .rule =
        "The memory manager walks the patch-location list from the first to the last element and "
        "brings allocations in in that order.",
    .sources = "splitting-a-dma-buffer.md # paging in (third body paragraph)",
    .note = "Allocations that are resident already cause no paging and are not compared.",
    .applies = patch_lists,
    .check = check,
    .scenario = R"(
about: three allocations, the largest first
ops:
- create_allocation: {allocation: 0, pages: 3, place: local}
- create_allocation: {allocation: 1, pages: 2, place: local}
- create_allocation: {allocation: 2, pages: 1, place: local}
- create_context: {context: 0}
- render: {context: 0}
- bind: {slot: 0, allocation: 0}
- fill: {slot: 0}
- bind: {slot: 1, allocation: 1}
- fill: {slot: 1}
- bind: {slot: 2, allocation: 2}
- fill: {slot: 2}
- idle
)",
    .control = R"(
about: the same with the first of them resident
ops:
- create_allocation: {allocation: 0, pages: 3, place: local}
- create_allocation: {allocation: 1, pages: 2, place: local}
- make_resident: {allocation: 0}
- create_context: {context: 0}
- render: {context: 0}
- bind: {slot: 0, allocation: 0}
- fill: {slot: 0}
- bind: {slot: 1, allocation: 1}
- fill: {slot: 1}
- idle
)",
    .fault = {.about = "what a portion needs is paged in by size",
              .seat = FaultSeat::Oracle,
              .oracle = OracleFault::SortPageInsBySize}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::split_010
