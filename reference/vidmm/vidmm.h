// VidMm: which allocation lies where, and what must be paged to change that.
//
// Models the video memory manager of the physical (non GPU-VA) model: windows-driver-docs "Paging
// video memory resources", "Specifying segments when creating allocations", "Splitting a DMA
// buffer"; clauses SEG-001..003, ALLOC-001..004, RES-003, PAGE-023.
//
// The rules, where the documents leave them open (each is one legal choice):
//   Bringing in. 1. In the order of preference (preferred segments first, then the other supported
//     ones by id): the lowest free address that fits. 2. In the same order: if the segment could
//     hold it were everything unpinned gone, evict unpinned allocations there, least recently used
//     first, until it fits; then the lowest address. 3. Else it cannot be brought in, and nothing
//     is evicted for it.
//   Use. An allocation is in use while it is pinned. When the last pin goes it becomes the most
//     recently used of its segment.
//   Evicting. From a memory segment content is saved by a transfer, through an aperture of the
//     eviction set if one has room, else straight to system pages; a clean copy or unneeded content
//     is discarded. From an aperture it is unmapped.
//
// A state machine: each call takes input, appends its decisions to `steps` and never waits.
// Cost: that of Placement for each allocation that moves, those included that rule 2 evicts in vain
// to see whether the segment could hold it.
// Leaves out: budgets, priorities, offers, defragmentation, GPU virtual addresses.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "reference/types.h"
#include "reference/vidmm/allocation.h"
#include "reference/vidmm/paging_step.h"
#include "reference/vidmm/placement.h"
#include "reference/vidmm/segment.h"

namespace wddm::vidmm {

class VidMm {
 public:
  /// Adds the next segment; its id is the number of segments after the call.
  [[nodiscard]] SegmentRefusal add_segment(const SegmentTraits& traits);
  /// The first segment that shares GPU addresses with such a one; kNoSegment: none does.
  [[nodiscard]] SegmentId overlapped_by(const SegmentTraits& traits) const;

  /// Creates a non-resident allocation without content. Ids are below kMaxAllocations.
  [[nodiscard]] AllocationRefusal create_allocation(AllocationId id,
                                                    const AllocationTraits& traits);

  /// Ends an unpinned allocation at once; an aperture range it still holds is unmapped. Waiting
  /// until the GPU no longer uses it is the caller's affair.
  void destroy_allocation(AllocationId id, PagingSteps& steps);

  [[nodiscard]] bool exists(AllocationId id) const {
    return id.value < records_.size() && records_[id.value].exists;
  }
  [[nodiscard]] const Allocation& allocation(AllocationId id) const { return record(id).state; }
  [[nodiscard]] std::uint32_t segment_count() const {
    return static_cast<std::uint32_t>(segments_.size());
  }
  [[nodiscard]] const SegmentTraits& segment(SegmentId id) const { return at(id).traits; }
  [[nodiscard]] const Placement& placement(SegmentId id) const { return at(id).placed; }
  /// One past the highest id ever created: the size of an array indexed by allocation.
  [[nodiscard]] std::uint32_t allocation_limit() const {
    return static_cast<std::uint32_t>(records_.size());
  }

  /// GPU address of a resident allocation: BaseAddress of its segment plus its offset there.
  [[nodiscard]] std::uint64_t gpu_address(AllocationId id) const;

  /// Makes an allocation resident by the rules above. False: it cannot be; nothing changed.
  [[nodiscard]] bool page_in(AllocationId id, PagingSteps& steps);

  /// Moves an unpinned resident allocation within its segment to another place that is free while
  /// it still lies at the old one, the lowest or the highest: out to system memory and in again, or
  /// `at_once` where that is in a memory segment. False: there is none; nothing changed.
  [[nodiscard]] bool relocate(AllocationId id, PagingSteps& steps, bool at_once = false,
                              Towards towards = Towards::Start);

