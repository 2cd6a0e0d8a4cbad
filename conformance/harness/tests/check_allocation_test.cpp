// A check that holds asks the system for no memory.
#include "conformance/harness/suite/configurations.h"
#include "conformance/harness/tests/replay_support.h"
#include "conformance/rules/scratch.h"
#include "reference/trace/tests/counted_new.h"

namespace wddm::harness {
namespace {

using CheckAllocation = ReplayTest;

TEST_F(CheckAllocation, ChecksThatHoldAllocateNothing) {
  std::size_t reached = 0;
  for (const Rule* const rule : all_rules()) {
    const Scenario control =
        with_settings(scenario_of(rule->control), configuration_of_fault(*rule).settings);
    const Judged& judged = run(control);  // makes the ledgers, which stay
    if (rule->applies(judged.platform) != nullptr) continue;
    Judgement judgement;
    const std::size_t before = test::allocations;
    {
      const ScratchScope scratch;
      rule->check(replayer_.trace(), judged.platform, judgement);
    }
    EXPECT_EQ(test::allocations, before) << rule->id;
    EXPECT_TRUE(judgement.failures().empty()) << rule->id;
    reached += judgement.times_reached() != 0;
  }
  EXPECT_GT(reached, all_rules().size() / 2);
}

}  // namespace
}  // namespace wddm::harness
