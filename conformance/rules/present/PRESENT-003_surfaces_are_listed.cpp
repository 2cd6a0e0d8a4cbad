// PRESENT-003: the patch-location list of a Present refers to its surfaces, and to nothing else.

#include "conformance/host/interposer.h"
#include "conformance/rules/present/presented.h"
#include "conformance/rules/render/render_status.h"

namespace wddm::present_003 {
namespace {

constexpr std::uint32_t kEntries = DXGK_PRESENT_MAX_INDEX + 1;

bool refers_to(std::span<const PatchRecord> list, std::uint32_t entry) {
  return std::any_of(list.begin(), list.end(), [entry](const PatchRecord& element) {
    return element.allocation_index == entry;
  });
}

// A last call may find that all is in earlier buffers.
bool holds_rectangles(const ev::Rendered& call) {
  if (call.dma_used <= 0 || !render::made_output(call.status)) return false;
  return call.pass == 0 || render::incomplete(call.status);
}

void check(const Trace& trace, const Platform&, Judgement& judgement) {
  const auto presents = present::presents_of(trace);
  const present::Operations operations(trace);
  for (const std::uint32_t index : trace.of<ev::Rendered>()) {
    const auto call = trace.at<ev::Rendered>(index);
    const auto found = presents.find(call.render);
    if (found == presents.end() || !render::made_output(call.status)) continue;
    const auto asked = trace.at<ev::PresentAsked>(found->second);
    const auto list = trace.blob<PatchRecord>(trace.events()[index]);
    if (list.empty() && !operations.carries_out(asked)) continue;
    judgement.reached(index);
    for (const PatchRecord& element : list) {
      if (element.allocation_index < kEntries) continue;
      judgement.fail(index, "AllocationIndex of an entry of the list, of which there are 3",
                     std::to_string(element.allocation_index), {found->second});
      break;
    }
    if (!holds_rectangles(call) || !operations.carries_out(asked)) continue;
    const auto lacks = [&](std::uint32_t entry, const char* what) {
      if (refers_to(list, entry)) return;
      judgement.fail(
          index,
          std::string("elements for the ") + what + ", AllocationIndex " + std::to_string(entry),
          "none of " + std::to_string(list.size()) + " elements", {found->second});
    };
    lacks(DXGK_PRESENT_DESTINATION_INDEX, "destination");
    if (present::is_blt(asked)) lacks(DXGK_PRESENT_SOURCE_INDEX, "source");
  }
}

// A driver that has its source patched as the destination.
class TakesOneForBoth final : public Interposer {
 public:
  NTSTATUS Present(HANDLE context, DXGKARG_PRESENT* present) override {
    D3DDDI_PATCHLOCATIONLIST* element = present->pPatchLocationListOut;
    const NTSTATUS status = Interposer::Present(context, present);
    for (; element != present->pPatchLocationListOut; ++element) {
      if (element->AllocationIndex == DXGK_PRESENT_SOURCE_INDEX) {
        element->AllocationIndex = DXGK_PRESENT_DESTINATION_INDEX;
      }
    }
    return status;
  }
};

const Rule kRule{
    .id = "PRESENT-003",
    .title = "Present lists every reference to its surfaces",
    .rule =
        "The source is element 1 of the allocation list and the destination element 2. A DMA "
        "buffer "
        "with rectangles has elements of the patch-location list for each of them that the "
        "operation has, though their addresses may be known already.",
    .sources =
        "nc-d3dkmddi-dxgkddi_present.md # Remarks\n"
        "ns-d3dkmddi-_dxgkarg_present.md # pAllocationList, pPatchLocationListOut",
    .note =
        "Element 0, which is empty, releases a slot. A last buffer may hold no rectangle any more. "
        "What a driver does for these surfaces that never lists a destination has none to be "
        "patched (PRESENT-001).",
    .unreached =
        "the driver presented nothing: Present refused it or lists no destination, or there is no "
        "surface for it",
    .applies = present::presenting,
    .check = check,
    .played_in = kPatchListConfigurations,
    .scenario = R"(
about: a copy of surfaces that have no addresses yet, and one of surfaces that have
ops:
- create_context: {context: 0}
- create_surface: {allocation: 0}
- create_surface: {allocation: 1}
- present_blt: {context: 0, allocation: 0, source: 1, rects: 4}
- idle
- present_fill: {context: 0, allocation: 1}
- present_blt: {context: 0, allocation: 0, source: 1, rects: 3}
- idle
)",
    .control = R"(
about: one surface, filled
ops:
- create_context: {context: 0}
- create_surface: {allocation: 0}
- present_fill: {context: 0, allocation: 0}
- idle
)",
    .fault = {.about = "elements for the source name the destination",
              .interposer = [] { return std::unique_ptr<Interposer>(new TakesOneForBoth); },
              .also_fires = "PRESENT-001"}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::present_003
