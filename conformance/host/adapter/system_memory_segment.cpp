#include "conformance/host/adapter/system_memory_segment.h"

#include <algorithm>

#include "reference/vidmm/segment.h"

namespace wddm::host {
namespace {

// kNoSegment: none.
SegmentId first_aperture(const Adapter& adapter) {
  const auto& segments = adapter.segments();
  const auto found =
      std::find_if(segments.begin(), segments.end(),
                   [](const SegmentDescription& one) { return one.flags.Aperture != 0; });
  if (found == segments.end()) return kNoSegment;
  return SegmentId{static_cast<std::uint32_t>(found - segments.begin()) + 1};
}

}  // namespace

bool has_aperture(const Adapter& adapter) {
  return first_aperture(adapter) != kNoSegment;
}

void take_for_aperture(const Adapter& adapter, AllocationObject& allocation) {
  const SegmentId behind{static_cast<std::uint32_t>(adapter.segments().size()) + 1};
  if (!adapter.has_virtual_addresses() || behind.value > vidmm::kMaxSegments) return;
  const SegmentId aperture = first_aperture(adapter);
  if (aperture == kNoSegment) return;
  const std::uint32_t bit = vidmm::segment_bit(behind);
  for (std::uint32_t* const set : {&allocation.write_set, &allocation.eviction_set}) {
    if ((*set & bit) != 0) *set = (*set & ~bit) | vidmm::segment_bit(aperture);
  }
  if (allocation.preferred == behind) allocation.preferred = aperture;
}

}  // namespace wddm::host
