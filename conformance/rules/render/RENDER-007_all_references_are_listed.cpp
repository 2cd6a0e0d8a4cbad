// RENDER-007: all references appear in the output list even when pre-patched.

#include <algorithm>
#include <vector>

#include "conformance/host/interposer.h"
#include "conformance/rules/patch/patch_lists.h"
#include "conformance/rules/rule.h"
#include "conformance/rules/scratch.h"
#include "conformance/sdk/client.h"

namespace wddm::render_007 {
namespace {

bool names_allocation(std::uint64_t address, std::span<const AllocationRecord> entries) {
  return std::any_of(entries.begin(), entries.end(), [address](const AllocationRecord& entry) {
    return entry.allocation != kNone && entry.segment != 0 && address >= entry.address &&
           address - entry.address < entry.size;
  });
}

void check(const Trace& trace, const Platform&, Judgement& judgement) {
  std::span<const AllocationRecord> entries, named;  // as given, and as Render left them
  ScratchVector<std::uint32_t> listed, released;     // PatchOffsets, ascending
  std::uint32_t rendered = kNone;
  for (const std::uint32_t index :
       trace.of_any<ev::RenderCalled, ev::ListAltered, ev::Rendered, ev::Decoded>()) {
    const Event& event = trace.events()[index];
    if (event.kind == EventKind::RenderCalled) {
      entries = trace.blob<AllocationRecord>(event);
      rendered = kNone;
      named = entries;
    } else if (event.kind == EventKind::ListAltered) {
      named = trace.blob<AllocationRecord>(event);
    } else if (event.kind == EventKind::Rendered) {
      // Of altered commands a decoder cannot know the form.
      rendered = Trace::as<ev::Rendered>(event).hostile == 0 ? index : kNone;
      listed.clear();
      released.clear();
      for (const PatchRecord& element : trace.blob<PatchRecord>(event)) {
        if (element.allocation_index >= named.size()) continue;
        const bool releases = named[element.allocation_index].allocation == kNone;
        (releases ? released : listed).push_back(element.patch_offset);
      }
      std::sort(listed.begin(), listed.end());
      std::sort(released.begin(), released.end());
    } else if (event.kind == EventKind::Decoded && rendered != kNone) {
      const auto decoded = Trace::as<ev::Decoded>(event);
      if (decoded.stage != static_cast<std::uint32_t>(DmaStage::Rendered)) continue;
      for (const WddmDecoded& command : trace.blob<WddmDecoded>(event)) {
        for (std::uint32_t i = 0; i < std::min(command.address_count, 2u); ++i) {
          if (!names_allocation(command.address[i], entries)) continue;
          const std::uint32_t offset = decoded.start + command.address_offset[i];
          // A slot may be emptied by address 0, where an allocation may lie.
          if (command.address[i] == 0 &&
              std::binary_search(released.begin(), released.end(), offset)) {
            continue;
          }
          judgement.reached(index);
          if (std::binary_search(listed.begin(), listed.end(), offset)) continue;
          judgement.fail(index,
                         "an element of the output list names the address field at offset " +
                             std::to_string(offset),
                         "none of " + std::to_string(listed.size()) + " elements does", {rendered});
        }
      }
    }
  }
}

// A driver that lists only what still has to be patched.
class ListsUnpatched final : public Interposer {
 public:
  NTSTATUS Render(HANDLE context, DXGKARG_RENDER* render) override {
    D3DDDI_PATCHLOCATIONLIST* out = render->pPatchLocationListOut;
    std::vector<D3DDDI_PATCHLOCATIONLIST> all(render->PatchLocationListOutSize);
    render->pPatchLocationListOut = all.data();
    const NTSTATUS status = Interposer::Render(context, render);
    for (const D3DDDI_PATCHLOCATIONLIST* element = all.data();
         element != render->pPatchLocationListOut; ++element) {
      const UINT index = element->AllocationIndex;
      const bool prepatched =
          index < render->AllocationListSize && render->pAllocationList[index].SegmentId != 0;
      if (!prepatched) *out++ = *element;
    }
    render->pPatchLocationListOut = out;
    return status;
  }
};

// Virtual addresses of the driver's own may look like places of allocations.
NotApplicable addresses_are_places(const Platform& platform) {
  if (const NotApplicable reason = patch_lists_and_decoder(platform)) return reason;
  return platform.scheduling.no_dma_patching() ? patch::kNoDmaPatching : nullptr;
}

const Rule kRule{
    .id = "RENDER-007",
    .title = "All references appear in the output list even when pre-patched",
    .rule =
        "Every place in the DMA buffer that holds an address of an allocation has an element "
        "in the output list, also when the address is final already and also when "
        "pPatchLocationListIn was empty.",
    .sources = "nc-d3dkmddi-dxgkddi_render.md # Remarks (output patch-location list)",
    .note =
        "Judged are fields that hold an address inside an allocation of the list; a driver may "
        "embed addresses of its own memory, which Windows does not move.",
    .applies = addresses_are_places,
    .check = check,
    .scenario = R"(
about: an allocation is in its segment when Render is called
ops:
- create_allocation: {allocation: 0, place: local}
- make_resident: {allocation: 0}
- create_context: {context: 0}
- render: {context: 0}
- bind: {slot: 0, allocation: 0}
- fill: {slot: 0}
- idle
)",
    .control = R"(
about: an allocation that is bound and never used is not referred to
ops:
- create_allocation: {allocation: 0, place: local}
- create_allocation: {allocation: 1, place: local}
- make_resident: {allocation: 0}
- make_resident: {allocation: 1}
- create_context: {context: 0}
- render: {context: 0}
- bind: {slot: 0, allocation: 0}
- fill: {slot: 0}
- bind: {slot: 1, allocation: 1}
- idle
)",
    .fault = {.about = "elements are left out whose allocation had a SegmentId at Render",
              .interposer = [] { return std::unique_ptr<Interposer>(new ListsUnpatched); }}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::render_007
