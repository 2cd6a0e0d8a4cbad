#include "conformance/rules/fence/engine_history.h"

#include <d3dkmddi.h>

#include <algorithm>

#include "conformance/rules/submit/in_order_of_calls.h"

namespace wddm {
namespace {

// What a walk along the trace knows of an engine.
struct Walk {
  std::vector<Submission>* submissions = nullptr;
  std::size_t settled = 0;                        // all before it are covered or lost
  ScratchMap<std::uint32_t, std::size_t> newest;  // submission by fence

  void submit(const Submission& submission) {
    newest[submission.packet.fence] = submissions->size();
    submissions->push_back(submission);
  }
  void cover(std::size_t end, std::uint32_t report) {
    for (; settled < end; ++settled) (*submissions)[settled].covered_by = report;
  }
  void lose(std::uint32_t reset) {
    for (; settled < submissions->size(); ++settled) (*submissions)[settled].lost_by = reset;
  }
};

struct EngineHistory {
  explicit EngineHistory(const Trace& trace);
  SubmissionsByEngine engines;
};

EngineHistory::EngineHistory(const Trace& trace) {
  ScratchMap<EngineId, Walk> walks;
  const auto walk_of = [&](const auto& payload) -> Walk& {
    const EngineId engine = engine_of(payload);
    Walk& walk = walks[engine];
    if (walk.submissions == nullptr) walk.submissions = &engines[engine];
    return walk;
  };
  std::uint32_t reset = kNone;
  in_order_of_calls<ev::Notified, ev::Stuck, ev::PacketEnded, ev::EngineReset, ev::AdapterReset,
                    ev::SurpriseRemoved>(
      trace, [&](auto index) {
        const Event& event = trace.events()[index];
        if (event.kind == EventKind::Submitted) {
          const auto submitted = trace.at<ev::Submitted>(index);
          walk_of(submitted).submit({.event = index, .packet = submitted});
        } else if (event.kind == EventKind::Notified) {
          const auto report = Trace::as<ev::Notified>(event);
          Walk& walk = walk_of(report);
          if (report.type == DXGK_INTERRUPT_DMA_COMPLETED ||
              report.type == DXGK_INTERRUPT_DMA_PAGE_FAULTED) {
            // It covers everything up to the newest submission with that fence.
            const auto named = walk.newest.find(report.fence);
            if (named != walk.newest.end()) walk.cover(named->second + 1, index);
          } else if (report.type == DXGK_INTERRUPT_DMA_PREEMPTED) {
            // Every packet before the answer is settled: done, or back in the hands of the OS.
            walk.cover(walk.submissions->size(), index);
          }
        } else if (event.kind == EventKind::EngineReset) {
          // The packets of an engine that was reset are over, or back in the hands of the OS.
          const auto reset_engine = Trace::as<ev::EngineReset>(event);
          if (reset_engine.status != 0) return;
          Walk& walk = walk_of(reset_engine);
          walk.cover(walk.submissions->size(), index);
        } else if (event.kind == EventKind::SurpriseRemoved) {
          // Nobody reports anything of a device that is gone.
          for (auto& [engine, walk] : walks) walk.cover(walk.submissions->size(), index);
        } else if (event.kind == EventKind::AdapterReset) {
          // So are those of all engines, unless the driver has itself to blame for it.
          constexpr std::uint32_t kStuck = 2;
          const auto call = Trace::as<ev::AdapterReset>(event);
          if (call.stage != 0 || call.cause == kStuck) return;
          for (auto& [engine, walk] : walks) walk.cover(walk.submissions->size(), index);
        } else if (event.kind == EventKind::Stuck) {
          reset = index;
        } else if (event.kind == EventKind::PacketEnded) {
          const auto ended = Trace::as<ev::PacketEnded>(event);
          const bool lost = ended.fate == static_cast<std::uint32_t>(PacketFate::Lost);
          if (lost && reset != kNone) walk_of(ended).lose(reset);
        }
      });
}

}  // namespace

const SubmissionsByEngine& submissions_by_engine(const Trace& trace) {
  return trace.ledger<EngineHistory>().engines;
}

const Submission* held_up_by_driver(const Trace& trace, std::span<const Submission> left) {
  const std::uint32_t reset = left.front().lost_by;
  if (reset == kNone || trace.at<ev::Stuck>(reset).excused != 0) return nullptr;
  // A submission that the driver refused is another clause's matter: PATCH-004.
  const auto taken = std::find_if(left.begin(), left.end(),
                                  [](const Submission& one) { return one.packet.status == 0; });
  return taken == left.end() ? nullptr : &*taken;
}

ScratchMap<std::uint32_t, std::uint32_t> runs_at_end(const Trace& trace) {
  ScratchMap<std::uint32_t, std::uint32_t> runs, before;
  for (const std::uint32_t index : trace.of<ev::MarkerRead>()) {
    const auto marker = trace.at<ev::MarkerRead>(index);
    switch (static_cast<MarkerReason>(marker.reason)) {
      case MarkerReason::AfterPreempted:
        before[marker.packet] = marker.runs;
        break;
      case MarkerReason::AtEnd:
        runs[marker.packet] = marker.runs - std::min(before[marker.packet], marker.runs);
        break;
      case MarkerReason::AtCompleted:
      case MarkerReason::AtPreempted:
        break;
    }
  }
  return runs;
}

std::span<const Submission> finished_for_good(
    std::span<const Submission> left, const ScratchMap<std::uint32_t, std::uint32_t>& runs) {
  const auto has_run = [&](const Submission& submission) {
    const auto ran = runs.find(submission.packet.packet);
    return ran != runs.end() && ran->second != 0;
  };
  std::size_t finished = left.size();
  while (finished != 0 && has_run(left[finished - 1])) --finished;
  return left.subspan(finished);
}

}  // namespace wddm
