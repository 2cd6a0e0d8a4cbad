// RENDER-013: pDmaBuffer points just past what was written.

#include <algorithm>
#include <utility>

#include "conformance/host/interposer.h"
#include "conformance/rules/render/render_status.h"
#include "conformance/rules/rule.h"
#include "conformance/rules/scratch.h"

namespace wddm::render_013 {
namespace {

// The host tells untouched bytes by their value. So much of a command can have that value by
// chance.
constexpr std::int64_t kChance = 16;

// Bytes below the cursor that Render has left alone.
struct Reserve {
  std::uint32_t rendered = kNone;  // event
  std::int64_t written = 0, used = 0;
  bool patched = false, filled = false;
};

std::string advanced(std::int64_t used) {
  return "it advanced by " + std::to_string(used);
}

void check(const Trace& trace, const Platform&, Judgement& judgement) {
  // What Render leaves to Patch (a fence, say) lies below the cursor, and nobody has written it
  // yet.
  ScratchMap<std::pair<std::uint32_t, std::uint32_t>, Reserve> reserves;  // by Render op and pass
  for (const std::uint32_t index : trace.of<ev::Rendered>()) {
    const auto call = trace.at<ev::Rendered>(index);
    if (!render::made_output(call.status)) continue;
    const std::int64_t used = call.dma_used, written = call.dma_written;
    if (used < 0 || used > call.dma_given) continue;  // RENDER-003
    if (used - written > kChance) {
      reserves[{call.render, call.pass}] = {index, written, used};
      continue;
    }
    judgement.reached(index);
    // Where room runs out, bytes of a command that is taken back may stay behind the cursor.
    if (used >= written || render::incomplete(call.status)) continue;
    judgement.fail(index, "pDmaBuffer advances by what was written, " + std::to_string(written),
                   advanced(used));
  }
  if (reserves.empty()) return;
  for (const std::uint32_t index : trace.of<ev::Patched>()) {
    const auto patched = trace.at<ev::Patched>(index);
    const auto found = reserves.find({patched.render, patched.pass});
    if (patched.paging != 0 || patched.status != 0 || found == reserves.end()) continue;
    Reserve& reserve = found->second;
    if (patched.end < reserve.used) continue;  // the portion that holds the end is still to come
    reserve.patched = true;
    for (const RangeRecord& range : trace.blob<RangeRecord>(trace.events()[index])) {
      reserve.filled |= std::int64_t{range.offset} + range.length > reserve.written;
    }
  }
  for (const auto& [key, reserve] : reserves) {
    if (!reserve.patched) continue;  // nobody knows what it is for
    judgement.reached(reserve.rendered);
    if (reserve.filled) continue;
    judgement.fail(reserve.rendered,
                   "pDmaBuffer advances by what Render writes, " + std::to_string(reserve.written) +
                       ", and what it leaves to Patch",
                   advanced(reserve.used));
  }
}

// A driver that leaves the cursor where its last command begins.
class ForgetsTheLast final : public Interposer {
 public:
  NTSTATUS Render(HANDLE context, DXGKARG_RENDER* render) override {
    const auto* const start = static_cast<UCHAR*>(render->pDmaBuffer);
    const NTSTATUS status = Interposer::Render(context, render);
    const auto* const end = static_cast<UCHAR*>(render->pDmaBuffer);
    if (NT_SUCCESS(status) && end - start > kLess) {
      render->pDmaBuffer = static_cast<UCHAR*>(render->pDmaBuffer) - kLess;
    }
    return status;
  }

 private:
  static constexpr int kLess = 16;
};

const Rule kRule{
    .id = "RENDER-013",
    .title = "pDmaBuffer points just past what was written",
    .level = Level::Should,
    .rule =
        "When Render returns, pDmaBuffer has advanced by the bytes written and by those that the "
        "driver keeps for Patch to write.",
    .sources =
        "ns-d3dkmddi-_dxgkarg_render.md # pDmaBuffer\n"
        "nc-d3dkmddi-dxgkddi_patch.md # Remarks (space for instructions)\n"
        "supplying-fence-identifiers.md # a fence at the end of the buffer",
    .note =
        "Written is what lies before the last byte that has changed: the last 16 bytes of a "
        "buffer may have the value that untouched bytes have. Calls that fail made nothing; one "
        "that runs out of room may have written more than it keeps. Bytes below the cursor that "
        "nobody has written are judged when Patch has had them.",
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
about: two draws
ops:
- create_allocation: {allocation: 0}
- create_context: {context: 0}
- render: {context: 0}
- bind: {slot: 0, allocation: 0}
- fill: {slot: 0}
- fill: {slot: 0, offset: 64, size: 64}
- idle
)",
    .fault = {.about = "pDmaBuffer points 16 bytes before the end of what was written",
              .interposer = [] { return std::unique_ptr<Interposer>(new ForgetsTheLast); }}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::render_013
