// RENDER-011: under the guaranteed contract a command buffer becomes one DMA buffer, or is invalid.

#include "conformance/host/interposer.h"
#include "conformance/rules/makes_contexts.h"
#include "conformance/rules/out_of_memory.h"
#include "conformance/rules/render/render_status.h"
#include "conformance/rules/rule.h"
#include "reference/trace/names.h"

namespace wddm::render_011 {
namespace {

// DXGK_DEVICEINFOFLAGS.
constexpr std::uint32_t kGuaranteedDmaBufferContract = 1u << 0;

// Less than one command no command buffer has, and the device has said how much room it needs.
bool refuses_one(const ev::TranslationTried& tried) {
  return tried.commands == 1 && !render::made_output(tried.status) &&
         !is_out_of_memory(tried.status);
}

void check(const Trace& trace, const Platform&, Judgement& judgement) {
  for (const std::uint32_t index : trace.of<ev::TranslationTried>()) {
    const auto tried = trace.at<ev::TranslationTried>(index);
    if ((tried.flags & kGuaranteedDmaBufferContract) == 0) continue;
    judgement.reached(index);
    if (refuses_one(tried)) {
      judgement.fail(index, "a DMA buffer of the one command that user mode has built",
                     status_name(tried.status));
    }
    if (!render::incomplete(tried.status)) continue;
    judgement.fail(index, "one DMA buffer, or a status that calls the command buffer invalid",
                   "STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER, for " +
                       std::to_string(tried.command_bytes) +
                       " bytes of commands, a DMA buffer of " + std::to_string(tried.dma_given) +
                       " and a list of " + std::to_string(tried.patches_given));
  }
}

NotApplicable rendering_on_devices(const Platform& platform) {
  if (!platform.started) return "the driver did not start";
  if (const NotApplicable reason = needs_caps(platform)) return reason;
  if (!platform.has_client) return "no client: nothing can be rendered";
  if (makes_contexts(platform)) return "no guaranteed contract: contexts have none";
  return needs(platform, DdiId::Render);
}

// A driver that asks for more room where it can do nothing with a command buffer.
class AsksForMoreRoom final : public Interposer {
 public:
  NTSTATUS Render(HANDLE device, DXGKARG_RENDER* render) override {
    const NTSTATUS status = Interposer::Render(device, render);
    return NT_SUCCESS(status) ? status : STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER;
  }
};

const Rule kRule{
    .id = "RENDER-011",
    .title = "Guaranteed-contract translation is one to one",
    .rule =
        "On a device with GuaranteedDmaBufferContract a command buffer becomes exactly one DMA "
        "buffer and one patch-location list. Render does not return "
        "STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER; what does not fit it rejects as invalid. A "
        "single "
        "command of user mode fits the room that the device has asked for.",
    .sources =
        "using-the-guaranteed-contract-dma-buffer-model.md\n"
        "ns-d3dkmddi-_dxgk_deviceinfoflags.md # GuaranteedDmaBufferContract\n"
        "nc-d3dkmddi-dxgkddi_render.md # Remarks (guaranteed contract)",
    .note =
        "The flag is called obsolete, by a page that says that Windows Vista knows nothing else. "
        "Reading: what it forbids is forbidden where it is set, and RENDER-005 holds elsewhere. "
        "Devices have it, and so drivers without contexts alone; Render is called for one of "
        "theirs with ever more commands, in the room that it asked for, and nothing of it runs: of "
        "one binding, and each of a binding of its own, so that the DMA buffer or the list may be "
        "too small though the command buffer is not. "
        "With which status a driver refuses is not judged.",
    .applies = rendering_on_devices,
    .check = check,
    .played_in = {Configured::Contract},
    .scenario = R"(
about: command buffers that fit a DMA buffer, and one that does not
ops:
- requery
)",
    .control = R"(
about: the same with a short list, and again after a start
ops:
- configure: {setting: PatchLocationListSize, value: 64}
- requery
- cycle: {count: 1}
- requery
)",
    .fault = {.about = "for what does not fit more room is asked for",
              .interposer = [] { return std::unique_ptr<Interposer>(new AsksForMoreRoom); }}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::render_011
