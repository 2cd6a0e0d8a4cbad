// BIND-005: no GPU access through a slot after it was released.

#include "conformance/host/interposer.h"
#include "conformance/rules/rule.h"
#include "conformance/rules/split/rendered_lists.h"

namespace wddm {
namespace {

void check(const Trace& trace, const Platform&, Judgement& judgement) {
  split::for_each_list(trace, [&](const split::RenderedList& list) {
    if (!list.is_sorted()) return;
    split::Rows rows;
    std::uint32_t element = 0;
    bool failed = false;
    split::for_each_access(trace, list, [&](const split::SlotAccess& access) {
      if (failed) return;
      while (element < list.elements.size() &&
             list.elements[element].split_offset <= access.offset) {
        rows.apply(list, element++);
      }
      const split::Rows::Row* const row = rows.find(access.slot);
      if (row == nullptr) return;  // never bound: SPLIT-003
      judgement.reached(access.event);
      if (row->allocation != kNone) return;
      failed = true;
      judgement.fail(access.event,
                     "no access through slot " + split::number(access.slot) + " from byte " +
                         split::number(list.elements[row->element].split_offset) + " on",
                     "the command at byte " + split::number(access.offset) + " uses it",
                     {list.rendered});
    });
  });
}

// A driver that notes a release one split point too early.
class ReleasesEarly final : public Interposer {
 public:
  NTSTATUS Render(HANDLE context, DXGKARG_RENDER* render) override {
    D3DDDI_PATCHLOCATIONLIST* const first = render->pPatchLocationListOut;
    const NTSTATUS status = Interposer::Render(context, render);
    for (auto* at = first; at < render->pPatchLocationListOut; ++at) {
      const bool empty =
          at->AllocationIndex < render->AllocationListSize &&
          render->pAllocationList[at->AllocationIndex].hDeviceSpecificAllocation == nullptr;
      if (empty && at != first) at->SplitOffset = (at - 1)->SplitOffset;
    }
    return status;
  }
};

const Rule kRule{
    .id = "BIND-005",
    .title = "No GPU access through a slot after it was released",
    .rule =
        "From the SplitOffset at which an element empties a slot, no command of the buffer "
        "accesses memory through it until a later element binds it again: its allocation may "
        "be paged out at once.",
    .sources =
        "splitting-a-dma-buffer.md # if a new patch-location entry refers to the same SlotId",
    .note =
        "Needs the client's decoder. Accesses to a replaced allocation by another way than its "
        "slot show in memory: pages that an allocation has left are overwritten.",
    .applies = patch_lists_and_decoder,
    .check = check,
    .scenario = R"(
about: the first draw releases its slot, the second uses another
ops:
- create_allocation: {allocation: 0}
- create_allocation: {allocation: 1}
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
about: a slot is released and bound again before it is used
ops:
- create_allocation: {allocation: 0}
- create_allocation: {allocation: 1}
- create_context: {context: 0}
- render: {context: 0}
- bind: {slot: 0, allocation: 0}
- fill: {slot: 0}
- unbind: {slot: 0}
- bind: {slot: 1, allocation: 1}
- fill: {slot: 1}
- bind: {slot: 0, allocation: 0}
- copy: {slot: 0, source: 1}
- idle
)",
    .fault = {.about = "a release carries the SplitOffset of the element before it",
              .interposer = [] { return std::unique_ptr<Interposer>(new ReleasesEarly); }}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm
