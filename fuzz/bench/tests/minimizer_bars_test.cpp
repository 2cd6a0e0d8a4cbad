// The bars of the minimizer on inputs of 400 ops, for every seed: the true minimum, in 130
// executions to the number of ops and 220 in all. Handles as slots, as ordinals, and our own ops.
#include <gtest/gtest.h>

#include <algorithm>

#include "fuzz/bench/scenario_puzzle.h"
#include "fuzz/bench/toy_language.h"
#include "fuzz/minimizer/minimize.h"
#include "fuzz/minimizer/minimizer.h"

namespace wddm::fuzz {
namespace {

constexpr std::size_t kOps = 400;
constexpr std::size_t kToOpCount = 130;
constexpr std::size_t kInAll = 220;
constexpr std::uint64_t kSeeds = 20;

template <toy::Handles handles>
Minimized<toy::Op> minimize_toy(std::uint64_t seed) {
  const auto same = [](std::span<const toy::Op> ops) { return toy::bug_shows(ops, handles); };
  return Minimizer<toy::Language<handles>>(same, {}).run(toy::failing_input(seed, kOps, handles));
}

// Five ops, the objects numbered 0 and 1, the value at its lowest.
void expect_minimum(const Minimized<toy::Op>& result) {
  ASSERT_EQ(result.ops.size(), toy::kFewest);
  EXPECT_EQ(result.ops.back().v, toy::kWrongFrom);
  for (const toy::Op& op : result.ops) EXPECT_LE(std::max(op.a, op.b), 1);
  EXPECT_LE(result.executions_to_op_count, kToOpCount);
  EXPECT_LE(result.executions, kInAll);
}

TEST(MinimizerBars, HandlesAsSlots) {
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    SCOPED_TRACE(seed);
    expect_minimum(minimize_toy<toy::Handles::Explicit>(seed));
  }
}

TEST(MinimizerBars, HandlesAsOrdinals) {
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    SCOPED_TRACE(seed);
    expect_minimum(minimize_toy<toy::Handles::Ordinal>(seed));
  }
}

TEST(MinimizerBars, OpsOfAScenario) {
  const std::vector<Op> solved = solved_puzzle();
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    SCOPED_TRACE(seed);
    const auto result = minimize_scenario(failing_puzzle(seed, kOps), puzzle_shows);

    EXPECT_TRUE(
        std::is_permutation(result.ops.begin(), result.ops.end(), solved.begin(), solved.end()));
    EXPECT_LE(result.executions_to_op_count, kToOpCount);
    EXPECT_LE(result.executions, kInAll);
  }
}

}  // namespace
}  // namespace wddm::fuzz
