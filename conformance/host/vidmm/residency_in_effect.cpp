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

bool Residency::created(AllocationId id) {
  const AllocationObject& allocation = objects_.allocation(id);
  vidmm::AllocationTraits traits{
      .size_bytes = allocation.bytes,
      .alignment_bytes = allocation.alignment_pages * static_cast<std::uint32_t>(kPageSize),
      .supported_segments = allocation.write_set,
      .eviction_segments = allocation.eviction_set};
  traits.preferred[0] = allocation.preferred;
  planned_[id] = {};
  return vidmm_.create_allocation(id, traits) == vidmm::AllocationRefusal::None;
}

void Residency::forget(AllocationId id) {
  if (!vidmm_.exists(id)) return;
  vidmm::PagingSteps steps;
  vidmm_.destroy_allocation(id, steps);
  planned_[id] = {};
}

void Residency::forget_device(DeviceId device) {
  for (const AllocationId id : kAllAllocations) {
    const AllocationObject& allocation = objects_.allocation(id);
    if (allocation.live && allocation.device == device) forget(id);
  }
}

void Residency::plan(const vidmm::PagingStep& step) {
  PlaceInSegment& place = planned_[step.allocation];
  switch (step.kind) {
    case vidmm::StepKind::Fill:
    case vidmm::StepKind::TransferIn:
    case vidmm::StepKind::MapAperture:
      place = {step.segment, step.page};
      break;
    case vidmm::StepKind::TransferOut:
    case vidmm::StepKind::UnmapAperture:
    case vidmm::StepKind::Discard:
      // A relocation brings in before it leaves: only the place it is at can be left.
      if (place == PlaceInSegment{step.segment, step.page}) place = {};
      break;
  }
}

void Residency::write_address(AllocationId id, DXGK_ALLOCATIONLIST& entry) const {
  const PlaceInSegment place = planned_[id];
  entry.SegmentId = place.segment.value & 31;
  entry.PhysicalAddress.QuadPart =
      place.segment == kNoSegment ? 0 : static_cast<LONGLONG>(gpu_address(place));
}

void Residency::move_on(AllocationId id, DXGK_ALLOCATIONLIST& entry) const {
  const SegmentId segment{entry.SegmentId};
  if (segment == kNoSegment || id == kNoAllocation || !vidmm_.exists(id)) return;
  const vidmm::Allocation& allocation = vidmm_.allocation(id);
  const std::uint64_t base = gpu_address({segment, 0});
  const std::uint64_t step = allocation.alignment_pages * kPageSize;
  const std::uint64_t places =
      (pages_of_segment(segment) - allocation.pages) / allocation.alignment_pages + 1;
  const std::uint64_t now =
      (static_cast<std::uint64_t>(entry.PhysicalAddress.QuadPart) - base) / step;
  entry.PhysicalAddress.QuadPart = static_cast<LONGLONG>(base + (now + 1) % places * step);
}

std::uint64_t Residency::gpu_address(PlaceInSegment place) const {
  HARNESS_ASSERT(has_segment(place.segment));
  return adapter_.segment(place.segment).base + place.page * kPageSize;
}

bool Residency::is_aperture(SegmentId segment) const {
  return has_segment(segment) && adapter_.segment(segment).flags.Aperture != 0;
}

std::uint32_t Residency::pages_of_segment(SegmentId segment) const {
  return has_segment(segment) ? usable_pages(adapter_.segment(segment)) : 0;
}

SegmentId Residency::aperture_segment() const {
  for (const SegmentId segment : segments()) {
    if (is_aperture(segment)) return segment;
  }
  return kNoSegment;
}

}  // namespace wddm::host
