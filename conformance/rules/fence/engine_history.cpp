#include "conformance/rules/fence/engine_history.h"

#include <d3dkmddi.h>

namespace wddm {
namespace {

// A completion covers everything up to the newest submission with that fence.
void settle(ScratchVector<Submission>& submissions, std::uint32_t fence, std::uint32_t report) {
  for (std::size_t i = submissions.size(); i-- != 0;) {
    if (submissions[i].fence != fence) continue;
    for (std::size_t j = 0; j <= i; ++j) {
      if (submissions[j].covered_by == kNone) submissions[j].covered_by = report;
    }
    return;
  }
}

}  // namespace

EngineHistory::EngineHistory(const Trace& trace) {
  for (const std::uint32_t index : trace.of_any<ev::Submitted, ev::Notified>()) {
    const Event& event = trace.events()[index];
    if (event.kind == EventKind::Submitted) {
      const auto submitted = Trace::as<ev::Submitted>(event);
      nodes_[submitted.node].push_back({.event = index,
                                        .packet = submitted.packet,
                                        .fence = submitted.fence,
                                        .paging = submitted.paging != 0});
    } else if (event.kind == EventKind::Notified) {
      const auto report = Trace::as<ev::Notified>(event);
      ScratchVector<Submission>& submissions = nodes_[report.node];
      if (report.type == DXGK_INTERRUPT_DMA_COMPLETED) {
        settle(submissions, report.fence, index);
      } else if (report.type == DXGK_INTERRUPT_DMA_PREEMPTED) {
        // Every packet before the answer is settled: done, or back in the hands of the OS.
        for (Submission& submission : submissions) {
          if (submission.covered_by == kNone) submission.covered_by = index;
        }
      }
    }
  }
}

ScratchMap<std::uint32_t, std::uint32_t> runs_at_end(const Trace& trace) {
  ScratchMap<std::uint32_t, std::uint32_t> runs;
  for (const std::uint32_t index : trace.of<ev::MarkerRead>()) {
    const auto marker = trace.at<ev::MarkerRead>(index);
    if (marker.reason == static_cast<std::uint32_t>(MarkerReason::AtEnd)) {
      runs[marker.packet] = marker.runs;
    }
  }
  return runs;
}

}  // namespace wddm
