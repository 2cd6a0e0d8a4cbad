// ALLOC-003: eviction uses aperture segments only.

#include "conformance/host/interposer.h"
#include "conformance/rules/rule.h"
#include "conformance/rules/seg/first_memory_segment.h"

namespace wddm {
namespace {

void check(const Trace& trace, const Platform& platform, Judgement& judgement) {
  for (const std::uint32_t index : trace.of<ev::AllocationCreated>()) {
    const auto created = trace.at<ev::AllocationCreated>(index);
    judgement.reached(index);
    for (std::uint32_t bit = 0; bit < 32; ++bit) {
      if ((created.eviction_set >> bit & 1) == 0) continue;
      const bool reported = bit < platform.segments.size();
      const SegmentFlags flags = reported ? platform.segments[bit].flags : SegmentFlags{};
      if ((flags.aperture() || flags.agp()) && !flags.pitch_alignment()) continue;
      judgement.fail(index, "aperture segments without PitchAlignment in EvictionSegmentSet",
                     "segment " + std::to_string(bit + 1));
      break;
    }
  }
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
)",
                 .fault = {.about = "EvictionSegmentSet names the local segment", .interposer = [] {
                             return std::unique_ptr<Interposer>(new EvictsToLocal);
                           }}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm
