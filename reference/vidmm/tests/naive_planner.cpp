// The obvious split planner; see naive_planner.h.
#include "reference/vidmm/tests/naive_planner.h"

#include <algorithm>

namespace wddm::vidmm::testing {
namespace {

/// One row update: element `element` sets its row, or the cut before it empties the row.
struct Event {
  std::uint32_t element;
  bool clears;
};

class NaivePlanner {
 public:
  NaivePlanner(NaiveWorld& world, const PatchList& list, std::span<const std::uint32_t> taken)
      : world_(world), list_(list), taken_(taken) {}

  Plan run() {
    std::uint32_t element = 0;
    std::uint32_t offset = 0;
    for (;;) {
      Portion portion;
      portion.start_offset = offset;
      portion.end_offset = list_.bytes;
      portion.first_element = element;
      portion.first_step = static_cast<std::uint32_t>(plan_.steps.size());
      release_unnamed();

      const bool group_at_start = element < size() && split(element) == offset;
      if (group_at_start) {
        const std::uint32_t end = group_end(element);
        for (std::uint32_t i = element; i < end; ++i) events_.push_back({i, true});
        release_unnamed();
        portion.kept_rows = bound_rows();
        if (!beside(element, end) && !afresh(element, end)) {
          plan_.status = PlanStatus::CannotFit;
          plan_.failing_element = failing_;
          break;
        }
        portion.reprogrammed_count = end - element;
        join(element, end);
        element = end;
      } else {
        portion.kept_rows = bound_rows();
      }
      while (element < size() && portion.cut == CutReason::EndOfBuffer) {
        const std::uint32_t end = group_end(element);
        if (chosen(split(element))) {
          portion.cut = CutReason::Chosen;
          portion.cut_element = element;
          portion.end_offset = split(element);
        } else if (!beside(element, end)) {
          portion.cut = CutReason::LowMemory;
          portion.cut_element = failing_;
          portion.end_offset = split(element);
        } else {
          join(element, end);
          element = end;
        }
      }
      portion.element_count = element - portion.first_element;
      portion.step_count = static_cast<std::uint32_t>(plan_.steps.size()) - portion.first_step;
      plan_.portions.push_back(portion);
      offset = portion.end_offset;
      if (portion.cut == CutReason::EndOfBuffer) break;
    }
    release_unnamed();
    sort_by_last_naming(held_);
    for (const std::uint32_t id : held_) world_.unpin(id);
    return plan_;
  }

 private:
  [[nodiscard]] std::uint32_t size() const {
    return static_cast<std::uint32_t>(list_.elements.size());
  }
  [[nodiscard]] std::uint32_t split(std::uint32_t i) const {
    return list_.elements[i].split_offset;
  }
  [[nodiscard]] std::uint32_t id_of(std::uint32_t i) const {  // 0: none
    const AllocationId id = list_.allocations[list_.elements[i].allocation_index].allocation;
    return id == kNoAllocation ? 0 : id.value;
  }
  [[nodiscard]] std::uint32_t group_end(std::uint32_t first) const {
    std::uint32_t end = first;
    while (end < size() && split(end) == split(first)) ++end;
    return end;
  }
  [[nodiscard]] bool chosen(std::uint32_t offset) const {
    return std::count(taken_.begin(), taken_.end(), offset) > 0;
  }

  /// Replays all events: what the rows hold, and when each allocation was last named.
  struct Table {
    std::vector<std::uint32_t> rows;
    std::vector<std::uint32_t> named;
  };
  [[nodiscard]] Table replay() const {
    std::uint32_t rows = 0;
    for (const PatchElement& element : list_.elements) rows = std::max(rows, element.slot + 1);
    Table table{std::vector<std::uint32_t>(rows, 0),
                std::vector<std::uint32_t>(world_.count() + 1, 0)};
    std::uint32_t time = 0;
    for (const Event& event : events_) {
      ++time;
      const std::uint32_t id = event.clears ? 0 : id_of(event.element);
      table.rows[list_.elements[event.element].slot] = id;
      table.named[id] = time;
    }
    return table;
  }
  [[nodiscard]] std::uint32_t bound_rows() const {
    const Table table = replay();
    return static_cast<std::uint32_t>(table.rows.size()) -
           static_cast<std::uint32_t>(std::count(table.rows.begin(), table.rows.end(), 0u));
  }
  [[nodiscard]] bool holds(std::uint32_t id) const {
    return std::count(held_.begin(), held_.end(), id) > 0;
  }

