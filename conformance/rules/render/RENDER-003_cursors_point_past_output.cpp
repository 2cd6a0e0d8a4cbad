// RENDER-003: output cursors point just past what was produced.

#include "conformance/host/interposer.h"
#include "conformance/rules/render/asked_by_contexts.h"
#include "conformance/rules/render/render_status.h"
#include "conformance/rules/rule.h"

namespace wddm::render_003 {
namespace {

bool check_bounds(std::uint32_t index, const char* name, std::int64_t used, std::int64_t given,
                  Judgement& judgement) {
  if (used >= 0 && used <= given) return true;
  judgement.fail(index, std::string(name) + " stays between its start and " + std::to_string(given),
                 "it advanced by " + std::to_string(used));
  return false;
}

void check(const Trace& trace, const Platform&, Judgement& judgement) {
  render::AskedByContexts asked;
  for (const std::uint32_t index :
       trace.of_any<ev::ContextCreated, ev::RenderCalled, ev::Rendered>()) {
    asked.follow(trace, index);
    if (trace.events()[index].kind != EventKind::Rendered) continue;
    const auto call = trace.at<ev::Rendered>(index);
    if (!render::made_output(call.status)) continue;
    // RENDER-004: Windows never gives so little.
    if (asked.more_than(call) && !render::cursors_are_inside(call)) continue;
    judgement.reached(index);
    check_bounds(index, "pDmaBuffer", call.dma_used, call.dma_given, judgement);
    if (!check_bounds(index, "pPatchLocationListOut", call.patches_used, call.patches_given,
                      judgement)) {
      continue;
    }
    // Where room runs out, elements of a command that is taken back may stay behind the cursor.
    const auto used = static_cast<std::uint32_t>(call.patches_used);
    const bool taken_back = render::incomplete(call.status) && used < call.patches_written;
    if (used == call.patches_written || taken_back) continue;
    judgement.fail(index,
                   "pPatchLocationListOut advances by what was written, " +
                       std::to_string(call.patches_written),
                   "it advanced by " + std::to_string(used));
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
        "When Render returns, pPatchLocationListOut has advanced by exactly the elements written, "
        "within PatchLocationListOutSize, and pDmaBuffer within DmaSize; one past the end is "
        "allowed.",
    .sources = "ns-d3dkmddi-_dxgkarg_render.md # pDmaBuffer, pPatchLocationListOut",
    .note =
        "By how much pDmaBuffer advances is judged by RENDER-013, and a cursor that leaves a "
        "buffer which is smaller than the context asked for by RENDER-004. Calls that fail made "
        "nothing; one that runs out of room may have written more than it keeps. The fault loses "
        "the release of a slot, which BIND-001 sees.",
    .applies = render::translating,
    .check = check,
    .played_in = kPatchListConfigurations | ConfigurationSet{Configured::PaddedCommands},
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
about: two draws
ops:
- create_allocation: {allocation: 0}
- create_context: {context: 0}
- render: {context: 0}
- bind: {slot: 0, allocation: 0}
- fill: {slot: 0}
- fill: {slot: 0, value: 2}
- idle
)",
    .fault = {.about = "pPatchLocationListOut points to the last element instead of behind it",
              .interposer = [] { return std::unique_ptr<Interposer>(new PointsToLast); },
              .also_fires = "BIND-001"}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::render_003
