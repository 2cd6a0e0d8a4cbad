// SEG-005: descriptors of segments are as far apart as Dxgkrnl says.

#include <cstring>
#include <vector>

#include "conformance/host/interposer.h"
#include "conformance/rules/rule.h"
#include "conformance/rules/seg/short_of_memory.h"

namespace wddm::seg_005 {
namespace {

void check(const Trace& trace, const Platform&, Judgement& judgement) {
  for (const std::uint32_t index : trace.of<ev::InfoAnswered>()) {
    const auto answer = trace.at<ev::InfoAnswered>(index);
    if (static_cast<InfoQuestion>(answer.how) != InfoQuestion::Strided) continue;
    const bool excused = seg::is_short_of_memory(trace, answer.status);
    const bool written = answer.changed != 0 || answer.behind != 0;
    if (excused && !written) continue;
    judgement.reached(index);
    const char* what = nullptr;
    if (!NT_SUCCESS(static_cast<NTSTATUS>(answer.status))) what = "the query fails";
    if (answer.unlike != 0) what = "descriptors are not where they belong";
    if (answer.changed != 0) what = "bytes between descriptors were written";
    if (answer.behind != 0) what = "bytes behind the array were written";
    if (what == nullptr) continue;
    std::string seen = what;
    if (answer.physical_adapter != 0) seen += ", of GPU " + std::to_string(answer.physical_adapter);
    judgement.fail(index, "each descriptor SegmentDescriptorStride bytes behind the one before it",
                   seen);
  }
}

NotApplicable with_strides(const Platform& platform) {
  if (!platform.started) return "the driver did not start";
  if (platform.segments.empty()) return "no segment is reported";
  return platform.wddm2() ? nullptr : "older than WDDM 2.0: descriptors have no stride";
}

// A driver that takes the array for one of its own descriptors.
class KnowsItsSize final : public Interposer {
 public:
  NTSTATUS QueryAdapterInfo(HANDLE adapter, const DXGKARG_QUERYADAPTERINFO* query) override {
    const NTSTATUS status = Interposer::QueryAdapterInfo(adapter, query);
    if (query->Type != DXGKQAITYPE_QUERYSEGMENT4 || !NT_SUCCESS(status)) return status;
    const auto& out = *static_cast<DXGK_QUERYSEGMENTOUT4*>(query->pOutputData);
    if (out.pSegmentDescriptor == nullptr) return status;
    constexpr std::size_t kOwn = sizeof(DXGK_SEGMENTDESCRIPTOR4);
    for (UINT i = 1; i < out.NbSegment; ++i) {
      std::memmove(out.pSegmentDescriptor + i * kOwn,
                   out.pSegmentDescriptor + i * out.SegmentDescriptorStride, kOwn);
    }
    return status;
  }
};

const Rule kRule{
    .id = "SEG-005",
    .title = "Descriptor arrays are walked with the supplied stride",
    .rule =
        "In DXGKQAITYPE_QUERYSEGMENT4 descriptor i is at pSegmentDescriptor + i * "
        "SegmentDescriptorStride, whatever the size of the driver's own structure, and nothing is "
        "written between its end and the next.",
    .sources =
        "ns-d3dkmddi-_dxgk_querysegmentout4.md # pSegmentDescriptor, SegmentDescriptorStride",
    .applies = with_strides,
    .check = check,
    .played_in = {Configured::GpuVirtual, Configured::Services, Configured::LinkedUnlike},
    .scenario = R"(
about: each GPU is asked with descriptors farther apart than they are long
ops:
- requery
)",
    .control = R"(
about: asked twice
ops:
- requery
- requery
)",
    .fault = {.about = "descriptors follow each other by the driver's own size",
              .interposer = [] { return std::unique_ptr<Interposer>(new KnowsItsSize); }}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::seg_005
