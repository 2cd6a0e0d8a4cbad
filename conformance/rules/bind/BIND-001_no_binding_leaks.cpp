// BIND-001: no binding leaks across a split packet.

#include "conformance/rules/rule.h"
#include "conformance/rules/split/named_when_changed.h"
#include "conformance/rules/split/rendered_lists.h"
#include "conformance/rules/split/slot_rows.h"

namespace wddm::bind_001 {
namespace {

NotApplicable leak_detection(const Platform& platform) {
  if (const NotApplicable reason = split::slot_rows(platform)) return reason;
  if (platform.scheduling.no_dma_patching()) return "no leak detection: NoDmaPatching is set";
  return platform.scheduling.preemption_aware() ? nullptr
                                                : "no leak detection: PreemptionAware is not set";
}

void leaked(const split::RenderedList& list, const split::Rows& rows, std::size_t first,
            std::size_t end, Judgement& judgement) {
  for (const auto& [slot, row] : rows.all()) {
    if (row.allocation == kNone) continue;
    bool named = false;
    for (std::size_t i = first; i < end; ++i) named |= list.elements[i].slot() == slot;
    if (named) continue;
    judgement.fail(list.rendered,
                   "an element for every bound slot at split point " +
                       split::number(list.elements[first].split_offset),
                   "slot " + split::number(slot) + ", bound by element " +
                       split::number(row.element) + ", has none");
    return;
  }
}

void check(const Trace& trace, const Platform&, Judgement& judgement) {
  split::for_each_list(trace, [&](const split::RenderedList& list) {
    if (!list.is_sorted() || list.cramped) return;
    split::Rows rows;
    for (std::size_t first = 0, end = 0; first < list.elements.size(); first = end) {
      end = list.group_end(first);
      // Behind a split point at the end nothing runs that could use an old address.
      if (list.elements[first].split_offset >= list.bytes) return;
      const std::int64_t bound = rows.bound();
      if (bound != 0) judgement.reached(list.rendered);
      std::int64_t named = 0;
      split::Rows seen;
      for (std::size_t i = first; i < end; ++i) {
        const split::Rows::Row* const row = rows.find(list.elements[i].slot());
        if (seen.find(list.elements[i].slot()) == nullptr && row && row->allocation != kNone) {
          ++named;
        }
        seen.apply(list, static_cast<std::uint32_t>(i));
      }
      if (named < bound) return leaked(list, rows, first, end, judgement);
      for (std::size_t i = first; i < end; ++i) rows.apply(list, static_cast<std::uint32_t>(i));
    }
  });
}

const Rule kRule{
    .id = "BIND-001",
    .aliases = "PREEMPT-026",
    .title = "No binding leaks across a split packet",
    .rule =
        "At each split point, every slot that is still bound is named by an element with that "
        "SplitOffset: with the same allocation, with another one, or with none.",
    .sources =
        "gpu-preemption.md # binding leak detection\n"
        "ns-d3dkmddi-_dxgk_vidschcaps.md # NoDmaPatching",
    .note =
        "The documents do not say whether detection looks at split points that are taken or at "
        "all that may be. Since any may be taken, all are judged, but for those of buffers that "
        "had less room than DXGK_CONTEXTINFO asks for, which Windows never gives.",
    .unreached =
        "no slot is bound at a split point: its buffers have one, or release all before it",
    .applies = leak_detection,
    .check = check,
    .scenario = R"(
about: a constant buffer stays bound while the texture beside it changes
ops:
- create_allocation: {allocation: 0, place: local}
- create_allocation: {allocation: 1, place: local}
- create_allocation: {allocation: 2, place: local}
- make_resident: {allocation: 0}
- make_resident: {allocation: 1}
- make_resident: {allocation: 2}
- create_context: {context: 0}
- render: {context: 0}
- bind: {slot: 5, allocation: 0}
- bind: {slot: 0, allocation: 1}
- copy: {slot: 0, source: 5}
- bind: {slot: 0, allocation: 2}
- copy: {slot: 0, source: 5}
- idle
)",
    .control = R"(
about: every slot is released before the next split point
ops:
- create_allocation: {allocation: 0}
- create_allocation: {allocation: 1}
- create_context: {context: 0}
- split_points: {take: all}
- render: {context: 0}
- bind: {slot: 5, allocation: 0}
- fill: {slot: 5}
- unbind: {slot: 5}
- bind: {slot: 0, allocation: 1}
- fill: {slot: 0}
- unbind: {slot: 0}
- idle
)",
    .fault = {.about = "slots that stay bound are left out of the list at later split points",
              .interposer = [] { return std::unique_ptr<Interposer>(new split::NamesChangesOnly); },
              .also_fires = "RENDER-003 RENDER-007"}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::bind_001
