// SEG-006: the CPU reaches every byte of a segment that is CPU visible.

#include "conformance/host/interposer.h"
#include "conformance/rules/rule.h"
#include "conformance/rules/scratch.h"
#include "reference/types.h"

namespace wddm::seg_006 {
namespace {

// DXGK_SEGMENTFLAGS.
constexpr std::uint32_t kAperture = 1u << 0, kAgp = 1u << 1, kCpuVisible = 1u << 2,
                        kHostAperture = 1u << 13;

// Apertures are made of system memory, which the CPU has anyway.
bool is_visible(std::uint32_t flags) {
  return (flags & (kAperture | kAgp)) == 0 && (flags & (kHostAperture | kCpuVisible)) != 0;
}

NotApplicable with_visible_segments(const Platform& platform) {
  // Other GPUs of a link may have such segments where the first has none.
  if (!platform.started || platform.linked_adapters > 1) return nullptr;
  for (const PlatformSegment& segment : platform.segments) {
    if (is_visible(segment.flags.value)) return nullptr;
  }
  return "no segment of memory is visible to the CPU";
}

struct Seen {
  ev::SegmentReported segment;
  std::uint32_t event;
  std::uint64_t pages;
};

const char* wrong(const ev::SegmentReported& segment) {
  switch (static_cast<SegmentWindow>(segment.window)) {
    case SegmentWindow::None:
      return "no CPU address of any memory";
    case SegmentWindow::Beyond:
      return "a window that ends behind the range of memory that it begins in";
    case SegmentWindow::Inside:
    case SegmentWindow::Elsewhere:
      return nullptr;
  }
  return nullptr;
}

void check_overlap(const Seen& one, const Seen& other, Judgement& judgement) {
  if (one.segment.physical_adapter != other.segment.physical_adapter) return;
  if (one.segment.window_bar != other.segment.window_bar) return;
  const std::uint64_t first = one.segment.window_page, second = other.segment.window_page;
  if (first + one.pages <= second || second + other.pages <= first) return;
  judgement.fail(other.event, "a window of its own for each segment",
                 "segments " + std::to_string(one.segment.segment) + " and " +
                     std::to_string(other.segment.segment) + " share one",
                 {one.event});
}

void check(const Trace& trace, const Platform&, Judgement& judgement) {
  ScratchVector<Seen> inside;  // of this time that the driver was asked
  for (const std::uint32_t index : trace.of<ev::SegmentReported>()) {
    const auto segment = trace.at<ev::SegmentReported>(index);
    if (!inside.empty() && inside.front().segment.round != segment.round) inside.clear();
    if (!is_visible(segment.flags)) continue;
    const bool through = (segment.flags & kHostAperture) != 0;
    judgement.reached(index);
    const char* what = wrong(segment);
    if (through && segment.host_aperture_pages == 0) what = "a CPU host aperture of no page";
    if (what != nullptr) {
      judgement.fail(index, "CPU addresses for all of the segment, or of its CPU host aperture",
                     "segment " + std::to_string(segment.segment) + " has " + what);
      continue;
    }
    if (static_cast<SegmentWindow>(segment.window) != SegmentWindow::Inside) continue;
    const Seen seen{segment, index,
                    through ? segment.host_aperture_pages : segment.size / kPageSize};
    for (const Seen& other : inside) check_overlap(other, seen, judgement);
    inside.push_back(seen);
  }
}

// A driver whose BAR is smaller than its memory, and that reports all of it.
class BehindTheBar final : public Interposer {
 public:
  NTSTATUS QueryAdapterInfo(HANDLE adapter, const DXGKARG_QUERYADAPTERINFO* query) override {
    const NTSTATUS status = Interposer::QueryAdapterInfo(adapter, query);
    if (query->Type == DXGKQAITYPE_QUERYSEGMENT3 && NT_SUCCESS(status)) {
      auto& out = *static_cast<DXGK_QUERYSEGMENTOUT3*>(query->pOutputData);
      if (out.pSegmentDescriptor == nullptr) return status;
      for (UINT i = 0; i < out.NbSegment; ++i) move(out.pSegmentDescriptor[i]);
    }
    if (query->Type == DXGKQAITYPE_QUERYSEGMENT4 && NT_SUCCESS(status)) {
      auto& out = *static_cast<DXGK_QUERYSEGMENTOUT4*>(query->pOutputData);
      if (out.pSegmentDescriptor == nullptr) return status;
      for (UINT i = 0; i < out.NbSegment; ++i) {
        move(*reinterpret_cast<DXGK_SEGMENTDESCRIPTOR4*>(out.pSegmentDescriptor +
                                                         i * out.SegmentDescriptorStride));
      }
    }
    return status;
  }

 private:
  template <class Descriptor>
  static void move(Descriptor& descriptor) {
    if (!descriptor.Flags.CpuVisible) return;
    descriptor.CpuTranslatedAddress.QuadPart += static_cast<LONGLONG>(descriptor.Size / 2);
  }
};

const Rule kRule{
    .id = "SEG-006",
    .aliases = "APER-001",
    .title = "A CpuVisible segment is linearly visible",
    .rule =
        "A memory segment with CpuVisible has a CpuTranslatedAddress, and where that is in a range "
        "of "
        "memory of the device, all of the segment is in that range; so is a CPU host aperture, "
        "which "
        "has at least a page. No two segments have the same bytes there. Each GPU of a link has "
        "its segments in its own ranges, wherever they lie when it starts.",
    .sources =
        "allocation-usage-tracking.md # Lock2 (CpuVisible)\n"
        "mapping-virtual-addresses-to-a-memory-segment.md\n"
        "ns-d3dkmddi-_dxgk_segmentflags.md # CpuVisible\n"
        "resizable-bar-support.md\n"
        "ns-d3dkmddi-_dxgk_querysegmentin4.md # PhysicalAdapterIndex\n"
        "stopping-a-device.md # Stopping a Device to Rebalance Resources",
    .note =
        "A segment may be system memory that the driver holds, as in Microsoft's sample: such an "
        "address outside of all ranges is not judged. One at which this machine has no memory, or "
        "memory that nobody holds, counts as none. What the CPU finds is compared by PAGE-005.",
    .unreached = "no segment of memory is visible to the CPU",
    .applies = with_visible_segments,
    .check = check,
    .played_in = kBothAddressings | ConfigurationSet{Configured::Services, Configured::HighMemory,
                                                     Configured::LinkedHostAperture,
                                                     Configured::ApertureFirst},
    .scenario = R"(
about: the adapter starts, and starts again when its device lies elsewhere
ops:
- start
- rebalance
)",
    .control = R"(
about: asked again, and in a link when its second GPU alone lies elsewhere
ops:
- requery
- rebalance: {physical_adapter: 1}
)",
    .fault = {
        .about = "the segment's window begins in its middle, so that its last half is behind it",
        .interposer = [] { return std::unique_ptr<Interposer>(new BehindTheBar); }}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::seg_006
