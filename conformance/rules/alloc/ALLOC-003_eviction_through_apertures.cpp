// ALLOC-003: eviction uses aperture segments only.

#include <bit>

#include "conformance/host/interposer.h"
#include "conformance/rules/alloc/descriptions.h"
#include "conformance/rules/rule.h"
#include "conformance/rules/seg/first_memory_segment.h"
#include "conformance/rules/seg/segments_of_gpu.h"

namespace wddm::alloc_003 {
namespace {

void check(const Trace& trace, const Platform& platform, Judgement& judgement) {
  const seg::SegmentsOfGpus segments(trace, platform);
  alloc::for_each_description(trace, [&](const alloc::Description& said) {
    judgement.reached(said.index);
    const std::uint32_t gpu = seg::gpu_of(said.info, platform);
    const std::uint32_t wrong =
        said.info.eviction_set & ~(segments.apertures(gpu) & ~segments.pitched(gpu));
    if (wrong == 0) return;
    judgement.fail(said.index, "aperture segments without PitchAlignment in EvictionSegmentSet",
                   "segment " + std::to_string(std::countr_zero(wrong) + 1) + said.whose());
  });
}

// A driver that would evict to its local memory.
class EvictsToLocal final : public seg::KnowsItsMemory {
 public:
  NTSTATUS CreateAllocation(HANDLE adapter, DXGKARG_CREATEALLOCATION* create) override {
    const NTSTATUS status = Interposer::CreateAllocation(adapter, create);
    for (UINT i = 0; i < create->NumAllocations; ++i) {
      DXGK_ALLOCATIONINFO& info = create->pAllocationInfo[i];
      info.EvictionSegmentSet = memory_set();
    }
    return status;
  }
};

const Rule kRule{.id = "ALLOC-003",
                 .title = "Eviction uses aperture segments only",
                 .rule =
                     "EvictionSegmentSet holds only segments with Aperture or Agp and none with "
                     "PitchAlignment; 0 means a direct transfer to page-locked system memory.",
                 .sources =
                     "ns-d3dkmddi-_dxgk_allocationinfo.md # EvictionSegmentSet\n"
                     "ns-d3dkmddi-_dxgk_segmentflags.md # PitchAlignment",
                 .applies = paging,
                 .check = check,
                 .scenario = R"(
about: the smallest allocation in a local segment
ops:
- create_allocation: {allocation: 0, place: local}
)",
                 .control = R"(
about: a texture, a staging surface and one that may live anywhere
ops:
- create_allocation: {allocation: 0, place: local}
- create_allocation: {allocation: 1, place: aperture, cpu_visible: true}
- create_allocation: {allocation: 2}
- requery: {allocations: 1}
)",
                 .fault = {.about = "EvictionSegmentSet names the local segment", .interposer = [] {
                             return std::unique_ptr<Interposer>(new EvictsToLocal);
                           }}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::alloc_003
