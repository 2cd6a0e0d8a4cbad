// SPLIT-003: an allocation is not needed before the SplitOffset of its element.

#include <algorithm>
#include <utility>

#include "conformance/host/interposer.h"
#include "conformance/rules/patch/patch_lists.h"
#include "conformance/rules/rule.h"
#include "conformance/rules/scratch.h"
#include "conformance/rules/split/rendered_lists.h"

namespace wddm::split_003 {
namespace {

void check_fields(const split::RenderedList& list, Judgement& judgement) {
  for (std::size_t i = 0; i < list.elements.size(); ++i) {
    const PatchRecord& element = list.elements[i];
    // What is needed from the start on is not needed too late.
    if (!list.names_allocation(element) || element.split_offset == 0) continue;
    judgement.reached(list.rendered);
    if (element.patch_offset >= element.split_offset) continue;
    judgement.fail(list.rendered, "PatchOffset at or behind SplitOffset",
                   "element " + split::number(i) + " is patched at " +
                       split::number(element.patch_offset) + " and needed from " +
                       split::number(element.split_offset) + " on");
    return;
  }
}

// The slots that lists of a context have named, since there are such: those that the driver tells
// VidMm of. Others may be its own affair.
class NamedBefore {
 public:
  /// The Rendered of the list that named it first, or kNone.
  [[nodiscard]] std::uint32_t find(std::uint32_t context, std::uint32_t slot) const {
    const auto found = lists_.find({context, slot});
    return found == lists_.end() ? kNone : found->second;
  }
  /// Another one has its number.
  void forget(std::uint32_t context) {
    const auto first = lists_.lower_bound({context, 0});
    lists_.erase(first, lists_.upper_bound({context, ~0u}));
  }
  void add(std::uint32_t context, const split::RenderedList& list) {
    for (const PatchRecord& element : list.elements) {
      if (!list.names_allocation(element)) continue;
      lists_.try_emplace({context, element.slot()}, list.rendered);
    }
  }

 private:
  ScratchMap<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> lists_;
};

std::uint32_t context_of(const Trace& trace, const split::RenderedList& list) {
  const std::uint32_t called = patch::find_call<ev::RenderCalled>(trace, list.render, list.pass);
  return called == kNone ? kNone : trace.at<ev::RenderCalled>(called).context;
}

// Whether the buffer loads addresses that no element patches: those of the driver's own memory, in
// whichever slots it likes.
bool loads_of_its_own(const Trace& trace, const split::RenderedList& list) {
  ScratchSet<std::uint64_t> patched;
  for (const PatchRecord& element : list.elements) patched.insert(element.patch_offset);
  for (const std::uint32_t index : list.decoded) {
    const auto decoded = trace.at<ev::Decoded>(index);
    if (decoded.stage != static_cast<std::uint32_t>(DmaStage::Rendered)) continue;
    for (const WddmDecoded& command : trace.blob<WddmDecoded>(trace.events()[index])) {
      for (std::uint32_t i = 0; i < std::min(command.address_count, 2u); ++i) {
        const std::uint64_t at = std::uint64_t{decoded.start} + command.address_offset[i];
        if (!patched.contains(at)) return true;
      }
    }
  }
  return false;
}

// A command that comes before the first element of its slot runs in a portion for which nobody
// has brought the allocation in. So does one whose slot an earlier buffer of the context has named
// and this one does not: the table starts empty.
void check_accesses(const Trace& trace, const split::RenderedList& list, std::uint32_t context,
                    const NamedBefore& before, Judgement& judgement) {
  ScratchMap<std::uint32_t, std::uint32_t> needed_from;  // by slot
  for (const PatchRecord& element : list.elements) {
    if (list.names_allocation(element)) needed_from.emplace(element.slot(), element.split_offset);
  }
  bool failed = false;
  split::for_each_access(trace, list, [&](const split::SlotAccess& access) {
    if (failed) return;
    const auto found = needed_from.find(access.slot);
    const std::uint32_t named = before.find(context, access.slot);
    if (named != kNone) judgement.reached(access.event);
    if (found == needed_from.end() && named != kNone && !loads_of_its_own(trace, list)) {
      failed = true;
      judgement.fail(access.event,
                     "an element for slot " + split::number(access.slot) +
                         " in the list of each buffer that uses it",
                     "the command at byte " + split::number(access.offset) +
                         " uses it, and an earlier buffer alone has named it",
                     {named, list.rendered});
    }
    if (found == needed_from.end() || found->second == 0) return;
    if (named == kNone) judgement.reached(access.event);
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
  NamedBefore before;
  const auto created = trace.of<ev::ContextCreated>();
  std::size_t next = 0;
  split::for_each_list(trace, [&](const split::RenderedList& list) {
    for (; next < created.size() && created[next] < list.rendered; ++next) {
      before.forget(trace.at<ev::ContextCreated>(created[next]).context);
    }
    if (!platform.scheduling.no_dma_patching()) check_fields(list, judgement);
    const std::uint32_t context = context_of(trace, list);
    if (list.is_sorted()) check_accesses(trace, list, context, before, judgement);
    before.add(context, list);
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
        "first element of a slot accesses memory through that slot; nor does any of a buffer whose "
        "list names no allocation for the slot, whatever earlier buffers have bound there.",
    .sources =
        "splitting-a-dma-buffer.md # To track allocation usage, SplitOffset and the resource "
        "table\n"
        "ns-d3dukmdt-_d3dddi_patchlocationlist.md # PatchOffset, SplitOffset\n"
        "ns-d3dkmddi-_dxgkarg_patch.md # DmaBufferSubmissionStartOffset/EndOffset",
    .note =
        "Elements with a NULL allocation are exempt: nothing is patched for them. That a field "
        "should also end before the next split point is derived, not written anywhere, and is "
        "left to the rules on Patch. With NoDmaPatching nothing may be patched at all, and "
        "PatchOffset says nothing. Slots that no list of the context has named may be the driver's "
        "own, and so may be those of a buffer that loads addresses which nobody patches.",
    .unreached =
        "every element says that its allocation is needed from the start of the buffer on, and no "
        "slot is used again",
    .applies = patch_lists,
    .check = check,
    .scenario = R"(
about: two draws, each with its own target, and once more in the same slots
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
# The next buffer binds what it uses itself.
- render: {context: 0}
- bind: {slot: 0, allocation: 0}
- fill: {slot: 0, size: 64, value: 0x11111111}
- bind: {slot: 1, allocation: 1}
- copy: {slot: 1, source: 0, offset: 128, size: 64}
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
