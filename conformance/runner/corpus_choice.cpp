#include "conformance/runner/corpus_choice.h"

#include <fmt/format.h>

#include <algorithm>

#include "conformance/runner/driver_choice.h"
#include "fuzz/generators/generate.h"
#include "fuzz/mutators/mutate.h"

namespace wddm::runner {
namespace {

using harness::RunRecord;

constexpr std::uint64_t kSeed = 0x7468726f75676821;  // any will do, the same for ever
constexpr std::size_t kMostOps = 64;

// Of each configuration in turn, each of its families in turn.
std::vector<harness::RunSpec> invented(std::span<const harness::Configuration> configurations,
                                       std::span<const std::optional<bool>> gpu_virtual,
                                       std::size_t first_number) {
  std::vector<std::uint32_t> running;
  for (std::uint32_t i = 0; i < configurations.size(); ++i) {
    if (gpu_virtual[i]) running.push_back(i);
  }
  std::vector<harness::RunSpec> plan;
  for (std::uint32_t i = 0; i < kThoroughScenarios && !running.empty(); ++i) {
    const std::uint32_t configuration = running[i % running.size()];
    fuzz::Machine machine;
    for (const Op& setting : configurations[configuration].settings) {
      fuzz::apply_setting(setting, machine);
    }
    machine.gpu_virtual = *gpu_virtual[configuration] ? 1 : 0;
    const auto families = fuzz::families_for(machine);
    const fuzz::Family family = families[i / running.size() % families.size()];
    fuzz::Random random(kSeed + i);
    auto scenario = std::make_shared<Scenario>();
    scenario->name = fmt::format("{}-invented-{}", fuzz::family_name(family), i);
    scenario->ops = fuzz::invent(family, random, kMostOps, machine);
    plan.push_back({.rule = nullptr,
                    .which = harness::CaseKind::Corpus,
                    .configuration = configuration,
                    .corpus = std::move(scenario),
                    .number = static_cast<std::uint32_t>(first_number + i)});
  }
  return plan;
}

}  // namespace

bool read_corpus_of(Depth depth, std::vector<harness::CorpusScenario>& corpus, std::string& error) {
  return depth == Depth::Quick || harness::read_corpus(beside_us("distilled"), corpus, error);
}

std::vector<harness::RunSpec> plan_of_corpus(const Options& options,
                                             std::vector<harness::CorpusScenario> corpus,
                                             std::span<const harness::Configuration> configurations,
                                             std::span<const RunRecord> records) {
  const auto gpu_virtual = harness::addressing_seen(records, configurations.size());
  std::vector<harness::RunSpec> plan =
      harness::plan_of_corpus(corpus, configurations, gpu_virtual, options.subject.driver.empty());
  if (depth_of(options) == Depth::Thorough) {
    for (harness::RunSpec& spec : invented(configurations, gpu_virtual, plan.size()))
      plan.push_back(std::move(spec));
  }
  return plan;
}

std::uint64_t most_events_of_corpus(Depth depth) {
  return depth == Depth::Thorough ? 40'000'000 : 4'000'000;
}

std::string why_no_corpus(std::span<const RunRecord> records) {
  const auto any = [records](auto is) { return std::any_of(records.begin(), records.end(), is); };
  if (!any([](const RunRecord& record) { return record.run.judged.platform.started; }))
    return "the driver does not run";
  // Each of them takes as long again.
  if (any([](const RunRecord& record) {
        return record.run.outcome.kind == harness::OutcomeKind::TimedOut;
      })) {
    return "scenarios of clauses take too long";
  }
  return {};
}

}  // namespace wddm::runner
