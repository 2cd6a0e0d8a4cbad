#include "conformance/harness/suite/suite.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "conformance/harness/suite/configurations.h"
#include "conformance/harness/suite/scenario_book.h"
#include "reference/harness_assert.h"

namespace wddm::harness {
namespace {

// Clauses that a run speaks against: those that fired, and its own if it did not end well.
void add_failing(const RunRecord& record, std::set<std::string>& ids) {
  if (record.run.outcome.kind == OutcomeKind::NotRun) return;
  for (const Failure& failure : record.run.judged.failures) ids.insert(failure.id);
  if (record.run.outcome.kind == OutcomeKind::Finished) return;
  ids.insert(end_counts_for(record));
}

// A crash costs a process, a timeout its seconds.
constexpr std::uint32_t kCostOfTimeout = 8;

// What limits are about; a sum over records does not depend on their order.
struct Toll {
  std::set<std::string> failing;
  std::uint64_t events = 0;
  std::uint32_t bad_ends = 0;
};

class Run {
 public:
  Run(std::span<const RunSpec> plan, const SuiteOptions& options)
      : plan_(plan), options_(options), isolator_(options.isolation), scenarios_(plan.size()) {
    toll_.failing = options.failing;
    records_.resize(plan.size());
    for (std::size_t i = 0; i < plan.size(); ++i) records_[i].spec = plan[i];
  }

  std::vector<RunRecord> all() {
    // As many as keep all jobs busy are under way; each end begins the next.
    for (std::size_t i = 0; i < isolator_.room(); ++i) begin_next();
    isolator_.run(options_.stop);
    cut_at_limits();
    return std::move(records_);
  }

 private:
  void begin_next() {
    while (next_ < plan_.size() && !enough()) {
      const std::size_t index = next_++;
      const RunSpec& spec = plan_[index];
      std::string error;
      const Scenario* const scenario = book_.of(spec, error);
      if (options_.begun) options_.begun(spec);
      if (!scenario) {
        RunOutcome defect;
        defect.outcome = {OutcomeKind::Harness, error, {}};
        end(index, std::move(defect));
        continue;
      }
      HARNESS_ASSERT(spec.configuration < options_.configurations.size());
      // As ops, so that verdicts count ops as the file does that repeats them.
      scenarios_[index] =
          with_settings(*scenario, options_.configurations[spec.configuration].settings);
      const Configuration& configuration = options_.configurations[spec.configuration];
      const auto [twin, fresh] = players_.try_emplace(
          bytes_of(scenarios_[index]) + (configuration.in_files() ? "" : configuration.name));
      if (!fresh) {
        end_with(twin->second, index);
        continue;
      }
      play(index, twin->second);
      return;
    }
  }

  // Many clauses share a scenario, and one run of it is judged by all of them. Others that ask for
  // the same get what it came to.
  struct Player {
    std::optional<std::size_t> ended;  // the run that was played
    std::vector<std::size_t> waiting;
  };

  void play(std::size_t index, Player& player) {
    RunRequest request;
    request.scenario = &scenarios_[index];
    const Configuration& configuration =
        options_.configurations[records_[index].spec.configuration];
    request.values = configuration.values;
    request.windows = configuration.windows;
    isolator_.enqueue(std::move(request), [this, index, &player](RunOutcome outcome) {
      end(index, std::move(outcome));
      player.ended = index;
      for (const std::size_t twin : std::exchange(player.waiting, {})) end_with(player, twin);
      begin_next();
    });
  }

  void end_with(Player& player, std::size_t index) {
    if (!player.ended) {
      player.waiting.push_back(index);
      return;
    }
    RunOutcome same = records_[*player.ended].run;
    same.milliseconds = 0;
    end(index, std::move(same));
  }

  // Name and lines count too: verdicts tell them.
  static std::string bytes_of(const Scenario& scenario) {
    const auto append = [](std::string& bytes, const auto& list) {
      bytes.append(reinterpret_cast<const char*>(list.data()), list.size() * sizeof(list[0]));
    };
    std::string bytes = scenario.name + '\0';
    append(bytes, scenario.ops);
    append(bytes, scenario.lines);
    return bytes;
  }

  void end(std::size_t index, RunOutcome outcome) {
    records_[index].run = std::move(outcome);
    count(records_[index], toll_);
    if (options_.ended) options_.ended(records_[index]);
  }

  void count(const RunRecord& record, Toll& toll) const {
    std::set<std::string> ids;
    add_failing(record, ids);
    for (const std::string& id : ids) {
      if (!options_.counts || options_.counts(id)) toll.failing.insert(id);
    }
    const OutcomeKind end = record.run.outcome.kind;
    toll.events += record.run.judged.events;
    if (end == OutcomeKind::Finished || end == OutcomeKind::NotRun) return;
    toll.bad_ends += end == OutcomeKind::TimedOut ? kCostOfTimeout : 1;
  }

  // Why no more runs begin; empty if they do.
  [[nodiscard]] std::string limit_met(const Toll& toll) const {
    if (options_.max_fails != 0 && toll.failing.size() >= options_.max_fails)
      return "stopped after the failures asked for";
    if (options_.most_bad_ends != 0 && toll.bad_ends >= options_.most_bad_ends)
      return "left out: too many runs before had crashed, hung or ended badly in another way";
    if (options_.most_events != 0 && toll.events >= options_.most_events)
      return "left out: those before it made more events than there is time for";
    return {};
  }

  [[nodiscard]] bool enough() const {
    return (options_.stop && options_.stop->load()) || !limit_met(toll_).empty();
  }

  // With several jobs, runs behind the one that met a limit may have ended; they are dropped so
  // that the result doesn't depend on which did.
  void cut_at_limits() {
    Toll toll;
    toll.failing = options_.failing;
    std::string why = limit_met(toll);
    for (RunRecord& record : records_) {
      if (!why.empty()) {
        record.run = RunOutcome{};
        record.run.outcome.about = why;
        continue;
      }
      count(record, toll);
      why = limit_met(toll);
    }
  }

  std::span<const RunSpec> plan_;
  const SuiteOptions& options_;
  Isolator isolator_;
  ScenarioBook book_;
  std::vector<Scenario> scenarios_;
  std::vector<RunRecord> records_;
  std::map<std::string, Player> players_;  // by the bytes of what is played
  Toll toll_;
  std::size_t next_ = 0;
};

}  // namespace

const char* name_of(PlayedIn played) {
  switch (played) {
    case PlayedIn::Each:
      return "each";
    case PlayedIn::Apart:
      return "apart";
    case PlayedIn::First:
      return "first";
  }
  return "";
}

std::vector<RunSpec> plan(std::span<const Rule* const> rules,
                          std::span<const Configuration> configurations, PlayedIn played) {
  std::vector<RunSpec> specs;
  for (const Rule* rule : rules) {
    for (const CaseKind which : {CaseKind::Scenario, CaseKind::Control}) {
      for (std::uint32_t i = 0; i < configurations.size(); ++i) {
        if (!configurations[i].plays(*rule)) continue;
        if (played == PlayedIn::Apart && !configurations[i].hangs_on(*rule)) continue;
        specs.push_back({rule, which, i});
        if (played == PlayedIn::First || (played == PlayedIn::Apart && which == CaseKind::Control))
          break;
      }
    }
  }
  return specs;
}

std::vector<RunRecord> run_suite(std::span<const RunSpec> plan, const SuiteOptions& options) {
  return Run(plan, options).all();
}

}  // namespace wddm::harness