  /// Evicts an unpinned resident allocation.
  void evict(AllocationId id, PagingSteps& steps);

  /// Evicts every unpinned allocation of the segments in `segment_set` (bit n is segment n + 1).
  void evict_unpinned(std::uint32_t segment_set, PagingSteps& steps);

  /// Takes free pages that no allocation may be put at until they are given back. False: some are
  /// not free, or there are none such; nothing changed. Not while something is tried.
  [[nodiscard]] bool set_aside(SegmentId id, std::uint32_t page, std::uint32_t pages);
  /// `page` is where a range begins that was set aside.
  void give_back(SegmentId id, std::uint32_t page);

  /// Keeps a resident allocation where it is until the matching unpin. Counted.
  void pin(AllocationId id);
  void unpin(AllocationId id);

  /// The GPU writes to a resident allocation, or the CPU to any: to its system pages where it is
  /// not resident.
  void mark_written(AllocationId id) {
    Allocation& written = record(id).state;
    written.discardable = false;
    if (written.content == Content::Both) written.content = Content::Segment;
    if (written.content == Content::None) written.content = Content::System;
  }
  /// Its owner no longer needs the content (until the next write).
  void mark_discardable(AllocationId id) { record(id).state.discardable = true; }

  /// Something to try: begin(), then commit(), or rollback() with what begin() answered. The latter
  /// takes back every page_in, relocate, evict and pin since, and the caller drops their steps. One
  /// trial may lie within another.
  [[nodiscard]] std::size_t begin();
  void commit();
  void rollback(std::size_t began);

  /// Calls `visit(AllocationId)` for the unpinned residents of a segment, least recent first.
  template <class Visit>
  void for_each_unpinned(SegmentId id, Visit&& visit) const {
    for (std::uint32_t i = at(id).lru_head; i != kNone; i = records_[i].lru_next) {
      visit(AllocationId{i});
    }
  }

  /// Checks every invariant; a breach is a HARNESS error. O(n log n).
  void validate() const;

 private:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  struct Record {
    Allocation state;
    std::uint32_t lru_previous = kNone;
    std::uint32_t lru_next = kNone;
    bool exists = false;
    std::uint8_t order_count = 0;
    std::array<std::uint8_t, kMaxSegments> order{};  // segment ids, best first
  };
  struct Segment {
    SegmentTraits traits;
    Placement placed;  // the residents, and what is set aside
    std::uint32_t lru_head = kNone;
    std::uint32_t lru_tail = kNone;
    std::uint32_t set_aside = 0;  // blocks that belong to no allocation
  };
  /// An allocation before a change, and the one that came behind it in the order of use.
  struct Undo {
    std::uint32_t id;
    Allocation before;
    std::uint32_t lru_next;
  };

  [[nodiscard]] const Record& record(AllocationId id) const;
  [[nodiscard]] Record& record(AllocationId id);
  [[nodiscard]] const Segment& at(SegmentId id) const;
  [[nodiscard]] Segment& at(SegmentId id);

  [[nodiscard]] std::optional<std::uint32_t> make_room(SegmentId id, const Allocation& wanted,
                                                       PagingSteps& steps);
  void shift(AllocationId id, std::uint32_t page, PagingSteps& steps);
  void settle(AllocationId id, SegmentId segment, std::uint32_t page, PagingSteps& steps);
  void enter(std::uint32_t id, std::uint32_t lru_next);
  void leave(std::uint32_t id);
  void lru_insert_before(Segment& segment, std::uint32_t id, std::uint32_t next);
  void lru_remove(Segment& segment, std::uint32_t id);
  void log(std::uint32_t id);

  std::vector<Record> records_;  // by allocation id
  std::vector<Segment> segments_;
  std::vector<Undo> undo_;    // empty unless something is tried
  std::uint32_t trials_ = 0;  // begun and not ended
};

}  // namespace wddm::vidmm
