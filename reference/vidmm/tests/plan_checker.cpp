// See plan_checker.h.
#include "reference/vidmm/tests/plan_checker.h"

#include <map>
#include <vector>

namespace wddm::vidmm::testing {
namespace {

struct Spot {
  std::uint32_t segment = 0;
  std::uint32_t page = 0;
  friend bool operator==(const Spot&, const Spot&) = default;
};

class Replay {
 public:
  Replay(const VidMm& before, const PatchList& list, const Plan& plan)
      : world_(before), list_(list), plan_(plan), spots_(before.allocation_limit()) {
    for (std::uint32_t id = 0; id < before.allocation_limit(); ++id) {
      if (!before.exists(AllocationId{id})) continue;
      const Allocation& state = before.allocation(AllocationId{id});
      spots_[id] = {state.segment.value, state.page};
    }
    for (const PatchElement& element : list.elements) {
      if (element.slot >= rows_.size()) rows_.resize(element.slot + 1, kNoAllocation);
    }
  }

  std::string run() {
    std::uint32_t offset = 0;
    std::uint32_t element = 0;
    std::uint32_t step = 0;
    for (const Portion& portion : plan_.portions) {
      if (portion.start_offset != offset || portion.first_element != element ||
          portion.first_step != step) {
        return "portions do not tile";
      }
      offset = portion.end_offset;
      element += portion.element_count;
      step += portion.step_count;
      if (offset < portion.start_offset || element > list_.elements.size()) return "range";
      const std::string what = check(portion);
      if (!what.empty()) return what;
    }
    if (plan_.status == PlanStatus::Done) {
      if (plan_.portions.empty() || offset != list_.bytes || element != list_.elements.size()) {
        return "the last portion does not reach the end";
      }
    } else if (plan_.failing_element < element || plan_.failing_element >= list_.elements.size() ||
               list_.elements[plan_.failing_element].split_offset != offset) {
      return "the failing element does not open the next portion";
    }
    std::string what;
    for (; step < plan_.steps.size() && what.empty(); ++step) what = apply(plan_.steps[step]);
    return what;
  }

 private:
  [[nodiscard]] AllocationId id_of(std::uint32_t i) const {
    return list_.allocations[list_.elements[i].allocation_index].allocation;
  }

  std::string check(const Portion& portion) {
    const std::uint32_t first = portion.first_element;
    const std::uint32_t end = first + portion.element_count;
    for (std::uint32_t i = first; i < end; ++i) {
      const std::uint32_t split = list_.elements[i].split_offset;
      if (split < portion.start_offset) return "an element below its portion";
      if (split >= portion.end_offset && end != list_.elements.size()) {
        return "an element above its portion";
      }
    }
    if (end < list_.elements.size() && list_.elements[end].split_offset != portion.end_offset) {
      return "a cut that is not a split point";
    }
    // Rows that the cut does not reprogram must keep allocation and place.
    std::vector<bool> reprogrammed(rows_.size(), false);
    for (std::uint32_t i = first; i < list_.elements.size(); ++i) {
      if (list_.elements[i].split_offset != portion.start_offset) break;
      reprogrammed[list_.elements[i].slot] = true;
    }
    std::map<std::uint32_t, Spot> kept;
    std::uint32_t kept_rows = 0;
    for (std::uint32_t slot = 0; slot < rows_.size(); ++slot) {
      if (rows_[slot] == kNoAllocation || reprogrammed[slot]) continue;
      kept[rows_[slot].value] = spots_[rows_[slot].value];
      ++kept_rows;
    }
    if (portion.kept_rows != kept_rows) return "kept rows miscounted";

    std::int64_t last_reference = -1;
    for (std::uint32_t s = 0; s < portion.step_count; ++s) {
      const PagingStep& step = plan_.steps[portion.first_step + s];
      if (kept.count(step.allocation.value) != 0) return "paging of a bound allocation";
      const std::string what = apply(step);
      if (!what.empty()) return what;
      const bool comes_in = window_.segment == 0 && spots_[step.allocation.value].segment != 0 &&
                            (step.kind == StepKind::Fill || step.kind == StepKind::TransferIn ||
                             step.kind == StepKind::MapAperture);
      if (!comes_in) continue;
      std::int64_t reference = -1;
      for (std::uint32_t i = first; i < end && reference < 0; ++i) {
        if (id_of(i) == step.allocation) reference = i;
      }
      if (reference < 0) return "a page-in that the portion does not use";
      if (reference <= last_reference) return "page-ins out of list order";
      last_reference = reference;
    }
    for (const auto& [id, spot] : kept) {
      if (spots_[id].segment == 0) return "a bound allocation is not resident";
      if (!(spots_[id] == spot)) return "a bound allocation moved";
    }
    for (std::uint32_t i = first; i < end; ++i) {
      const AllocationId id = id_of(i);
      if (id != kNoAllocation && spots_[id.value].segment == 0) return "working set not resident";
      rows_[list_.elements[i].slot] = id;
    }
    return {};
  }

