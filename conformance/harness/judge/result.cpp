// Names of results and outcomes, as they stand in reports, baselines and fault catalogues.
#include "conformance/harness/judge/result.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <string>

namespace wddm::harness {
namespace {

constexpr std::array<const char*, kResultKinds> kResultNames = {
    "pass",           "fail",          "crash",           "hang",  "timeout",
    "not-applicable", "expected-fail", "unexpected-pass", "flake", "not-run"};

// Letters only, so that "ExpectedFail", "expected-fail" and "expected_fail" are one word.
std::string letters_of(std::string_view name) {
  std::string letters;
  for (const char c : name) {
    const auto byte = static_cast<unsigned char>(c);
    if (std::isalpha(byte)) letters += static_cast<char>(std::tolower(byte));
  }
  return letters;
}

}  // namespace

const char* name_of(ResultKind kind) {
  return kResultNames[static_cast<std::size_t>(kind)];
}

std::optional<ResultKind> result_kind_of(std::string_view name) {
  const std::string wanted = letters_of(name);
  for (std::size_t i = 0; i < kResultKinds; ++i) {
    if (letters_of(kResultNames[i]) == wanted) return static_cast<ResultKind>(i);
  }
  if (wanted == "skip" || wanted == "missing") return ResultKind::NotRun;
  if (wanted == "knownflake") return ResultKind::Flake;
  return std::nullopt;
}

const char* name_of(OutcomeKind kind) {
  switch (kind) {
    case OutcomeKind::Finished:
      return "finished";
    case OutcomeKind::Crashed:
      return "crashed";
    case OutcomeKind::BugChecked:
      return "bug-checked";
    case OutcomeKind::Hung:
      return "hung";
    case OutcomeKind::TimedOut:
      return "timed-out";
    case OutcomeKind::ExitedEarly:
      return "exited-early";
    case OutcomeKind::Scribbled:
      return "scribbled";
    case OutcomeKind::Overflowed:
      return "overflowed";
    case OutcomeKind::Harness:
      return "harness";
    case OutcomeKind::NotRun:
      break;
  }
  return "not-run";
}

const char* fired_word(OutcomeKind kind) {
  switch (kind) {
    case OutcomeKind::Crashed:
      return "CRASH";
    case OutcomeKind::BugChecked:
      return "BUGCHECK";
    case OutcomeKind::Hung:
      return "HANG";
    case OutcomeKind::TimedOut:
      return "TIMEOUT";
    case OutcomeKind::ExitedEarly:
      return "EXIT";
    case OutcomeKind::Scribbled:
      return "SCRIBBLE";
    case OutcomeKind::Overflowed:
      return "OVERFLOW";
    case OutcomeKind::Harness:
      return "HARNESS";
    case OutcomeKind::Finished:
    case OutcomeKind::NotRun:
      break;
  }
  return "";
}

ResultKind result_of(OutcomeKind kind) {
  switch (kind) {
    case OutcomeKind::Finished:
      return ResultKind::Pass;
    case OutcomeKind::Hung:
    case OutcomeKind::Overflowed:
      return ResultKind::Hang;
    case OutcomeKind::TimedOut:
      return ResultKind::Timeout;
    case OutcomeKind::Crashed:
    case OutcomeKind::BugChecked:
    case OutcomeKind::ExitedEarly:
    case OutcomeKind::Scribbled:
      return ResultKind::Crash;
    case OutcomeKind::Harness:
    case OutcomeKind::NotRun:
      break;
  }
  return ResultKind::NotRun;
}

const char* name_of(CaseKind which) {
  switch (which) {
    case CaseKind::Scenario:
      return "scenario";
    case CaseKind::Control:
      return "control";
    case CaseKind::Corpus:
      break;
  }
  return "corpus";
}

bool is_of_driver_clause(const RunSpec& spec) {
  return spec.rule != nullptr && spec.rule->binds == Binds::Driver;
}

const RuleOutcome* said_of_own_clause(const RunRecord& record) {
  const auto rules = all_rules();
  const auto& said = record.run.judged.rules;
  const auto at = static_cast<std::size_t>(std::find(rules.begin(), rules.end(), record.spec.rule) -
                                           rules.begin());
  return at < said.size() ? &said[at] : nullptr;
}

// Of a driver that has not started it is not known what applies to it.
bool ends_its_clause(const RunRecord& record) {
  if (!is_of_driver_clause(record.spec)) return false;
  if (!record.run.judged.platform.started) return true;
  const RuleOutcome* const said = said_of_own_clause(record);
  return said == nullptr || said->not_applicable.empty();
}

const char* end_counts_for(const RunRecord& record) {
  return ends_its_clause(record) ? record.spec.rule->id : fired_word(record.run.outcome.kind);
}

namespace {

// Of who waits, those that wait at a place in the driver: what our own threads wait for meanwhile
// says nothing of it.
std::string waits_in_the_driver(const std::string& about) {
  std::string waits;
  for (std::size_t start = 0; start < about.size();) {
    const std::size_t end = std::min(about.find('\n', start), about.size());
    const std::string line = about.substr(start, end - start);
    if (start == 0 || line.find(" at ") != std::string::npos) waits += line + '\n';
    start = end + 1;
  }
  return waits;
}

}  // namespace

std::string end_place(const Outcome& outcome) {
  const std::string& about = outcome.about;
  const std::string name = std::string(name_of(outcome.kind)) + " ";
  if (outcome.kind == OutcomeKind::Hung) return name + waits_in_the_driver(about);
  return name + place_of_crash(about);
}

std::string place_of_crash(const std::string& about) {
  return about.substr(
      0, std::min({about.find(", last kernel service"), about.find("; "), about.find('\n')}));
}

std::string place_of_end(const Outcome& outcome) {
  if (outcome.kind == OutcomeKind::Crashed) return place_of_crash(outcome.about);
  // The parameters may be addresses.
  if (outcome.kind != OutcomeKind::BugChecked) return {};
  return outcome.about.substr(0, outcome.about.find_first_of(",)")) + ")";
}

}  // namespace wddm::harness
