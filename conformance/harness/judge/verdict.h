// A verdict explains itself: clause, op, the events that led there, expected, seen.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "conformance/harness/judge/result.h"
#include "reference/trace/op.h"
#include "reference/trace/trace.h"
#include "reference/trace/trace_file.h"

namespace wddm::harness {

/// `text` with everything but printable ASCII, newline, tab and well-formed UTF-8 written as \xHH,
/// so that nothing a driver prints can break a report or a terminal.
[[nodiscard]] std::string printable(std::string_view text);

/// Where an event stands: op, line and the chain of events that led there. `because` are indices
/// named by the check; without any, the events of the same op right before it are taken.
[[nodiscard]] Failure locate(const Trace& trace, const Scenario& scenario, std::uint32_t event,
                             std::span<const std::uint32_t> because);

/// Where a failure was met, for the heading of its verdict.
struct VerdictPlace {
  std::string scenario;        ///< "scenario of SPLIT-007" or a file name
  std::string configuration;   ///< empty: not said
  std::string again;           ///< command that repeats it; empty: not said
  bool has_device_log = true;  ///< what the run was judged by
};

/// The events of a failure's chain as text; of those that weren't kept, their numbers. What a run
/// kept is read once for all of its failures.
[[nodiscard]] std::vector<std::string> chain_of(const Failure& failure, const Trace& trace);
[[nodiscard]] std::vector<std::string> chain_of(const Failure& failure, const StoredTrace& stored);

/// The verdict as text, several lines, no trailing blank line. `rule` is null for a finding;
/// `chain` is what chain_of() says.
[[nodiscard]] std::string print_verdict(const Failure& failure, const Rule* rule,
                                        const VerdictPlace& place,
                                        std::span<const std::string> chain);
/// The same in one line: clause, op, expected, seen.
[[nodiscard]] std::string summary_of(const Failure& failure);

/// The op at which a run ended badly: "op 20 (evict)", "op 0 (bring-up)", "outside of ops"; in
/// Render it is the last of the commands. Empty if nobody knows: nothing was judged, or an older
/// journal does not say.
[[nodiscard]] std::string op_of_end(const RunOutcome& run);
/// That and how it ended: "op 20 (evict): SIGSEGV in DxgkDdiBuildPagingBuffer (f < g)".
[[nodiscard]] std::string summary_of_end(const RunOutcome& run);

[[nodiscard]] const char* name_of(Evidence evidence);
/// What a judgement rests on that has been made. Clauses that read the device's log and hold
/// without one too go by reports and by memory then.
[[nodiscard]] const char* evidence_of(const Rule& rule, bool has_device_log);
[[nodiscard]] const char* name_of(Grade grade);
[[nodiscard]] const char* name_of(Level level);
[[nodiscard]] const char* name_of(Binds binds);
[[nodiscard]] const char* name_of(FaultSeat seat);

}  // namespace wddm::harness
