// See step.h; the numbers are those of its rules.
#include "reference/vidmm/step.h"

#include "reference/vidmm/empty_end.h"

namespace wddm::vidmm {
namespace {

// 1
void page(Decisions& decisions, const PagingSteps& steps) {
  if (!steps.empty()) decisions.emplace_back(AwaitEarlierWork{});
  for (const PagingStep& one : steps) decisions.emplace_back(Page{one});
}

// 7
PagingSteps move_what_is_listed(VidMm& vidmm, const PatchList& list) {
  PagingSteps steps;
  for (const AllocationEntry& entry : list.allocations) {
    if (entry.allocation == kNoAllocation) continue;
    const Allocation& listed = vidmm.allocation(entry.allocation);
    if (!listed.resident() || listed.pins != 0) continue;
    static_cast<void>(vidmm.relocate(entry.allocation, steps));  // false: it stays
  }
  return steps;
}

// 6
LeaksJudged judge_leaks(const Prepare& input, const std::vector<Portion>& portions) {
  LeaksJudged judged{.judged = input.preemption_aware && !input.no_dma_patching && input.has_slots};
  const std::vector<BindingLeak> leaks = find_binding_leaks(input.list);
  for (std::size_t i = 1; i < portions.size(); ++i) {
    for (const BindingLeak& leak : leaks_at(leaks, portions[i].start_offset)) {
      if (judged.leaks++ != 0) continue;
      judged.split_offset = portions[i].start_offset;
      judged.slot = leak.slot;
      judged.bound_by = leak.bound_by;
    }
  }
  return judged;
}

void decide(VidMm& vidmm, SplitPlanner&, const MakeResident& input, Decisions& decisions) {
  PagingSteps steps;
  if (vidmm.allocation(input.allocation).resident()) {
    decisions.emplace_back(Refused{Refusal::IsResident});
  } else if (!vidmm.page_in(input.allocation, steps)) {
    decisions.emplace_back(Refused{Refusal::NoRoom});
  } else {
    page(decisions, steps);
  }
}

void decide(VidMm& vidmm, SplitPlanner&, const Evict& input, Decisions& decisions) {
  PagingSteps steps;
  if (!vidmm.allocation(input.allocation).resident()) {
    decisions.emplace_back(Refused{Refusal::IsNotResident});
    return;
  }
  vidmm.evict(input.allocation, steps);
  page(decisions, steps);
}

void decide(VidMm& vidmm, SplitPlanner&, const Move& input, Decisions& decisions) {
  PagingSteps steps;
  if (!vidmm.allocation(input.allocation).resident()) {
    decisions.emplace_back(Refused{Refusal::IsNotResident});
  } else if (!vidmm.relocate(input.allocation, steps, input.at_once, input.towards)) {
    decisions.emplace_back(Refused{Refusal::NoOtherPlace});
  } else {
    page(decisions, steps);
  }
}

void decide(VidMm& vidmm, SplitPlanner&, const Destroy& input, Decisions& decisions) {
  PagingSteps steps;
  vidmm.destroy_allocation(input.allocation, steps);
  page(decisions, steps);
}

// 4
void refuse(Refusal why, std::uint32_t element, const PagingSteps& steps, Decisions& decisions) {
  decisions.emplace_back(Refused{why, element});
  for (const PagingStep& one : steps) decisions.emplace_back(Page{one});
}

void decide(VidMm& vidmm, SplitPlanner& planner, const Prepare& input, Decisions& decisions) {
  if (input.moves_first) page(decisions, move_what_is_listed(vidmm, input.list));
  Plan plan;
  const ListError error = plan_buffer(planner, vidmm, input.list, input.taken, plan);
  if (error.fault != ListFault::None) {
    decisions.emplace_back(Refused{Refusal::BadList, error.element});
    return;
  }
  const bool fits = plan.status != PlanStatus::CannotFit;
  if (!fits) decisions.emplace_back(CannotBringIn{plan.failing_element});
  if (!plan.steps.empty()) decisions.emplace_back(AwaitEarlierWork{});  // 1
  decisions.emplace_back(AwaitItsPaging{});                             // 3
  if (!fits) {
    return refuse(Refusal::CannotFit, plan.failing_element, plan.steps, decisions);
  }
  const PagingSteps behind = take_off_empty_end(plan);
  if (plan.portions.size() > 1) {
    const LeaksJudged judged = judge_leaks(input, plan.portions);
    decisions.emplace_back(judged);
    if (judged.refuses()) {  // 6
      return refuse(Refusal::LeaksBinding, judged.bound_by, plan.steps, decisions);
    }
  }
  for (const Portion& portion : plan.portions) {  // 2
    const auto first = plan.steps.begin() + portion.first_step;
    decisions.emplace_back(RunPortion{portion, {first, first + portion.step_count}});
  }
  page(decisions, behind);  // 5
}

}  // namespace

Decisions step(VidMm& vidmm, SplitPlanner& planner, const Input& input) {
  Decisions decisions;
  std::visit([&](const auto& request) { decide(vidmm, planner, request, decisions); }, input);
  return decisions;
}

}  // namespace wddm::vidmm
