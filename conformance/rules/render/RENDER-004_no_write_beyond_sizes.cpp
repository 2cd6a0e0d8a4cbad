// RENDER-004: no write beyond the supplied sizes.

#include "conformance/host/interposer.h"
#include "conformance/rules/render/asked_by_contexts.h"
#include "conformance/rules/render/render_status.h"
#include "conformance/rules/rule.h"
#include "reference/trace/names.h"

namespace wddm::render_004 {
namespace {

const char* output_area(std::uint32_t area) {
  switch (static_cast<GuardArea>(area)) {
    case GuardArea::DmaBuffer:
      return "DmaSize bytes of the DMA buffer";
    case GuardArea::DmaPrivateData:
      return "DmaBufferPrivateDataSize bytes of private data";
    case GuardArea::PatchListOut:
      return "PatchLocationListOutSize elements of the output list";
    case GuardArea::PagingBuffer:
    case GuardArea::PagingPrivateData:
    case GuardArea::SegmentList:
    case GuardArea::AdapterInfo:
    case GuardArea::PatchedPagingBuffer:
      break;
  }
  return nullptr;
}

void check(const Trace& trace, const Platform&, Judgement& judgement) {
  bool in_render = false;
  render::AskedByContexts asked;
  for (const std::uint32_t index :
       trace.of_any<ev::ContextCreated, ev::RenderCalled, ev::DdiReturned, ev::Rendered,
                    ev::GuardDamaged>()) {
    const Event& event = trace.events()[index];
    asked.follow(trace, index);
    if (event.kind == EventKind::DdiReturned) {
      const std::uint32_t ddi = Trace::as<ev::DdiReturned>(event).ddi;
      in_render = ddi == static_cast<std::uint32_t>(DdiId::Render);
    } else if (event.kind == EventKind::Rendered) {
      judgement.reached(index);
      const auto call = Trace::as<ev::Rendered>(event);
      if (!render::made_output(call.status) || !asked.more_than(call)) continue;
      if (render::cursors_are_inside(call)) continue;
      judgement.fail(index,
                     "cursors within " + std::to_string(call.dma_given) + " bytes and " +
                         std::to_string(call.patches_given) + " elements",
                     "they advanced by " + std::to_string(call.dma_used) + " and " +
                         std::to_string(call.patches_used));
    } else if (event.kind == EventKind::GuardDamaged && in_render) {
      const auto damage = Trace::as<ev::GuardDamaged>(event);
      const char* const area = output_area(damage.area);
      if (area == nullptr) continue;
      judgement.fail(index, std::string("at most ") + area + " are written",
                     std::to_string(damage.bytes) + " bytes beside it changed, the first at " +
                         std::to_string(damage.first));
    }
  }
}

// A driver that ends its list with an empty element.
class EndsList final : public Interposer {
 public:
  NTSTATUS Render(HANDLE context, DXGKARG_RENDER* render) override {
    D3DDDI_PATCHLOCATIONLIST* const first = render->pPatchLocationListOut;
    const UINT size = render->PatchLocationListOutSize;
    const NTSTATUS status = Interposer::Render(context, render);
    // Areas end at 16 bytes: behind an even number of elements nothing can be written at all.
    if (size % 2 != 0) first[size].AllocationIndex = 0;
    return status;
  }
};

// Where a driver's sum is wrong by a word, buffers of one size alone show it: room runs out at
// every word of the last commands, of which each has bindings of its own.
#define WITH_LESS(bytes)                                                 \
  "- render: {context: 0, dma_measure: needed_minus, dma_bytes: " #bytes \
  "}\n"                                                                  \
  "- bind: {slot: 0, allocation: 0}\n"                                   \
  "- bind: {slot: 1, allocation: 1}\n"                                   \
  "- copy: {slot: 0, source: 1}\n"                                       \
  "- unbind: {slot: 1}\n"                                                \
  "- fill: {slot: 0}\n"                                                  \
  "- idle\n"

// clang-format off
#define WITH_LESS_AND_LESS \
  WITH_LESS(4) WITH_LESS(8) WITH_LESS(12) WITH_LESS(16) WITH_LESS(20) WITH_LESS(24) \
  WITH_LESS(28) WITH_LESS(32) WITH_LESS(36) WITH_LESS(40) WITH_LESS(44) WITH_LESS(48) \
  WITH_LESS(52) WITH_LESS(56) WITH_LESS(60) WITH_LESS(64) WITH_LESS(68) WITH_LESS(72) \
  WITH_LESS(76) WITH_LESS(80) WITH_LESS(84) WITH_LESS(88) WITH_LESS(92) WITH_LESS(96) \
  WITH_LESS(100) WITH_LESS(104) WITH_LESS(108) WITH_LESS(112) WITH_LESS(116) WITH_LESS(120) \
  WITH_LESS(124) WITH_LESS(128)
// clang-format on

// Where a driver forgets some of many slots when it sums up what a draw needs, and in the draw behind
// it slots that were released, room for its sum is not enough: for the first draw alone, or for both.
// clang-format off
#define IN_SLOTS_0_TO_11(what) \
  what(0, 0) what(1, 1) what(2, 0) what(3, 1) what(4, 0) what(5, 1) what(6, 0) what(7, 1) \
  what(8, 0) what(9, 1) what(10, 0) what(11, 1)
#define BIND_SLOT(slot_number, number) "- bind: {slot: " #slot_number ", allocation: " #number "}\n"
#define UNBIND_SLOT(slot_number, number) "- unbind: {slot: " #slot_number "}\n"
#define MANY_SLOTS_WITH_LESS(measures) \
  "- render: {context: 0, " measures "}\n" \
  IN_SLOTS_0_TO_11(BIND_SLOT) \
  "- copy: {slot: 1, source: 0, offset: 1024, size: 64}\n" \
  IN_SLOTS_0_TO_11(UNBIND_SLOT) BIND_SLOT(12, 0) BIND_SLOT(13, 1) \
  "- copy: {slot: 12, source: 13, size: 64}\n" \
  "- idle\n"
#define MANY_SLOTS \
  MANY_SLOTS_WITH_LESS("patch_measure: needed_minus, patch_capacity: 4") \
  MANY_SLOTS_WITH_LESS("patch_measure: needed_minus, patch_capacity: 7") \
  MANY_SLOTS_WITH_LESS("patch_measure: needed_minus, patch_capacity: 9") \
  MANY_SLOTS_WITH_LESS("patch_measure: needed_minus, patch_capacity: 21") \
  MANY_SLOTS_WITH_LESS("dma_measure: needed_minus, dma_bytes: 112") \
  MANY_SLOTS_WITH_LESS("dma_measure: needed_minus, dma_bytes: 160") \
  MANY_SLOTS_WITH_LESS("dma_measure: needed_minus, dma_bytes: 352")
// clang-format on

const Rule kRule{
    .id = "RENDER-004",
    .title = "No write beyond the supplied sizes",
    .grade = Grade::Robustness,
    .rule =
        "Render writes at most DmaSize bytes of DMA buffer, PatchLocationListOutSize elements "
        "and DmaBufferPrivateDataSize bytes of private data, whatever CommandLength and "
        "PatchLocationListInSize say. Nor do its cursors leave a buffer or list that is smaller "
        "than the context asked for; of others RENDER-003 says so.",
    .sources =
        "ns-d3dkmddi-_dxgkarg_render.md # DmaSize, DmaBufferPrivateDataSize, "
        "PatchLocationListOutSize",
    .note =
        "Areas end in canary bytes up to an inaccessible page; a write that goes further ends "
        "the run as a crash. The scenario offers less than the context asked for, which Windows "
        "does "
        "not do (ns-d3dkmddi-_dxgk_contextinfo.md): the sizes are arguments all the same, and a "
        "driver "
        "that finds no room in them says so.",
    .applies = render::translating,
    .check = check,
    .played_in = kPatchListConfigurations | ConfigurationSet{Configured::PaddedCommands},
    .scenario = R"(
about: a list with room for exactly what one draw needs; then ever less, of list and of buffer; then with many slots
ops:
- create_allocation: {allocation: 0}
- create_allocation: {allocation: 1}
- create_context: {context: 0}
- render: {context: 0, patch_measure: needed_plus}
- bind: {slot: 0, allocation: 0}
- fill: {slot: 0}
- idle
- render: {context: 0, patch_measure: needed_minus, patch_capacity: 1}
- bind: {slot: 0, allocation: 0}
- bind: {slot: 1, allocation: 1}
- copy: {slot: 0, source: 1}
- unbind: {slot: 1}
- fill: {slot: 0}
- idle
- render: {context: 0, patch_measure: needed_minus, patch_capacity: 2}
- bind: {slot: 0, allocation: 0}
- bind: {slot: 1, allocation: 1}
- copy: {slot: 0, source: 1}
- unbind: {slot: 1}
- fill: {slot: 0}
- idle
- render: {context: 0, patch_measure: needed_minus, patch_capacity: 3}
- bind: {slot: 0, allocation: 0}
- bind: {slot: 1, allocation: 1}
- copy: {slot: 0, source: 1}
- unbind: {slot: 1}
- fill: {slot: 0}
- idle
)" WITH_LESS_AND_LESS MANY_SLOTS,
    .control = R"(
about: a list with room for one element more
ops:
- create_allocation: {allocation: 0}
- create_context: {context: 0}
- render: {context: 0, patch_measure: needed_plus, patch_capacity: 1}
- bind: {slot: 0, allocation: 0}
- fill: {slot: 0}
- idle
)",
    .fault = {.about = "a member of the element behind the list is written",
              .interposer = [] { return std::unique_ptr<Interposer>(new EndsList); }}};

#undef WITH_LESS
#undef WITH_LESS_AND_LESS
#undef IN_SLOTS_0_TO_11
#undef BIND_SLOT
#undef UNBIND_SLOT
#undef MANY_SLOTS_WITH_LESS
#undef MANY_SLOTS

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::render_004
