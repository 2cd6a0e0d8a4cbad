// VidMm: pins, least-recent use, bringing in, evicting, and taking it all back.
#include "reference/harness_assert.h"
#include "reference/vidmm/vidmm.h"

namespace wddm::vidmm {

bool VidMm::page_in(AllocationId id, Picks& victims, PagingSteps& steps) {
  const Record& wanted = record(id);
  const std::uint32_t pages = wanted.state.pages;
  const std::uint32_t alignment = wanted.state.alignment_pages;
  HARNESS_ASSERT(!wanted.state.resident());
  for (std::uint32_t i = 0; i < wanted.order_count; ++i) {
    const SegmentId candidate{wanted.order[i]};
    if (const auto page = at(candidate).placed.find(pages, alignment)) {
      settle(id, candidate, *page, steps);
      return true;
    }
  }
  note_newly_pinned();
  for (std::uint32_t i = 0; i < wanted.order_count; ++i) {
    const SegmentId candidate{wanted.order[i]};
    Segment& segment = at(candidate);
    if (!segment.pinned.would_fit(pages, alignment)) continue;
    for (;;) {
      // Something unpinned is in the way, else the search above had found the place.
      HARNESS_ASSERT(segment.lru_count > 0);
      evict(AllocationId{victim(segment, victims.next(segment.lru_count))}, steps);
      if (const auto page = segment.placed.find(pages, alignment)) {
        settle(id, candidate, *page, steps);
        return true;
      }
    }
  }
  return false;
}

bool VidMm::relocate(AllocationId id, PagingSteps& steps) {
  const Allocation& state = record(id).state;
  HARNESS_ASSERT(state.resident() && state.pins == 0);
  const SegmentId segment = state.segment;
  const auto page = at(segment).placed.find(state.pages, state.alignment_pages);
  if (!page) return false;
  evict(id, steps);
  settle(id, segment, *page, steps);
  return true;
}

/// Puts a non-resident allocation at a free place and says how its content gets there.
void VidMm::settle(AllocationId id, SegmentId segment_id, std::uint32_t page, PagingSteps& steps) {
  log(Change::Placed, id.value);
  Allocation& state = record(id).state;
  Segment& segment = at(segment_id);
  const bool placed = segment.placed.allocate_at(page, state.pages);
  HARNESS_ASSERT(placed);
  state.segment = segment_id;
  state.page = page;
  StepKind kind = StepKind::MapAperture;
  if (segment.traits.kind == SegmentKind::Aperture) {
    state.content = Content::System;  // system pages are born zeroed
  } else if (state.content == Content::None) {
    kind = StepKind::Fill;
    state.content = Content::Segment;
  } else {
    kind = StepKind::TransferIn;
    state.content = state.permanent_system_memory ? Content::Both : Content::Segment;
  }
  steps.push_back({kind, id, segment_id, page, state.pages, kNoSegment, 0});
  lru_append(segment, id.value);
}

void VidMm::evict(AllocationId id, PagingSteps& steps) {
  Record& leaving = record(id);
  Allocation& state = leaving.state;
  HARNESS_ASSERT(state.resident() && state.pins == 0);
  Segment& segment = at(state.segment);
  log(Change::Evicted, id.value);
  PagingStep step{StepKind::Discard, id, state.segment, state.page, state.pages, kNoSegment, 0};
  if (segment.traits.kind == SegmentKind::Aperture) {
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
    if (step.through == kNoSegment) {
      steps.push_back(step);
    } else {
      steps.push_back(
          {StepKind::MapAperture, id, step.through, step.through_page, state.pages, kNoSegment, 0});
      steps.push_back(step);
      steps.push_back({StepKind::UnmapAperture, id, step.through, step.through_page, state.pages,
                       kNoSegment, 0});
    }
  }
  lru_remove(segment, id.value);
  segment.placed.free(state.page);
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
  HARNESS_ASSERT(!in_transaction_);
  Segment& segment = at(id);
  if (!segment.placed.allocate_at(page, pages)) return false;
  note_newly_pinned();
  const bool free = segment.pinned.allocate_at(page, pages);
  HARNESS_ASSERT(free);
  ++segment.set_aside;
  return true;
}

void VidMm::give_back(SegmentId id, std::uint32_t page) {
  HARNESS_ASSERT(!in_transaction_);
  Segment& segment = at(id);
  HARNESS_ASSERT(segment.set_aside != 0);
  segment.placed.free(page);
  segment.pinned.free(page);
  --segment.set_aside;
}

void VidMm::pin(AllocationId id) {
  Record& pinned = record(id);
  HARNESS_ASSERT(pinned.state.resident());
  log(Change::Pinned, id.value);
  if (pinned.state.pins++ != 0) return;
  lru_remove(at(pinned.state.segment), id.value);
  // The tree of pinned blocks is only asked when memory is short, so it is brought up to date then.
  if (!pinned.pin_noted) {
    pinned.pin_noted = true;
    newly_pinned_.push_back(id.value);
  }
}

void VidMm::unpin(AllocationId id) {
  HARNESS_ASSERT(!in_transaction_);
  Record& pinned = record(id);
  HARNESS_ASSERT(pinned.state.pins > 0);
  if (--pinned.state.pins != 0) return;
  Segment& segment = at(pinned.state.segment);
  if (pinned.in_pinned_tree) {
    segment.pinned.free(pinned.state.page);
    pinned.in_pinned_tree = false;
  }
  lru_append(segment, id.value);
}

void VidMm::note_newly_pinned() {
  for (const std::uint32_t id : newly_pinned_) {
    Record& noted = records_[id];
    noted.pin_noted = false;
    if (!noted.exists || noted.state.pins == 0 || noted.in_pinned_tree) continue;
    const bool free =
        at(noted.state.segment).pinned.allocate_at(noted.state.page, noted.state.pages);
    HARNESS_ASSERT(free);
    noted.in_pinned_tree = true;
  }
  newly_pinned_.clear();
}

std::uint32_t VidMm::victim(const Segment& segment, std::uint32_t pick) const {
  std::uint32_t id = segment.lru_head;
  while (pick-- > 0) id = records_[id].lru_next;
  return id;
}

void VidMm::begin() {
  HARNESS_ASSERT(!in_transaction_);
  in_transaction_ = true;
  undo_.clear();
}

void VidMm::commit() {
  HARNESS_ASSERT(in_transaction_);
  in_transaction_ = false;
}

void VidMm::log(Change change, std::uint32_t id) {
  if (!in_transaction_) return;
  const Record& changed = records_[id];
  undo_.push_back({change, id, changed.state, changed.lru_next});
}

void VidMm::rollback() {
  HARNESS_ASSERT(in_transaction_);
  in_transaction_ = false;
  for (; !undo_.empty(); undo_.pop_back()) {
    const Undo& undo = undo_.back();
    Record& changed = records_[undo.id];
    Allocation& state = changed.state;
    switch (undo.change) {
      case Change::Placed: {
        Segment& segment = at(state.segment);
        lru_remove(segment, undo.id);
        segment.placed.free(state.page);
        state = undo.before;
        break;
      }
      case Change::Evicted: {
        state = undo.before;
        Segment& segment = at(state.segment);
        const bool free = segment.placed.allocate_at(state.page, state.pages);
        HARNESS_ASSERT(free);
        lru_insert_before(segment, undo.id, undo.lru_next);
        break;
      }
      case Change::Pinned: {
        Segment& segment = at(state.segment);
        if (--state.pins != 0) break;
        if (changed.in_pinned_tree) {
          segment.pinned.free(state.page);
          changed.in_pinned_tree = false;
        }
        lru_insert_before(segment, undo.id, undo.lru_next);
        break;
      }
    }
  }
}

void VidMm::lru_append(Segment& segment, std::uint32_t id) {
  lru_insert_before(segment, id, kNone);
}

void VidMm::lru_insert_before(Segment& segment, std::uint32_t id, std::uint32_t next) {
  const std::uint32_t previous = next == kNone ? segment.lru_tail : records_[next].lru_previous;
  records_[id].lru_previous = previous;
  records_[id].lru_next = next;
  (previous == kNone ? segment.lru_head : records_[previous].lru_next) = id;
  (next == kNone ? segment.lru_tail : records_[next].lru_previous) = id;
  ++segment.lru_count;
}

void VidMm::lru_remove(Segment& segment, std::uint32_t id) {
  Record& leaving = records_[id];
  (leaving.lru_previous == kNone ? segment.lru_head : records_[leaving.lru_previous].lru_next) =
      leaving.lru_next;
  (leaving.lru_next == kNone ? segment.lru_tail : records_[leaving.lru_next].lru_previous) =
      leaving.lru_previous;
  leaving.lru_previous = leaving.lru_next = kNone;
  --segment.lru_count;
}

}  // namespace wddm::vidmm
