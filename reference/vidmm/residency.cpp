// VidMm: pins, least-recent use, bringing in, evicting, and taking it all back.
#include "reference/harness_assert.h"
#include "reference/vidmm/vidmm.h"

namespace wddm::vidmm {

/// The rules of bringing in, by their numbers.
bool VidMm::page_in(AllocationId id, PagingSteps& steps) {
  const Record& wanted = record(id);
  HARNESS_ASSERT(!wanted.state.resident());
  for (std::uint32_t i = 0; i < wanted.order_count; ++i) {  // 1
    const SegmentId candidate{wanted.order[i]};
    const auto page = at(candidate).placed.find(wanted.state.pages, wanted.state.alignment_pages);
    if (!page) continue;
    settle(id, candidate, *page, steps);
    return true;
  }
  for (std::uint32_t i = 0; i < wanted.order_count; ++i) {  // 2
    const SegmentId candidate{wanted.order[i]};
    const auto page = make_room(candidate, wanted.state, steps);
    if (!page) continue;
    settle(id, candidate, *page, steps);
    return true;
  }
  return false;  // 3
}

/// Evicts until `wanted` fits, and says where. Changes nothing if it would not fit with everything
/// unpinned gone.
std::optional<std::uint32_t> VidMm::make_room(SegmentId id, const Allocation& wanted,
                                              PagingSteps& steps) {
  const std::size_t steps_before = steps.size();
  const std::size_t began = begin();
  const Segment& segment = at(id);
  while (segment.lru_head != kNone) {
    evict(AllocationId{segment.lru_head}, steps);
    if (const auto page = segment.placed.find(wanted.pages, wanted.alignment_pages)) {
      commit();
      return page;
    }
  }
  rollback(began);
  steps.resize(steps_before);
  return std::nullopt;
}

bool VidMm::relocate(AllocationId id, PagingSteps& steps, bool at_once, Towards towards) {
  const Allocation& state = record(id).state;
  HARNESS_ASSERT(state.resident() && state.pins == 0);
  const SegmentId segment = state.segment;
  const Placement& placed = at(segment).placed;
  const auto page = towards == Towards::End ? placed.find_last(state.pages, state.alignment_pages)
                                            : placed.find(state.pages, state.alignment_pages);
  if (!page) return false;
  if (at_once && at(segment).traits.kind != SegmentKind::Aperture) {
    shift(id, *page, steps);
    return true;
  }
  evict(id, steps);
  settle(id, segment, *page, steps);
  return true;
}

/// To another place of its segment, with what it holds.
void VidMm::shift(AllocationId id, std::uint32_t page, PagingSteps& steps) {
  log(id.value);
  leave(id.value);
  Allocation& state = record(id).state;
  const std::uint32_t from = state.page;
  state.page = page;
  enter(id.value, kNone);
  steps.push_back(
      {StepKind::TransferWithin, id, state.segment, page, state.pages, state.segment, from});
}

/// Puts a non-resident allocation at a free place and says how its content gets there.
void VidMm::settle(AllocationId id, SegmentId segment_id, std::uint32_t page, PagingSteps& steps) {
  log(id.value);
  Allocation& state = record(id).state;
  state.segment = segment_id;
  state.page = page;
  enter(id.value, kNone);
  StepKind kind = StepKind::MapAperture;
  if (at(segment_id).traits.kind == SegmentKind::Aperture) {
    state.content = Content::System;  // system pages are born zeroed
  } else if (state.content == Content::None) {
    kind = StepKind::Fill;
    state.content = Content::Segment;
  } else {
    kind = StepKind::TransferIn;
    state.content = state.permanent_system_memory ? Content::Both : Content::Segment;
  }
  steps.push_back({kind, id, segment_id, page, state.pages});
}

void VidMm::evict(AllocationId id, PagingSteps& steps) {
  Allocation& state = record(id).state;
  HARNESS_ASSERT(state.resident() && state.pins == 0);
  log(id.value);
  PagingStep step{StepKind::Discard, id, state.segment, state.page, state.pages};
  if (at(state.segment).traits.kind == SegmentKind::Aperture) {
    step.kind = StepKind::UnmapAperture;
    steps.push_back(step);
  } else if (state.discardable || state.content == Content::Both) {
    steps.push_back(step);
  } else {
    step.kind = StepKind::TransferOut;
    for (std::uint32_t i = 0; i < segments_.size() && step.through == kNoSegment; ++i) {
      if ((state.eviction_segments >> i & 1) == 0) continue;
      if (const auto page = segments_[i].placed.find(state.pages, state.alignment_pages)) {
        step.through = SegmentId{i + 1};
        step.through_page = *page;
      }
    }
    const bool mapped = step.through != kNoSegment;
    PagingStep window{StepKind::MapAperture, id, step.through, step.through_page, state.pages};
    if (mapped) steps.push_back(window);
    steps.push_back(step);
    window.kind = StepKind::UnmapAperture;
    if (mapped) steps.push_back(window);
  }
  leave(id.value);
  state.content = state.discardable ? Content::None : Content::System;
  state.segment = kNoSegment;
  state.page = 0;
}

void VidMm::evict_unpinned(std::uint32_t segment_set, PagingSteps& steps) {
  for (std::uint32_t i = 0; i < segments_.size(); ++i) {
    if ((segment_set >> i & 1) == 0) continue;
    while (segments_[i].lru_head != kNone) evict(AllocationId{segments_[i].lru_head}, steps);
  }
}

bool VidMm::set_aside(SegmentId id, std::uint32_t page, std::uint32_t pages) {
  HARNESS_ASSERT(trials_ == 0);
  Segment& segment = at(id);
  if (!segment.placed.allocate_at(page, pages)) return false;
  ++segment.set_aside;
  return true;
}

void VidMm::give_back(SegmentId id, std::uint32_t page) {
  HARNESS_ASSERT(trials_ == 0);
  Segment& segment = at(id);
  HARNESS_ASSERT(segment.set_aside != 0);
  segment.placed.free(page);
  --segment.set_aside;
}

void VidMm::pin(AllocationId id) {
  Allocation& state = record(id).state;
  HARNESS_ASSERT(state.resident());
  log(id.value);
  if (state.pins++ == 0) lru_remove(at(state.segment), id.value);
}

void VidMm::unpin(AllocationId id) {
  HARNESS_ASSERT(trials_ == 0);
  Allocation& state = record(id).state;
  HARNESS_ASSERT(state.pins > 0);
  if (--state.pins == 0) lru_insert_before(at(state.segment), id.value, kNone);
}

/// The place that its state names becomes the allocation's own. Unpinned, it is used last but for
/// those from `lru_next` on.
void VidMm::enter(std::uint32_t id, std::uint32_t lru_next) {
  const Allocation& state = records_[id].state;
  if (!state.resident()) return;
  Segment& segment = at(state.segment);
  const bool placed = segment.placed.allocate_at(state.page, state.pages);
  HARNESS_ASSERT(placed);
  if (state.pins == 0) lru_insert_before(segment, id, lru_next);
}

/// The reverse; the state still names the place.
void VidMm::leave(std::uint32_t id) {
  const Allocation& state = records_[id].state;
  if (!state.resident()) return;
  Segment& segment = at(state.segment);
  segment.placed.free(state.page);
  if (state.pins == 0) lru_remove(segment, id);
}

std::size_t VidMm::begin() {
  ++trials_;
  return undo_.size();
}

void VidMm::commit() {
  HARNESS_ASSERT(trials_ != 0);
  if (--trials_ == 0) undo_.clear();
}

void VidMm::log(std::uint32_t id) {
  if (trials_ != 0) undo_.push_back({id, records_[id].state, records_[id].lru_next});
}

void VidMm::rollback(std::size_t began) {
  HARNESS_ASSERT(trials_ != 0 && began <= undo_.size());
  --trials_;
  for (; undo_.size() > began; undo_.pop_back()) {
    const Undo& undo = undo_.back();
    leave(undo.id);
    records_[undo.id].state = undo.before;
    enter(undo.id, undo.lru_next);
  }
}

void VidMm::lru_insert_before(Segment& segment, std::uint32_t id, std::uint32_t next) {
  const std::uint32_t previous = next == kNone ? segment.lru_tail : records_[next].lru_previous;
  records_[id].lru_previous = previous;
  records_[id].lru_next = next;
  (previous == kNone ? segment.lru_head : records_[previous].lru_next) = id;
  (next == kNone ? segment.lru_tail : records_[next].lru_previous) = id;
}

void VidMm::lru_remove(Segment& segment, std::uint32_t id) {
  Record& leaving = records_[id];
  (leaving.lru_previous == kNone ? segment.lru_head : records_[leaving.lru_previous].lru_next) =
      leaving.lru_next;
  (leaving.lru_next == kNone ? segment.lru_tail : records_[leaving.lru_next].lru_previous) =
      leaving.lru_previous;
  leaving.lru_previous = leaving.lru_next = kNone;
}

}  // namespace wddm::vidmm
