#include "conformance/runner/mutants/mutant_survivors.h"

#include <fmt/format.h>

#include <array>

#include "conformance/harness/mutants/mutant_kill.h"
#include "conformance/harness/suite/configurations.h"
#include "conformance/runner/driver_choice.h"
#include "conformance/runner/process.h"
#include "conformance/runner/progress.h"
#include "fuzz/session/hunt.h"
#include "reference/harness_assert.h"

namespace wddm::runner {
namespace {

// About a minute of a release build in both models together.
constexpr std::uint64_t kExecutions = 10'000;
constexpr std::array<const char*, 2> kModels = {"default", "Addressing=1"};

harness::Configuration configuration_of(const char* settings) {
  harness::Configuration configuration;
  std::string error;
  HARNESS_ASSERT(harness::parse_configuration(settings, configuration, error));
  return configuration;
}

// What the target met is believed when a process of its own says the same.
void believe(const fuzz::Hunt& hunt, harness::MutantFate& fate) {
  const harness::Configuration configuration = configuration_of(hunt.settings.c_str());
  Scenario scenario;
  scenario.ops = decode(hunt.input);
  const harness::RunOutcome outcome =
      harness::play_alone(hunt.mutant, harness::with_settings(scenario, configuration.settings));
  fate.killer = harness::killer_of(outcome);
  if (!fate.killer.empty()) fate.run = fmt::format("fuzzing, {}", hunt.settings);
}

class Survivors {
 public:
  Survivors(const MutantLists& lists, std::vector<harness::MutantFate>& fates)
      : lists_(lists), fates_(fates) {
    for (std::size_t i = 0; i < fates.size(); ++i) {
      if (has_survived(state_of(lists, lists.chosen[i], fates[i])) && fates[i].fuzzed == 0)
        left_.push_back(i);
    }
  }
  [[nodiscard]] std::size_t count() const { return left_.size(); }
  [[nodiscard]] std::vector<fuzz::Hunt> hunts(const char* settings) const {
    std::vector<fuzz::Hunt> hunts;
    for (const std::size_t i : left_)
      hunts.push_back({.mutant = lists_.chosen[i].number, .settings = settings});
    return hunts;
  }
  /// Those that were not hunted to their end stay what they were.
  void take(const std::vector<fuzz::Hunt>& hunts, std::uint64_t budget, bool is_last,
            MutantJournal& journal) {
    std::vector<std::size_t> still;
    for (std::size_t h = 0; h < hunts.size(); ++h) {
      if (!hunts[h].ended) continue;
      const std::size_t i = left_[h];
      harness::MutantFate& fate = fates_[i];
      fuzzed_[i] += hunts[h].executions.value_or(budget);
      if (hunts[h].executions) believe(hunts[h], fate);
      if (fate.killer.empty() && !is_last) {
        still.push_back(i);
        continue;
      }
      fate.fuzzed = fuzzed_[i];
      journal.add(lists_.chosen[i], fate);
    }
    left_ = std::move(still);
  }

 private:
  const MutantLists& lists_;
  std::vector<harness::MutantFate>& fates_;
  std::vector<std::size_t> left_;
  std::map<std::size_t, std::uint64_t> fuzzed_;
};

}  // namespace

bool fuzz_survivors(const Options& options, const MutantLists& lists,
                    const host::DriverUnderTest& driver, MutantJournal& journal,
                    std::vector<harness::MutantFate>& fates, std::string& error) {
  fuzz::HuntOptions hunting;
  if (!find_target("wddm_fuzz_everything", hunting.program, error) ||
      !temporary_folder("hunt", hunting.folder, error)) {
    return false;
  }
  hunting.environment = environment_of(driver);
  hunting.jobs = options.jobs;
  hunting.budget = (options.fuzz.runs != 0 ? options.fuzz.runs : kExecutions) / kModels.size();
  Survivors survivors(lists, fates);
  Progress progress(survivors.count() * kModels.size(), !options.quiet);
  std::size_t found = 0;
  hunting.ended = [&](const fuzz::Hunt& hunt) {
    found += hunt.executions ? 1 : 0;
    progress.step(fmt::format("mutant {}", hunt.mutant), found);
  };
  for (const char* settings : kModels) {
    std::vector<fuzz::Hunt> hunts = survivors.hunts(settings);
    if (!fuzz::hunt(hunts, hunting, stop_on_signals(), error)) return false;
    survivors.take(hunts, hunting.budget, settings == kModels.back(), journal);
  }
  return true;
}

}  // namespace wddm::runner
