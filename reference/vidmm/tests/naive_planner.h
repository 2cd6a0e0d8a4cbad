// The obvious VidMm and split planner, for comparison with the real ones.
//
// Written from the rules in vidmm.h and split_planner.h alone: pages are an array of owners, the
// slot table is replayed from the first element whenever it is asked for, and what is tried in vain
// is tried on a copy of the world. O(n^2) and worse.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "reference/vidmm/split_planner.h"

namespace wddm::vidmm::testing {

/// A world for both: segments in order, allocations 1, 2, ... in order.
struct WorldSpec {
  struct Seg {
    SegmentKind kind;
    std::uint32_t pages;
  };
  std::vector<Seg> segments;
  std::vector<AllocationTraits> allocations;
};

VidMm make_vidmm(const WorldSpec& spec);

class NaiveWorld {
 public:
  struct Alloc {
    std::uint32_t pages = 0;
    std::uint32_t alignment = 1;
    AllocationTraits traits;
    std::uint32_t segment = 0;  // 0: not resident
    std::uint32_t page = 0;
    Content content = Content::None;
    bool discardable = false;
    std::uint32_t pins = 0;
  };

  explicit NaiveWorld(const WorldSpec& spec);

  bool page_in(std::uint32_t id, PagingSteps& steps);
  bool relocate(std::uint32_t id, PagingSteps& steps);
  void evict(std::uint32_t id, PagingSteps& steps);
  void evict_unpinned(std::uint32_t segment_set, PagingSteps& steps);
  void pin(std::uint32_t id);
  void unpin(std::uint32_t id);
  void write(std::uint32_t id);

  [[nodiscard]] const Alloc& at(std::uint32_t id) const { return allocations_[id - 1]; }
  [[nodiscard]] std::uint32_t count() const {
    return static_cast<std::uint32_t>(allocations_.size());
  }
  [[nodiscard]] const std::vector<std::uint32_t>& unpinned() const { return unpinned_; }
  Alloc& mutable_at(std::uint32_t id) { return allocations_[id - 1]; }

 private:
  static constexpr std::uint32_t kNowhere = ~std::uint32_t{0};
  [[nodiscard]] std::uint32_t find(std::uint32_t segment, const Alloc& wanted,
                                   bool pinned_only) const;
  void put(std::uint32_t id, std::uint32_t segment, std::uint32_t page, PagingSteps& steps);
  [[nodiscard]] std::vector<std::uint32_t> order_of(const Alloc& wanted) const;

  std::vector<WorldSpec::Seg> segments_;
  std::vector<Alloc> allocations_;
  std::vector<std::uint32_t> unpinned_;  // residents of all segments, least recently used first
};

/// Plans a whole well-formed list and finishes it.
Plan naive_plan(NaiveWorld& world, const PatchList& list, std::span<const std::uint32_t> taken);

/// The first difference between the two worlds in words, or nullptr.
const char* difference(const VidMm& vidmm, const NaiveWorld& naive);

}  // namespace wddm::vidmm::testing
