#include "conformance/host/vidmm/residency_in_effect.h"

#include <algorithm>

namespace wddm::host {

namespace {

// VidMm may use less than a segment offers; more would only make the prediction dear.
std::uint32_t usable_pages(const SegmentDescription& segment) {
  constexpr std::uint64_t kMostPages = 1u << 14;
  return static_cast<std::uint32_t>(std::min(segment.size / kPageSize, kMostPages));
}

}  // namespace

void Residency::begin() {
  vidmm_ = {};
  planned_.fill({});
  used_segments_ = 0;
  for (const SegmentDescription& segment : adapter_.segments()) {
    const vidmm::SegmentTraits traits{
        .kind = segment.flags.Aperture ? vidmm::SegmentKind::Aperture : vidmm::SegmentKind::Memory,
        .base_address = segment.base,
        .size_bytes = usable_pages(segment) * kPageSize,
        .cpu_visible = segment.flags.CpuVisible != 0,
        .cache_coherent = segment.flags.CacheCoherent != 0};
    // A driver with a segment that VidMm refuses has no segments behind it either: ids must match.
    if (vidmm_.add_segment(traits) != vidmm::SegmentRefusal::None) break;
    ++used_segments_;
  }
}

void Residency::end() {
  vidmm_ = {};
  used_segments_ = 0;
  planned_.fill({});
}

bool Residency::created(std::uint32_t slot) {
  const AllocationObject& allocation = objects_.allocation(slot);
  vidmm::AllocationTraits traits{
      .size_bytes = allocation.bytes,
      .alignment_bytes = allocation.alignment_pages * static_cast<std::uint32_t>(kPageSize),
      .supported_segments = allocation.write_set,
      .eviction_segments = allocation.eviction_set};
  traits.preferred[0] = SegmentId{allocation.preferred};
  planned_[slot] = {};
  return vidmm_.create_allocation(AllocationId{slot}, traits) == vidmm::AllocationRefusal::None;
}

void Residency::forget(std::uint32_t slot) {
  const AllocationId id{slot};
  if (!vidmm_.exists(id)) return;
  vidmm::PagingSteps steps;
  vidmm_.destroy_allocation(id, steps);
  planned_[slot] = {};
}

void Residency::forget_device(std::uint32_t device) {
  for (std::uint32_t slot = 0; slot <= kMarkerAllocation; ++slot) {
    const AllocationObject& allocation = objects_.allocation(slot);
    if (allocation.live && allocation.device == device) forget(slot);
  }
}

void Residency::plan(const vidmm::PagingStep& step) {
  PlaceInSegment& place = planned_[step.allocation.value];
  switch (step.kind) {
    case vidmm::StepKind::Fill:
    case vidmm::StepKind::TransferIn:
    case vidmm::StepKind::MapAperture:
      place = {step.segment.value, step.page};
      break;
    case vidmm::StepKind::TransferOut:
    case vidmm::StepKind::UnmapAperture:
    case vidmm::StepKind::Discard:
      // A relocation brings in before it leaves: only the place it is at can be left.
      if (place == PlaceInSegment{step.segment.value, step.page}) place = {};
      break;
  }
}

void Residency::write_address(std::uint32_t slot, DXGK_ALLOCATIONLIST& entry) const {
  const PlaceInSegment place = planned_[slot];
  entry.SegmentId = place.segment & 31;
  entry.PhysicalAddress.QuadPart =
      place.segment == 0 ? 0 : static_cast<LONGLONG>(gpu_address(place.segment, place.page));
}

void Residency::move_on(std::uint32_t slot, DXGK_ALLOCATIONLIST& entry) const {
  if (entry.SegmentId == 0 || slot == kNone || !vidmm_.exists(AllocationId{slot})) return;
  const vidmm::Allocation& allocation = vidmm_.allocation(AllocationId{slot});
  const std::uint64_t base = gpu_address(entry.SegmentId, 0);
  const std::uint64_t step = allocation.alignment_pages * kPageSize;
  const std::uint64_t places =
      (pages_of_segment(entry.SegmentId) - allocation.pages) / allocation.alignment_pages + 1;
  const std::uint64_t now =
      (static_cast<std::uint64_t>(entry.PhysicalAddress.QuadPart) - base) / step;
  entry.PhysicalAddress.QuadPart = static_cast<LONGLONG>(base + (now + 1) % places * step);
}

std::uint64_t Residency::gpu_address(std::uint32_t segment, std::uint32_t page) const {
  HARNESS_ASSERT(has_segment(segment));
  return adapter_.segments()[segment - 1].base + page * kPageSize;
}

bool Residency::is_aperture(std::uint32_t segment) const {
  return has_segment(segment) && adapter_.segments()[segment - 1].flags.Aperture != 0;
}

std::uint32_t Residency::pages_of_segment(std::uint32_t segment) const {
  return has_segment(segment) ? usable_pages(adapter_.segments()[segment - 1]) : 0;
}

std::uint32_t Residency::aperture_segment() const {
  for (std::uint32_t segment = 1; has_segment(segment); ++segment) {
    if (is_aperture(segment)) return segment;
  }
  return 0;
}

}  // namespace wddm::host
