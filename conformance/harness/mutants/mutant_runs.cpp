// What mutants are played in: all that `run` plays on the built-in driver, each once.
#include <algorithm>
#include <set>

#include "conformance/harness/mutants/mutant_play.h"
#include "conformance/harness/suite/configurations.h"
#include "conformance/harness/suite/scenario_book.h"
#include "conformance/harness/suite/suite.h"
#include "reference/harness_assert.h"

namespace wddm::harness {

std::vector<MutantRun> runs_of_suite() {
  std::vector<MutantRun> runs;
  const std::vector<Configuration> configurations = default_configurations(true);
  ScenarioBook book;
  std::set<std::string> seen;
  for (const RunSpec& spec : plan(all_rules(), configurations, PlayedIn::Apart)) {
    std::string error;
    const Scenario* const scenario = book.of(*spec.rule, spec.which, error);
    HARNESS_ASSERT(scenario != nullptr);
    const Configuration& configuration = configurations[spec.configuration];
    MutantRun run{place_name(*spec.rule, spec.which) + ", " + configuration.name,
                  with_settings(*scenario, configuration.settings)};
    const std::string bytes(reinterpret_cast<const char*>(run.scenario.ops.data()),
                            run.scenario.ops.size() * sizeof(Op));
    if (seen.insert(bytes).second) runs.push_back(std::move(run));
  }
  return runs;
}

std::vector<MutantRun> runs_of_corpus(std::span<const CorpusScenario> corpus) {
  const std::vector<Configuration> configurations = default_configurations(true);
  std::vector<MutantRun> runs;
  for (const CorpusScenario& entry : corpus) {
    const auto found =
        std::find_if(configurations.begin(), configurations.end(),
                     [&entry](const Configuration& one) { return one.name == entry.settings; });
    if (found == configurations.end()) continue;
    runs.push_back({entry.scenario->name + " of the corpus, " + found->name,
                    with_settings(*entry.scenario, found->settings)});
  }
  return runs;
}

}  // namespace wddm::harness
