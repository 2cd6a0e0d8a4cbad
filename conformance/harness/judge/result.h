// What the harness knows after a run: outcomes of processes, failures of clauses, results.
//
// Plain data, free of addresses and times (except RunOutcome::milliseconds), in the order of the
// plan, so that two runs give equal values. How a result comes about: judge.h, isolate.h,
// collect.h.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "conformance/harness/judge/decisions.h"
#include "conformance/host/service_value.h"
#include "conformance/rules/rule.h"
#include "reference/platform.h"
#include "reference/trace/op.h"

namespace wddm::harness {

/// What a clause comes to. Append only; the names are part of the report's schema.
enum class ResultKind : std::uint8_t {
  Pass,
  Fail,     ///< the clause fired
  Crash,    ///< signal, bug check, or the driver left the process
  Hang,     ///< nothing could run and somebody waited
  Timeout,  ///< its time was up
  NotApplicable,
  ExpectedFail,    ///< fails as the baseline says
  UnexpectedPass,  ///< passes although the baseline says it fails
  Flake,           ///< two runs of one input differed
  NotRun,
};
inline constexpr std::size_t kResultKinds = 10;
/// "pass", "not-applicable", ...
[[nodiscard]] const char* name_of(ResultKind kind);
/// Reads a name without case; also "ExpectedFail", "UnexpectedPass", "Skip" as deqp-runner writes.
[[nodiscard]] std::optional<ResultKind> result_kind_of(std::string_view name);

/// How the process of one scenario ended.
enum class OutcomeKind : std::uint8_t {
  Finished,
  Crashed,      ///< a signal, or a sanitizer's report
  BugChecked,   ///< KeBugCheckEx
  Hung,         ///< the kernel found nothing that can run
  TimedOut,     ///< killed: its CPU time was up, or it waited for ever
  ExitedEarly,  ///< the driver ended the process
  Scribbled,    ///< the trace is damaged: the driver wrote over the host's memory
  Overflowed,   ///< more events than a trace can hold
  Harness,      ///< a defect of ours
  NotRun,
};
/// "finished", "crashed", ...
[[nodiscard]] const char* name_of(OutcomeKind kind);
/// The word that stands for an outcome in Fault::also_fires ("CRASH", "HANG", ...); empty: none.
[[nodiscard]] const char* fired_word(OutcomeKind kind);
/// The result of a clause whose own scenario ended so; Pass for Finished.
[[nodiscard]] ResultKind result_of(OutcomeKind kind);

struct Outcome {
  OutcomeKind kind = OutcomeKind::NotRun;
  std::string about;   ///< one line: what happened and where; empty if finished
  std::string output;  ///< what the process printed, bounded and printable
};

/// The first failure of one clause in one trace, explained. Its events are those of the trace; who
/// shows it prints them (verdict.h).
struct Failure {
  std::string id = {};       ///< "SPLIT-007", or "NT-PoolOverrun" for a kernel finding
  std::uint32_t event = 0;   ///< index in the trace
  std::uint32_t op = 0;      ///< index in the scenario, kNoOp outside of ops
  std::uint32_t line = 0;    ///< of the op in its file; 0 if unknown
  std::uint32_t more = 0;    ///< further failures of the clause in the same trace
  std::string op_text = {};  ///< the op as YAML
  std::string expected = {};
  std::string seen = {};
  std::string provoked = {};  ///< of findings and ends: what before it no honest user mode does
  std::vector<std::uint32_t> chain =
      {};  ///< events that led there, indices in the trace, oldest first
};

/// One clause on one trace.
struct RuleOutcome {
  /// The reason; empty if the clause applies. Texts of rules and of journals read, which stay: runs
  /// are many, and reasons few.
  std::string_view not_applicable;
  std::uint32_t reached = 0;   ///< times the check had something to judge
};

/// What becomes of a trace that was judged.
enum class KeepTrace : std::uint8_t {
  Never,
  OfFailure,  ///< of what fired or did not come to its end, within the limits of trace_file()
  Whole,
};

/// What one trace says.
struct Judged {
  bool done = false;       ///< the judge came to its end
  bool scribbled = false;  ///< the storage is damaged; nothing else is judged then
  bool truncated = false;
  bool ended = false;  ///< the trace holds Ended
  bool bug_checked = false, hung = false, crashed = false;
  bool version_refused = false;        ///< DxgkInitialize refused the interface version
  std::string stopped;                 ///< text of the event that ended the run early
  std::string start_trouble;           ///< why the driver isn't running; empty if it did run
  std::vector<std::string> obstacles;  ///< see obstacles_in()
  DecisionSet decisions;               ///< outcomes that the oracles' decisions had
  Platform platform;
  std::vector<RuleOutcome> rules;    ///< index = position in all_rules()
  std::vector<Failure> failures;     ///< by rule, then kernel findings
  std::vector<std::string> harness;  ///< defects of ours that the judge met
  std::uint32_t events = 0;
  /// The last event of a trace without Ended, as if it were a failure; event kNone: it has Ended.
  Failure broken_off{.event = kNone};
  std::string trace;  ///< a trace_file(), if asked for or something failed; else empty
};

/// One scenario run, and again if it failed.
struct RunOutcome {
  Outcome outcome;
  Judged judged;
  bool replayed = false;
  bool flaky = false;       ///< the replay came to something else
  std::string flake_about;  ///< what differed
  double milliseconds = 0;  ///< wall clock, of the first run
};

enum class CaseKind : std::uint8_t {
  Scenario,
  Control,
  Corpus,  ///< a scenario of no clause, judged by all
};
[[nodiscard]] const char* name_of(CaseKind which);

/// Settings of the driver's service key that one pass over the clauses runs with.
struct Configuration {
  std::string name;  ///< "default" or "PreemptionAware=0"
  std::vector<Op> settings;
  /// Those that no op names, and the version of Windows; both stand in no scenario file.
  std::vector<host::ServiceValue> values = {};
  host::WindowsRelease windows = {};
  /// One of the built-in driver's own, in which only clauses that name it are played.
  std::optional<Configured> of_clauses = std::nullopt;

