// SPLIT-001: the output list of Render is ordered by SplitOffset.

#include "conformance/host/interposer.h"
#include "conformance/rules/rule.h"
#include "conformance/rules/split/rendered_lists.h"

namespace wddm::split_001 {
namespace {

void check(const Trace& trace, const Platform&, Judgement& judgement) {
  split::for_each_list(trace, [&](const split::RenderedList& list) {
    const auto elements = list.elements;
    if (elements.size() < 2) return;  // one has no order
    judgement.reached(list.rendered);
    for (std::size_t i = 1; i < elements.size(); ++i) {
      if (elements[i].split_offset >= elements[i - 1].split_offset) continue;
      judgement.fail(list.rendered, "SplitOffset never decreases along pPatchLocationListOut",
                     "element " + std::to_string(i) + " has SplitOffset " +
                         std::to_string(elements[i].split_offset) + " after " +
                         std::to_string(elements[i - 1].split_offset));
      return;
    }
  });
}

// A driver that sorts its list by kind of resource: the first element moves to the end.
class ListedByKind final : public Interposer {
 public:
  NTSTATUS Render(HANDLE context, DXGKARG_RENDER* render) override {
    D3DDDI_PATCHLOCATIONLIST* const first = render->pPatchLocationListOut;
    const NTSTATUS status = Interposer::Render(context, render);
    D3DDDI_PATCHLOCATIONLIST* const end = render->pPatchLocationListOut;
    if (end - first < 2) return status;
    const D3DDDI_PATCHLOCATIONLIST moved = *first;
    for (D3DDDI_PATCHLOCATIONLIST* at = first; at + 1 != end; ++at) *at = *(at + 1);
    *(end - 1) = moved;
    return status;
  }
};

const Rule kRule{
    .id = "SPLIT-001",
    .title = "Output patch-location list is ordered by SplitOffset",
    .rule =
        "Among the elements that Render wrote to pPatchLocationListOut, SplitOffset never "
        "decreases from one element to the next; equal values form one split group.",
    .sources =
        "splitting-a-dma-buffer.md # paging in\n"
        "ns-d3dukmdt-_d3dddi_patchlocationlist.md # SplitOffset",
    .note =
        "The page says 'strictly increasing' and, further down, speaks of elements that share a "
        "SplitOffset. Read as non-decreasing: a command that uses two allocations needs two "
        "elements at one split point.",
    .unreached = "no list has more than one element",
    .applies = patch_lists,
    .check = check,
    .scenario = R"(
about: two draws, each with its own render target and texture
ops:
- create_allocation: {allocation: 0}
- create_allocation: {allocation: 1}
- create_allocation: {allocation: 2}
- create_allocation: {allocation: 3}
- create_context: {context: 0}
- render: {context: 0}
- bind: {slot: 0, allocation: 0}
- bind: {slot: 1, allocation: 1}
- fill: {slot: 1}
- copy: {slot: 0, source: 1}
- bind: {slot: 0, allocation: 2}
- bind: {slot: 1, allocation: 3}
- fill: {slot: 1}
- copy: {slot: 0, source: 1}
- idle
)",
    .control = R"(
about: one draw with two allocations - equal SplitOffsets are one group
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
    .fault = {.about = "the first element of the output list is moved behind the last",
              .interposer = [] { return std::unique_ptr<Interposer>(new ListedByKind); }}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::split_001
