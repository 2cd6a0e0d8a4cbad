// ALLOC-014: context allocations have a size, and segments that there are.

#include "conformance/rules/life/replaced_callbacks.h"
#include "conformance/rules/rule.h"
#include "conformance/rules/seg/segments_of_gpu.h"

namespace wddm {
namespace {

void check(const Trace& trace, const Platform& platform, Judgement& judgement) {
  // Whose context it is may not be known yet, so that a segment of any GPU of a link will do.
  const std::uint32_t existing = seg::SegmentsOfGpus(trace, platform).anywhere();
  for (const std::uint32_t index : trace.of<ev::ContextAllocationMade>()) {
    const auto made = trace.at<ev::ContextAllocationMade>(index);
    judgement.reached(index);
    if (made.size == 0) judgement.fail(index, "a Size that is not 0", "0");
    if (made.set == 0) {
      judgement.fail(index, "a SupportedSegmentSet that is not empty", "0");
    } else if ((made.set & ~existing) != 0) {
      judgement.fail(index, "bits of reported segments in SupportedSegmentSet",
                     "a segment that was not reported");
    }
  }
}

constexpr auto kCreate = &DXGKRNL_INTERFACE::DxgkCbCreateContextAllocation;

// A driver that names a segment of another model of its GPU.
NTSTATUS APIENTRY with_another_segment(DXGKARGCB_CREATECONTEXTALLOCATION* args) {
  args->SupportedSegmentSet |= 1u << 20;
  return callbacks::given<kCreate>(args);
}

const Rule kRule{
    .id = "ALLOC-014",
    .title = "Context allocations have a size and segments that there are",
    .rule =
        "DxgkCbCreateContextAllocation is called with a Size that is not 0 and a "
        "SupportedSegmentSet "
        "of reported segments that is not empty.",
    .sources = "ns-d3dkmddi-_dxgkargcb_createcontextallocation.md # Size, SupportedSegmentSet",
    .note =
        "Whose it is, is judged by LIFE-007. In a link a segment of any of its GPUs is accepted.",
    .unreached = "the driver makes no context allocations",
    .applies = gpu_mmu,
    .check = check,
    .played_in = {Configured::ContextAllocations},
    .scenario = R"(
about: a context with memory of its own
ops:
- create_context: {context: 0}
)",
    .control = R"(
about: two contexts
ops:
- create_context: {context: 0}
- create_context: {context: 1}
)",
    .fault = {.about = "SupportedSegmentSet has a segment that was not reported",
              .interposer = callbacks::replaces<kCreate, &with_another_segment>}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm
