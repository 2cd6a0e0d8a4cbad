// VidMm: segments, allocations and the invariants. Paging stands in residency.cpp.
#include "reference/vidmm/vidmm.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include "reference/harness_assert.h"

namespace wddm::vidmm {
namespace {

bool overlap(const SegmentTraits& a, const SegmentTraits& b) {
  if (a.kind != b.kind && a.addresses_of_kind && b.addresses_of_kind) return false;
  return a.base_address < b.base_address + b.size_bytes &&
         b.base_address < a.base_address + a.size_bytes;
}

}  // namespace

const VidMm::Record& VidMm::record(AllocationId id) const {
  HARNESS_ASSERT(exists(id));
  return records_[id.value];
}

VidMm::Record& VidMm::record(AllocationId id) {
  HARNESS_ASSERT(exists(id));
  return records_[id.value];
}

const VidMm::Segment& VidMm::at(SegmentId id) const {
  HARNESS_ASSERT(id.value >= 1 && id.value <= segments_.size());
  return segments_[id.value - 1];
}

VidMm::Segment& VidMm::at(SegmentId id) {
  HARNESS_ASSERT(id.value >= 1 && id.value <= segments_.size());
  return segments_[id.value - 1];
}

SegmentRefusal VidMm::add_segment(const SegmentTraits& traits) {
  if (segments_.size() == kMaxSegments) return SegmentRefusal::TooMany;
  if (traits.size_bytes == 0) return SegmentRefusal::EmptySize;
  if (traits.size_bytes % kPageSize != 0 || traits.base_address % kPageSize != 0) {
    return SegmentRefusal::NotWholePages;
  }
  if (traits.size_bytes / kPageSize > kMaxSegmentPages ||
      traits.base_address > std::numeric_limits<std::uint64_t>::max() - traits.size_bytes) {
    return SegmentRefusal::TooLarge;
  }
  if (overlapped_by(traits) != kNoSegment) return SegmentRefusal::OverlapsAnother;
  const auto pages = static_cast<std::uint32_t>(traits.size_bytes / kPageSize);
  segments_.push_back(Segment{traits, Placement(pages)});
  return SegmentRefusal::None;
}

SegmentId VidMm::overlapped_by(const SegmentTraits& traits) const {
  for (std::uint32_t i = 0; i < segments_.size(); ++i) {
    if (overlap(traits, segments_[i].traits)) return SegmentId{i + 1};
  }
  return kNoSegment;
}

AllocationRefusal VidMm::create_allocation(AllocationId id, const AllocationTraits& traits) {
  HARNESS_ASSERT(id.value < kMaxAllocations && trials_ == 0);
  if (exists(id)) return AllocationRefusal::IdInUse;
  if (traits.size_bytes == 0) return AllocationRefusal::EmptySize;
  if (traits.supported_segments == 0) return AllocationRefusal::NoSegment;
  const auto known = static_cast<std::uint32_t>((std::uint64_t{1} << segments_.size()) - 1);
  if (((traits.supported_segments | traits.eviction_segments) & ~known) != 0) {
    return AllocationRefusal::UnknownSegment;
  }
  for (std::uint32_t i = 0; i < segments_.size(); ++i) {
    if ((traits.eviction_segments >> i & 1) != 0 &&
        segments_[i].traits.kind != SegmentKind::Aperture) {
      return AllocationRefusal::EvictionNotAperture;
    }
  }

  Record created;
  const auto add_to_order = [&](std::uint32_t segment) {
    const auto end = created.order.begin() + created.order_count;
    if (std::find(created.order.begin(), end, segment) != end) return;
    created.order[created.order_count++] = static_cast<std::uint8_t>(segment);
  };
  for (const SegmentId preferred : traits.preferred) {
    if (preferred == kNoSegment) continue;
    if (preferred.value > segments_.size()) return AllocationRefusal::UnknownSegment;
    if ((traits.supported_segments & segment_bit(preferred)) == 0) {
      return AllocationRefusal::PreferenceUnsupported;
    }
    add_to_order(preferred.value);
  }
  std::uint64_t largest_segment_pages = 0;
  for (std::uint32_t i = 0; i < segments_.size(); ++i) {
    if ((traits.supported_segments >> i & 1) == 0) continue;
    add_to_order(i + 1);
    largest_segment_pages =
        std::max<std::uint64_t>(largest_segment_pages, segments_[i].placed.size_pages());
  }
  const std::uint64_t pages = pages_of(traits.size_bytes);
  if (pages > largest_segment_pages) return AllocationRefusal::TooLarge;

  const std::uint64_t alignment = traits.alignment_bytes == 0
                                      ? kPageSize
                                      : std::lcm(std::uint64_t{traits.alignment_bytes}, kPageSize);
  created.state.pages = static_cast<std::uint32_t>(pages);
  created.state.alignment_pages = static_cast<std::uint32_t>(alignment / kPageSize);
  created.state.supported_segments = traits.supported_segments;
  created.state.eviction_segments = traits.eviction_segments;
  created.state.permanent_system_memory = traits.permanent_system_memory;
  created.exists = true;
  if (id.value >= records_.size()) records_.resize(id.value + 1);
  records_[id.value] = created;
  return AllocationRefusal::None;
}

void VidMm::destroy_allocation(AllocationId id, PagingSteps& steps) {
  Record& ended = record(id);
  const Allocation& state = ended.state;
  HARNESS_ASSERT(state.pins == 0 && trials_ == 0);
  if (state.resident() && at(state.segment).traits.kind == SegmentKind::Aperture) {
    steps.push_back({StepKind::UnmapAperture, id, state.segment, state.page, state.pages});
  }
  leave(id.value);
  ended.exists = false;
}

std::uint64_t VidMm::gpu_address(AllocationId id) const {
  const Allocation& resident = record(id).state;
  HARNESS_ASSERT(resident.resident());
  return at(resident.segment).traits.base_address + resident.page * kPageSize;
}

void VidMm::validate() const {
  HARNESS_ASSERT(trials_ != 0 || undo_.empty());
  std::vector<std::size_t> resident(segments_.size(), 0);
  std::vector<std::size_t> unpinned(segments_.size(), 0);
  for (const Record& one : records_) {
    if (!one.exists) continue;
    const Allocation& state = one.state;
    HARNESS_ASSERT(state.pages >= 1 && state.alignment_pages >= 1);
    if (!state.resident()) {
      HARNESS_ASSERT(state.pins == 0);
      HARNESS_ASSERT(state.content == Content::None || state.content == Content::System);
      continue;
    }
    const std::uint32_t index = state.segment.value - 1;
    const Segment& segment = at(state.segment);
    ++resident[index];
    if (state.pins == 0) ++unpinned[index];
    HARNESS_ASSERT((state.supported_segments & segment_bit(state.segment)) != 0);
    HARNESS_ASSERT(state.page % state.alignment_pages == 0);
    HARNESS_ASSERT(segment.placed.block_at(state.page) == (Block{state.page, state.pages}));
    HARNESS_ASSERT(state.content != Content::None);
    HARNESS_ASSERT((state.content == Content::System) ==
                   (segment.traits.kind == SegmentKind::Aperture));
    HARNESS_ASSERT(state.content != Content::Both || state.permanent_system_memory);
  }
  for (std::size_t i = 0; i < segments_.size(); ++i) {
    const Segment& segment = segments_[i];
    segment.placed.validate();
    HARNESS_ASSERT(segment.placed.block_count() == resident[i] + segment.set_aside);
    std::size_t listed = 0;
    std::uint32_t previous = kNone;
    for (std::uint32_t id = segment.lru_head; id != kNone; id = records_[id].lru_next) {
      const Record& one = records_[id];
      HARNESS_ASSERT(one.exists && one.state.pins == 0 && one.lru_previous == previous);
      HARNESS_ASSERT(one.state.segment.value == i + 1);
      previous = id;
      HARNESS_ASSERT(++listed <= unpinned[i]);
    }
    HARNESS_ASSERT(segment.lru_tail == previous && listed == unpinned[i]);
  }
}

}  // namespace wddm::vidmm
