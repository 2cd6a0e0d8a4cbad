// Answers to PreemptCommand.
#pragma once

#include <d3dkmddi.h>

#include <algorithm>
#include <utility>

#include "conformance/rules/scratch.h"
#include "reference/trace/trace.h"

namespace wddm::preempt {

/// The scheduler takes it: the engine owes no answer any more. After a wrong one it still does, and
/// so it does between the interrupt and its DPC.
[[nodiscard]] inline bool is_answer(const ev::ReportJudged& report) {
  return report.type == DXGK_INTERRUPT_DMA_PREEMPTED && report.outcome == 0;
}

/// Engines that owe the answer to a preemption.
class OwedAnswers {
 public:
  /// The answer may come before the call returns.
  void asked(const ev::PreemptAsked& request) {
    const EngineId engine = engine_of(request);
    if (!answered_.contains({engine, request.fence})) owing_.insert(engine);
  }
  void judged(const ev::ReportJudged& report) {
    if (!is_answer(report)) return;
    owing_.erase(engine_of(report));
    answered_.insert({engine_of(report), report.fence});
  }
  /// It is reset, and owes nothing any more.
  void settle(EngineId engine) { owing_.erase(engine); }
  /// So are all; another start may use a fence again.
  void clear() {
    owing_.clear();
    answered_.clear();
  }
  [[nodiscard]] bool owes(EngineId engine) const { return owing_.contains(engine); }
  [[nodiscard]] bool none() const { return owing_.empty(); }

 private:
  ScratchSet<EngineId> owing_;
  ScratchSet<std::pair<EngineId, std::uint32_t>> answered_;  // engines, and PreemptionFenceId
};

/// How often the adapter was stopped before an event: another start may use a fence again.
[[nodiscard]] inline std::uint32_t stops_before(const Trace& trace, std::uint32_t index) {
  const auto stops = trace.of<ev::MappingBalance>();
  return static_cast<std::uint32_t>(std::lower_bound(stops.begin(), stops.end(), index) -
                                    stops.begin());
}

}  // namespace wddm::preempt
