// SEG-001: segments are asked for in two calls.

#include <utility>

#include "conformance/host/interposer.h"
#include "conformance/rules/another_device.h"
#include "conformance/rules/rule.h"
#include "conformance/rules/scratch.h"
#include "conformance/rules/seg/first_memory_segment.h"
#include "conformance/rules/seg/short_of_memory.h"

namespace wddm::seg_001 {
namespace {

constexpr std::uint32_t kNewest = 4;  // SegmentsReported::version

struct Kinds {
  std::uint32_t event;
  std::uint32_t flags;
};

// The paging buffer lies in an aperture segment, or in system memory: 0.
void check_paging_buffer(const Trace& trace, std::uint32_t index,
                         const ev::SegmentsReported& reported, Judgement& judgement) {
  if (reported.paging_bytes == 0) {
    judgement.fail(index, "a PagingBufferSize that is not 0", "0");
  }
  if (reported.paging_segment == 0) return;
  for (const std::uint32_t described : trace.of<ev::SegmentReported>()) {
    const auto segment = trace.at<ev::SegmentReported>(described);
    const bool is_it = segment.physical_adapter == reported.physical_adapter &&
                       segment.round == reported.round &&
                       segment.segment == reported.paging_segment;
    const SegmentFlags flags{segment.flags};
    if (is_it && (flags.aperture() || flags.agp())) return;
  }
  judgement.fail(index, "0 or an aperture segment in PagingBufferSegmentId",
                 "segment " + std::to_string(reported.paging_segment));
}

// Which query it is: the first has no number.
std::string query_name(std::uint32_t version) {
  return "DXGKQAITYPE_QUERYSEGMENT" + (version < 2 ? std::string{} : std::to_string(version));
}

// The form of WDDM 2.0 is refused, and that of 1.2 is answered in its place.
bool knows_only_older(const Trace& trace, const ev::SegmentsReported& refused) {
  if (refused.version != kNewest || refused.call != 1) return false;
  for (const std::uint32_t index : trace.of<ev::SegmentsReported>()) {
    const auto reported = trace.at<ev::SegmentsReported>(index);
    const bool same =
        reported.round == refused.round && reported.physical_adapter == refused.physical_adapter;
    if (same && reported.version < kNewest && reported.status == 0) return true;
  }
  return false;
}

// What was said when a device was asked first.
struct Known {
  ScratchMap<std::uint32_t, std::uint32_t> counts;                   // by GPU of a link
  ScratchMap<std::pair<std::uint32_t, std::uint32_t>, Kinds> kinds;  // by GPU and segment
};

void judge_call(const Trace& trace, std::uint32_t index, bool pages, Known& known,
                Judgement& judgement) {
  const auto reported = trace.at<ev::SegmentsReported>(index);
  if (seg::is_short_of_memory(trace, reported.status)) return;
  if (reported.status != 0 && knows_only_older(trace, reported)) return;
  judgement.reached(index);
  if (reported.status != 0) {
    judgement.fail(index, "STATUS_SUCCESS of " + query_name(reported.version),
                   status_name(reported.status));
  } else if (reported.call == 1) {
    const auto before = known.counts.try_emplace(reported.physical_adapter, reported.count).first;
    if (before->second != reported.count) {
      judgement.fail(
          index, "the number of segments never changes",
          std::to_string(reported.count) + " instead of " + std::to_string(before->second));
    }
    before->second = reported.count;
  } else if (reported.count != reported.asked) {
    judgement.fail(index, std::to_string(reported.asked) + " descriptors, as the first call said",
                   "NbSegment " + std::to_string(reported.count));
  } else if (pages && reported.physical_adapter == 0) {
    check_paging_buffer(trace, index, reported, judgement);
  }
}

void judge_kinds(const Trace& trace, std::uint32_t index, Known& known, Judgement& judgement) {
  const auto segment = trace.at<ev::SegmentReported>(index);
  const auto before =
      known.kinds
          .try_emplace({segment.physical_adapter, segment.segment}, Kinds{index, segment.flags})
          .first;
  if (before->second.flags == segment.flags) return;
  judgement.fail(index, "the kinds of segments never change",
                 "other flags for segment " + std::to_string(segment.segment),
                 {before->second.event});
}

void check(const Trace& trace, const Platform& platform, Judgement& judgement) {
  const bool pages = platform.has(DdiId::BuildPagingBuffer);
  Known known;
  for (const std::uint32_t index :
       trace.of_any<ev::OpStarted, ev::EntryReturned, ev::SurpriseRemoved, ev::SegmentsReported,
                    ev::SegmentReported>()) {
    const Event& event = trace.events()[index];
    if (event.kind == EventKind::SegmentsReported) {
      judge_call(trace, index, pages, known, judgement);
    } else if (event.kind == EventKind::SegmentReported) {
      judge_kinds(trace, index, known, judgement);
    } else if (may_be_another_device(event)) {
      // How much of its memory the CPU sees, and so which segments it has, is of its resources.
      known.counts.clear();
      known.kinds.clear();
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
}

template <class Out>
void name_local(const DXGKARG_QUERYADAPTERINFO* query) {
  auto& out = *static_cast<Out*>(query->pOutputData);
  if (out.pSegmentDescriptor != nullptr) out.PagingBufferSegmentId = seg::first_memory_in(out);
}

// A driver that wants its paging buffer in local memory.
class PagesFromLocal final : public Interposer {
 public:
  NTSTATUS QueryAdapterInfo(HANDLE adapter, const DXGKARG_QUERYADAPTERINFO* query) override {
    const NTSTATUS status = Interposer::QueryAdapterInfo(adapter, query);
    if (query->Type == DXGKQAITYPE_QUERYSEGMENT) name_local<DXGK_QUERYSEGMENTOUT>(query);
    if (query->Type == DXGKQAITYPE_QUERYSEGMENT3) name_local<DXGK_QUERYSEGMENTOUT3>(query);
    if (query->Type == DXGKQAITYPE_QUERYSEGMENT4) name_local<DXGK_QUERYSEGMENTOUT4>(query);
    return status;
  }
};

const Rule kRule{
    .id = "SEG-001",
    .title = "Two-call segment query",
    .rule =
        "In the first call, with pSegmentDescriptor NULL, the driver sets NbSegment "
        "and returns STATUS_SUCCESS; in the second it fills exactly that many "
        "descriptors and the members on the paging buffer, whose segment is 0 or an "
        "aperture segment. Number and kinds of segments never change afterwards, as long as the "
        "device and its resources are the same.",
    .sources =
        "initializing-use-of-memory-segments.md\n"
        "ns-d3dkmddi-_dxgk_querysegmentout4.md # NbSegment\n"
        "ns-d3dkmddi-_dxgk_querysegmentout3.md # PagingBufferSegmentId\n"
        "using-memory-segments-to-describe-the-gpu-address-space.md\n"
        "resizable-bar-support.md",
    .note =
        "One page has QUERYSEGMENT3 for all drivers from WDDM 1.2 on, another QUERYSEGMENT4: who "
        "refuses the latter and answers the former is not accused, and a published sample does so. "
        "Which segments there are may follow from the size of a BAR, so that a device with other "
        "resources is asked as another one. "
        "What the first call leaves alone is judged by SEG-007. The paging buffer is "
        "that of GPU 0 of a link; where it lies this host decides. Where the scenario makes "
        "memory fail, so may the query.",
    .applies = always,
    .check = check,
    .played_in = kBothAddressings | kSegmentOrders,
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
    .fault = {.about = "PagingBufferSegmentId names the local segment",
              .interposer = [] { return std::unique_ptr<Interposer>(new PagesFromLocal); }}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::seg_001
