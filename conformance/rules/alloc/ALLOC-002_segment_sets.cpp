// ALLOC-002: segment sets name existing segments and contain the preferences.

#include "conformance/rules/alloc/altered_allocations.h"
#include "conformance/rules/alloc/descriptions.h"
#include "conformance/rules/alloc/preferred_segments.h"
#include "conformance/rules/rule.h"
#include "conformance/rules/scratch.h"
#include "conformance/rules/seg/segments_of_gpu.h"
#include "reference/types.h"

namespace wddm::alloc_002 {
namespace {

// Apertures of which not a page can be committed, as they were reported last. Of a memory segment
// the newest descriptor's CommitLimit says nothing, and what it says of AGP's no page tells.
class ClosedApertures {
 public:
  void on(const ev::SegmentReported& segment) {
    const SegmentFlags flags{segment.flags};
    const bool closed = flags.aperture() && !flags.agp() && segment.commit_limit < kPageSize;
    std::uint32_t& set = of_gpu_[segment.physical_adapter];
    set &= ~seg::bit_of(segment.segment);
    if (closed) set |= seg::bit_of(segment.segment);
  }
  /// Whether a set has segments, and no others than these.
  [[nodiscard]] bool are_all(std::uint32_t set, std::uint32_t gpu) const {
    const auto found = of_gpu_.find(gpu);
    return found != of_gpu_.end() && set != 0 && (set & ~found->second) == 0;
  }

 private:
  ScratchMap<std::uint32_t, std::uint32_t> of_gpu_;  // SegmentSets
};

void judge(const alloc::Description& said, const seg::SegmentsOfGpus& segments,
           const ClosedApertures& closed, const Platform& platform, Judgement& judgement) {
  const ev::AllocationCreated& info = said.info;
  judgement.reached(said.index);
  const auto fail = [&](const char* expected, const std::string& seen) {
    judgement.fail(said.index, expected, seen + said.whose());
  };
  const std::uint32_t gpu = seg::gpu_of(info, platform);
  // From WDDM 2.0 on only the write set counts.
  const bool reads_count = !platform.wddm2();
  const std::uint32_t named = info.write_set | (reads_count ? info.read_set : 0);
  if ((named & ~segments.all(gpu)) != 0) {
    fail("bits of reported segments only (bit n is segment n + 1)",
         "a segment set names a segment that was not reported");
  }
  // A read-only allocation of WDDM 1 may have a read set alone.
  if (named == 0) {
    fail(reads_count ? "a segment in SupportedReadSegmentSet or SupportedWriteSegmentSet"
                     : "a SupportedWriteSegmentSet that is not empty",
         "none");
  }
  if (closed.are_all(named, gpu)) {
    fail("a segment in the supported sets of which something can be committed",
         "apertures alone, whose CommitLimit is no page");
  }
  if (const auto outside = preferred_outside(info.preferred, named)) {
    fail("preferred segments that are members of the supported sets",
         "PreferredSegment.SegmentId" + std::to_string(outside->member) + " is segment " +
             std::to_string(outside->segment));
  }
}

void check(const Trace& trace, const Platform& platform, Judgement& judgement) {
  const seg::SegmentsOfGpus segments(trace, platform);
  ClosedApertures closed;
  for (const std::uint32_t index :
       trace.of_any<ev::SegmentReported, ev::AllocationCreated, ev::ShapeDescribed>()) {
    if (trace.events()[index].kind == EventKind::SegmentReported) {
      closed.on(trace.at<ev::SegmentReported>(index));
    } else {
      judge(alloc::description_at(trace, index), segments, closed, platform, judgement);
    }
  }
}

// A driver that prefers a segment it does not support.
void prefer_another(DXGK_ALLOCATIONINFO& info) {
  info.PreferredSegment.SegmentId0 =
      info.SupportedWriteSegmentSet & info.SupportedReadSegmentSet & 1 ? 2 : 1;
  info.SupportedWriteSegmentSet &= ~(1u << (info.PreferredSegment.SegmentId0 - 1));
  info.SupportedReadSegmentSet = info.SupportedWriteSegmentSet;
}

const Rule kRule{
    .id = "ALLOC-002",
    .title = "Segment sets name existing segments and contain the preferences",
    .rule =
        "Bits of SupportedReadSegmentSet and SupportedWriteSegmentSet correspond to "
        "reported segments of the allocation's GPU, one of them is not empty, and every non-zero "
        "SegmentId of "
        "PreferredSegment is a member of the supported sets. Not all of them are apertures whose "
        "CommitLimit is less than a page, as nothing could ever lie there. "
        "From WDDM 2.0 on only SupportedWriteSegmentSet counts.",
    .sources =
        "ns-d3dkmddi-_dxgk_allocationinfo.md # SupportedReadSegmentSet, SupportedWriteSegmentSet, "
        "PreferredSegment\n"
        "ns-d3dkmddi-_dxgk_segmentdescriptor4.md # CommitLimit\n"
        "specifying-segments-when-creating-allocations.md",
    .note =
        "That an allocation fits into what can be committed is not asked: Windows finds that out "
        "by itself.",
    .applies = paging,
    .check = check,
    .played_in = kBothAddressings,
    .scenario = R"(
about: the smallest allocation in a local segment
ops:
- create_allocation: {allocation: 0, place: local}
)",
    .control = R"(
about: a texture, a staging surface and one that may live anywhere; then several at once
ops:
- create_allocation: {allocation: 0, place: local}
- create_allocation: {allocation: 1, place: aperture, cpu_visible: true}
- create_allocation: {allocation: 2}
# Several of one resource, and a surface that Dxgkrnl describes.
- requery: {allocations: 3}
- requery: {allocations: 1, standard: 3}
)",
    .fault = {.about = "PreferredSegment.SegmentId0 names a segment outside the set",
              .interposer = alters_allocations<prefer_another>}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::alloc_002
