// The split planner; its rules stand in the header.
#include "reference/vidmm/split_planner.h"

#include <algorithm>
#include <limits>

#include "reference/harness_assert.h"

namespace wddm::vidmm {
namespace {
constexpr std::uint32_t kRowsAlwaysReady = 1u << 12;
}  // namespace

SplitPlanner::SplitPlanner(std::uint32_t rows, std::uint32_t first_stamp)
    : rows_(std::min(rows, kMaxSlots)), base_(first_stamp), buffer_(first_stamp) {
  HARNESS_ASSERT(first_stamp >= 1);
}

ListError SplitPlanner::begin(VidMm& vidmm, const PatchList& list, const Choices& choices) {
  HARNESS_ASSERT(!active());
  if (const ListError error = check_list(list, rows_); error.fault != ListFault::None) {
    return error;
  }
  for (const AllocationEntry& entry : list.allocations) {
    HARNESS_ASSERT(entry.allocation == kNoAllocation || vidmm.exists(entry.allocation));
  }
  // A driver may announce millions of rows; memory is spent only on those it names.
  std::uint32_t rows = rows_;
  if (rows > kRowsAlwaysReady) {
    rows = kRowsAlwaysReady;
    for (const PatchElement& element : list.elements) rows = std::max(rows, element.slot + 1);
  }
  const auto count = static_cast<std::uint32_t>(list.elements.size());
  if (base_ > std::numeric_limits<std::uint32_t>::max() - count) {
    std::fill(row_stamps_.begin(), row_stamps_.end(), 0);
    base_ = 1;
  }
  vidmm_ = &vidmm;
  list_ = list;
  choices_ = choices;
  victims_ = Picks{choices.victims};
  table_.make_ready(rows, vidmm.allocation_limit());
  table_.reset();
  if (row_stamps_.size() < rows) row_stamps_.resize(rows, 0);
  if (uses_.size() < vidmm.allocation_limit()) uses_.resize(vidmm.allocation_limit());
  if (++buffer_ == 0) {
    for (Use& use : uses_) use.buffer = 0;
    buffer_ = 1;
  }
  not_held_ = 0;
  for (const AllocationEntry& entry : list.allocations) {
    if (entry.allocation == kNoAllocation) continue;
    Use& use = uses_[entry.allocation.value];
    if (use.buffer != buffer_) {
      use.buffer = buffer_;
      use.written = false;
      ++not_held_;
    }
    use.written |= entry.write;
  }
  element_ = offset_ = chosen_at_ = failing_element_ = 0;
  all_planned_ = false;
  return {};
}

PlanStatus SplitPlanner::next(Portion& portion, PagingSteps& steps) {
  HARNESS_ASSERT(active());
  if (all_planned_) return PlanStatus::Done;
  const auto count = static_cast<std::uint32_t>(list_.elements.size());
  portion = Portion{};
  portion.start_offset = offset_;
  portion.end_offset = list_.bytes;
  portion.first_element = element_;
  portion.first_step = static_cast<std::uint32_t>(steps.size());
  portion_finished();
  if (choices_.evict == EvictChoice::AtRelease) evict_released(steps);

  std::uint32_t at = element_;
  if (at < count && list_.elements[at].split_offset == offset_) {
    const std::uint32_t end = group_end(at);
    open_at_group(at, end);
    portion.kept_rows = table_.bound_count();
    if (!bring_in(at, end, true, steps)) return PlanStatus::CannotFit;
    if (choices_.evict == EvictChoice::AtRelease) evict_released(steps);
    portion.reprogrammed_count = end - at;
    join(at, end);
    at = end;
  } else {
    portion.kept_rows = table_.bound_count();
  }

  while (at < count) {
    const std::uint32_t split = list_.elements[at].split_offset;
    if (cut_is_chosen(split)) {
      portion.cut = CutReason::Chosen;
      portion.cut_element = at;
      portion.end_offset = split;
      break;
    }
    std::uint32_t end = groups_held_from(at);
    if (end == at) {
      end = group_end(at);
      if (!bring_in(at, end, false, steps)) {
        portion.cut = CutReason::LowMemory;
        portion.cut_element = failing_element_;
        portion.end_offset = split;
        break;
      }
    }
    join(at, end);
    at = end;
  }
  update_table(element_, at);
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

/// The end of the run of whole groups from `first` on that need nothing brought in; only one group
/// is looked at where choices may cut. `first` itself if its group needs something.
std::uint32_t SplitPlanner::groups_held_from(std::uint32_t first) const {
  const std::uint32_t limit = choices_.split == SplitChoice::WhenNeeded
                                  ? static_cast<std::uint32_t>(list_.elements.size())
                                  : group_end(first);
  if (not_held_ == 0) return limit;
  std::uint32_t group = first;
  std::uint32_t split = list_.elements[first].split_offset;
  for (std::uint32_t i = first; i < limit; ++i) {
    const std::uint32_t next_split = list_.elements[i].split_offset;
    group = next_split == split ? group : i;
    split = next_split;
    if (!is_held(allocation_of(i))) return group;
  }
  return limit;
}

/// Rule 3: the cut before the group [first, end) empties the rows that the group reprograms.
void SplitPlanner::open_at_group(std::uint32_t first, std::uint32_t end) {
  for (std::uint32_t i = first; i < end; ++i) {
    const SlotTable::Change change = table_.apply(SlotId{list_.elements[i].slot}, kNoAllocation);
    if (change.released) unnamed_.push_back(change.previous);
  }
  release_unnamed();
}

/// The elements [first, end), all brought in, become part of the portion. They only leave stamps,
/// and no stamp is read here, so that the loop runs at the speed of its stores.
void SplitPlanner::join(std::uint32_t first, std::uint32_t end) {
  const PatchElement* elements = list_.elements.data();
  const AllocationEntry* entries = list_.allocations.data();
  std::uint32_t* rows = row_stamps_.data();
  Use* uses = uses_.data();
  const std::uint32_t base = base_;
  for (std::uint32_t i = first; i < end; ++i) {
    rows[elements[i].slot] = base + i;
    const AllocationId allocation = entries[elements[i].allocation_index].allocation;
    if (allocation != kNoAllocation) uses[allocation.value].named = base + i;
  }
}

/// Brings the table up to the elements [first, end) of the finished portion. Of the elements that
/// update one row, only the last counts: the one whose stamp the row bears.
void SplitPlanner::update_table(std::uint32_t first, std::uint32_t end) {
  const auto update = [&](std::uint32_t slot, std::uint32_t element) {
    const SlotTable::Change change = table_.apply(SlotId{slot}, allocation_of(element));
    if (change.released) unnamed_.push_back(change.previous);
  };
  if (end - first < row_stamps_.size()) {
    for (std::uint32_t i = first; i < end; ++i) {
      const std::uint32_t slot = list_.elements[i].slot;
      if (row_stamps_[slot] == base_ + i) update(slot, i);
    }
    return;
  }
  for (std::uint32_t slot = 0; slot < row_stamps_.size(); ++slot) {
    if (row_stamps_[slot] >= base_ + first) update(slot, row_stamps_[slot] - base_);
  }
}

/// Makes the allocations of the group [first, end) resident and pins them; `at_start` says that
/// the portion starts with this group. False: nothing changed, and failing_element_ says why.
bool SplitPlanner::bring_in(std::uint32_t first, std::uint32_t end, bool at_start,
                            PagingSteps& steps) {
  needs_.clear();
  for (std::uint32_t i = first; i < end; ++i) {
    const AllocationId allocation = allocation_of(i);
    if (is_held(allocation)) continue;
    held_.push_back(allocation);
    uses_[allocation.value].held = static_cast<std::uint32_t>(held_.size());
    needs_.push_back({allocation, i});
  }
  if (needs_.empty()) return true;
  if (bring_in_beside(at_start, steps) || (at_start && bring_in_afresh(steps))) {
    not_held_ -= static_cast<std::uint32_t>(needs_.size());
    for (const Need& need : needs_) {
      if (uses_[need.allocation.value].written) vidmm_->mark_written(need.allocation);
    }
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
  if (!moves && std::all_of(needs_.begin(), needs_.end(), [&](const Need& need) {
        return vidmm_->allocation(need.allocation).resident();
      })) {
    for (const Need& need : needs_) vidmm_->pin(need.allocation);  // cannot fail: nothing to undo
    return true;
  }
  const std::size_t began = vidmm_->begin();
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
    vidmm_->rollback(began);
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
  const std::size_t began = vidmm_->begin();
  vidmm_->evict_unpinned(segment_set, steps);
  for (const Need& need : needs_) {
    if (vidmm_->allocation(need.allocation).resident()) {
      vidmm_->pin(need.allocation);  // held in place by another buffer
      continue;
    }
    if (place(need, steps)) continue;
    vidmm_->rollback(began);
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

/// Releases what no row names. Only allocations that lost a row or that this portion brought in
/// come into question.
void SplitPlanner::release_unnamed() {
  leaving_.clear();
  const auto consider = [&](AllocationId allocation) {
    if (allocation == kNoAllocation || table_.names(allocation) != 0) return;
    Use& use = uses_[allocation.value];
    if (use.held == 0) return;
    held_[use.held - 1] = kNoAllocation;
    use.held = 0;
    ++not_held_;
    leaving_.push_back(allocation);
  };
  for (const AllocationId allocation : unnamed_) consider(allocation);
  for (std::size_t i = held_before_; i < held_.size(); ++i) consider(held_[i]);
  unnamed_.clear();
  held_before_ = held_.size();
  release(leaving_);
}

/// Rule 6.
void SplitPlanner::release(std::vector<AllocationId>& leaving) {
  std::sort(leaving.begin(), leaving.end(), [&](AllocationId a, AllocationId b) {
    return uses_[a.value].named < uses_[b.value].named;
  });
  for (const AllocationId allocation : leaving) {
    vidmm_->unpin(allocation);
    if (choices_.evict == EvictChoice::AtRelease) released_.push_back(allocation);
  }
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
  leaving_.clear();
  for (const AllocationId allocation : held_) {
    if (allocation == kNoAllocation) continue;
    uses_[allocation.value].held = 0;
    leaving_.push_back(allocation);
  }
  release(leaving_);
  evict_released(steps);
  held_.clear();
  held_before_ = 0;
  table_.reset();
  base_ += static_cast<std::uint32_t>(list_.elements.size());
  vidmm_ = nullptr;
}

void SplitPlanner::validate() const {
  table_.validate();
  if (!active()) {
    HARNESS_ASSERT(held_.empty() && unnamed_.empty() && table_.bound_count() == 0);
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

CutSlots slots_at_cut(const PatchList& list, const Portion& portion) {
  const auto allocation_of = [&](std::uint32_t element) {
    return list.allocations[list.elements[element].allocation_index].allocation;
  };
  std::vector<AllocationId> rows;
  for (std::uint32_t i = 0; i < portion.first_element; ++i) {
    const std::uint32_t slot = list.elements[i].slot;
    if (slot >= rows.size()) rows.resize(slot + 1, kNoAllocation);
    rows[slot] = allocation_of(i);
  }
  std::vector<bool> reprogrammed(rows.size(), false);
  for (std::uint32_t i = 0; i < portion.reprogrammed_count; ++i) {
    const std::uint32_t slot = list.elements[portion.first_element + i].slot;
    if (slot < rows.size()) reprogrammed[slot] = true;
  }
  CutSlots slots;
  for (std::uint32_t slot = 0; slot < rows.size(); ++slot) {
    if (rows[slot] == kNoAllocation) continue;
    (reprogrammed[slot] ? slots.freed : slots.kept).push_back({SlotId{slot}, rows[slot]});
  }
  return slots;
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
