// ALLOC-014: context allocations have a size, and segments that there are, the preferred ones among
// them.

#include <bit>

#include "conformance/rules/alloc/preferred_segments.h"
#include "conformance/rules/life/replaced_callbacks.h"
#include "conformance/rules/rule.h"
#include "conformance/rules/seg/segments_of_gpu.h"

namespace wddm::alloc_014 {
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
    if (const auto outside = preferred_outside(made.preferred, made.set)) {
      judgement.fail(index, "preferred segments that are members of SupportedSegmentSet",
                     "PreferredSegment.SegmentId" + std::to_string(outside->member) +
                         " is segment " + std::to_string(outside->segment));
    }
  }
}

constexpr auto kCreate = &DXGKRNL_INTERFACE::DxgkCbCreateContextAllocation;

// A driver whose wish is left over from another model of its GPU, where that memory had another
// number.
NTSTATUS APIENTRY with_another_wish(DXGKARGCB_CREATECONTEXTALLOCATION* args) {
  args->PreferredSegment.SegmentId0 =
      static_cast<UINT>(std::countr_one(args->SupportedSegmentSet) + 1) & 31;
  return callbacks::given<kCreate>(args);
}

const Rule kRule{
    .id = "ALLOC-014",
    .title = "Context allocations have a size and segments that there are",
    .rule =
        "DxgkCbCreateContextAllocation is called with a Size that is not 0 and a "
        "SupportedSegmentSet "
        "of reported segments that is not empty. Every non-zero SegmentId of PreferredSegment is a "
        "member of that set, in which bit n is segment n + 1.",
    .sources =
        "ns-d3dkmddi-_dxgkargcb_createcontextallocation.md # Size, SupportedSegmentSet, "
        "PreferredSegment\n"
        "ns-d3dkmddi-_dxgk_allocationinfo.md # PreferredSegment",
    .note =
        "Whose it is, is judged by LIFE-007. In a link a segment of any of its GPUs is accepted. "
        "What EvictionSegmentSet and HintedBank may name no page says for these allocations.",
    .unreached = "the driver makes no context allocations",
    .applies = gpu_mmu,
    .check = check,
    .played_in = {Configured::ContextAllocations, Configured::ContextApertures,
                  Configured::ContextsInThird},
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
    .fault = {.about = "PreferredSegment.SegmentId0 names a segment outside the set",
              .interposer = callbacks::replaces<kCreate, &with_another_wish>}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::alloc_014
