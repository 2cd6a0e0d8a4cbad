// The packets of each engine in order of submission, and what became of them at the boundary.
//
// Built from what was seen there, not from what the scheduler made of it: a report whose DPC never
// ran counts here.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "conformance/rules/rule.h"
#include "conformance/rules/scratch.h"

namespace wddm {

/// One SubmitCommand.
struct Submission {
  std::uint32_t event = 0;
  ev::Submitted packet;
  std::uint32_t covered_by = kNone;  ///< the report that settled it, or what took it off the driver
  std::uint32_t lost_by = kNone;     ///< Stuck: the reset that took it off the hardware before
};

/// All submissions by engine, oldest first.
using SubmissionsByEngine = std::map<EngineId, std::vector<Submission>>;
[[nodiscard]] const SubmissionsByEngine& submissions_by_engine(const Trace& trace);

/// Calls `visit(std::span<const Submission>)` for the packets of one engine that one reset took off
/// the hardware, and for those that the end of the trace left there; oldest first.
template <class Visit>
void for_each_uncovered(std::span<const Submission> submissions, Visit&& visit) {
  for (std::size_t first = 0, end = 0; first < submissions.size(); first = end) {
    end = first + 1;
    if (submissions[first].covered_by != kNone) continue;
    while (end < submissions.size() && submissions[end].covered_by == kNone &&
           submissions[end].lost_by == submissions[first].lost_by) {
      ++end;
    }
    visit(submissions.subspan(first, end - first));
  }
}

/// The oldest of them, where it ought to have ended: the driver took it, a reset had to end it, and
/// nothing that the scenario asked for held it up. Else null.
[[nodiscard]] const Submission* held_up_by_driver(const Trace& trace,
                                                  std::span<const Submission> left);

/// Last marker reading of each packet at its end: 1 it ran, 0 it did not, absent: unknown. Of one
/// that is submitted again counts what is new since: it may have been preempted behind its marker,
/// and whether it ran to its end then nobody can read from that.
[[nodiscard]] ScratchMap<std::uint32_t, std::uint32_t> runs_at_end(const Trace& trace);

/// Those that have run at the end of `left`. Of those before one that has not, a report may be to
/// come: that one may go on.
[[nodiscard]] std::span<const Submission> finished_for_good(
    std::span<const Submission> left, const ScratchMap<std::uint32_t, std::uint32_t>& runs);

}  // namespace wddm
