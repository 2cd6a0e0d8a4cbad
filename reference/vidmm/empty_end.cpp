#include "reference/vidmm/empty_end.h"

namespace wddm::vidmm {

PagingSteps take_off_empty_end(Plan& plan) {
  if (plan.portions.size() < 2) return {};
  const Portion last = plan.portions.back();
  if (last.start_offset != last.end_offset) return {};
  plan.portions.pop_back();
  plan.portions.back().cut = CutReason::EndOfBuffer;
  plan.portions.back().element_count += last.element_count;
  const auto first = plan.steps.begin() + last.first_step;
  return {first, first + last.step_count};
}

}  // namespace wddm::vidmm
