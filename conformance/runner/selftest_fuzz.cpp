// `wddmcheck selftest --fuzz`: how many executions fuzzing takes to find each seeded fault, beside
// an engine that knows nothing of scenarios.
#include <fmt/format.h>

#include <algorithm>
#include <iostream>
#include <map>

#include "conformance/harness/judge/verdict.h"
#include "conformance/runner/commands.h"
#include "conformance/runner/driver_choice.h"
#include "conformance/runner/process.h"
#include "conformance/runner/progress.h"
#include "fuzz/session/hunt.h"

namespace wddm::runner {
namespace {

constexpr std::uint64_t kSeeds = 5;

struct Row {
  std::vector<std::optional<std::uint64_t>> ours, raw;
  bool whole = true;  ///< no hunt for it was stopped
};

std::string shown(const std::optional<std::uint64_t>& executions) {
  return executions ? std::to_string(*executions) : "-";
}

std::string found(const std::vector<std::optional<std::uint64_t>>& all) {
  const auto count =
      std::count_if(all.begin(), all.end(), [](const auto& e) { return e.has_value(); });
  return fmt::format("{}/{}", count, all.size());
}

}  // namespace

int selftest_fuzz(const Options& options, std::span<const Rule* const> rules,
                  const host::DriverUnderTest& driver) {
  std::vector<fuzz::Hunt> hunts;
  for (const Rule* rule : rules) {
    for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
      for (const bool raw : {false, true})
        hunts.push_back({.rule = rule, .seed = seed, .raw = raw});
    }
  }
  Progress progress(hunts.size(), !options.quiet);
  fuzz::HuntOptions hunting;
  std::string error;
  if (!temporary_folder("hunt", hunting.folder, error) ||
      !find_target("wddm_fuzz_everything", hunting.program, error)) {
    return complain(error);
  }
  hunting.environment = environment_of(driver);
  hunting.budget = options.fuzz.runs != 0 ? options.fuzz.runs : hunting.budget;
  hunting.jobs = options.jobs;
  hunting.configured = options.subject.driver.empty();
  std::size_t missed = 0;
  hunting.ended = [&](const fuzz::Hunt& hunt) {
    missed += hunt.raw || hunt.executions ? 0 : 1;
    progress.step(hunt.rule->id, missed);
  };
  if (!fuzz::hunt(hunts, hunting, stop_on_signals(), error)) return complain(error);

  std::map<const Rule*, Row> rows;
  for (const fuzz::Hunt& hunt : hunts) {
    Row& row = rows[hunt.rule];
    (hunt.raw ? row.raw : row.ours).push_back(hunt.executions);
    row.whole = row.whole && hunt.ended;
  }
  std::cout << fmt::format("{:<12} {:<9} {:>12} {:>6} {:>12} {:>6}\n", "clause", "seat",
                           "executions", "found", "raw bytes", "found");
  std::size_t always = 0, tried = 0;
  std::vector<std::optional<std::uint64_t>> medians, raw_medians;
  for (const Rule* rule : rules) {
    const Row& row = rows[rule];
    if (!row.whole) continue;
    ++tried;
    medians.push_back(fuzz::median(row.ours));
    raw_medians.push_back(fuzz::median(row.raw));
    always += medians.back().has_value() ? 1 : 0;
    std::cout << fmt::format("{:<12} {:<9} {:>12} {:>6} {:>12} {:>6}\n", rule->id,
                             std::string(harness::name_of(rule->fault.seat)).substr(0, 8),
                             shown(medians.back()), found(row.ours), shown(raw_medians.back()),
                             found(row.raw));
  }
  std::cout << fmt::format(
      "\n{} of {} faults are found within {} executions (median of {} seeds); the median fault "
      "takes {}, with raw bytes {}\n",
      always, tried, hunting.budget, kSeeds, shown(fuzz::median(medians)),
      shown(fuzz::median(raw_medians)));
  if (tried != rules.size()) {
    std::cout << fmt::format("Stopped: {} more faults were not tried to the end.\n",
                             rules.size() - tried);
  }
  return always == rules.size() ? kExitGood : kExitUnexpected;
}

}  // namespace wddm::runner
