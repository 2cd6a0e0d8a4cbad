// CTX-016: contexts that Render is called for have DMA buffers, and so have devices in their place.

#include "conformance/host/interposer.h"
#include "conformance/rules/makes_contexts.h"
#include "conformance/rules/render/render_status.h"
#include "conformance/rules/rule.h"

namespace wddm::ctx_016 {
namespace {

constexpr std::uint32_t kDevicesOfClients = 256;  // the next is the system's

bool renders(std::uint32_t flags) {
  DXGK_CREATECONTEXTFLAGS of{};
  of.Value = flags;
  return of.SystemContext == 0 && of.VirtualAddressing == 0 && of.TestContext == 0;
}

// Of what is told of both.
void judge(std::uint32_t index, std::uint32_t dma_bytes, const char* whose, Judgement& judgement) {
  judgement.reached(index);
  if (dma_bytes != 0) return;
  judgement.fail(index, std::string("room for a command in the DMA buffers of a ") + whose,
                 "DmaBufferSize 0");
}

void check(const Trace& trace, const Platform& platform, Judgement& judgement) {
  for (const std::uint32_t index : trace.of<ev::ContextCreated>()) {
    const auto created = trace.at<ev::ContextCreated>(index);
    if (!NT_SUCCESS(static_cast<NTSTATUS>(created.status)) || !renders(created.flags)) continue;
    judge(index, created.dma_bytes, "context", judgement);
  }
  if (makes_contexts(platform)) return;
  for (const std::uint32_t index : trace.of<ev::DeviceCreated>()) {
    const auto created = trace.at<ev::DeviceCreated>(index);
    const bool of_client = created.device < kDevicesOfClients;
    if (!of_client || !NT_SUCCESS(static_cast<NTSTATUS>(created.status))) continue;
    judge(index, created.dma_bytes, "device", judgement);
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
  // What the driver points to is its own.
  NTSTATUS CreateDevice(HANDLE adapter, DXGKARG_CREATEDEVICE* create) override {
    const NTSTATUS status = Interposer::CreateDevice(adapter, create);
    if (!NT_SUCCESS(status) || create->pInfo == nullptr) return status;
    info_ = *create->pInfo;
    info_.DmaBufferSize = 0;
    create->pInfo = &info_;
    return status;
  }

 private:
  DXGK_DEVICEINFO info_{};
};

// What most clauses on rendering want are contexts; here a device is as good.
NotApplicable rendering_in_buffers(const Platform& platform) {
  if (makes_contexts(platform)) {
    if (const NotApplicable reason = render::translating(platform)) return reason;
    return needs(platform, DdiId::CreateContext);
  }
  if (const NotApplicable reason = submitting(platform)) return reason;
  return needs(platform, DdiId::Render);
}

const Rule kRule{
    .id = "CTX-016",
    .title = "The DMA buffers of a context hold a command",
    .rule =
        "DmaBufferSize of a context, by which Windows makes its DMA buffers, is enough for a "
        "command that cannot be split: it is not 0 where Render is called for the context, or for "
        "a "
        "device in the place of contexts.",
    .sources =
        "ns-d3dkmddi-_dxgk_contextinfo.md # DmaBufferSize\n"
        "ns-d3dkmddi-_dxgk_contextinfo.md # Remarks (buffer sizes)\n"
        "ns-d3dkmddi-_dxgk_deviceinfo.md # DmaBufferSize\n"
        "ns-d3dkmddi-_dxgkarg_createdevice.md # pInfo",
    .note =
        "How large a command is only the driver knows: that a buffer of the size asked for makes "
        "progress is RENDER-005. System contexts, those with virtual addresses and those for "
        "testing are not rendered for. A context may ask for lists without entries: there is work "
        "without allocations.",
    .applies = rendering_in_buffers,
    .check = check,
    .played_in = {Configured::Default, Configured::PatchLists2, Configured::Contextless},
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
}  // namespace wddm::ctx_016
