// SEG-003: segment flag combinations are legal.

#include "conformance/host/interposer.h"
#include "conformance/rules/rule.h"
#include "conformance/rules/scratch.h"

namespace wddm::seg_003 {
namespace {

// DXGK_SEGMENTFLAGS, by bit.
constexpr std::uint32_t kAperture = 1u << 0, kAgp = 1u << 1, kCpuVisible = 1u << 2,
                        kCacheCoherent = 1u << 4, kStandby = 1u << 7, kHibernate = 1u << 8,
                        kPartly = 1u << 9, kReservedSysMem = 1u << 12, kHostAperture = 1u << 13,
                        kCachedHostAperture = 1u << 14;

const char* wrong(std::uint32_t flags) {
  const auto has = [flags](std::uint32_t bits) { return (flags & bits) != 0; };
  if (has(kAgp)) return "Agp, where no AGP aperture was reported to the driver,";
  if (has(kCacheCoherent) && !has(kAperture)) return "CacheCoherent without Aperture";
  if (has(kHostAperture) && has(kCpuVisible)) return "SupportsCpuHostAperture with CpuVisible";
  if (has(kCachedHostAperture) && !has(kHostAperture)) {
    return "SupportsCachedCpuHostAperture without SupportsCpuHostAperture";
  }
  if (has(kReservedSysMem)) return "ReservedSysMem";
  const bool standby = has(kStandby), hibernate = has(kHibernate), partly = has(kPartly);
  if (!standby && (hibernate || partly)) return "a hibernate flag without PreservedDuringStandby";
  if (hibernate && partly) return "both hibernate flags";
  return nullptr;
}

void check(const Trace& trace, const Platform& platform, Judgement& judgement) {
  struct Gpu {
    std::uint32_t apertures = 0;
    std::uint32_t last = kNone;  // event
  };
  ScratchMap<std::uint32_t, Gpu> gpus;
  for (const std::uint32_t index : trace.of<ev::SegmentsReported>()) {
    const auto reported = trace.at<ev::SegmentsReported>(index);
    // Who reports no segment has no aperture either. The second call is not made then.
    if (reported.call != 1 || reported.status != 0 || reported.round != 0) continue;
    if (reported.count == 0) gpus[reported.physical_adapter].last = index;
  }
  for (const std::uint32_t index : trace.of<ev::SegmentReported>()) {
    const auto segment = trace.at<ev::SegmentReported>(index);
    judgement.reached(index);
    if (const char* const what = wrong(segment.flags)) {
      judgement.fail(index, "a legal combination of DXGK_SEGMENTFLAGS",
                     std::string(what) + " in segment " + std::to_string(segment.segment));
    }
    // Each GPU of a link has segments of its own.
    if (segment.round == 0) {
      Gpu& gpu = gpus[segment.physical_adapter];
      gpu.apertures += segment.flags & kAperture;
      gpu.last = index;
    }
  }
  if (!platform.wddm2()) return;
  for (const auto& [number, gpu] : gpus) {
    if (gpu.apertures == 1 || (gpu.apertures == 0 && platform.compute_only)) continue;
    judgement.reached(gpu.last);
    judgement.fail(gpu.last, "exactly one aperture segment from WDDM 2.0 on",
                   std::to_string(gpu.apertures) + " of them, of GPU " + std::to_string(number));
  }
}

template <class Out, class Descriptor>
void make_coherent(const DXGKARG_QUERYADAPTERINFO* query) {
  auto& out = *static_cast<Out*>(query->pOutputData);
  if (out.pSegmentDescriptor == nullptr) return;
  for (UINT i = 0; i < out.NbSegment; ++i) {
    reinterpret_cast<Descriptor*>(out.pSegmentDescriptor)[i].Flags.CacheCoherent = 1;
  }
}

// A driver that calls its local memory cache coherent, as public samples do.
class CoherentEverywhere final : public Interposer {
 public:
  NTSTATUS QueryAdapterInfo(HANDLE adapter, const DXGKARG_QUERYADAPTERINFO* query) override {
    const NTSTATUS status = Interposer::QueryAdapterInfo(adapter, query);
    if (query->Type == DXGKQAITYPE_QUERYSEGMENT) {
      make_coherent<DXGK_QUERYSEGMENTOUT, DXGK_SEGMENTDESCRIPTOR>(query);
    } else if (query->Type == DXGKQAITYPE_QUERYSEGMENT3) {
      make_coherent<DXGK_QUERYSEGMENTOUT3, DXGK_SEGMENTDESCRIPTOR3>(query);
    } else if (query->Type == DXGKQAITYPE_QUERYSEGMENT4) {
      make_coherent<DXGK_QUERYSEGMENTOUT4, DXGK_SEGMENTDESCRIPTOR4>(query);
    }
    return status;
  }
};

const Rule kRule{.id = "SEG-003",
                 .title = "Segment flag combinations are legal",
                 .rule =
                     "Agp is not set where no AGP aperture is reported to the driver; "
                     "CacheCoherent only with Aperture; "
                     "SupportsCpuHostAperture never with CpuVisible; "
                     "SupportsCachedCpuHostAperture only with SupportsCpuHostAperture; "
                     "ReservedSysMem is 0; the Preserved flags form one of the rows 000, 100, "
                     "110, 101 (standby, hibernate, partly). From WDDM 2.0 on exactly one "
                     "aperture segment is reported, by compute-only drivers at most one.",
                 .sources =
                     "ns-d3dkmddi-_dxgk_segmentflags.md\n"
                     "initializing-use-of-memory-segments.md # AGP\n"
                     "gpu-segments.md # Aperture Segments\n"
                     "mcdm-implementation-guidelines.md # Memory Management",
                 .note =
                     "Both public samples set CacheCoherent on a memory segment; one page says "
                     "that the flag has no meaning there, another that it can be set only with "
                     "Aperture. The stricter is used. This host reports no AGP aperture. Bits "
                     "that its headers call reserved are not judged: later headers give them "
                     "meanings.",
                 .applies = always,
                 .check = check,
                 .played_in = kBothAddressings,
                 .scenario = R"(
about: the adapter starts
ops:
- start
)",
                 .control = R"(
about: an aperture segment may be cache coherent
ops:
- requery
)",
                 .fault = {.about = "CacheCoherent is set on every segment", .interposer = [] {
                             return std::unique_ptr<Interposer>(new CoherentEverywhere);
                           }}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::seg_003
