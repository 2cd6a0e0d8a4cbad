#include "conformance/runner/swept_plan.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "reference/harness_assert.h"

namespace wddm::runner {

using harness::RunRecord;
using harness::RunSpec;

SweptPlan::SweptPlan(std::span<const harness::Configuration> configurations,
                     std::span<const std::optional<bool>> gpu_virtual, std::uint32_t first_number)
    : number_(first_number) {
  std::vector<std::pair<std::uint32_t, Scenario>> sizes;
  for (const bool wanted : {false, true}) {
    const auto found = std::find(gpu_virtual.begin(), gpu_virtual.end(), std::optional(wanted));
    if (found == gpu_virtual.end()) continue;
    const auto configuration = static_cast<std::uint32_t>(found - gpu_virtual.begin());
    fuzz::Machine machine;
    for (const Op& setting : configurations[configuration].settings) {
      fuzz::apply_setting(setting, machine);
    }
    machine.gpu_virtual = wanted ? 1 : 0;
    for (const std::vector<fuzz::FailureSweep>& of_op : fuzz::failure_sweeps(machine)) {
      add(first_, fuzz::failing(of_op.front(), 0), configuration);
      for (const fuzz::FailureSweep& sweep : of_op) {
        lines_.push_back({sweep, configuration, undisturbed_.size()});
      }
      undisturbed_.emplace_back();
    }
    for (Scenario& scenario : fuzz::short_of_need(machine)) {
      sizes.emplace_back(configuration, std::move(scenario));
    }
  }
  // Behind the undisturbed runs, so that the index of such a run is that of its op.
  for (auto& [configuration, scenario] : sizes) add(first_, std::move(scenario), configuration);
}

std::vector<RunSpec> SweptPlan::first() {
  return std::move(first_);
}

std::vector<RunSpec> SweptPlan::after(std::span<const RunRecord> ended) {
  if (std::any_of(ended.begin(), ended.end(), [](const RunRecord& record) {
        return record.run.outcome.kind == harness::OutcomeKind::NotRun;
      })) {
    return {};
  }
  if (kth_ == 0) {
    HARNESS_ASSERT(ended.size() >= undisturbed_.size());
    for (std::size_t i = 0; i < undisturbed_.size(); ++i) undisturbed_[i] = came_to(ended[i]);
  } else {
    HARNESS_ASSERT(ended.size() == in_wave_.size());
    for (std::size_t i = 0; i < in_wave_.size(); ++i) {
      Line& line = lines_[in_wave_[i]];
      line.in_vain = came_to(ended[i]) == undisturbed_[line.op] ? line.in_vain + 1 : 0;
      line.done = line.in_vain >= line.sweep.patience;
    }
  }
  return next();
}

std::vector<RunSpec> SweptPlan::next() {
  std::vector<RunSpec> wave;
  in_wave_.clear();
  if (++kth_ > fuzz::kMostFailures) return wave;
  for (std::size_t i = 0; i < lines_.size(); ++i) {
    if (lines_[i].done) continue;
    in_wave_.push_back(i);
    add(wave, fuzz::failing(lines_[i].sweep, kth_), lines_[i].configuration);
  }
  return wave;
}

void SweptPlan::add(std::vector<RunSpec>& wave, Scenario scenario, std::uint32_t configuration) {
  RunSpec spec;
  spec.which = harness::CaseKind::Corpus;
  spec.configuration = configuration;
  spec.corpus = std::make_shared<Scenario>(std::move(scenario));
  spec.number = number_++;
  wave.push_back(std::move(spec));
}

SweptPlan::CameTo SweptPlan::came_to(const RunRecord& record) {
  CameTo came{record.run.outcome.kind, record.run.judged.events, {}};
  for (const harness::RuleOutcome& rule : record.run.judged.rules) {
    came.reached.push_back(rule.reached);
  }
  return came;
}

}  // namespace wddm::runner
