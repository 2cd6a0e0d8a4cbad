// `wddmcheck selftest --corpus`: which seeded faults show in scenarios that nobody wrote for them.
#include <fmt/format.h>

#include <algorithm>
#include <iostream>
#include <map>

#include "conformance/harness/isolate/child.h"
#include "conformance/harness/isolate/process_pool.h"
#include "conformance/harness/judge/judge.h"
#include "conformance/harness/mutants/shared_items.h"
#include "conformance/harness/suite/configurations.h"
#include "conformance/harness/suite/corpus.h"
#include "conformance/runner/commands.h"
#include "conformance/runner/corpus_choice.h"
#include "conformance/runner/driver_choice.h"
#include "conformance/runner/process.h"
#include "conformance/runner/progress.h"

namespace wddm::runner {
namespace {

constexpr std::uint32_t kEvents = 1u << 17, kBlobs = 64u << 20;
constexpr double kSecondsOfFault = 300;

// What a child says of one fault, until it ends.
struct Slip {
  std::uint32_t runs = 0;     // so far
  std::uint32_t own = 0;      // the clause of the fault fired in this one
  std::uint32_t another = 0;  // some clause did
  std::uint32_t rule = 0;     // which, by its position
  std::uint32_t done = 0;
};

class Faults {
 public:
  Faults(const Options& options, std::span<const Rule* const> rules,
         std::span<const harness::CorpusScenario> corpus)
      : options_(options), rules_(rules), corpus_(corpus), slips_(rules.size()) {}

  void play() {
    harness::ProcessPool pool(options_.jobs);
    Progress progress(rules_.size(), !options_.quiet);
    std::size_t missed = 0;
    for (std::size_t i = 0; i < rules_.size(); ++i) {
      const harness::Configuration& configuration = configuration_of(*rules_[i]);
      const bool gpu_virtual = addressing_of(configuration);
      harness::ProcessPool::Job job;
      job.timeout_seconds = kSecondsOfFault;
      job.child = [this, i, gpu_virtual, &configuration] {
        harness::Region region(kEvents, kBlobs);
        harness::keep_what_is_freed();
        for (const harness::CorpusScenario& entry : corpus_) {
          if (entry.gpu_virtual == gpu_virtual && one(i, *entry.scenario, configuration, region))
            break;
        }
        slips_[i].done = 1;
        return 0;
      };
      job.done = [&, i](const harness::ProcessEnd&) {
        missed += slips_[i].own == 0 ? 1 : 0;
        progress.step(rules_[i]->id, missed);
      };
      pool.push_back(std::move(job));
    }
    pool.run(&stop_on_signals());
  }

  void report() const {
    std::size_t own = 0, another = 0, ended = 0;
    std::cout << fmt::format("{:<12} {:>6}  {}\n", "clause", "runs", "shown by");
    for (std::size_t i = 0; i < rules_.size(); ++i) {
      const Slip& slip = slips_[i];
      std::string by = "-";
      if (slip.own != 0) {
        by = "itself";
        ++own;
      } else if (slip.another != 0) {
        by = all_rules()[slip.rule]->id;
        ++another;
      } else if (slip.done == 0) {
        by = "the end of the process";
        ++ended;
      }
      std::cout << fmt::format("{:<12} {:>6}  {}\n", rules_[i]->id, slip.runs, by);
    }
    std::cout << fmt::format(
        "\n{} of {} faults make their own clause fire in the corpus, {} more another one, {} end "
        "the process\n",
        own, rules_.size(), another, ended);
  }

 private:
  static const harness::Configuration& configuration_of(const Rule& rule) {
    return harness::configuration_of_fault(rule);
  }

  bool addressing_of(const harness::Configuration& configuration) {
    const auto [known, fresh] = addressing_.try_emplace(configuration.name);
    if (fresh) {
      known->second =
          bring_up(options_.timeout_seconds, configuration).judged.platform.has_virtual_addresses();
    }
    return known->second;
  }

  // Whether the clause of the fault fired.
  bool one(std::size_t index, const Scenario& plain, const harness::Configuration& configuration,
           harness::Region& region) const {
    const Scenario scenario = harness::with_settings(plain, configuration.settings);
    harness::RunRequest request;
    request.scenario = &scenario;
    request.fault = &rules_[index]->fault;
    Slip& slip = slips_[index];
    ++slip.runs;
    harness::execute_into(request, region, host::Process::SomeRuns);
    harness::JudgeOptions judging;
    judging.keep = harness::KeepTrace::Never;
    const harness::Judged judged =
        harness::judge_storage(region.trace_storage(), kEvents, kBlobs, scenario, judging);
    for (const harness::Failure& failure : judged.failures) {
      if (failure.id == rules_[index]->id) slip.own = slip.runs;
      const auto found = std::find_if(all_rules().begin(), all_rules().end(),
                                      [&](const Rule* rule) { return failure.id == rule->id; });
      if (slip.another != 0 || found == all_rules().end()) continue;
      slip.another = slip.runs;
      slip.rule = static_cast<std::uint32_t>(found - all_rules().begin());
    }
    return slip.own != 0;
  }

  const Options& options_;
  std::span<const Rule* const> rules_;
  std::span<const harness::CorpusScenario> corpus_;
  harness::Shared<Slip> slips_;
  std::map<std::string, bool> addressing_;
};

}  // namespace

int selftest_corpus(const Options& options, std::span<const Rule* const> rules) {
  std::vector<harness::CorpusScenario> corpus;
  std::string error;
  if (!read_corpus_of(Depth::Normal, corpus, error)) return complain(error);
  Faults faults(options, rules, corpus);
  faults.play();
  faults.report();
  return stop_on_signals().load() ? kExitUnexpected : kExitGood;
}

}  // namespace wddm::runner
