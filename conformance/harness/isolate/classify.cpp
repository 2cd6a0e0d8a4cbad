// From the end of a process to an outcome: which of several signs of trouble counts.
#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <cstring>
#include <string>

#include "conformance/harness/isolate/child.h"
#include "conformance/harness/isolate/isolate.h"
#include "conformance/harness/judge/verdict.h"
#include "conformance/host/execute.h"
#include "reference/harness_assert.h"

namespace wddm::harness {
namespace {

std::string signal_name(std::uint32_t signal) {
  const char* const name = signal < NSIG ? ::sigabbrev_np(static_cast<int>(signal)) : nullptr;
  return name ? fmt::format("SIG{}", name) : fmt::format("signal {}", signal);
}

std::string place_of(const NoteCopy& note) {
  std::string place;
  if (!note.call.empty()) {
    place += " in " + note.call;
  } else if (!note.service.empty()) {
    place += " in the host";
  }
  place += among(note.functions);
  if (!note.service.empty()) place += ", last kernel service " + note.service;
  return place;
}

// What a debugger would say, behind what runs are told apart by: see end_place().
std::string access_of(const NoteCopy& note) {
  std::string text = note.access.empty() ? "" : "; " + note.access;
  if (!note.line.empty()) text += (text.empty() ? "; at " : ", at ") + note.line;
  return text;
}

// The first line of the output that contains one of the words; empty if none does.
std::string line_with(const std::string& output, std::initializer_list<const char*> words) {
  std::size_t start = 0;
  while (start < output.size()) {
    const std::size_t end = std::min(output.find('\n', start), output.size());
    const std::string line = output.substr(start, end - start);
    for (const char* word : words) {
      const std::size_t at = line.find(word);
      if (at != std::string::npos) return line.substr(at);
    }
    start = end + 1;
  }
  return {};
}

std::string without_addresses(std::string line) {
  for (std::size_t at = line.find("0x"); at != std::string::npos; at = line.find("0x", at)) {
    const std::size_t end = line.find_first_not_of("0123456789abcdef", at + 2);
    line.replace(at, std::min(end, line.size()) - at, "...");
  }
  return line;
}

// "==4711==" of each line of a sanitizer becomes "==...==".
std::string without_process_ids(const std::string& output) {
  static constexpr std::string_view kMark = "==";
  std::string result;
  std::string_view rest = output;
  while (!rest.empty()) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(line.size() + 1, rest.size()));
    const std::size_t end = line.find_first_not_of("0123456789", kMark.size());
    const bool has_id = line.rfind(kMark, 0) == 0 && end != std::string_view::npos &&
                        end > kMark.size() && line.substr(end, kMark.size()) == kMark;
    result.append(has_id ? "==..." : "").append(has_id ? line.substr(end) : line);
    if (line.data() + line.size() != output.data() + output.size()) result += '\n';
  }
  return result;
}

// Sanitizers print the process id and addresses: neither may reach a result.
std::string report_of_sanitizer(const std::string& output) {
  std::string line = line_with(output, {"Sanitizer:", "runtime error:"});
  const std::size_t address = line.find(" on ");
  if (address != std::string::npos && line.rfind("Sanitizer:", 0) == 0) line.resize(address);
  return line.empty() ? "a sanitizer ended the run" : without_addresses(std::move(line));
}

std::string crash_about(const ProcessEnd& end, const NoteCopy& note, const Judged& judged) {
  const std::uint32_t signal =
      note.signal != 0 ? note.signal : static_cast<std::uint32_t>(end.signal);
  if (note.sanitizer) return report_of_sanitizer(end.output) + place_of(note) + access_of(note);
  if (signal != 0) {
    const std::string place = place_of(note);
    if (!place.empty() || judged.stopped.empty()) {
      return signal_name(signal) + place + access_of(note);
    }
    if (judged.crashed) return judged.stopped;
    return fmt::format("{}: {}", signal_name(signal), judged.stopped);
  }
  return judged.stopped;
}

// What may be why a trace is full, behind what runs are told apart by.
std::string fired_first(const Judged& judged) {
  const auto first = std::min_element(
      judged.failures.begin(), judged.failures.end(),
      [](const Failure& one, const Failure& other) { return one.event < other.event; });
  return first == judged.failures.end() ? "" : fmt::format("; {} fired first", first->id);
}

Outcome of(OutcomeKind kind, std::string about) {
  return {kind, std::move(about), {}};
}

Outcome kind_and_about(const ProcessEnd& end, const NoteCopy& note, const Judged& judged,
                       double timeout_seconds) {
  if (end.stopped) return of(OutcomeKind::NotRun, "stopped before its end");
  if (end.not_forked) return of(OutcomeKind::Harness, "the system gave us no process");
  if (end.timed_out) {
    return of(OutcomeKind::TimedOut,
              (end.waited ? "waits without end"
                          : fmt::format("no end after {} s of CPU time", timeout_seconds)) +
                  place_of(note));
  }
  const std::string ours = line_with(end.output, {"HARNESS: "});
  if (end.exited && end.code == kHarnessExitCode && !ours.empty()) {
    return of(OutcomeKind::Harness, ours.substr(std::string_view("HARNESS: ").size()));
  }
  if (judged.scribbled) {
    return of(OutcomeKind::Scribbled, "the trace was written over: nothing in it can be believed");
  }
  if (judged.crashed || note.signal != 0 || note.sanitizer || end.signal != 0) {
    return of(OutcomeKind::Crashed, crash_about(end, note, judged));
  }
  if (judged.bug_checked) return of(OutcomeKind::BugChecked, judged.stopped);
  if (judged.hung) return of(OutcomeKind::Hung, judged.stopped);
  // UBSan of GCC leaves without telling anybody.
  if (end.code != host::kChildDone && !line_with(end.output, {"runtime error:"}).empty()) {
    return of(OutcomeKind::Crashed, report_of_sanitizer(end.output) + place_of(note));
  }
  if (note.stage != Stage::Returned || end.code != host::kChildDone) {
    return of(OutcomeKind::ExitedEarly,
              fmt::format("the process was left with exit code {}", end.code));
  }
  if (judged.truncated) {
    return of(OutcomeKind::Overflowed,
              fmt::format("no room for more than {} events{}", judged.events, fired_first(judged)));
  }
  return of(OutcomeKind::Finished, "");
}

}  // namespace

Outcome classify(const ProcessEnd& end, const NoteCopy& note, const Judged& judged,
                 double timeout_seconds) {
  Outcome outcome = kind_and_about(end, note, judged, timeout_seconds);
  outcome.about = printable(outcome.about);
  outcome.output = printable(without_process_ids(end.output));
  return outcome;
}

bool is_bad(const RunOutcome& run) {
  return run.outcome.kind != OutcomeKind::Finished || !run.judged.failures.empty() ||
         !run.judged.harness.empty();
}

std::string signature_of(const RunOutcome& run) {
  std::string signature = name_of(run.outcome.kind);
  // Where a limit of time stops a run is chance, and so is what had fired by then.
  if (run.outcome.kind == OutcomeKind::TimedOut) return signature;
  for (const Failure& failure : run.judged.failures) {
    signature += failure.op == kNoOp ? fmt::format(" {}", failure.id)
                                     : fmt::format(" {} at op {}", failure.id, failure.op);
  }
  return signature;
}

}  // namespace wddm::harness
