// SEG-004: DMA buffers lie in aperture segments, or in contiguous memory.

#include "conformance/host/interposer.h"
#include "conformance/rules/makes_contexts.h"
#include "conformance/rules/rule.h"
#include "conformance/rules/seg/first_memory_segment.h"
#include "conformance/rules/seg/segments_of_gpu.h"

namespace wddm::seg_004 {
namespace {

void check_set(std::uint32_t index, std::uint32_t set, std::uint32_t gpu,
               const seg::SegmentsOfGpus& segments, Judgement& judgement) {
  judgement.reached(index);
  for (std::uint32_t segment = 1; segment <= 32; ++segment) {
    const std::uint32_t bit = seg::bit_of(segment);
    if ((set & bit) == 0) continue;
    if ((segments.all(gpu) & bit) == 0) {
      judgement.fail(index, "bits of reported segments in DmaBufferSegmentSet",
                     "segment " + std::to_string(segment));
    } else if ((segments.apertures(gpu) & bit) == 0) {
      judgement.fail(index, "aperture segments in DmaBufferSegmentSet, or 0",
                     "segment " + std::to_string(segment) + " is memory of the GPU");
    }
  }
}

void check(const Trace& trace, const Platform& platform, Judgement& judgement) {
  const seg::SegmentsOfGpus segments(trace, platform);
  for (const std::uint32_t index : trace.of<ev::ContextCreated>()) {
    const auto context = trace.at<ev::ContextCreated>(index);
    if (!NT_SUCCESS(static_cast<NTSTATUS>(context.status))) continue;
    check_set(index, context.dma_segments, context.engine, segments, judgement);
  }
  if (makes_contexts(platform)) return;  // what its devices say nobody reads
  for (const std::uint32_t index : trace.of<ev::DeviceCreated>()) {
    const auto device = trace.at<ev::DeviceCreated>(index);
    if (!NT_SUCCESS(static_cast<NTSTATUS>(device.status))) continue;
    check_set(index, device.dma_segments, 0, segments, judgement);
  }
}

NotApplicable with_buffers(const Platform& platform) {
  if (!platform.started) return "the driver did not start";
  return needs(platform, makes_contexts(platform) ? DdiId::CreateContext : DdiId::CreateDevice);
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
        "DmaBufferSegmentSet in DXGK_CONTEXTINFO of a context, or in DXGK_DEVICEINFO of a device "
        "in the place of contexts, is 0, or has the bits of reported aperture segments only.",
    .sources =
        "ns-d3dkmddi-_dxgk_contextinfo.md # Remarks\n"
        "ns-d3dkmddi-_dxgk_deviceinfo.md # DmaBufferSegmentSet\n"
        "specifying-segments-for-dma-buffers.md",
    .note = "The segment of paging buffers is judged by SEG-001.",
    .applies = with_buffers,
    .check = check,
    .played_in = kBothAddressings | kSegmentOrders,
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
}  // namespace wddm::seg_004
