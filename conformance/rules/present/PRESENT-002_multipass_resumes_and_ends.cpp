// PRESENT-002: where a DMA buffer is not enough, Present goes on in the next one.

#include "conformance/host/interposer.h"
#include "conformance/rules/out_of_memory.h"
#include "conformance/rules/present/presented.h"
#include "conformance/rules/render/render_status.h"

namespace wddm::present_002 {
namespace {

void check(const Trace& trace, const Platform&, Judgement& judgement) {
  const auto presents = present::presents_of(trace);
  const bool may_fail = present::fails_somewhere(trace);
  for (const std::uint32_t index : trace.of<ev::Rendered>()) {
    const auto call = trace.at<ev::Rendered>(index);
    const auto asked = presents.find(call.render);
    if (asked == presents.end()) continue;
    if (render::incomplete(call.status)) {
      judgement.reached(index);
      if (call.multipass_out != call.multipass_in) continue;
      judgement.fail(index, "an incomplete call of Present changes MultipassOffset",
                     "call " + std::to_string(call.pass + 1) + " left it at " +
                         std::to_string(call.multipass_out),
                     {asked->second});
    } else if (call.pass != 0 && !render::made_output(call.status)) {
      if (may_fail || is_out_of_memory(call.status)) continue;
      judgement.fail(
          index, "Present goes on with the rectangles that are left",
          "call " + std::to_string(call.pass + 1) + " returns " + status_name(call.status),
          {asked->second});
    }
  }
}

// A driver that does not say how far it has come.
class BeginsAgain final : public Interposer {
 public:
  NTSTATUS Present(HANDLE context, DXGKARG_PRESENT* present) override {
    const UINT begun = present->MultipassOffset;
    const NTSTATUS status = Interposer::Present(context, present);
    if (status == STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER) present->MultipassOffset = begun;
    return status;
  }
};

const Rule kRule{
    .id = "PRESENT-002",
    .title = "Present resumes from MultipassOffset and ends",
    .rule =
        "A Present that returns STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER has recorded in "
        "MultipassOffset how far it has come. It is called again with the same rectangles and "
        "another DMA buffer, and goes on from there until it returns STATUS_SUCCESS.",
    .sources =
        "nc-d3dkmddi-dxgkddi_present.md # Remarks\n"
        "ns-d3dkmddi-_dxgkarg_present.md # MultipassOffset",
    .note = "That nothing is left out or done twice, memory shows (PRESENT-001).",
    .unreached = "no Present was seen to need more than one DMA buffer",
    .applies = present::presenting,
    .check = check,
    .played_in = kPatchListConfigurations,
    .scenario = R"(
about: more rectangles than a DMA buffer has room for, filled and copied
ops:
- create_context: {context: 0}
- create_surface: {allocation: 0, rows: 64, width: 128}
- create_surface: {allocation: 1, rows: 64, width: 128}
- present_fill: {context: 0, allocation: 1, value: 0xff102030, rects: 4096}
- present_fill: {context: 0, allocation: 0, value: 0xff405060}
- idle
- present_blt: {context: 0, allocation: 0, source: 1, to: 18, from: 33, rects: 4096}
- idle
)",
    .control = R"(
about: one rectangle
ops:
- create_context: {context: 0}
- create_surface: {allocation: 0}
- present_fill: {context: 0, allocation: 0, rects: 1}
- idle
)",
    .fault = {.about = "MultipassOffset stays what it was",
              .interposer = [] { return std::unique_ptr<Interposer>(new BeginsAgain); }}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::present_002
