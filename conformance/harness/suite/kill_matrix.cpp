#include "conformance/harness/suite/kill_matrix.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <deque>
#include <iterator>
#include <utility>

#include "conformance/harness/suite/configurations.h"
#include "conformance/harness/suite/scenario_book.h"
#include "conformance/rules/rule_registry.h"

namespace wddm::harness {
namespace {

// Everything that a run says: clauses, findings, and the word for an end that wasn't reached.
std::vector<std::string> fired_in(const RunOutcome& run) {
  std::vector<std::string> fired;
  for (const Failure& failure : run.judged.failures) fired.push_back(failure.id);
  const std::string word = fired_word(run.outcome.kind);
  if (!word.empty()) fired.push_back(word);
  std::sort(fired.begin(), fired.end());
  fired.erase(std::unique(fired.begin(), fired.end()), fired.end());
  return fired;
}

std::vector<std::string> without(const std::vector<std::string>& from,
                                 const std::vector<std::string>& what) {
  std::vector<std::string> rest;
  std::set_difference(from.begin(), from.end(), what.begin(), what.end(), std::back_inserter(rest));
  return rest;
}

struct ThreeRuns {
  RunOutcome faulty, scenario, control;
  int left = 3;
  std::string defect;
};

void judge_row(const ThreeRuns& runs, KillRow& row) {
  for (const RunOutcome* run : {&runs.faulty, &runs.scenario, &runs.control}) {
    if (run->outcome.kind == OutcomeKind::NotRun) return;
    for (const std::string& defect : run->judged.harness) row.harness.push_back(defect);
    if (run->outcome.kind == OutcomeKind::Harness) row.harness.push_back(run->outcome.about);
  }
  row.ran = true;
  std::vector<std::string> fired = fired_in(runs.faulty);
  const auto own = std::find(fired.begin(), fired.end(), row.rule->id);
  row.killed = own != fired.end();
  if (row.killed) fired.erase(own);
  row.fired = std::move(fired);
  for (const std::string& id : fired_in(runs.scenario)) row.noise.push_back("scenario: " + id);
  for (const std::string& id : fired_in(runs.control)) row.noise.push_back("control: " + id);

  const std::vector<std::string> surprising = without(row.fired, row.wanted);
  const std::vector<std::string> missing = without(row.wanted, row.fired);
  if (!row.harness.empty()) {
    row.about = row.harness.front();
  } else if (!row.killed) {
    row.about = "the fault survives: its own clause did not fire";
  } else if (row.in_disguise) {
    // What else fires depends on sizes.
    row.good = row.noise.empty();
    if (!row.good) row.about = fmt::format("fires without a fault: {}", fmt::join(row.noise, ", "));
  } else if (!surprising.empty()) {
    row.about = fmt::format("also fires, unannounced: {}", fmt::join(surprising, " "));
  } else if (!missing.empty()) {
    row.about = fmt::format("announced, but does not fire: {}", fmt::join(missing, " "));
  } else if (!row.noise.empty()) {
    row.about = fmt::format("fires without a fault: {}", fmt::join(row.noise, ", "));
  } else {
    row.good = true;
  }
}

class Matrix {
 public:
  Matrix(std::span<const Rule* const> rules, const KillMatrixOptions& options)
      : options_(options), isolator_(options.isolation) {
    for (const Rule* const rule : rules) {
      add(*rule, rule->fault);
      if (options.device_variable != nullptr && rule->device_fault.about != nullptr) {
        add(*rule, rule->device_fault);
      }
    }
    runs_.resize(rows_.size());
    for (std::size_t i = 0; i < rows_.size(); ++i) begin(i);
  }

  std::vector<KillRow> all() {
    isolator_.run(options_.stop);
    return std::move(rows_);
  }

 private:
  void add(const Rule& rule, const Fault& fault) {
    KillRow row;
    row.rule = &rule;
    row.fault = &fault;
    row.in_disguise = options_.disguise != nullptr;
    for (const std::string_view id : words_of(fault.also_fires)) row.wanted.emplace_back(id);
    std::sort(row.wanted.begin(), row.wanted.end());
    rows_.push_back(std::move(row));
  }

  void begin(std::size_t index) {
    const Rule& rule = *rows_[index].rule;
    std::string error;
    const Scenario* const scenario = book_.of(rule, CaseKind::Scenario, error);
    const Scenario* const control = scenario ? book_.of(rule, CaseKind::Control, error) : nullptr;
    if (!control) {
      rows_[index].ran = true;
      rows_[index].harness.push_back(error);
      rows_[index].about = error;
      return;
    }
    enqueue(index, *scenario, rows_[index].fault, &ThreeRuns::faulty);
    enqueue(index, *scenario, nullptr, &ThreeRuns::scenario);
    enqueue(index, *control, nullptr, &ThreeRuns::control);
  }

  void enqueue(std::size_t index, const Scenario& scenario, const Fault* fault,
               RunOutcome ThreeRuns::*place) {
    RunRequest request;
    request.scenario = configured(*rows_[index].rule, scenario);
    request.fault = fault;
    request.device_variable = options_.device_variable;
    request.replay = false;
    isolator_.enqueue(std::move(request), [this, index, place](RunOutcome outcome) {
      ThreeRuns& runs = runs_[index];
      runs.*place = std::move(outcome);
      if (--runs.left > 0) return;
      judge_row(runs, rows_[index]);
      if (options_.ended && rows_[index].ran) options_.ended(rows_[index]);
    });
  }

  const Scenario* configured(const Rule& rule, const Scenario& scenario) {
    if (!options_.configured) return &scenario;
    const Configuration& plain = configuration_of_fault(rule);
    const Configuration one = options_.disguise ? disguised(plain, *options_.disguise) : plain;
    return &played_.emplace_back(with_settings(scenario, one.settings));
  }

  const KillMatrixOptions& options_;
  Isolator isolator_;
  ScenarioBook book_;
  std::deque<Scenario> played_;
  std::vector<KillRow> rows_;
  std::vector<ThreeRuns> runs_;
};

}  // namespace

std::vector<KillRow> kill_matrix(std::span<const Rule* const> rules,
                                 const KillMatrixOptions& options) {
  return Matrix(rules, options).all();
}

}  // namespace wddm::harness