  /// Carries a step out on the spots, if it is possible.
  std::string apply(const PagingStep& step) {
    const Allocation& allocation = world_.allocation(step.allocation);
    Spot& spot = spots_[step.allocation.value];
    const Spot named{step.segment.value, step.page};
    if (step.pages != allocation.pages) return "a step of the wrong size";
    const bool aperture = world_.segment(step.segment).kind == SegmentKind::Aperture;
    switch (step.kind) {
      case StepKind::MapAperture:
        if (!aperture) return "a mapping in a memory segment";
        if (spot.segment != 0) {  // a window for a transfer
          if (!free_at(step, step.allocation.value)) return "a window over another allocation";
          window_ = named;
          return {};
        }
        break;
      case StepKind::UnmapAperture:
        if (!aperture) return "an unmapping in a memory segment";
        if (window_.segment != 0) {
          if (!(window_ == named)) return "a window left open";
          window_ = {};
          return {};
        }
        if (!(spot == named)) return "an unmapping of another place";
        spot = {};
        return {};
      case StepKind::Fill:
      case StepKind::TransferIn:
        if (aperture) return "a transfer into an aperture";
        break;
      case StepKind::TransferWithin:
        return "a move within a segment";
      case StepKind::TransferOut:
        if (!(window_ == Spot{step.through.value, step.through_page})) return "no window";
        [[fallthrough]];
      case StepKind::Discard:
        if (aperture || !(spot == named)) return "an eviction from another place";
        if (world_.allocation(step.allocation).pins != 0) return "an eviction of what is pinned";
        spot = {};
        return {};
    }
    if (spot.segment != 0) return "a page-in of what is resident";
    if (!free_at(step, step.allocation.value)) return "a page-in over another allocation";
    if (step.page % allocation.alignment_pages != 0) return "a misaligned page-in";
    spot = named;
    return {};
  }

  [[nodiscard]] bool free_at(const PagingStep& step, std::uint32_t self) const {
    if (step.page + step.pages > world_.placement(step.segment).size_pages()) return false;
    for (std::uint32_t id = 0; id < spots_.size(); ++id) {
      if (id == self || spots_[id].segment != step.segment.value) continue;
      const std::uint32_t pages = world_.allocation(AllocationId{id}).pages;
      if (spots_[id].page < step.page + step.pages && step.page < spots_[id].page + pages) {
        return false;
      }
    }
    return true;
  }

  const VidMm& world_;
  const PatchList& list_;
  const Plan& plan_;
  std::vector<Spot> spots_;  // by allocation id
  std::vector<AllocationId> rows_;
  Spot window_;
};

}  // namespace

std::string breach(const VidMm& before, const PatchList& list, const Plan& plan) {
  return Replay(before, list, plan).run();
}

}  // namespace wddm::vidmm::testing
