// BIND-006: simultaneously used allocations have distinct slots.

#include "conformance/host/interposer.h"
#include "conformance/rules/rule.h"
#include "conformance/rules/scratch.h"
#include "conformance/rules/split/rendered_lists.h"
#include "conformance/rules/split/slot_rows.h"

namespace wddm::bind_006 {
namespace {

// O(n log n) over all groups.
void check_group(const split::RenderedList& list, std::size_t first, std::size_t end,
                 Judgement& judgement) {
  ScratchMap<std::uint32_t, std::uint32_t> named;  // allocation by slot
  for (std::size_t i = first; i < end; ++i) {
    if (!list.names_allocation(list.elements[i])) continue;
    judgement.reached(list.rendered);
    const std::uint32_t allocation = list.allocation_of(list.elements[i]);
    const auto [row, is_new] = named.emplace(list.elements[i].slot(), allocation);
    if (is_new || row->second == allocation) continue;
    judgement.fail(
        list.rendered,
        "one allocation in slot " + split::number(row->first) + " at split point " +
            split::number(list.elements[first].split_offset),
        "allocations " + split::number(row->second) + " and " + split::number(allocation));
    return;
  }
}

void check(const Trace& trace, const Platform&, Judgement& judgement) {
  split::for_each_list(trace, [&](const split::RenderedList& list) {
    if (!list.is_sorted()) return;
    for (std::size_t first = 0, end = 0; first < list.elements.size(); first = end) {
      end = list.group_end(first);
      check_group(list, first, end, judgement);
    }
  });
}

// A driver that never thought about slots.
class OneSlot final : public Interposer {
 public:
  NTSTATUS Render(HANDLE context, DXGKARG_RENDER* render) override {
    D3DDDI_PATCHLOCATIONLIST* const first = render->pPatchLocationListOut;
    const NTSTATUS status = Interposer::Render(context, render);
    for (auto* at = first; at < render->pPatchLocationListOut; ++at) at->SlotId = 0;
    return status;
  }
};

const Rule kRule{
    .id = "BIND-006",
    .title = "Simultaneously used allocations have distinct slots",
    .rule =
        "Within one split group a SlotId is not given two different allocations: the commands "
        "behind the split point use both, and only the last would stay in its row.",
    .sources =
        "splitting-a-dma-buffer.md # resource table row semantics\n"
        "ns-d3dukmdt-_d3dddi_patchlocationlist.md # SlotId",
    .applies = split::slot_rows,
    .check = check,
    .scenario = R"(
about: one draw reads one allocation and writes another
ops:
- create_allocation: {allocation: 0}
- create_allocation: {allocation: 1}
- create_context: {context: 0}
- render: {context: 0}
- bind: {slot: 0, allocation: 0}
- bind: {slot: 1, allocation: 1}
- copy: {slot: 0, source: 1}
- idle
)",
    .control = R"(
about: one allocation in two slots
ops:
- create_allocation: {allocation: 0, pages: 2}
- create_context: {context: 0}
- render: {context: 0}
- bind: {slot: 0, allocation: 0}
- bind: {slot: 1, allocation: 0}
- copy: {slot: 0, source: 1, source_offset: 4096}
- idle
)",
    .fault = {.about = "every element has SlotId 0",
              .interposer = [] { return std::unique_ptr<Interposer>(new OneSlot); }}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::bind_006
