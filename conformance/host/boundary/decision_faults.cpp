// The seeded faults of our own decisions, one class for each OS-bound clause that has one.
#include <algorithm>
#include <map>
#include <memory>

#include "conformance/host/boundary/decision_seat.h"

namespace wddm::host {
namespace {

// What the rows of the slot table name at the end of a list; empty if an element names nothing.
// `null_too`: rows that were emptied count as well.
std::vector<AllocationId> rows_at_end(const vidmm::PatchList& list, bool null_too) {
  std::map<std::uint32_t, AllocationId> rows;
  for (const vidmm::PatchElement& element : list.elements) {
    if (element.allocation_index >= list.allocations.size()) return {};
    const AllocationId named = list.allocations[element.allocation_index].allocation;
    if (null_too || named != vidmm::kNoAllocation) rows[element.slot] = named;
  }
  std::vector<AllocationId> named;
  for (const auto& [slot, id] : rows) named.push_back(id);
  return named;
}

std::vector<AllocationId> resident(std::vector<AllocationId> some, const vidmm::VidMm& vidmm) {
  std::erase_if(some, [&](AllocationId id) {
    return id == vidmm::kNoAllocation || !vidmm.exists(id) || !vidmm.allocation(id).resident();
  });
  return some;
}

// SPLIT-010: small page-ins come first.
class SortsPageInsBySize final : public DecisionSeat {
  void plan(vidmm::Plan& plan, const vidmm::PatchList&) override {
    for (const vidmm::Portion& portion : plan.portions) {
      const auto first = plan.steps.begin() + portion.first_step;
      std::stable_sort(first, first + portion.step_count,
                       [](const auto& a, const auto& b) { return a.pages < b.pages; });
    }
  }
};

// SPLIT-011: what the buffer before left in the slot table is held.
class KeepsSlotTable final : public DecisionSeat {
  std::vector<AllocationId> held_while_planning(const vidmm::PatchList& list,
                                                const vidmm::VidMm& vidmm) override {
    left_bound_.swap(rows_);
    rows_ = rows_at_end(list, true);
    return resident(left_bound_, vidmm);
  }
  std::vector<AllocationId> left_bound_, rows_;
};

// SPLIT-012: cuts lie where the first element of a portion patches.
class CutsAtPatchOffset final : public DecisionSeat {
  void plan(vidmm::Plan& plan, const vidmm::PatchList& list) override {
    auto& portions = plan.portions;
    for (std::size_t i = 0; i + 1 < portions.size(); ++i) {
      const std::uint32_t element = portions[i].first_element + portions[i].element_count;
      if (element >= list.elements.size()) continue;
      portions[i].end_offset = portions[i + 1].start_offset = list.elements[element].patch_offset;
    }
  }
};

// SPLIT-013: what the last portion has brought in leaves and returns.
class RelocatesBoundAllocations final : public DecisionSeat {
  void plan(vidmm::Plan& plan, const vidmm::PatchList&) override {
    if (plan.portions.size() < 2) return;
    vidmm::Portion& portion = plan.portions.back();
    for (std::uint32_t s = portion.first_step + portion.step_count; s-- > portion.first_step;) {
      vidmm::PagingStep step = plan.steps[s];
      if (step.kind != vidmm::StepKind::Fill && step.kind != vidmm::StepKind::TransferIn) continue;
      step.kind = vidmm::StepKind::TransferOut;
      auto at = plan.steps.insert(plan.steps.begin() + s + 1, step) + 1;
      step.kind = vidmm::StepKind::TransferIn;
      plan.steps.insert(at, step);
      portion.step_count += 2;
      return;
    }
  }
};

// SPLIT-014: what a row named before it was programmed anew stays held.
class PinsReprogrammedRows final : public DecisionSeat {
  std::vector<AllocationId> held_while_planning(const vidmm::PatchList& list,
                                                const vidmm::VidMm& vidmm) override {
    return resident(rows_at_end(list, false), vidmm);
  }
};

// SPLIT-015: the third portion begins at the start of the buffer.
class RestartsAfterSecondSplit final : public DecisionSeat {
  void plan(vidmm::Plan& plan, const vidmm::PatchList&) override {
    if (plan.portions.size() > 2) plan.portions[2].start_offset = 0;
  }
};

// SPLIT-016: a portion does not wait for its page-ins.
class SubmitsBeforePageIn final : public DecisionSeat {
  vidsch::EnqueuePaging order(const vidsch::EnqueuePaging& paging) override {
    vidsch::EnqueuePaging unordered = paging;
    unordered.before = {};
    return unordered;
  }
};

// SPLIT-017: other contexts run between portions, whatever the driver can bear.
class InterleavesPortions final : public DecisionSeat {
  void configure(vidsch::Config& config) override { config.preemption_aware = true; }
  bool interleaves(bool) override { return true; }
};

// BIND-002: leaks count for drivers that need not care.
class JudgesLeaksAlways final : public DecisionSeat {
  bool judges_leaks(bool) override { return true; }
};

std::unique_ptr<DecisionSeat> seat_of(OracleFault fault) {
  switch (fault) {
    case OracleFault::None:
      return nullptr;
    case OracleFault::SortPageInsBySize:
      return std::make_unique<SortsPageInsBySize>();
    case OracleFault::KeepSlotTableAcrossBuffers:
      return std::make_unique<KeepsSlotTable>();
    case OracleFault::CutAtPatchOffset:
      return std::make_unique<CutsAtPatchOffset>();
    case OracleFault::RelocateBoundAllocations:
      return std::make_unique<RelocatesBoundAllocations>();
    case OracleFault::PinReprogrammedRows:
      return std::make_unique<PinsReprogrammedRows>();
    case OracleFault::RestartAfterSecondSplit:
      return std::make_unique<RestartsAfterSecondSplit>();
    case OracleFault::SubmitBeforePageIn:
      return std::make_unique<SubmitsBeforePageIn>();
    case OracleFault::InterleavePortions:
      return std::make_unique<InterleavesPortions>();
    case OracleFault::LeakCheckIgnoresCap:
      return std::make_unique<JudgesLeaksAlways>();
  }
  return nullptr;
}

DecisionSeat g_faultless;
std::unique_ptr<DecisionSeat> g_seat;  // null: the faultless one

}  // namespace

DecisionSeat& decisions() {
  return g_seat ? *g_seat : g_faultless;
}

void seat_decision_fault(OracleFault fault) {
  g_seat = seat_of(fault);
}

}  // namespace wddm::host
