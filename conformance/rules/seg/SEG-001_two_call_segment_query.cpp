// SEG-001: segments are asked for in two calls.

#include <utility>

#include "conformance/host/interposer.h"
#include "conformance/rules/rule.h"
#include "conformance/rules/scratch.h"

namespace wddm {
namespace {

struct Kinds {
  std::uint32_t event;
  std::uint32_t flags;
};

void check(const Trace& trace, const Platform&, Judgement& judgement) {
  ScratchMap<std::uint32_t, std::uint32_t> counted;  // by GPU of a link
  for (const std::uint32_t index : trace.of<ev::SegmentsReported>()) {
    const auto reported = trace.at<ev::SegmentsReported>(index);
    judgement.reached(index);
    if (reported.status != 0) {
      judgement.fail(index, "STATUS_SUCCESS", status_name(reported.status));
      continue;
    }
    if (reported.call == 1) {
      if (reported.stray != 0) {
        judgement.fail(index, "the first call sets NbSegment and nothing else",
                       std::to_string(reported.stray) + " other bytes were written");
      }
      const auto before = counted.try_emplace(reported.physical_adapter, reported.count).first;
      if (before->second != reported.count) {
        judgement.fail(
            index, "the number of segments never changes",
            std::to_string(reported.count) + " instead of " + std::to_string(before->second));
      }
      before->second = reported.count;
    } else if (reported.count != reported.asked) {
      judgement.fail(index, std::to_string(reported.asked) + " descriptors, as the first call said",
                     "NbSegment " + std::to_string(reported.count));
    }
  }
  for (const std::uint32_t index : trace.of<ev::GuardDamaged>()) {
    if (trace.at<ev::GuardDamaged>(index).area !=
        static_cast<std::uint32_t>(GuardArea::SegmentList)) {
      continue;
    }
    judgement.fail(index, "as many descriptors as there is room for",
                   "bytes behind the array were written");
  }
  ScratchMap<std::pair<std::uint32_t, std::uint32_t>, Kinds> first_round;  // by GPU and segment
  for (const std::uint32_t index : trace.of<ev::SegmentReported>()) {
    const auto segment = trace.at<ev::SegmentReported>(index);
    const auto known = first_round
                           .try_emplace({segment.physical_adapter, segment.segment},
                                        Kinds{index, segment.flags})
                           .first;
    if (known->second.flags == segment.flags) continue;
    judgement.fail(index, "the kinds of segments never change",
                   "other flags for segment " + std::to_string(segment.segment),
                   {known->second.event});
  }
}

template <class Out>
void set_size(const DXGKARG_QUERYADAPTERINFO* query) {
  auto& out = *static_cast<Out*>(query->pOutputData);
  if (out.pSegmentDescriptor == nullptr) out.PagingBufferSize = 4096;
}

// A driver that fills in the paging buffer's size in the first call already.
class AllAtOnce final : public Interposer {
 public:
  NTSTATUS QueryAdapterInfo(HANDLE adapter, const DXGKARG_QUERYADAPTERINFO* query) override {
    const NTSTATUS status = Interposer::QueryAdapterInfo(adapter, query);
    if (query->Type == DXGKQAITYPE_QUERYSEGMENT) set_size<DXGK_QUERYSEGMENTOUT>(query);
    if (query->Type == DXGKQAITYPE_QUERYSEGMENT3) set_size<DXGK_QUERYSEGMENTOUT3>(query);
    if (query->Type == DXGKQAITYPE_QUERYSEGMENT4) set_size<DXGK_QUERYSEGMENTOUT4>(query);
    return status;
  }
};

const Rule kRule{.id = "SEG-001",
                 .title = "Two-call segment query",
                 .rule =
                     "In the first call, with pSegmentDescriptor NULL, the driver sets only "
                     "NbSegment and returns STATUS_SUCCESS; in the second it fills exactly that "
                     "many descriptors and the paging-buffer members. Number and kinds of "
                     "segments never change afterwards.",
                 .sources =
                     "initializing-use-of-memory-segments.md\n"
                     "ns-d3dkmddi-_dxgk_querysegmentout4.md # NbSegment\n"
                     "using-memory-segments-to-describe-the-gpu-address-space.md",
                 .note =
                     "Output is zeroed before each call, because drivers in the field rely on "
                     "it; what the first call may not write must still be zero.",
                 .applies = always,
                 .check = check,
                 .played_in = kBothAddressings,
                 .scenario = R"(
about: asked at start and once more
ops:
- start
- requery
)",
                 .control = R"(
about: the adapter starts
ops:
- start
)",
                 .fault = {.about = "the first call sets PagingBufferSize", .interposer = [] {
                             return std::unique_ptr<Interposer>(new AllAtOnce);
                           }}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm
