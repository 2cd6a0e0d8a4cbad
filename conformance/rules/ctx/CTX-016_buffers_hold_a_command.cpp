// CTX-016: contexts that Render is called for have DMA buffers.

#include "conformance/host/interposer.h"
#include "conformance/rules/render/render_status.h"
#include "conformance/rules/rule.h"

namespace wddm {
namespace {

bool renders(std::uint32_t flags) {
  DXGK_CREATECONTEXTFLAGS of{};
  of.Value = flags;
  return of.SystemContext == 0 && of.VirtualAddressing == 0 && of.TestContext == 0;
}

void check(const Trace& trace, const Platform&, Judgement& judgement) {
  for (const std::uint32_t index : trace.of<ev::ContextCreated>()) {
    const auto created = trace.at<ev::ContextCreated>(index);
    if (!NT_SUCCESS(static_cast<NTSTATUS>(created.status)) || !renders(created.flags)) continue;
    judgement.reached(index);
    if (created.dma_bytes != 0) continue;
    judgement.fail(index, "room for a command in the DMA buffers of a context", "DmaBufferSize 0");
  }
}

// A driver that says of its buffers only where they are to lie.
class SaysNoSize final : public Interposer {
 public:
  NTSTATUS CreateContext(HANDLE device, DXGKARG_CREATECONTEXT* create) override {
    const NTSTATUS status = Interposer::CreateContext(device, create);
    if (NT_SUCCESS(status)) create->ContextInfo.DmaBufferSize = 0;
    return status;
  }
};

NotApplicable rendering_in_contexts(const Platform& platform) {
  if (const NotApplicable reason = render::translating(platform)) return reason;
  return needs(platform, DdiId::CreateContext);
}

const Rule kRule{
    .id = "CTX-016",
    .title = "The DMA buffers of a context hold a command",
    .rule =
        "DmaBufferSize of a context, by which Windows makes its DMA buffers, is enough for a "
        "command that cannot be split: it is not 0 where Render is called for the context.",
    .sources =
        "ns-d3dkmddi-_dxgk_contextinfo.md # DmaBufferSize\n"
        "ns-d3dkmddi-_dxgk_contextinfo.md # Remarks (buffer sizes)",
    .note =
        "How large a command is only the driver knows: that a buffer of the size asked for makes "
        "progress is RENDER-005. System contexts, those with virtual addresses and those for "
        "testing are not rendered for. A context may ask for lists without entries: there is work "
        "without allocations.",
    .applies = rendering_in_contexts,
    .check = check,
    .played_in = {Configured::Default, Configured::PatchLists2},
    .scenario = R"(
about: contexts of every node there may be, and work in one
ops:
- create_context: {context: 0}
- create_context: {context: 1, node: 1}
- create_allocation: {allocation: 0, place: local}
- render: {context: 0}
- bind: {slot: 0, allocation: 0}
- fill: {slot: 0}
- idle
)",
    .control = R"(
about: a context that runs nothing
ops:
- create_context: {context: 0}
)",
    .fault = {.about = "DmaBufferSize is left at 0",
              .interposer = [] { return std::unique_ptr<Interposer>(new SaysNoSize); }}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm
