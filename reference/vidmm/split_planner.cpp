// The split planner; its rules stand in the header, and their numbers here where each is carried
// out.
#include "reference/vidmm/split_planner.h"

#include <algorithm>

#include "reference/harness_assert.h"

namespace wddm::vidmm {

SplitPlanner::SplitPlanner(std::uint32_t rows) : rows_(std::min(rows, kMaxSlots)) {}

ListError SplitPlanner::begin(VidMm& vidmm, const PatchList& list,
                              std::span<const std::uint32_t> taken) {
  HARNESS_ASSERT(!active());
  if (const ListError error = check_list(list, rows_); error.fault != ListFault::None) {
    return error;
  }
  // A driver may announce millions of rows; only those that it names are kept.
  std::uint32_t rows = 0;
  for (const PatchElement& element : list.elements) rows = std::max(rows, element.slot + 1);
  table_.reset(rows, vidmm.allocation_limit());
  uses_.assign(vidmm.allocation_limit(), {});
  for (const AllocationEntry& entry : list.allocations) {
    if (entry.allocation == kNoAllocation) continue;
    HARNESS_ASSERT(vidmm.exists(entry.allocation));
    uses_[entry.allocation.value].written |= entry.write;
  }
  vidmm_ = &vidmm;
  list_ = list;
  taken_ = taken;
  element_ = offset_ = failing_element_ = 0;
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
  portion_finished();  // 3, the first half

  std::uint32_t at = element_;
  const bool group_at_start = at < count && list_.elements[at].split_offset == offset_;
  if (group_at_start) {
    const std::uint32_t end = group_end(at);
    empty_rows(at, end);  // 3, the second half
    portion.kept_rows = table_.bound_count();
    if (!bring_in(at, end, true, steps)) return PlanStatus::CannotFit;
    portion.reprogrammed_count = end - at;
    join(at, end);
    at = end;
  } else {
    portion.kept_rows = table_.bound_count();
  }

  while (at < count) {  // 1: one group after the other
    const std::uint32_t split = list_.elements[at].split_offset;
    const std::uint32_t end = group_end(at);
    const bool taken = is_taken(split);
    if (taken || !bring_in(at, end, false, steps)) {
      portion.cut = taken ? CutReason::Chosen : CutReason::LowMemory;
      portion.cut_element = taken ? at : failing_element_;
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

/// Asked in ascending order: what lies below will not be asked for again.
bool SplitPlanner::is_taken(std::uint32_t split_offset) {
  while (!taken_.empty() && taken_.front() < split_offset) taken_ = taken_.subspan(1);
  return !taken_.empty() && taken_.front() == split_offset;
}

/// Rule 3: the cut before the group [first, end) empties the rows that the group reprograms, and
/// what no row names then is released.
void SplitPlanner::empty_rows(std::uint32_t first, std::uint32_t end) {
  for (std::uint32_t i = first; i < end; ++i) {
    table_.apply(SlotId{list_.elements[i].slot}, kNoAllocation);
  }
  release(false);
}

/// Rules 2 and 4: makes the allocations of the group [first, end) resident and pins them;
/// `at_start` says that the portion starts with this group. False: nothing changed, and
/// failing_element_ says why.
bool SplitPlanner::bring_in(std::uint32_t first, std::uint32_t end, bool at_start,
                            PagingSteps& steps) {
  needs_.clear();
  std::uint32_t segments = 0;  // that they may use
  for (std::uint32_t i = first; i < end; ++i) {
    const AllocationId allocation = allocation_of(i);
    if (allocation == kNoAllocation || uses_[allocation.value].held) continue;
    uses_[allocation.value].held = true;
    needs_.push_back({allocation, i});
    segments |= vidmm_->allocation(allocation).supported_segments;
  }
  if (needs_.empty()) return true;
  const bool placed =
      try_to_place(0, steps) || (at_start && try_to_place(segments, steps));  // 2, 4
  for (const Need& need : needs_) {
    Use& use = uses_[need.allocation.value];
    use.held = placed;
    if (!placed) continue;
    held_.push_back(need.allocation);
    if (use.written) vidmm_->mark_written(need.allocation);  // 5
  }
  return placed;
}

/// Everything unpinned leaves `segments`; of what is needed, residents stay where they are and the
/// others join them. False: nothing changed.
bool SplitPlanner::try_to_place(std::uint32_t segments, PagingSteps& steps) {
  const std::size_t steps_before = steps.size();
  const std::size_t began = vidmm_->begin();
  vidmm_->evict_unpinned(segments, steps);
  for (const Need& need : needs_) {
    if (vidmm_->allocation(need.allocation).resident()) vidmm_->pin(need.allocation);
  }
  for (const Need& need : needs_) {
    if (vidmm_->allocation(need.allocation).resident()) continue;
    if (!vidmm_->page_in(need.allocation, steps)) {
      failing_element_ = need.element;
      vidmm_->rollback(began);
      steps.resize(steps_before);
      return false;
    }
    vidmm_->pin(need.allocation);
  }
  vidmm_->commit();
  return true;
}

/// The elements [first, end), all brought in, become part of the portion.
void SplitPlanner::join(std::uint32_t first, std::uint32_t end) {
  for (std::uint32_t i = first; i < end; ++i) {
    const AllocationId allocation = allocation_of(i);
    table_.apply(SlotId{list_.elements[i].slot}, allocation);
    if (allocation != kNoAllocation) uses_[allocation.value].named = i + 1;
  }
}

void SplitPlanner::portion_finished() {
  HARNESS_ASSERT(active());
  release(false);
}

/// Rule 6, for what no row names, or for all that is held.
void SplitPlanner::release(bool all) {
  leaving_.clear();
  const auto stays = std::partition(held_.begin(), held_.end(),
                                    [&](AllocationId id) { return !all && table_.names(id) != 0; });
  leaving_.assign(stays, held_.end());
  held_.erase(stays, held_.end());
  std::sort(leaving_.begin(), leaving_.end(), [&](AllocationId a, AllocationId b) {
    return uses_[a.value].named < uses_[b.value].named;
  });
  for (const AllocationId id : leaving_) {
    uses_[id.value].held = false;
    vidmm_->unpin(id);
  }
}

void SplitPlanner::finish() {
  portion_finished();
  release(true);
  table_.reset(0, 0);
  vidmm_ = nullptr;
}

void SplitPlanner::validate() const {
  table_.validate();
  if (!active()) {
    HARNESS_ASSERT(held_.empty() && table_.bound_count() == 0);
    return;
  }
  for (const AllocationId id : held_) {
    const Allocation& state = vidmm_->allocation(id);
    HARNESS_ASSERT(uses_[id.value].held && state.resident() && state.pins > 0);
  }
  table_.for_each_bound(
      [&](SlotId, AllocationId allocation) { HARNESS_ASSERT(uses_[allocation.value].held); });
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
                      std::span<const std::uint32_t> taken, Plan& plan) {
  plan.portions.clear();
  plan.steps.clear();
  plan.status = PlanStatus::Done;
  plan.failing_element = 0;
  if (const ListError error = planner.begin(vidmm, list, taken); error.fault != ListFault::None) {
    return error;
  }
  Portion portion;
  while ((plan.status = planner.next(portion, plan.steps)) == PlanStatus::Portion) {
    plan.portions.push_back(portion);
  }
  if (plan.status == PlanStatus::CannotFit) plan.failing_element = planner.failing_element();
  planner.finish();
  return {};
}

}  // namespace wddm::vidmm
