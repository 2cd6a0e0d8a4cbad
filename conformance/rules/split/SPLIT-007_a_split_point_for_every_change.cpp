// SPLIT-007: a split point accompanies every bind and unbind.

#include <algorithm>

#include "conformance/host/interposer.h"
#include "conformance/rules/patch/patch_lists.h"
#include "conformance/rules/rule.h"
#include "conformance/rules/scratch.h"
#include "conformance/rules/split/rendered_lists.h"
#include "conformance/rules/split/slot_rows.h"

namespace wddm::split_007 {
namespace {

bool is_before(const split::SlotAccess& access, std::uint64_t offset) {
  return access.offset < offset;
}

// What an address is patched into comes before the commands that use it, or is part of one. So
// where commands access memory between SplitOffset and PatchOffset, the change belongs to a later
// point.
void check(const Trace& trace, const Platform&, Judgement& judgement) {
  split::for_each_list(trace, [&](const split::RenderedList& list) {
    if (!list.is_sorted()) return;
    ScratchVector<split::SlotAccess> accesses;
    split::for_each_access(trace, list,
                           [&](const split::SlotAccess& access) { accesses.push_back(access); });
    if (accesses.empty()) return;  // nothing tells one offset from another
    const auto earlier = [](const split::SlotAccess& a, const split::SlotAccess& b) {
      return is_before(a, b.offset);
    };
    if (!std::is_sorted(accesses.begin(), accesses.end(), earlier)) return;
    split::Rows rows;
    for (std::uint32_t i = 0; i < list.elements.size(); ++i) {
      const PatchRecord& element = list.elements[i];
      const split::Rows::Row* const row = rows.find(element.slot());
      // One command of the API may be several of the hardware, each with the address again.
      const bool goes_on = row != nullptr && row->allocation == list.allocation_of(element);
      rows.apply(list, i);
      if (goes_on || !list.names_allocation(element)) continue;
      const auto first =
          std::lower_bound(accesses.begin(), accesses.end(), element.split_offset, is_before);
      judgement.reached(list.rendered);
      if (first == accesses.end() || first->end > element.patch_offset) continue;
      judgement.fail(list.rendered,
                     "the SplitOffset of the command that starts to use slot " +
                         split::number(element.slot()) + ", behind byte " +
                         split::number(first->offset),
                     "element " + split::number(i) + " has " + split::number(element.split_offset));
      return;
    }
  });
}

// A driver whose buffers cannot be divided.
class OnePoint final : public Interposer {
 public:
  NTSTATUS Render(HANDLE context, DXGKARG_RENDER* render) override {
    D3DDDI_PATCHLOCATIONLIST* const first = render->pPatchLocationListOut;
    const NTSTATUS status = Interposer::Render(context, render);
    for (auto* at = first; at < render->pPatchLocationListOut; ++at) {
      const bool named = at->AllocationIndex < render->AllocationListSize &&
                         render->pAllocationList[at->AllocationIndex].hDeviceSpecificAllocation;
      if (named) at->SplitOffset = first->SplitOffset;
    }
    return status;
  }
};

NotApplicable fields_are_patched(const Platform& platform) {
  if (const NotApplicable reason = split::slot_rows(platform)) return reason;
  if (const NotApplicable reason = patch_lists_and_decoder(platform)) return reason;
  return platform.scheduling.no_dma_patching() ? patch::kNoDmaPatching : nullptr;
}

const Rule kRule{
    .id = "SPLIT-007",
    .aliases = "PREEMPT-025",
    .title = "A split point accompanies every bind and unbind",
    .level = Level::Should,
    .rule =
        "The element that records that a command starts to use an allocation carries the offset "
        "of that command, so that changes made by different commands have different "
        "SplitOffsets instead of an earlier one in common.",
    .sources = "splitting-a-dma-buffer.md # The driver should specify split points",
    .note =
        "Judged where it shows without knowledge of the hardware: no command accesses memory "
        "between SplitOffset and PatchOffset of an element, unless its slot held the allocation "
        "before. A command that names no slot uses those of the elements that patch its address "
        "fields. Where nobody patches PatchOffset says nothing, and without slots nothing tells "
        "that a command goes on with what it used before. That offsets never decrease is "
        "SPLIT-001, that none lies behind its PatchOffset SPLIT-003.",
    .applies = fields_are_patched,
    .check = check,
    .scenario = R"(
about: three draws, each with an allocation of its own
ops:
- create_allocation: {allocation: 0}
- create_allocation: {allocation: 1}
- create_allocation: {allocation: 2}
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
about: one command starts to use two allocations
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
    .fault = {.about = "all elements that name an allocation have the first SplitOffset",
              .interposer = [] { return std::unique_ptr<Interposer>(new OnePoint); }}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::split_007
