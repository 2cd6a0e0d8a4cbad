// The split planner; its rules stand in the header.
#include "reference/vidmm/split_planner.h"

#include <algorithm>

#include "reference/harness_assert.h"

namespace wddm::vidmm {

SplitPlanner::SplitPlanner(std::uint32_t rows) : rows_(std::min(rows, kMaxSlots)) {}

ListError SplitPlanner::begin(VidMm& vidmm, const PatchList& list, const Choices& choices) {
  HARNESS_ASSERT(!active());
  if (const ListError error = check_list(list, rows_); error.fault != ListFault::None) {
    return error;
  }
  std::uint32_t rows = 0;
  for (const PatchElement& element : list.elements) rows = std::max(rows, element.slot + 1);
  for (const AllocationEntry& entry : list.allocations) {
    HARNESS_ASSERT(entry.allocation == kNoAllocation || vidmm.exists(entry.allocation));
  }
  vidmm_ = &vidmm;
  list_ = list;
  choices_ = choices;
  victims_ = Picks{choices.victims};
  table_.make_ready(rows, vidmm.allocation_limit());
  table_.reset();
  if (uses_.size() < vidmm.allocation_limit()) uses_.resize(vidmm.allocation_limit());
  release_order_ = element_ = offset_ = chosen_at_ = failing_element_ = 0;
  all_planned_ = false;
  return {};
}

PlanStatus SplitPlanner::next(Portion& portion, PagingSteps& steps) {
  HARNESS_ASSERT(active());
  if (all_planned_) return PlanStatus::Done;
  const auto count = static_cast<std::uint32_t>(list_.elements.size());
  portion = Portion{};
  portion.start_offset = offset_;
  portion.first_element = element_;
  portion.first_step = static_cast<std::uint32_t>(steps.size());
  portion_finished();
  if (choices_.evict == EvictChoice::AtRelease) evict_released(steps);

  std::uint32_t at = element_;
  if (at < count && list_.elements[at].split_offset == offset_) {
    const std::uint32_t end = group_end(at);
    for (std::uint32_t i = at; i < end; ++i) update_row(i, kNoAllocation);
    release_unnamed();
    portion.kept_rows = table_.bound_count();
    if (!bring_in(at, end, true, steps)) return PlanStatus::CannotFit;
    if (choices_.evict == EvictChoice::AtRelease) evict_released(steps);
    portion.reprogrammed_count = end - at;
    join(at, end);
    at = end;
  } else {
    portion.kept_rows = table_.bound_count();
  }

  portion.end_offset = list_.bytes;
  while (at < count) {
    const std::uint32_t split = list_.elements[at].split_offset;
    if (cut_is_chosen(split)) {
      portion.cut = CutReason::Chosen;
      portion.cut_element = at;
      portion.end_offset = split;
      break;
    }
    bool held = true;
    std::uint32_t end = at;
    do {
      const AllocationId allocation = allocation_of(end);
      held &= allocation == kNoAllocation || uses_[allocation.value].held != 0;
      ++end;
    } while (end < count && list_.elements[end].split_offset == split);
    if (!held && !bring_in(at, end, false, steps)) {
      portion.cut = CutReason::LowMemory;
      portion.cut_element = failing_element_;
      portion.end_offset = split;
      break;
    }
    join(at, end);
    at = end;
  }
  portion.element_count = at - element_;
  portion.step_count = static_cast<std::uint32_t>(steps.size()) - portion.first_step;
  element_ = at;
  offset_ = portion.end_offset;
  all_planned_ = portion.cut == CutReason::EndOfBuffer;
  return PlanStatus::Portion;
}

std::uint32_t SplitPlanner::group_end(std::uint32_t first) const {
  std::uint32_t end = first + 1;
  while (end < list_.elements.size() &&
         list_.elements[end].split_offset == list_.elements[first].split_offset) {
    ++end;
  }
  return end;
}

bool SplitPlanner::cut_is_chosen(std::uint32_t offset) {
  if (choices_.split == SplitChoice::WhenNeeded) return false;
  if (choices_.split == SplitChoice::Every) return true;
  const auto& offsets = choices_.split_offsets;
  while (chosen_at_ < offsets.size() && offsets[chosen_at_] < offset) ++chosen_at_;
  return chosen_at_ < offsets.size() && offsets[chosen_at_] == offset;
}

void SplitPlanner::update_row(std::uint32_t element, AllocationId allocation) {
  const SlotTable::Change change = table_.apply(SlotId{list_.elements[element].slot}, allocation);
  if (!change.released) return;
  uses_[change.previous.value].last_release = ++release_order_;
  releases_.push_back({change.previous, release_order_});
}

/// The group [first, end) has been brought in and becomes part of the portion.
void SplitPlanner::join(std::uint32_t first, std::uint32_t end) {
  for (std::uint32_t i = first; i < end; ++i) {
    const AllocationEntry& entry = list_.allocations[list_.elements[i].allocation_index];
    update_row(i, entry.allocation);
    if (entry.write && entry.allocation != kNoAllocation) vidmm_->mark_written(entry.allocation);
  }
}

/// Makes the allocations of the group [first, end) resident and pins them; `at_start` says that
/// the portion starts with this group. False: nothing changed, and failing_element_ says why.
bool SplitPlanner::bring_in(std::uint32_t first, std::uint32_t end, bool at_start,
                            PagingSteps& steps) {
  needs_.clear();
  for (std::uint32_t i = first; i < end; ++i) {
    const AllocationId allocation = allocation_of(i);
    if (allocation == kNoAllocation || uses_[allocation.value].held != 0) continue;
    held_.push_back(allocation);
    uses_[allocation.value].held = static_cast<std::uint32_t>(held_.size());
    needs_.push_back({allocation, i});
  }
  if (needs_.empty() || bring_in_beside(at_start, steps) || (at_start && bring_in_afresh(steps))) {
    return true;
  }
  for (const Need& need : needs_) uses_[need.allocation.value].held = 0;
  held_.resize(held_.size() - needs_.size());
  return false;
}

/// Rule 2: residents stay where they are, the others join them.
bool SplitPlanner::bring_in_beside(bool at_start, PagingSteps& steps) {
  const std::size_t steps_before = steps.size();
  const std::size_t picks_before = victims_.used;
  const bool moves = at_start && choices_.move == MoveChoice::Always;
  vidmm_->begin();
  for (const Need& need : needs_) {
    const Allocation& state = vidmm_->allocation(need.allocation);
    if (state.resident() && !(moves && state.pins == 0)) vidmm_->pin(need.allocation);
  }
  for (const Need& need : needs_) {
    const Allocation& state = vidmm_->allocation(need.allocation);
    if (state.resident()) {
      if (!moves || state.pins != 0) continue;
      (void)vidmm_->relocate(need.allocation, steps);
      vidmm_->pin(need.allocation);
      continue;
    }
    if (place(need, steps)) continue;
    vidmm_->rollback();
    steps.resize(steps_before);
    victims_.used = picks_before;
    return false;
  }
  vidmm_->commit();
  return true;
}

/// Rule 4: everything that is not pinned makes room first.
bool SplitPlanner::bring_in_afresh(PagingSteps& steps) {
  const std::size_t steps_before = steps.size();
  std::uint32_t segment_set = 0;
  for (const Need& need : needs_) {
    segment_set |= vidmm_->allocation(need.allocation).supported_segments;
  }
  vidmm_->begin();
  vidmm_->evict_unpinned(segment_set, steps);
  for (const Need& need : needs_) {
    if (vidmm_->allocation(need.allocation).resident()) {
      vidmm_->pin(need.allocation);  // held in place by another buffer
      continue;
    }
    if (place(need, steps)) continue;
    vidmm_->rollback();
    steps.resize(steps_before);
    return false;
  }
  vidmm_->commit();
  return true;
}

bool SplitPlanner::place(const Need& need, PagingSteps& steps) {
  if (!vidmm_->page_in(need.allocation, victims_, steps)) {
    failing_element_ = need.element;
    return false;
  }
  vidmm_->pin(need.allocation);
  return true;
}

void SplitPlanner::portion_finished() {
  HARNESS_ASSERT(active());
  release_unnamed();
}

/// Releases what no row names, in the order of losing the last row.
void SplitPlanner::release_unnamed() {
  for (const Release& release : releases_) {
    Use& use = uses_[release.allocation.value];
    const bool latest = use.last_release == release.order;
    if (!latest || use.held == 0 || table_.names(release.allocation) != 0) continue;
    held_[use.held - 1] = kNoAllocation;
    use.held = 0;
    vidmm_->unpin(release.allocation);
    if (choices_.evict == EvictChoice::AtRelease) released_.push_back(release.allocation);
  }
  releases_.clear();
}

/// EvictChoice::AtRelease: those that nothing has pinned or evicted since leave now.
void SplitPlanner::evict_released(PagingSteps& steps) {
  for (const AllocationId allocation : released_) {
    const Allocation& state = vidmm_->allocation(allocation);
    if (state.resident() && state.pins == 0) vidmm_->evict(allocation, steps);
  }
  released_.clear();
}

void SplitPlanner::finish(PagingSteps& steps) {
  HARNESS_ASSERT(active());
  portion_finished();
  for (const AllocationId allocation : held_) {
    if (allocation == kNoAllocation) continue;
    uses_[allocation.value].held = 0;
    vidmm_->unpin(allocation);
    if (choices_.evict == EvictChoice::AtRelease) released_.push_back(allocation);
  }
  held_.clear();
  table_.reset();
  evict_released(steps);
  vidmm_ = nullptr;
}

void SplitPlanner::validate() const {
  table_.validate();
  if (!active()) {
    HARNESS_ASSERT(held_.empty() && releases_.empty() && table_.bound_count() == 0);
    for (const Use& use : uses_) HARNESS_ASSERT(use.held == 0);
    return;
  }
  for (std::uint32_t i = 0; i < held_.size(); ++i) {
    if (held_[i] == kNoAllocation) continue;
    HARNESS_ASSERT(uses_[held_[i].value].held == i + 1);
    const Allocation& state = vidmm_->allocation(held_[i]);
    HARNESS_ASSERT(state.resident() && state.pins > 0);
  }
  table_.for_each_bound(
      [&](SlotId, AllocationId allocation) { HARNESS_ASSERT(uses_[allocation.value].held != 0); });
}

ListError plan_buffer(SplitPlanner& planner, VidMm& vidmm, const PatchList& list,
                      const Choices& choices, Plan& plan) {
  plan.portions.clear();
  plan.steps.clear();
  plan.status = PlanStatus::Done;
  plan.failing_element = 0;
  if (const ListError error = planner.begin(vidmm, list, choices); error.fault != ListFault::None) {
    return error;
  }
  Portion portion;
  while ((plan.status = planner.next(portion, plan.steps)) == PlanStatus::Portion) {
    plan.portions.push_back(portion);
  }
  if (plan.status == PlanStatus::CannotFit) plan.failing_element = planner.failing_element();
  planner.finish(plan.steps);
  return {};
}

}  // namespace wddm::vidmm
