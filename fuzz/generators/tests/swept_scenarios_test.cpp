// What is swept, and that the built-in driver comes through all of it.
#include "fuzz/generators/swept_scenarios.h"

#include <gtest/gtest.h>

#include <set>

#include "conformance/harness/suite/configurations.h"
#include "conformance/rules/rule.h"
#include "fuzz/generators/tests/one_replayer.h"

namespace wddm::fuzz {
namespace {

class SweptScenarios : public testing::TestWithParam<Configured> {
 protected:
  [[nodiscard]] Machine machine() const {
    Machine machine;
    for (const Op& setting : settings()) apply_setting(setting, machine);
    return machine;
  }

  const harness::Judged& play(const Scenario& scenario) {
    played_ = harness::with_settings(scenario, settings());
    const harness::Judged& judged = one_replayer().run({.scenario = &played_});
    EXPECT_TRUE(judged.failures.empty())
        << judged.failures[0].id << " in " << print_scenario(played_);
    EXPECT_TRUE(judged.harness.empty()) << judged.harness[0] << " in " << print_scenario(played_);
    EXPECT_TRUE(judged.ended) << print_scenario(played_);
    return judged;
  }

 private:
  [[nodiscard]] static std::vector<Op> settings() {
    return harness::default_configurations(true)[static_cast<std::size_t>(GetParam())].settings;
  }

  Scenario played_;
};

TEST_P(SweptScenarios, OfFailuresHoldOnTheBuiltInDriver) {
  std::uint32_t failed = 0, in_depth = 0;
  for (const std::vector<FailureSweep>& of_op : failure_sweeps(machine())) {
    const std::uint32_t undisturbed = play(failing(of_op[0], 0)).events;
    for (const FailureSweep& sweep : of_op) {
      std::uint32_t in_vain = 0;
      for (std::uint32_t k = 1; k <= kMostFailures && in_vain < sweep.patience; ++k) {
        const bool changed = play(failing(sweep, k)).events != undisturbed;
        in_vain = changed ? 0 : in_vain + 1;
        failed += changed;
        in_depth += changed && k > 1;
      }
    }
  }
  EXPECT_GT(failed, 20u);
  EXPECT_GT(in_depth, 10u);
}

TEST_P(SweptScenarios, OfSizesHoldOnTheBuiltInDriver) {
  std::set<std::uint32_t> events;
  for (const Scenario& scenario : short_of_need(machine())) events.insert(play(scenario).events);
  // With GPU virtual addresses most paging is done by the CPU here.
  EXPECT_GT(events.size(), machine().gpu_virtual == 0 ? 10u : 2u)
      << "shorter buffers take more passes";
}

TEST_P(SweptScenarios, OfFailuresKnowEveryOpThatCallsTheDriver) {
  std::set<std::string> names;
  for (const std::vector<FailureSweep>& of_op : failure_sweeps(machine()))
    names.insert(of_op[0].name);
  for (const char* op : {"start", "create_context", "create_allocation", "render", "evict", "move",
                         "fill_memory", "map_aperture", "power_cycle", "requery"}) {
    EXPECT_TRUE(names.contains(std::string("fail_pool-") + op)) << op;
  }
}

INSTANTIATE_TEST_SUITE_P(Generate, SweptScenarios,
                         testing::Values(Configured::Default, Configured::GpuVirtual),
                         [](const auto& test) {
                           return test.param == Configured::Default ? "PatchLists" : "GpuVirtual";
                         });

}  // namespace
}  // namespace wddm::fuzz
