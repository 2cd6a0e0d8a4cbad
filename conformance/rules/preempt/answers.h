// Answers to PreemptCommand.
#pragma once

#include <d3dkmddi.h>

#include "reference/trace/trace.h"

namespace wddm::preempt {

/// The scheduler takes it: the engine owes no answer any more. After a wrong one it still does, and
/// so it does between the interrupt and its DPC.
[[nodiscard]] inline bool is_answer(const ev::ReportJudged& report) {
  return report.type == DXGK_INTERRUPT_DMA_PREEMPTED && report.outcome == 0;
}

}  // namespace wddm::preempt
