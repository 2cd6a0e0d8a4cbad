// The obvious VidMm; see naive_planner.h.
#include "reference/vidmm/tests/naive_planner.h"

#include <algorithm>

#include "reference/harness_assert.h"
#include "reference/vidmm/tests/small_world.h"

namespace wddm::vidmm::testing {

VidMm make_vidmm(const WorldSpec& spec) {
  VidMm vidmm;
  for (const WorldSpec::Seg& segment : spec.segments) {
    if (segment.kind == SegmentKind::Memory) {
      add_memory(vidmm, segment.pages);
    } else {
      add_aperture(vidmm, segment.pages);
    }
  }
  for (std::uint32_t i = 0; i < spec.allocations.size(); ++i) {
    HARNESS_ASSERT(vidmm.create_allocation(AllocationId{i + 1}, spec.allocations[i]) ==
                   AllocationRefusal::None);
  }
  return vidmm;
}

NaiveWorld::NaiveWorld(const WorldSpec& spec) : segments_(spec.segments) {
  for (const AllocationTraits& traits : spec.allocations) {
    Alloc created;
    created.traits = traits;
    created.pages = static_cast<std::uint32_t>((traits.size_bytes + 4095) / 4096);
    while (created.alignment * std::uint64_t{4096} % std::max(traits.alignment_bytes, 1u) != 0) {
      ++created.alignment;
    }
    allocations_.push_back(created);
  }
}

/// Tries every aligned page in turn.
std::uint32_t NaiveWorld::find(std::uint32_t segment, const Alloc& wanted, bool pinned_only) const {
  for (std::uint32_t page = 0; page + wanted.pages <= segments_[segment - 1].pages;
       page += wanted.alignment) {
    bool free = true;
    for (const Alloc& other : allocations_) {
      const bool counts = other.segment == segment && (!pinned_only || other.pins > 0);
      if (counts && other.page < page + wanted.pages && page < other.page + other.pages) {
        free = false;
        break;
      }
    }
    if (free) return page;
  }
  return kNowhere;
}

std::vector<std::uint32_t> NaiveWorld::order_of(const Alloc& wanted) const {
  std::vector<std::uint32_t> order;
  for (const SegmentId preferred : wanted.traits.preferred) {
    if (preferred.value != 0 && std::count(order.begin(), order.end(), preferred.value) == 0) {
      order.push_back(preferred.value);
    }
  }
  for (std::uint32_t segment = 1; segment <= segments_.size(); ++segment) {
    if ((wanted.traits.supported_segments & 1u << (segment - 1)) != 0 &&
        std::count(order.begin(), order.end(), segment) == 0) {
      order.push_back(segment);
    }
  }
  return order;
}

bool NaiveWorld::page_in(std::uint32_t id, PagingSteps& steps) {
  const std::vector<std::uint32_t> order = order_of(at(id));
  for (const std::uint32_t segment : order) {
    const std::uint32_t page = find(segment, at(id), false);
    if (page == kNowhere) continue;
    put(id, segment, page, steps);
    return true;
  }
  for (const std::uint32_t segment : order) {
    if (find(segment, at(id), true) == kNowhere) continue;
    for (;;) {
      std::vector<std::uint32_t> victims;
      for (const std::uint32_t other : unpinned_) {
        if (at(other).segment == segment) victims.push_back(other);
      }
      evict(victims.front(), steps);
      const std::uint32_t page = find(segment, at(id), false);
      if (page == kNowhere) continue;
      put(id, segment, page, steps);
      return true;
    }
  }
  return false;
}

bool NaiveWorld::relocate(std::uint32_t id, PagingSteps& steps) {
  const std::uint32_t segment = at(id).segment;
  const std::uint32_t page = find(segment, at(id), false);
  if (page == kNowhere) return false;
  evict(id, steps);
  put(id, segment, page, steps);
  return true;
}

void NaiveWorld::put(std::uint32_t id, std::uint32_t segment, std::uint32_t page,
                     PagingSteps& steps) {
  Alloc& alloc = allocations_[id - 1];
  StepKind kind;
  if (segments_[segment - 1].kind == SegmentKind::Aperture) {
    kind = StepKind::MapAperture;
    alloc.content = Content::System;
  } else if (alloc.content == Content::System) {
    kind = StepKind::TransferIn;
    alloc.content = alloc.traits.permanent_system_memory ? Content::Both : Content::Segment;
  } else {
    kind = StepKind::Fill;
    alloc.content = Content::Segment;
  }
  alloc.segment = segment;
  alloc.page = page;
  unpinned_.push_back(id);
  steps.push_back({kind, AllocationId{id}, SegmentId{segment}, page, alloc.pages, kNoSegment, 0});
}

void NaiveWorld::evict(std::uint32_t id, PagingSteps& steps) {
  Alloc& alloc = allocations_[id - 1];
  const AllocationId name{id};
  const SegmentId from{alloc.segment};
  if (segments_[alloc.segment - 1].kind == SegmentKind::Aperture) {
    steps.push_back({StepKind::UnmapAperture, name, from, alloc.page, alloc.pages, kNoSegment, 0});
  } else if (alloc.discardable || alloc.content == Content::Both) {
    steps.push_back({StepKind::Discard, name, from, alloc.page, alloc.pages, kNoSegment, 0});
  } else {
    std::uint32_t through = 0;
    std::uint32_t through_page = 0;
    for (std::uint32_t segment = 1; segment <= segments_.size() && through == 0; ++segment) {
      if ((alloc.traits.eviction_segments & 1u << (segment - 1)) == 0) continue;
      const std::uint32_t page = find(segment, alloc, false);
      if (page == kNowhere) continue;
      through = segment;
      through_page = page;
    }
    const SegmentId via{through};
    if (through != 0) {
      steps.push_back({StepKind::MapAperture, name, via, through_page, alloc.pages, {}, 0});
    }
    steps.push_back(
        {StepKind::TransferOut, name, from, alloc.page, alloc.pages, via, through_page});
    if (through != 0) {
      steps.push_back({StepKind::UnmapAperture, name, via, through_page, alloc.pages, {}, 0});
    }
  }
  alloc.content = alloc.discardable ? Content::None : Content::System;
  alloc.segment = 0;
  alloc.page = 0;
  unpinned_.erase(std::find(unpinned_.begin(), unpinned_.end(), id));
}

void NaiveWorld::evict_unpinned(std::uint32_t segment_set, PagingSteps& steps) {
  for (std::uint32_t segment = 1; segment <= segments_.size(); ++segment) {
    if ((segment_set & 1u << (segment - 1)) == 0) continue;
    const std::vector<std::uint32_t> candidates = unpinned_;
    for (const std::uint32_t id : candidates) {
      if (at(id).segment == segment) evict(id, steps);
    }
  }
}

void NaiveWorld::pin(std::uint32_t id) {
  if (allocations_[id - 1].pins++ == 0) {
    unpinned_.erase(std::find(unpinned_.begin(), unpinned_.end(), id));
  }
}

void NaiveWorld::unpin(std::uint32_t id) {
  if (--allocations_[id - 1].pins == 0) unpinned_.push_back(id);
}

void NaiveWorld::write(std::uint32_t id) {
  Alloc& alloc = allocations_[id - 1];
  alloc.discardable = false;
  if (alloc.content == Content::Both) alloc.content = Content::Segment;
}

const char* difference(const VidMm& vidmm, const NaiveWorld& naive) {
  for (std::uint32_t id = 1; id <= naive.count(); ++id) {
    const Allocation& ours = vidmm.allocation(AllocationId{id});
    const NaiveWorld::Alloc& theirs = naive.at(id);
    if (ours.segment.value != theirs.segment) return "segment of an allocation";
    if (ours.page != theirs.page) return "page of an allocation";
    if (ours.content != theirs.content) return "content of an allocation";
    if (ours.pins != theirs.pins) return "pins of an allocation";
    if (ours.discardable != theirs.discardable) return "discardable of an allocation";
  }
  for (std::uint32_t segment = 1; segment <= vidmm.segment_count(); ++segment) {
    std::vector<std::uint32_t> ours;
    vidmm.for_each_unpinned(SegmentId{segment}, [&](AllocationId id) { ours.push_back(id.value); });
    std::vector<std::uint32_t> theirs;
    for (const std::uint32_t id : naive.unpinned()) {
      if (naive.at(id).segment == segment) theirs.push_back(id);
    }
    if (ours != theirs) return "order of last use";
  }
  return nullptr;
}

}  // namespace wddm::vidmm::testing
