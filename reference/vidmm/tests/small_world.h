// A small VidMm for tests: a few segments, allocations by number, lists by shorthand.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <vector>

#include "reference/harness_assert.h"
#include "reference/vidmm/split_planner.h"
#include "reference/vidmm/vidmm.h"

namespace wddm::vidmm::testing {

inline constexpr SegmentId kFirst{1};
inline constexpr SegmentId kSecond{2};

/// Adds a memory segment of `pages` pages at a base address of its own.
inline SegmentId add_memory(VidMm& vidmm, std::uint32_t pages) {
  const std::uint64_t base = (vidmm.segment_count() + 1) * 0x1'0000'0000u;
  HARNESS_ASSERT(vidmm.add_segment({SegmentKind::Memory, base, pages * kPageSize}) ==
                 SegmentRefusal::None);
  return SegmentId{vidmm.segment_count()};
}

inline SegmentId add_aperture(VidMm& vidmm, std::uint32_t pages) {
  const std::uint64_t base = (vidmm.segment_count() + 1) * 0x1'0000'0000u;
  HARNESS_ASSERT(vidmm.add_segment({SegmentKind::Aperture, base, pages * kPageSize}) ==
                 SegmentRefusal::None);
  return SegmentId{vidmm.segment_count()};
}

/// Creates allocation `id` of `pages` pages for segment 1, or for `traits.supported_segments`.
inline AllocationId create(VidMm& vidmm, std::uint32_t id, std::uint32_t pages,
                           AllocationTraits traits = {}) {
  traits.size_bytes = pages * kPageSize;
  if (traits.supported_segments == 0) traits.supported_segments = 1;
  HARNESS_ASSERT(vidmm.create_allocation(AllocationId{id}, traits) == AllocationRefusal::None);
  return AllocationId{id};
}

/// Brings an allocation in with default choices.
inline bool bring_in(VidMm& vidmm, AllocationId id, PagingSteps& steps) {
  return vidmm.page_in(id, steps);
}

inline bool bring_in(VidMm& vidmm, AllocationId id) {
  PagingSteps ignored;
  return bring_in(vidmm, id, ignored);
}

/// An element in shorthand: at `split`, slot `slot` is bound to allocation number `allocation`
/// (an index of the allocation list), or unbound with kUnbind.
inline constexpr std::uint32_t kUnbind = 0;
struct Bind {
  std::uint32_t split;
  std::uint32_t slot;
  std::uint32_t allocation;
};

/// A patch list whose allocation list is {NULL, allocation 1, allocation 2, ...}.
class ListBuilder {
 public:
  ListBuilder(std::uint32_t allocations, std::uint32_t bytes, std::initializer_list<Bind> binds)
      : bytes_(bytes) {
    entries_.push_back({});
    for (std::uint32_t i = 1; i <= allocations; ++i) entries_.push_back({AllocationId{i}, true});
    for (const Bind& bind : binds) add(bind);
  }

  void add(const Bind& bind) {
    elements_.push_back({bind.allocation, bind.slot, 0, bind.split, bind.split});
  }
  void clear() { elements_.clear(); }
  void set_bytes(std::uint32_t bytes) { bytes_ = bytes; }
  std::vector<PatchElement>& elements() { return elements_; }
  std::vector<AllocationEntry>& entries() { return entries_; }

  [[nodiscard]] PatchList list() const { return {elements_, entries_, bytes_}; }

 private:
  std::vector<PatchElement> elements_;
  std::vector<AllocationEntry> entries_;
  std::uint32_t bytes_;
};

}  // namespace wddm::vidmm::testing
