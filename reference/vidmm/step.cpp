// See step.h; the numbers are those of its rules.
#include "reference/vidmm/step.h"

#include "reference/vidmm/empty_end.h"

namespace wddm::vidmm {
namespace {

using Decisions = std::vector<Decision>;

// 1
void page(Decisions& decisions, const PagingSteps& steps) {
  if (!steps.empty()) decisions.emplace_back(AwaitEarlierWork{});
  for (const PagingStep& one : steps) decisions.emplace_back(Page{one});
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
  } else if (!vidmm.relocate(input.allocation, steps)) {
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

void decide(VidMm& vidmm, SplitPlanner& planner, const Prepare& input, Decisions& decisions) {
  Plan plan;
  const ListError error = plan_buffer(planner, vidmm, input.list, input.taken, plan);
  if (error.fault != ListFault::None) {
    decisions.emplace_back(Refused{Refusal::BadList, error.element});
    return;
  }
  if (plan.status == PlanStatus::CannotFit) {
    decisions.emplace_back(Refused{Refusal::CannotFit, plan.failing_element});
    return page(decisions, plan.steps);  // 4
  }
  const bool pages = !plan.steps.empty();
  const PagingSteps behind = take_off_empty_end(plan);
  if (pages) decisions.emplace_back(AwaitEarlierWork{});  // 1
  decisions.emplace_back(AwaitItsPaging{});               // 3
  for (const Portion& portion : plan.portions) {          // 2
    for (std::uint32_t i = 0; i < portion.step_count; ++i) {
      decisions.emplace_back(Page{plan.steps[portion.first_step + i]});
    }
    decisions.emplace_back(RunPortion{portion});
  }
  page(decisions, behind);  // 5
}

}  // namespace

std::vector<Decision> step(VidMm& vidmm, SplitPlanner& planner, const Input& input) {
  Decisions decisions;
  std::visit([&](const auto& request) { decide(vidmm, planner, request, decisions); }, input);
  return decisions;
}

}  // namespace wddm::vidmm
