// MCDM-025: segments of a device that only computes are linear.

#include "conformance/rules/mcdm/compute_only.h"

namespace wddm::mcdm_025 {
namespace {

constexpr std::uint32_t kAgp = 1u << 1;  // of DXGK_SEGMENTFLAGS

void check(const Trace& trace, const Platform&, Judgement& judgement) {
  for (const std::uint32_t index : trace.of<ev::SegmentReported>()) {
    const auto segment = trace.at<ev::SegmentReported>(index);
    judgement.reached(index);
    if ((segment.flags & kAgp) == 0) continue;
    judgement.fail(index, "a linear memory or aperture segment",
                   "Agp in segment " + std::to_string(segment.segment));
  }
}

// A driver that keeps the aperture of an older bus.
class BehindAgp final : public Interposer {
 public:
  NTSTATUS QueryAdapterInfo(HANDLE adapter, const DXGKARG_QUERYADAPTERINFO* query) override {
    const NTSTATUS status = Interposer::QueryAdapterInfo(adapter, query);
    if (query->Type != DXGKQAITYPE_QUERYSEGMENT4 || !NT_SUCCESS(status)) return status;
    const auto& out = *static_cast<DXGK_QUERYSEGMENTOUT4*>(query->pOutputData);
    if (out.pSegmentDescriptor == nullptr) return status;
    reinterpret_cast<DXGK_SEGMENTDESCRIPTOR4*>(out.pSegmentDescriptor)->Flags.Agp = 1;
    return status;
  }
};

const Rule kRule{
    .id = "MCDM-025",
    .title = "Only linear memory and linear aperture segments are reported",
    .rule =
        "A device that only computes reports linear memory segments and linear aperture segments: "
        "none with Agp. It need not have an aperture.",
    .sources =
        "mcdm-implementation-guidelines.md # Memory Management\n"
        "configuring-memory-segment-types.md\n"
        "linear-memory-space-segments.md # UseBanking\n"
        "linear-aperture-space-segments.md",
    .note =
        "Banks are hints for places inside a linear segment, and no other kind of segment: "
        "UseBanking is free. DirectFlip and protected memory have no use here, and are not judged.",
    .applies = compute::only,
    .check = check,
    .played_in = compute::kPlayedIn,
    .scenario = R"(
about: the adapter starts
ops:
- start
)",
    .control = R"(
about: asked again
ops:
- requery
)",
    .fault = {.about = "Agp is set",
              .interposer = [] { return std::unique_ptr<Interposer>(new BehindAgp); },
              .also_fires = "SEG-003"}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::mcdm_025