  /// Unpins what is held without a row, in the order of losing the last one.
  void release_unnamed() {
    const Table table = replay();
    std::vector<std::uint32_t> unnamed;
    for (const std::uint32_t id : held_) {
      if (std::count(table.rows.begin(), table.rows.end(), id) == 0) unnamed.push_back(id);
    }
    sort_by_last_naming(unnamed);
    for (const std::uint32_t id : unnamed) {
      held_.erase(std::find(held_.begin(), held_.end(), id));
      world_.unpin(id);
    }
  }

  void sort_by_last_naming(std::vector<std::uint32_t>& ids) const {
    const Table table = replay();
    std::sort(ids.begin(), ids.end(),
              [&](std::uint32_t a, std::uint32_t b) { return table.named[a] < table.named[b]; });
  }

  /// The allocations of a group that are not held yet: {id, first element}.
  [[nodiscard]] std::vector<std::pair<std::uint32_t, std::uint32_t>> needs(
      std::uint32_t first, std::uint32_t end) const {
    std::vector<std::pair<std::uint32_t, std::uint32_t>> result;
    for (std::uint32_t i = first; i < end; ++i) {
      const std::uint32_t id = id_of(i);
      const bool listed = std::any_of(result.begin(), result.end(),
                                      [&](const auto& need) { return need.first == id; });
      if (id != 0 && !holds(id) && !listed) result.emplace_back(id, i);
    }
    return result;
  }

  bool beside(std::uint32_t first, std::uint32_t end) {
    const auto wanted = needs(first, end);
    if (wanted.empty()) return true;
    NaiveWorld trial = world_;
    PagingSteps steps;
    for (const auto& [id, element] : wanted) {
      if (trial.at(id).segment != 0) trial.pin(id);
    }
    for (const auto& [id, element] : wanted) {
      if (trial.at(id).segment != 0) continue;
      if (!trial.page_in(id, steps)) {
        failing_ = element;
        return false;
      }
      trial.pin(id);
    }
    accept(trial, steps, wanted);
    return true;
  }

  bool afresh(std::uint32_t first, std::uint32_t end) {
    NaiveWorld trial = world_;
    PagingSteps steps;
    const auto wanted = needs(first, end);
    std::uint32_t segment_set = 0;
    for (const auto& [id, element] : wanted) {
      segment_set |= trial.at(id).traits.supported_segments;
    }
    trial.evict_unpinned(segment_set, steps);
    for (const auto& [id, element] : wanted) {
      if (trial.at(id).segment == 0 && !trial.page_in(id, steps)) {
        failing_ = element;
        return false;
      }
      trial.pin(id);
    }
    accept(trial, steps, wanted);
    return true;
  }

  void accept(const NaiveWorld& trial, const PagingSteps& steps,
              const std::vector<std::pair<std::uint32_t, std::uint32_t>>& wanted) {
    world_ = trial;
    plan_.steps.insert(plan_.steps.end(), steps.begin(), steps.end());
    for (const auto& [id, element] : wanted) {
      held_.push_back(id);
      for (const AllocationEntry& entry : list_.allocations) {
        if (entry.allocation == AllocationId{id} && entry.write) world_.write(id);
      }
    }
  }

  void join(std::uint32_t first, std::uint32_t end) {
    for (std::uint32_t i = first; i < end; ++i) {
      events_.push_back({i, false});
    }
  }

  NaiveWorld& world_;
  const PatchList& list_;
  std::span<const std::uint32_t> taken_;
  std::vector<Event> events_;
  std::vector<std::uint32_t> held_;
  Plan plan_;
  std::uint32_t failing_ = 0;
};

}  // namespace

Plan naive_plan(NaiveWorld& world, const PatchList& list, std::span<const std::uint32_t> taken) {
  return NaivePlanner(world, list, taken).run();
}

}  // namespace wddm::vidmm::testing
