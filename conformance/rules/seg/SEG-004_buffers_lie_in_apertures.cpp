// SEG-004: DMA buffers lie in aperture segments, or in contiguous memory.

#include "conformance/host/interposer.h"
#include "conformance/rules/rule.h"
#include "conformance/rules/seg/first_memory_segment.h"
#include "conformance/rules/seg/segments_of_gpu.h"

namespace wddm {
namespace {

void check(const Trace& trace, const Platform& platform, Judgement& judgement) {
  const seg::SegmentsOfGpus segments(trace, platform);
  for (const std::uint32_t index : trace.of<ev::ContextCreated>()) {
    const auto context = trace.at<ev::ContextCreated>(index);
    if (!NT_SUCCESS(static_cast<NTSTATUS>(context.status))) continue;
    judgement.reached(index);
    for (std::uint32_t bit = 0; bit < 32; ++bit) {
      if ((context.dma_segments >> bit & 1) == 0) continue;
      if ((segments.all(context.engine) >> bit & 1) == 0) {
        judgement.fail(index, "bits of reported segments in DmaBufferSegmentSet",
                       "segment " + std::to_string(bit + 1));
      } else if ((segments.apertures(context.engine) >> bit & 1) == 0) {
        judgement.fail(index, "aperture segments in DmaBufferSegmentSet, or 0",
                       "segment " + std::to_string(bit + 1) + " is memory of the GPU");
      }
    }
  }
}

NotApplicable with_contexts(const Platform& platform) {
  if (!platform.started) return "the driver did not start";
  return needs(platform, DdiId::CreateContext);
}

// A driver that wants its DMA buffers where the GPU reads fastest.
class InLocalMemory final : public seg::KnowsItsMemory {
 public:
  NTSTATUS CreateContext(HANDLE device, DXGKARG_CREATECONTEXT* create) override {
    const NTSTATUS status = Interposer::CreateContext(device, create);
    create->ContextInfo.DmaBufferSegmentSet |= memory_set();
    return status;
  }
};

const Rule kRule{
    .id = "SEG-004",
    .title = "DMA buffers live in aperture segments or contiguous memory",
    .rule =
        "DXGK_CONTEXTINFO.DmaBufferSegmentSet of a context is 0, or has the bits of reported "
        "aperture "
        "segments only.",
    .sources =
        "ns-d3dkmddi-_dxgk_contextinfo.md # Remarks\n"
        "specifying-segments-for-dma-buffers.md",
    .note = "The segment of paging buffers is judged by SEG-001.",
    .applies = with_contexts,
    .check = check,
    .played_in = kBothAddressings,
    .scenario = R"(
about: a context
ops:
- create_context: {context: 0}
)",
    .control = R"(
about: contexts of two devices
ops:
- create_device: {device: 1}
- create_context: {context: 0}
- create_context: {context: 1, device: 1}
)",
    .fault = {.about = "DmaBufferSegmentSet names the memory segment",
              .interposer = [] { return std::unique_ptr<Interposer>(new InLocalMemory); }}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm
