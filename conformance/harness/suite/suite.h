// Runs every selected clause: its scenario and its control case, in every configuration.
//
// The plan is a list in a fixed order and so are the records, whatever the number of jobs. What a
// clause comes to is decided afterwards, from all records: see collect.h.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "conformance/harness/isolate/isolate.h"
#include "conformance/harness/judge/result.h"

namespace wddm::harness {

/// In which of the configurations that a clause is for it is played.
enum class PlayedIn : std::uint8_t {
  Each,
  /// Those that change something its area looks at (see Configuration::hangs_on()); its control
  /// case, which shows what is allowed, in the first of them.
  Apart,
  First,  ///< which is one where its check is reached, of those of the built-in driver
};
/// As journals name them.
[[nodiscard]] const char* name_of(PlayedIn played);

/// By clause, then scenario before control, then configuration.
[[nodiscard]] std::vector<RunSpec> plan(std::span<const Rule* const> rules,
                                        std::span<const Configuration> configurations,
                                        PlayedIn played = PlayedIn::Each);

struct SuiteOptions {
  IsolatorOptions isolation;
  std::vector<Configuration> configurations;
  std::uint32_t max_fails = 0;  ///< stop after so many clauses that failed unexpectedly; 0: never
  /// Whether a failure of this clause counts for max_fails; null: all do.
  std::function<bool(const std::string& id)> counts;
  std::function<void(const RunSpec&)> begun;    ///< in order of the plan; may be null
  std::function<void(const RunRecord&)> ended;  ///< in order of their ends; may be null
  const std::atomic<bool>* stop = nullptr;

  // For plans that nobody wrote by hand.
  std::set<std::string> failing;  ///< clauses that count for max_fails already
  std::uint64_t most_events = 0;  ///< stop after so many events of all traces; 0: never
  /// Stop after so many runs that did not finish, of which one that was killed, since its time was
  /// up, counts for eight; 0: never.
  std::uint32_t most_bad_ends = 0;
};

/// A record for each entry of the plan, in its order; those after a stop are not run.
[[nodiscard]] std::vector<RunRecord> run_suite(std::span<const RunSpec> plan,
                                               const SuiteOptions& options);

}  // namespace wddm::harness