  /// Whether a file of the scenario says all of it.
  [[nodiscard]] bool in_files() const {
    return values.empty() && windows == host::WindowsRelease{};
  }
  [[nodiscard]] bool plays(const Rule& rule) const {
    return !of_clauses || rule.played_in.has(*of_clauses);
  }
  /// Whether what it sets changes anything that clauses of this one's area look at.
  [[nodiscard]] bool hangs_on(const Rule& rule) const;
};

struct RunSpec {
  const Rule* rule = nullptr;  ///< null: of the corpus
  CaseKind which = CaseKind::Scenario;
  std::uint32_t configuration = 0;  ///< index into the suite's configurations
  /// Of the corpus only: what is played, without settings, and its place in the plan.
  std::shared_ptr<const Scenario> corpus = nullptr;
  std::uint32_t number = 0;
};

struct RunRecord {
  RunSpec spec;
  RunOutcome run;
};

/// The driver did not start: a result of its own, beside those of how runs ended.
inline constexpr const char* kStart = "START";

/// Whether a run is of a clause that judges the driver. All others, of the corpus and of clauses
/// about our own host, belong to none of its clauses.
[[nodiscard]] bool is_of_driver_clause(const RunSpec& spec);
/// What its judge says of the clause that it is of; null where it is of none, or was not judged.
[[nodiscard]] const RuleOutcome* said_of_own_clause(const RunRecord& record);
/// Whether how a run ended counts for its clause: one of the driver, which applies to it.
[[nodiscard]] bool ends_its_clause(const RunRecord& record);
/// What a run that ended badly counts for: its clause, else the word for its end ("CRASH").
[[nodiscard]] const char* end_counts_for(const RunRecord& record);
/// How and where a run ended, "crashed SIGSEGV in DxgkDdiPatch (f < g)", without what says only
/// where somebody was last seen.
[[nodiscard]] std::string end_place(const Outcome& outcome);
/// Of what a crash says of itself, what says where it was: "SIGSEGV in DxgkDdiPatch (f < g)".
[[nodiscard]] std::string place_of_crash(const std::string& about);
/// Where a run crashed, or the code of its bug check: as in every run that ends there. Empty for
/// other ends, whose words are of one run.
[[nodiscard]] std::string place_of_end(const Outcome& outcome);

}  // namespace wddm::harness
