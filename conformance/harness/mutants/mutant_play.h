// Plays mutants: which clause kills each, in which run.
//
// A first pass notes which runs (scenario and configuration) reach which mutation points, so that a
// mutant is played only where it can do something else. Then each mutant has a process that plays
// its runs one after the other, those first that killed others, until one kills it. A kill is
// believed when the run says the same in a process of its own, as `wddmcheck run` plays it.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "conformance/harness/judge/result.h"
#include "conformance/harness/mutants/mutant_list.h"
#include "conformance/harness/suite/corpus.h"

namespace wddm::harness {

/// One scenario in one configuration.
struct MutantRun {
  std::string about;  ///< "scenario of SEG-003, Addressing=1"
  Scenario scenario;  ///< with its settings
};

/// Every scenario and control case of `run` on the built-in driver, each once.
[[nodiscard]] std::vector<MutantRun> runs_of_suite();
/// What it plays there of a corpus.
[[nodiscard]] std::vector<MutantRun> runs_of_corpus(std::span<const CorpusScenario> corpus);

struct MutantFate {
  bool played = false;           ///< false: stopped before
  std::string killer;            ///< "SEG-003", "NT-PoolLeak", "CRASH", "HANG"; empty: alive
  std::string run;               ///< that killed it
  std::uint32_t executions = 0;  ///< until then
  std::uint32_t reached = 0;     ///< runs in which it can do something else
  std::uint32_t seen = 0;        ///< of these, whose trace is another one than without the mutant
  bool refused = false;          ///< alive, and the driver did not start in some run
  std::uint64_t fuzzed = 0;      ///< executions of fuzzing that followed, of what `run` left alive
  std::string harness;           ///< a defect of ours that it brought to light
};

struct MutantPlayOptions {
  unsigned jobs = 1;
  std::vector<std::string> images;  ///< loaded files that have mutants
  unsigned most = 0;                ///< the highest number of a mutant
  std::uint64_t most_runs = 0;  ///< of one mutant, until it counts as alive; 0: all
  /// Fates of an earlier try that was broken off, by name.
  std::map<std::string, MutantFate> known;
  std::function<void(const MutantEntry&, const MutantFate&)> ended;
  const std::atomic<bool>* stop = nullptr;
};

/// A fate for each mutant. host::load() has loaded the images. False with one line in `error` if
/// they have no mutants, or do not pass without one.
[[nodiscard]] bool play_mutants(const std::vector<MutantEntry>& mutants,
                                const std::vector<MutantRun>& runs,
                                const MutantPlayOptions& options, std::vector<MutantFate>& fates,
                                std::string& error);

}  // namespace wddm::harness
