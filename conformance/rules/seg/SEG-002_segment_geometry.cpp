// SEG-002: segments have whole pages, do not overlap and are committed as a whole.

#include <algorithm>
#include <tuple>

#include "conformance/host/interposer.h"
#include "conformance/rules/rule.h"
#include "conformance/rules/scratch.h"
#include "reference/types.h"

namespace wddm::seg_002 {
namespace {

struct Placed {
  ev::SegmentReported segment;
  std::uint32_t event;
};

void check_banks(const Trace& trace, const Placed& placed, Judgement& judgement) {
  std::uint64_t before = 0;
  for (const std::uint64_t end : trace.blob<std::uint64_t>(trace.events()[placed.event])) {
    if (end <= before || end > placed.segment.size) {
      judgement.fail(placed.event, "bank end offsets that increase and do not exceed Size",
                     std::to_string(end) + " after " + std::to_string(before));
      return;
    }
    before = end;
  }
}

bool is_aperture(const ev::SegmentReported& segment) {
  return SegmentFlags{segment.flags}.aperture();
}

void check(const Trace& trace, const Platform& platform, Judgement& judgement) {
  // From WDDM 2.0 on a place is a segment and an offset, and an aperture a page table of its own.
  const bool apart = platform.wddm2();
  ScratchVector<Placed> placed;
  for (const std::uint32_t index : trace.of<ev::SegmentReported>()) {
    const auto segment = trace.at<ev::SegmentReported>(index);
    const SegmentFlags flags{segment.flags};
    if (flags.agp()) continue;  // Size and BaseAddress are ignored
    judgement.reached(index);
    const std::string name = "segment " + std::to_string(segment.segment);
    if (segment.size == 0 || segment.size % kPageSize != 0) {
      judgement.fail(index, "a Size that is a non-zero multiple of the host page",
                     name + " has " + std::to_string(segment.size) + " bytes");
    }
    if (segment.version != 4 && !flags.aperture() && segment.commit_limit != segment.size) {
      judgement.fail(index, "CommitLimit of a memory segment equal to Size",
                     name + " has CommitLimit " + std::to_string(segment.commit_limit));
    }
    if (flags.aperture() && segment.commit_limit > segment.size) {
      judgement.fail(index, "CommitLimit of an aperture no more than its Size",
                     name + " has CommitLimit " + std::to_string(segment.commit_limit));
    }
    check_banks(trace, {segment, index}, judgement);
    placed.push_back({segment, index});
  }
  // Of segments at one address the first reported is said to be in the way.
  const auto order_of = [apart](const Placed& one) {
    return std::tuple(one.segment.round, one.segment.physical_adapter,
                      apart && is_aperture(one.segment), one.segment.base, one.event);
  };
  std::sort(placed.begin(), placed.end(),
            [order_of](const Placed& a, const Placed& b) { return order_of(a) < order_of(b); });
  for (std::size_t i = 1; i < placed.size(); ++i) {
    const ev::SegmentReported& low = placed[i - 1].segment;
    const ev::SegmentReported& high = placed[i].segment;
    // A driver is asked again, and may have moved them; each GPU of a link has addresses of its
    // own.
    if (low.round != high.round || low.physical_adapter != high.physical_adapter) continue;
    if (apart && is_aperture(low) != is_aperture(high)) continue;
    if (low.size <= high.base - low.base) continue;
    judgement.fail(placed[i].event, "GPU address ranges of segments that do not overlap",
                   "segments " + std::to_string(low.segment) + " and " +
                       std::to_string(high.segment) + " share addresses",
                   {placed[i - 1].event});
  }
}

template <class Out, class Descriptor>
void clear_limit(const DXGKARG_QUERYADAPTERINFO* query) {
  auto& out = *static_cast<Out*>(query->pOutputData);
  if (out.pSegmentDescriptor == nullptr) return;
  for (UINT i = 0; i < out.NbSegment; ++i) {
    auto& descriptor = reinterpret_cast<Descriptor*>(out.pSegmentDescriptor)[i];
    if (!descriptor.Flags.Aperture) descriptor.CommitLimit = 0;
  }
}

// A driver that leaves CommitLimit of its memory segment at 0.
class NoCommitLimit final : public Interposer {
 public:
  NTSTATUS QueryAdapterInfo(HANDLE adapter, const DXGKARG_QUERYADAPTERINFO* query) override {
    const NTSTATUS status = Interposer::QueryAdapterInfo(adapter, query);
    if (query->Type == DXGKQAITYPE_QUERYSEGMENT) {
      clear_limit<DXGK_QUERYSEGMENTOUT, DXGK_SEGMENTDESCRIPTOR>(query);
    } else if (query->Type == DXGKQAITYPE_QUERYSEGMENT3) {
      clear_limit<DXGK_QUERYSEGMENTOUT3, DXGK_SEGMENTDESCRIPTOR3>(query);
    }
    return status;
  }
};

const Rule kRule{
    .id = "SEG-002",
    .title = "Segment geometry",
    .rule =
        "Size is a non-zero multiple of the host page; the GPU address ranges of "
        "segments do not overlap (from WDDM 2.0 on, of two memory segments or two "
        "apertures); CommitLimit of a memory segment equals Size, and that of an aperture "
        "is no more; banks have increasing end offsets that do not exceed Size.",
    .sources =
        "ns-d3dkmddi-_dxgk_segmentdescriptor3.md # Size, CommitLimit, pBankRangeTable\n"
        "using-memory-segments-to-describe-the-gpu-address-space.md # segments don't overlap\n"
        "gpu-segments.md # Physical memory reference\n"
        "dividing-a-memory-space-segment-into-banks.md",
    .note =
        "DXGK_SEGMENTDESCRIPTOR4 describes CommitLimit for aperture segments only, "
        "so the equality is asked of the older descriptors. That no more is committed than there "
        "are addresses is derived: the limit is the most that can be committed. Agp segments ignore "
        "Size and BaseAddress. The end of the last bank is the segment's, and is not read.",
    .applies = always,
    .check = check,
    .played_in = kBothAddressings,
    .scenario = R"(
about: the adapter starts, is asked again, and starts again when its device lies elsewhere
ops:
- start
- requery
- rebalance
)",
    .control = R"(
about: a memory segment of the smallest size
ops:
- configure: {setting: LocalSegmentPages, value: 1}
- start
)",
    .fault = {.about = "CommitLimit of the memory segment is 0",
              .interposer = [] { return std::unique_ptr<Interposer>(new NoCommitLimit); }}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::seg_002
