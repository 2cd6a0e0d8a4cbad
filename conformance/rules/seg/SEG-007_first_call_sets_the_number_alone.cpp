// SEG-007: the first call of the segment query sets the number of segments and nothing else.

#include "conformance/host/interposer.h"
#include "conformance/rules/rule.h"

namespace wddm::seg_007 {
namespace {

void check(const Trace& trace, const Platform&, Judgement& judgement) {
  for (const std::uint32_t index : trace.of<ev::SegmentsReported>()) {
    const auto reported = trace.at<ev::SegmentsReported>(index);
    if (reported.call != 1 || reported.status != 0) continue;
    judgement.reached(index);
    if (reported.stray == 0) continue;
    judgement.fail(index, "the first call sets NbSegment and nothing else",
                   std::to_string(reported.stray) + " other bytes were written");
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

const Rule kRule{.id = "SEG-007",
                 .title = "The first segment query sets the number alone",
                 .level = Level::Should,
                 .rule =
                     "With pSegmentDescriptor NULL the driver sets NbSegment and looks at no other "
                     "member of the structure.",
                 .sources =
                     "initializing-use-of-memory-segments.md\n"
                     "ns-d3dkmddi-_dxgk_querysegmentout4.md # NbSegment",
                 .note =
                     "Output is zeroed before each call, because drivers in the field rely on it; "
                     "what the first call may not write must still be zero.",
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
}  // namespace wddm::seg_007
