#include "conformance/host/vidmm/residency_in_effect.h"

#include <algorithm>

#include "conformance/host/vidmm/refusal_text.h"

namespace wddm::host {

namespace {

// VidMm may use less than a segment offers; more would only make the prediction dear. Of one with
// more than 4 GB it uses the end, or as much of that as a limit says, which lies behind them: who
// keeps 32 bits of an offset is found, and who offers more than there is.
constexpr std::uint64_t kMostInEffect = 1u << 14;
constexpr std::uint64_t kPagesBelow4GB = 1u << 20;

std::uint64_t pages_of(const SegmentDescription& segment) {
  return std::min<std::uint64_t>(segment.size / kPageSize, UINT32_MAX);
}

bool is_large(const SegmentDescription& segment) {
  return segment.flags.Aperture == 0 && pages_of(segment) >= kPagesBelow4GB + 2 * kMostInEffect;
}

std::uint32_t first_usable_page(const SegmentDescription& segment) {
  if (!is_large(segment)) return 0;
  // However allocations are aligned, the first page is for all of them.
  const std::uint64_t pages = pages_of(segment) - kMostInEffect;
  return static_cast<std::uint32_t>(pages / kMostInEffect * kMostInEffect);
}

std::uint32_t end_of_usable_pages(const SegmentDescription& segment) {
  const std::uint64_t pages = pages_of(segment);
  return static_cast<std::uint32_t>(is_large(segment) ? pages : std::min(pages, kMostInEffect));
}

// Where the GPU has large pages, what is as large as one lies where one may.
std::uint32_t alignment_of(const Adapter& adapter, const AllocationObject& allocation) {
  const auto asked = allocation.alignment_pages * static_cast<std::uint32_t>(kPageSize);
  if (!adapter.gpummu() || !adapter.gpummu()->geometry) return asked;
  const gpummu::Geometry& geometry = *adapter.gpummu()->geometry;
  const std::uint64_t large = geometry.largest_page_within(allocation.bytes);
  const bool wanted = geometry.caps().large_page_supported && allocation.large_pages &&
                      large != 0 && large <= UINT32_MAX && asked != 0 && large % asked == 0;
  return wanted ? static_cast<std::uint32_t>(large) : asked;
}

}  // namespace

std::uint32_t Residency::end_of_used_pages(const SegmentDescription& segment) const {
  const std::uint32_t end = end_of_usable_pages(segment);
  const std::uint32_t limit =
      segment.flags.Aperture ? limit_in_use_.aperture : limit_in_use_.memory;
  return limit == 0 ? end : std::min(end, first_usable_page(segment) + limit);
}

void Residency::begin() {
  vidmm_ = {};
  limit_in_use_ = limit_;
  planned_.fill({});
  used_segments_ = 0;
  segment_trouble_.clear();
  for (const SegmentDescription& segment : adapter_.segments()) {
    const vidmm::SegmentTraits traits{
        .kind = segment.flags.Aperture ? vidmm::SegmentKind::Aperture : vidmm::SegmentKind::Memory,
        .base_address = segment.base,
        .size_bytes = end_of_used_pages(segment) * kPageSize,
        .cpu_visible = segment.flags.CpuVisible != 0,
        .cache_coherent = segment.flags.CacheCoherent != 0,
        .addresses_of_kind = Adapter::knows(InterfaceVersion::Wddm2_0)};
    // A driver with a segment that VidMm refuses has no segments behind it either: ids must match.
    const vidmm::SegmentRefusal refusal = vidmm_.add_segment(traits);
    if (refusal != vidmm::SegmentRefusal::None) {
      segment_trouble_ = trouble_of(refusal, traits);
      break;
    }
    ++used_segments_;
    if (const std::uint32_t low = first_usable_page(segment)) {
      static_cast<void>(vidmm_.set_aside(SegmentId{used_segments_}, 0, low));
    }
  }
}

// Which one it overlaps is what its author looks for.
std::string Residency::trouble_of(vidmm::SegmentRefusal refusal,
                                  const vidmm::SegmentTraits& traits) const {
  const SegmentId segment{used_segments_ + 1};
  if (refusal != vidmm::SegmentRefusal::OverlapsAnother) return text_of(refusal, segment);
  return "segment " + std::to_string(segment.value) + " overlaps segment " +
         std::to_string(vidmm_.overlapped_by(traits).value);
}

void Residency::end() {
  vidmm_ = {};
  instances_ = {};
  used_segments_ = 0;
  planned_.fill({});
}

bool Residency::created(AllocationId id) {
  const AllocationObject& allocation = objects_.allocation(id);
  vidmm::AllocationTraits traits{.size_bytes = allocation.bytes,
                                 .alignment_bytes = alignment_of(adapter_, allocation),
                                 .supported_segments = allocation.write_set,
                                 .eviction_segments = allocation.eviction_set};
  traits.preferred[0] = allocation.preferred;
  planned_[id] = {};
  const vidmm::AllocationRefusal refusal = vidmm_.create_allocation(id, traits);
  if (refusal == vidmm::AllocationRefusal::None) return true;
  refusal_ = "VidMm refuses the allocation: ";
  // Segments behind one that VidMm refuses are not there.
  const bool follows =
      refusal == vidmm::AllocationRefusal::UnknownSegment && !segment_trouble_.empty();
  refusal_ += follows ? segment_trouble_ : text_of(refusal);
  return false;
}

void Residency::forget(AllocationId id) {
  instances_.forget(id);
  if (!vidmm_.exists(id)) return;
  vidmm::PagingSteps steps;
  vidmm_.destroy_allocation(id, steps);
  planned_[id] = {};
}

void Residency::forget_device(DeviceId device) {
  for (const AllocationId id : kAllAllocations) {
    if (objects_.ends_with(device, id)) forget(id);
  }
}

void Residency::plan(const vidmm::PagingStep& step) {
  PlaceInSegment& place = planned_[step.allocation];
  switch (step.kind) {
    case vidmm::StepKind::Fill:
    case vidmm::StepKind::TransferIn:
    case vidmm::StepKind::TransferWithin:
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
  const std::uint32_t first = start_of_segment(segment);
  const std::uint64_t base = gpu_address({segment, first});
  const std::uint64_t step = allocation.alignment_pages * kPageSize;
  const std::uint64_t places =
      (end_of_segment(segment) - first - allocation.pages) / allocation.alignment_pages + 1;
  const std::uint64_t now =
      (static_cast<std::uint64_t>(entry.PhysicalAddress.QuadPart) - base) / step;
  entry.PhysicalAddress.QuadPart = static_cast<LONGLONG>(base + (now + 1) % places * step);
}

bool Residency::move_over(AllocationId id, DXGK_ALLOCATIONLIST& entry) const {
  const SegmentId segment{entry.SegmentId};
  if (segment == kNoSegment || id == kNoAllocation || !vidmm_.exists(id)) return false;
  const vidmm::Allocation& allocation = vidmm_.allocation(id);
  const auto page = static_cast<std::uint32_t>(
      (static_cast<std::uint64_t>(entry.PhysicalAddress.QuadPart) - gpu_address({segment, 0})) /
      kPageSize);
  for (SegmentId other{1}; has_segment(other); ++other.value) {
    const bool supported = (allocation.supported_segments & vidmm::segment_bit(other)) != 0;
    if (other == segment || !supported || page < start_of_segment(other) ||
        page + allocation.pages > end_of_segment(other)) {
      continue;
    }
    entry.SegmentId = other.value;
    entry.PhysicalAddress.QuadPart = static_cast<LONGLONG>(gpu_address({other, page}));
    return true;
  }
  return false;
}

std::uint64_t Residency::gpu_address(PlaceInSegment place) const {
  HARNESS_ASSERT(has_segment(place.segment));
  return adapter_.segment(place.segment).base + place.page * kPageSize;
}

bool Residency::is_aperture(SegmentId segment) const {
  return has_segment(segment) && adapter_.segment(segment).flags.Aperture != 0;
}

std::uint32_t Residency::apertures_in(std::uint32_t segment_set) const {
  std::uint32_t apertures = 0;
  for (const SegmentId segment : segments()) {
    if (is_aperture(segment)) apertures |= vidmm::segment_bit(segment);
  }
  return apertures & segment_set;
}

std::uint32_t Residency::start_of_segment(SegmentId segment) const {
  return has_segment(segment) ? first_usable_page(adapter_.segment(segment)) : 0;
}

std::uint32_t Residency::end_of_segment(SegmentId segment) const {
  return has_segment(segment) ? end_of_used_pages(adapter_.segment(segment)) : 0;
}

}  // namespace wddm::host
