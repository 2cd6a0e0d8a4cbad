// Answers to PreemptCommand.
#pragma once

#include <d3dkmddi.h>

#include <algorithm>

#include "reference/trace/trace.h"

namespace wddm::preempt {

/// The scheduler takes it: the engine owes no answer any more. After a wrong one it still does, and
/// so it does between the interrupt and its DPC.
[[nodiscard]] inline bool is_answer(const ev::ReportJudged& report) {
  return report.type == DXGK_INTERRUPT_DMA_PREEMPTED && report.outcome == 0;
}

/// How often the adapter was stopped before an event: another start may use a fence again.
[[nodiscard]] inline std::uint32_t stops_before(const Trace& trace, std::uint32_t index) {
  const auto stops = trace.of<ev::MappingBalance>();
  return static_cast<std::uint32_t>(std::lower_bound(stops.begin(), stops.end(), index) -
                                    stops.begin());
}

}  // namespace wddm::preempt
