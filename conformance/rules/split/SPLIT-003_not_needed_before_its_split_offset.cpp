// SPLIT-003: an allocation is not needed before the SplitOffset of its element.

#include "conformance/host/interposer.h"
#include "conformance/rules/rule.h"
#include "conformance/rules/scratch.h"
#include "conformance/rules/split/rendered_lists.h"

namespace wddm::split_003 {
namespace {

void check_fields(const split::RenderedList& list, Judgement& judgement) {
  for (std::size_t i = 0; i < list.elements.size(); ++i) {
    const PatchRecord& element = list.elements[i];
    if (!list.names_allocation(element)) continue;
    judgement.reached(list.rendered);
    if (element.patch_offset >= element.split_offset) continue;
    judgement.fail(list.rendered, "PatchOffset at or behind SplitOffset",
                   "element " + split::number(i) + " is patched at " +
                       split::number(element.patch_offset) + " and needed from " +
                       split::number(element.split_offset) + " on");
    return;
  }
}

// A command that comes before the first element of its slot runs in a portion for which nobody
// has brought the allocation in.
void check_accesses(const Trace& trace, const split::RenderedList& list, Judgement& judgement) {
  ScratchMap<std::uint32_t, std::uint32_t> needed_from;  // by slot
  for (const PatchRecord& element : list.elements) {
    if (list.names_allocation(element)) needed_from.emplace(element.slot(), element.split_offset);
  }
  bool failed = false;
  split::for_each_access(trace, list, [&](const split::SlotAccess& access) {
    const auto found = needed_from.find(access.slot);
    if (failed || found == needed_from.end()) return;
    judgement.reached(access.event);
    if (access.offset >= found->second) return;
    failed = true;
    judgement.fail(access.event,
                   "no use of slot " + split::number(access.slot) + " before byte " +
                       split::number(found->second),
                   "the command at byte " + split::number(access.offset) + " uses it",
                   {list.rendered});
  });
}

void check(const Trace& trace, const Platform& platform, Judgement& judgement) {
  split::for_each_list(trace, [&](const split::RenderedList& list) {
    if (!platform.scheduling.no_dma_patching()) check_fields(list, judgement);
    if (list.is_sorted()) check_accesses(trace, list, judgement);
  });
}

// A driver that notes the end of the buffer for the allocation it used last.
class NotesTheEnd final : public Interposer {
 public:
  NTSTATUS Render(HANDLE context, DXGKARG_RENDER* render) override {
    D3DDDI_PATCHLOCATIONLIST* const first = render->pPatchLocationListOut;
    auto* const start = static_cast<UCHAR*>(render->pDmaBuffer);
    const NTSTATUS status = Interposer::Render(context, render);
    const UINT used = static_cast<UINT>(static_cast<UCHAR*>(render->pDmaBuffer) - start);
    for (auto* at = render->pPatchLocationListOut; at-- != first;) {
      at->SplitOffset = used;
      const bool named = at->AllocationIndex < render->AllocationListSize &&
                         render->pAllocationList[at->AllocationIndex].hDeviceSpecificAllocation;
      if (named) break;
    }
    return status;
  }
};

const Rule kRule{
    .id = "SPLIT-003",
    .title = "An allocation is not needed before the SplitOffset of its element",
    .rule =
        "PatchOffset is not below SplitOffset, and no command below the SplitOffset of the "
        "first element of a slot accesses memory through that slot.",
    .sources =
        "splitting-a-dma-buffer.md # SplitOffset and the resource table\n"
        "ns-d3dukmdt-_d3dddi_patchlocationlist.md # PatchOffset, SplitOffset\n"
        "ns-d3dkmddi-_dxgkarg_patch.md # DmaBufferSubmissionStartOffset/EndOffset",
    .note =
        "Elements with a NULL allocation are exempt: nothing is patched for them. That a field "
        "should also end before the next split point is derived, not written anywhere, and is "
        "left to the rules on Patch. With NoDmaPatching nothing may be patched at all, and "
        "PatchOffset say nothing.",
    .applies = patch_lists,
    .check = check,
    .scenario = R"(
about: two draws, each with its own target
ops:
- create_allocation: {allocation: 0}
- create_allocation: {allocation: 1}
- create_context: {context: 0}
- render: {context: 0}
- bind: {slot: 0, allocation: 0}
- fill: {slot: 0}
- bind: {slot: 1, allocation: 1}
- fill: {slot: 1}
- idle
)",
    .control = R"(
about: the second draw uses a slot that the first has used and released
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
- unbind: {slot: 1}
- bind: {slot: 0, allocation: 1}
- fill: {slot: 0}
- idle
)",
    .fault = {.about = "the element of the last allocation says that it is needed at the end",
              .interposer = [] { return std::unique_ptr<Interposer>(new NotesTheEnd); }}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::split_003
