// RENDER-003: output cursors point just past what was produced.

#include "conformance/host/interposer.h"
#include "conformance/rules/render/render_status.h"
#include "conformance/rules/rule.h"

namespace wddm {
namespace {

// The host tells untouched bytes by their value. So much of a command can have that value by
// chance.
constexpr std::int64_t kChance = 16;

void check_cursor(std::uint32_t index, const char* name, std::int64_t used, std::int64_t given,
                  std::int64_t written, std::int64_t chance, Judgement& judgement) {
  if (used < 0 || used > given) {
    judgement.fail(index,
                   std::string(name) + " stays between its start and " + std::to_string(given),
                   "it advanced by " + std::to_string(used));
  } else if (used < written || used - written > chance) {
    judgement.fail(index,
                   std::string(name) + " advances by what was written, " + std::to_string(written),
                   "it advanced by " + std::to_string(used));
  }
}

void check(const Trace& trace, const Platform&, Judgement& judgement) {
  for (const std::uint32_t index : trace.of<ev::Rendered>()) {
    const auto call = trace.at<ev::Rendered>(index);
    if (!render::made_output(call.status)) continue;
    judgement.reached(index);
    check_cursor(index, "pDmaBuffer", call.dma_used, call.dma_given, call.dma_written, kChance,
                 judgement);
    check_cursor(index, "pPatchLocationListOut", call.patches_used, call.patches_given,
                 call.patches_written, 0, judgement);
  }
}

// A driver that leaves the cursor on its last element.
class PointsToLast final : public Interposer {
 public:
  NTSTATUS Render(HANDLE context, DXGKARG_RENDER* render) override {
    D3DDDI_PATCHLOCATIONLIST* const first = render->pPatchLocationListOut;
    const NTSTATUS status = Interposer::Render(context, render);
    if (render->pPatchLocationListOut != first) --render->pPatchLocationListOut;
    return status;
  }
};

const Rule kRule{
    .id = "RENDER-003",
    .title = "Output cursors point just past what was produced",
    .rule =
        "When Render returns, pDmaBuffer has advanced by exactly the bytes written and "
        "pPatchLocationListOut by exactly the elements written, within DmaSize and "
        "PatchLocationListOutSize; one past the end is allowed.",
    .sources =
        "ns-d3dkmddi-_dxgkarg_render.md # pDmaBuffer, pPatchLocationListOut\n"
        "ns-d3dkmddi-_dxgkarg_present.md # pDmaBuffer, pPatchLocationListOut",
    .note =
        "Written is what lies before the last byte that has changed: the last 16 bytes of a "
        "buffer may have the value that untouched bytes have. Calls that fail made nothing. The "
        "fault loses the release of a slot, which BIND-001 sees.",
    .applies = render::translating,
    .check = check,
    .scenario = R"(
about: one draw
ops:
- create_allocation: {allocation: 0}
- create_context: {context: 0}
- render: {context: 0}
- bind: {slot: 0, allocation: 0}
- fill: {slot: 0}
- idle
)",
    .control = R"(
about: a list with room for exactly what one draw needs
ops:
- create_allocation: {allocation: 0}
- create_context: {context: 0}
- render: {context: 0, patch_measure: needed_plus}
- bind: {slot: 0, allocation: 0}
- fill: {slot: 0}
- idle
)",
    .fault = {.about = "pPatchLocationListOut points to the last element instead of behind it",
              .interposer = [] { return std::unique_ptr<Interposer>(new PointsToLast); },
              .also_fires = "BIND-001"}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm
