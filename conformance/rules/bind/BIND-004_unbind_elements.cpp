// BIND-004: unbind elements are well formed, and Patch tolerates them.

#include <algorithm>

#include "conformance/host/interposer.h"
#include "conformance/rules/patch/patch_lists.h"
#include "conformance/rules/rule.h"
#include "conformance/rules/scratch.h"
#include "conformance/rules/split/rendered_lists.h"

namespace wddm::bind_004 {
namespace {

void check_patches(const Trace& trace, const split::RenderedList& list,
                   std::span<const std::uint32_t> patches, Judgement& judgement) {
  for (const std::uint32_t index : patches) {
    const auto patched = trace.at<ev::Patched>(index);
    std::uint32_t releasing = kNone;
    for (const PatchRecord& element : patch::submitted(list.elements, patched)) {
      if (list.allocation_of(element) == kNone) releasing = element.slot();
    }
    if (releasing == kNone) continue;
    judgement.reached(index);
    if (patched.status == 0) continue;
    judgement.fail(index, "STATUS_SUCCESS from Patch of a range that releases slots",
                   "an error, for a range that releases slot " + split::number(releasing),
                   {list.rendered});
  }
}

// Of a list that user mode has altered an index may be what it put there: RENDER-010, against
// untrusted input.
bool takes_elements_of_others(const Trace& trace, const split::RenderedList& list) {
  if (!split::is_tampered(trace, list)) return false;
  const std::span<const std::uint32_t> calls = trace.of<ev::RenderCalled>();
  const auto behind = std::upper_bound(calls.begin(), calls.end(), list.rendered);
  return behind != calls.begin() && trace.at<ev::RenderCalled>(*(behind - 1)).patches_in != 0;
}

void check(const Trace& trace, const Platform&, Judgement& judgement) {
  ScratchMap<std::pair<std::uint32_t, std::uint32_t>, ScratchVector<std::uint32_t>> patches;
  for (const std::uint32_t index : trace.of<ev::Patched>()) {
    const auto patched = trace.at<ev::Patched>(index);
    if (patched.paging == 0) patches[{patched.render, patched.pass}].push_back(index);
  }
  split::for_each_list(trace, [&](const split::RenderedList& list) {
    for (std::size_t i = 0; i < list.elements.size(); ++i) {
      const std::uint32_t allocation = list.allocation_of(list.elements[i]);
      if (allocation == kNone || allocation == split::kNoEntry) judgement.reached(list.rendered);
      if (allocation != split::kNoEntry || takes_elements_of_others(trace, list)) continue;
      judgement.fail(
          list.rendered,
          "an AllocationIndex below AllocationListSize, " + split::number(list.entries.size()),
          "element " + split::number(i) + " has " +
              split::number(list.elements[i].allocation_index));
      break;
    }
    const auto found = patches.find({list.render, list.pass});
    if (found != patches.end()) check_patches(trace, list, found->second, judgement);
  });
}

// A driver that says "none" by an index that does not exist.
class SaysMinusOne final : public Interposer {
 public:
  NTSTATUS Render(HANDLE context, DXGKARG_RENDER* render) override {
    D3DDDI_PATCHLOCATIONLIST* const first = render->pPatchLocationListOut;
    const NTSTATUS status = Interposer::Render(context, render);
    for (auto* at = first; at < render->pPatchLocationListOut; ++at) {
      const bool empty =
          at->AllocationIndex < render->AllocationListSize &&
          render->pAllocationList[at->AllocationIndex].hDeviceSpecificAllocation == nullptr;
      if (empty) at->AllocationIndex = ~0u;
    }
    return status;
  }
};

const Rule kRule{
    .id = "BIND-004",
    .title = "Unbind elements are well formed and tolerated by Patch",
    .rule =
        "A slot is released by an element whose AllocationIndex is the valid index of an entry "
        "with a NULL handle. Patch of a range that holds such an element succeeds.",
    .sources =
        "splitting-a-dma-buffer.md # To specify that an allocation is unbound\n"
        "nc-d3dkmddi-dxgkddi_render.md # Remarks (unbind, element 0)\n"
        "ns-d3dkmddi-_dxgk_allocationlist.md # hDeviceSpecificAllocation",
    .note =
        "The NULL handle may be user mode's or written by Render. A driver that releases nothing "
        "does not come to this clause: see BIND-001 and SPLIT-007. What elements look like that "
        "user "
        "mode has altered is RENDER-010.",
    .unreached = "the driver releases no slot",
    .applies = patch_lists,
    .check = check,
    .scenario = R"(
about: a slot is bound, used and released
ops:
- create_allocation: {allocation: 0}
- create_allocation: {allocation: 1}
- create_context: {context: 0}
- render: {context: 0}
- bind: {slot: 2, allocation: 0}
- fill: {slot: 2}
- unbind: {slot: 2}
- bind: {slot: 0, allocation: 1}
- fill: {slot: 0}
- idle
)",
    .control = R"(
about: a slot is replaced and never released in between
ops:
- create_allocation: {allocation: 0}
- create_allocation: {allocation: 1}
- create_context: {context: 0}
- render: {context: 0}
- bind: {slot: 2, allocation: 0}
- fill: {slot: 2}
- bind: {slot: 2, allocation: 1}
- fill: {slot: 2}
- idle
)",
    .fault = {.about = "elements that release a slot have AllocationIndex ~0",
              .interposer = [] { return std::unique_ptr<Interposer>(new SaysMinusOne); }}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::bind_004
