// What each clause comes to over all traces of a run. Pure: records in, results out.
//
// Every clause is judged on every trace, so a clause may fail on another clause's scenario; it is
// reported under its own name then. How the processes of a clause's own scenario and control case
// ended counts for that clause alone.
//
// Scenarios of the corpus, of clauses that judge our own host, and of those that do not apply
// belong to no clause of the driver. How they ended is a result of its own: "CRASH", "HANG", ...,
// unless the scenario of some clause ended in the same way at the same place. Each place that runs
// crash at is a result of its own, and so is each that a kernel finding is met at, up to a limit:
// "CRASH_2", "Nt.NT_Assertion_2". What fires in the
// corpus counts for its clause as in the scenario of another one; of a clause that fired elsewhere
// it tells nothing new, and of others the first failure is enough.
//
// A driver that never starts is the result "START", beside what else fired.
#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "conformance/harness/judge/result.h"
#include "conformance/harness/suite/expectations.h"

namespace wddm::harness {

struct CollectOptions {
  std::span<const Rule* const> selected;
  std::set<std::string> excluded;  ///< ids that aren't reported, wherever they fire
  std::span<const Configuration> configurations;
  const Expectations* expectations = nullptr;  ///< null: none
  /// A check that no scenario of a clause reached is red: true for the built-in driver, where those
  /// reach them all.
  bool unreached_is_red = false;
  std::string beyond = {};  ///< ids of clauses for which it is not, separated by spaces
  /// Failures in the corpus count for selected clauses only.
  bool corpus_of_selected = false;
};

/// A failure and the run it was met in.
struct FailureAt {
  Failure failure;
  std::size_t record = 0;  ///< index of the run
};

struct ClauseResult {
  std::string id;
  std::string name;            ///< "Split.SPLIT_007"
  const Rule* rule = nullptr;  ///< null for a kernel finding
  ResultKind kind = ResultKind::NotRun;
  bool expected = true;                 ///< nothing that should turn a run red
  bool selected = true;                 ///< false: it only fired on another clause's scenario
  std::string reason;                   ///< one line: why it isn't a plain pass
  std::uint32_t reached = 0;            ///< times its check had something to judge, over all traces
  std::uint32_t reached_in_corpus = 0;  ///< of these, in scenarios of no clause
  std::uint32_t traces = 0;             ///< traces it was judged on
  /// In order of the records; those that hostile user mode provoked come last.
  std::vector<FailureAt> failures;
  std::vector<std::size_t> ended_badly;  ///< its own runs that did not finish
  /// Where in the driver it was met, for a kernel finding and for crashes, as baselines compare it.
  std::vector<std::string> places;
  const Expectation* expectation = nullptr;
};

struct SuiteResult {
  std::vector<ClauseResult> driver;  ///< by clause, then kernel findings
  std::vector<ClauseResult> host;    ///< clauses bound to the OS: they judge our own host
  std::vector<std::string> harness;  ///< defects of ours, one line each
  Platform platform;                 ///< of the first trace that says most
  bool started = false;              ///< the driver ran in some trace
  bool interrupted = false;
  DecisionSet possible, decided;  ///< by the oracles, with drivers like those that were judged
  std::string start_trouble;      ///< why it did not, if it never did
};

[[nodiscard]] SuiteResult collect(std::span<const RunRecord> records,
                                  const CollectOptions& options);

/// How many results of each kind the driver has.
[[nodiscard]] std::map<ResultKind, std::uint32_t> count(const SuiteResult& result);

/// 0 as expected; 1 unexpected; 3 nothing could be judged; 4 a defect of ours.
[[nodiscard]] int exit_code_of(const SuiteResult& result);

}  // namespace wddm::harness
