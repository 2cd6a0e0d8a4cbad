// Packets that came back from a preemption and are submitted again.
#pragma once

#include "conformance/rules/preempt/answers.h"
#include "conformance/rules/rule.h"
#include "conformance/rules/scratch.h"
#include "conformance/rules/submit/in_order_of_calls.h"

namespace wddm::preempt {

enum class CameBack : std::uint8_t {
  No,         ///< it is submitted for the first time
  Preempted,  ///< with DMA_PREEMPTED
  Reset,      ///< from a reset of its engine, which had not begun it
};

/// A submission, and where its packet was before.
struct Submission {
  std::uint32_t event = kNone;  ///< Submitted
  ev::Submitted packet;
  CameBack from = CameBack::No;
  std::uint32_t before = kNone;    ///< Submitted of the same packet, the last one before
  std::uint32_t first_fence = 0;   ///< that it was submitted with at first
  std::uint32_t returned = kNone;  ///< its PacketEnded
  std::uint32_t request = 0;       ///< PreemptionFenceId of the answer that brought it back
};

/// Calls `visit(submission)` for each, in the order of the calls.
template <class Visit>
void for_each_submission(const Trace& trace, Visit&& visit) {
  ScratchMap<std::uint32_t, Submission> last;    // by packet
  ScratchMap<EngineId, std::uint32_t> answered;  // PreemptionFenceId of the last answer
  ScratchMap<EngineId, bool> reset;              // that, and not an answer, came last
  in_order_of_calls<ev::ReportJudged, ev::EngineReset, ev::PacketEnded>(
      trace, [&](std::uint32_t index) {
        const Event& event = trace.events()[index];
        if (event.kind == EventKind::ReportJudged) {
          const auto report = Trace::as<ev::ReportJudged>(event);
          if (!is_answer(report)) return;
          answered[engine_of(report)] = report.fence;
          reset[engine_of(report)] = false;
        } else if (event.kind == EventKind::EngineReset) {
          reset[engine_of(Trace::as<ev::EngineReset>(event))] = true;
        } else if (event.kind == EventKind::PacketEnded) {
          const auto ended = Trace::as<ev::PacketEnded>(event);
          const auto found = last.find(ended.packet);
          if (found == last.end()) return;
          if (ended.fate != static_cast<std::uint32_t>(PacketFate::Preempted)) {
            last.erase(found);
            return;
          }
          const EngineId engine = engine_of(ended);
          found->second.from = reset[engine] ? CameBack::Reset : CameBack::Preempted;
          found->second.returned = index;
          found->second.request = answered[engine];
        } else {
          const auto packet = trace.at<ev::Submitted>(index);
          const auto found = last.find(packet.packet);
          Submission now{.event = index, .packet = packet, .first_fence = packet.fence};
          if (found != last.end()) {
            now.from = found->second.from;
            now.before = found->second.event;
            now.first_fence = found->second.first_fence;
            now.returned = found->second.returned;
            now.request = found->second.request;
          }
          visit(now);
          now.from = CameBack::No;
          last[packet.packet] = now;
        }
      });
}

/// Packets reach the driver, and it is asked to preempt.
[[nodiscard]] inline NotApplicable preempting(const Platform& platform) {
  if (const NotApplicable reason = submitting(platform)) return reason;
  if (const NotApplicable reason = needs(platform, DdiId::PreemptCommand)) return reason;
  return platform.scheduling.preemption_aware() ? nullptr : "PreemptionAware is 0";
}
/// ... and commands of clients are among the packets.
[[nodiscard]] inline NotApplicable preempting_commands(const Platform& platform) {
  if (const NotApplicable reason = running_commands(platform)) return reason;
  return preempting(platform);
}

}  // namespace wddm::preempt
