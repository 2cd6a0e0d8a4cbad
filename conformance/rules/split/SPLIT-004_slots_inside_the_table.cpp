// SPLIT-004: SlotId stays inside the table announced by MaxAllocationListSlotId.

#include "conformance/host/interposer.h"
#include "conformance/rules/rule.h"
#include "conformance/rules/split/rendered_lists.h"

namespace wddm::split_004 {
namespace {

void check(const Trace& trace, const Platform& platform, Judgement& judgement) {
  split::for_each_list(trace, [&](const split::RenderedList& list) {
    if (list.elements.empty()) return;
    judgement.reached(list.rendered);
    for (std::size_t i = 0; i < list.elements.size(); ++i) {
      const std::uint32_t slot = list.elements[i].slot();
      if (slot < platform.slots) continue;
      judgement.fail(list.rendered,
                     "a SlotId below MaxAllocationListSlotId, " + split::number(platform.slots),
                     "element " + split::number(i) + " has SlotId " + split::number(slot));
      return;
    }
  });
}

// A driver that counts its slots from one.
class CountsFromOne final : public Interposer {
 public:
  NTSTATUS Render(HANDLE context, DXGKARG_RENDER* render) override {
    D3DDDI_PATCHLOCATIONLIST* const first = render->pPatchLocationListOut;
    const NTSTATUS status = Interposer::Render(context, render);
    for (auto* at = first; at < render->pPatchLocationListOut; ++at)
      at->SlotId = (at->SlotId + 1) & 0xffffff;
    return status;
  }
};

const Rule kRule{
    .id = "SPLIT-004",
    .title = "SlotId stays inside the table announced by MaxAllocationListSlotId",
    .rule =
        "Each SlotId that Render emits is below the MaxAllocationListSlotId of the driver's "
        "capabilities, which therefore is not zero for a driver that emits elements.",
    .sources =
        "splitting-a-dma-buffer.md # To track allocation usage\n"
        "ns-d3dkmddi-_dxgk_drivercaps.md # MaxAllocationListSlotId\n"
        "ns-d3dukmdt-_d3dddi_patchlocationlist.md # SlotId\n"
        "mcdm-implementation-guidelines.md # Driver capability requirements",
    .note =
        "The name of the capability suggests the largest identifier, its description the number "
        "of identifiers. Read as the number, since the table is sized with it. Compute-only "
        "drivers "
        "must report 0 and may emit elements all the same, so there is nothing to hold them to.",
    .applies = slot_tables,
    .check = check,
    .scenario = R"(
about: a draw through the highest slot
ops:
- create_allocation: {allocation: 0}
- create_context: {context: 0}
# Numbers that the driver does not have count back from its highest slot.
- render: {context: 0}
- bind: {slot: 255, allocation: 0}
- fill: {slot: 255}
- idle
)",
    .control = R"(
about: the lowest slot and the highest but one
ops:
- create_allocation: {allocation: 0}
- create_allocation: {allocation: 1}
- create_context: {context: 0}
- render: {context: 0}
- bind: {slot: 0, allocation: 0}
- bind: {slot: 254, allocation: 1}
- bind: {slot: 255, allocation: 1}
- copy: {slot: 0, source: 254}
- idle
)",
    .fault = {.about = "SlotId is counted from one",
              .interposer = [] { return std::unique_ptr<Interposer>(new CountsFromOne); }}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::split_004
