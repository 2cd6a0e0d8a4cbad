// Each pass with a test that needs it, and how a minimization is watched, stopped and cut off.
#include "fuzz/minimizer/minimize.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>

#include "fuzz/minimizer/tests/op_lists.h"

namespace wddm::fuzz {
namespace {

std::string minimized(const std::string& list, const ScenarioTest& same) {
  const auto result = minimize_scenario(ops_of(list), same);
  EXPECT_TRUE(result.reproduced);
  EXPECT_TRUE(result.finished);
  return text(result.ops);
}
auto count(std::span<const Op> ops, OpKind kind) {
  return std::count_if(ops.begin(), ops.end(), [kind](const Op& op) { return op.kind == kind; });
}
bool has(std::span<const Op> ops, OpKind kind) {
  return count(ops, kind) > 0;
}

TEST(Minimize, DropsWhatDoesNotMatter) {
  EXPECT_EQ(minimized("- idle\n- advance\n- preempt\n- requery\n- idle\n",
                      [](auto ops) { return has(ops, OpKind::Preempt); }),
            "- preempt\n");
}

TEST(Minimize, NothingMayBeEnough) {
  EXPECT_EQ(minimized("- idle\n- advance\n", [](auto) { return true; }), "");
}

TEST(Minimize, AnInputThatDoesNotShowItIsNotTouched) {
  const auto result = minimize_scenario(ops_of("- idle\n- idle\n"), [](auto) { return false; });

  EXPECT_FALSE(result.reproduced);
  EXPECT_EQ(result.executions, 1u);
  EXPECT_EQ(result.ops.size(), 2u);
}

TEST(Minimize, DropsAnOpenerThatMergesItsElementsIntoAnother) {
  EXPECT_EQ(minimized("- render\n- bind\n- render\n- fill\n",
                      [](auto ops) {
                        return has(ops, OpKind::Render) && has(ops, OpKind::Bind) &&
                               has(ops, OpKind::Fill);
                      }),
            "- render\n- bind\n- fill\n");
}

TEST(Minimize, DropsWhatWasSwitchedOnAndOffAgain) {
  const auto balanced = [](std::span<const Op> ops) {
    std::ptrdiff_t on = 0;
    for (const Op& op : ops) {
      if (op.kind == OpKind::HoldDpcs) on += op.a != 0 ? 1 : -1;
    }
    return on == 0 && has(ops, OpKind::Preempt);
  };

  EXPECT_EQ(minimized("- hold_dpcs\n- preempt\n- hold_dpcs: {on: false}\n", balanced),
            "- preempt\n");
}

TEST(Minimize, SetsValuesToTheirDefaults) {
  EXPECT_EQ(minimized("- fill: {offset: 8, size: 12, value: 99}\n",
                      [](auto ops) { return has(ops, OpKind::Fill); }),
            "- fill\n");
}

TEST(Minimize, LowersValuesThatMatter) {
  EXPECT_EQ(minimized("- create_allocation: {pages: 700, place: aperture}\n",
                      [](auto ops) { return ops.size() == 1 && ops[0].x >= 33; }),
            "- create_allocation: {pages: 33}\n");
}

TEST(Minimize, LowersEqualValuesTogether) {
  const auto meets = [](std::span<const Op> ops) {
    return ops.size() == 2 && ops[0].z == ops[1].z && ops[0].z > 4;
  };

  EXPECT_EQ(minimized("- signal: {value: 500}\n- wait: {value: 500}\n", meets),
            "- signal: {value: 5}\n- wait: {value: 5}\n");
}

TEST(Minimize, GivesIdsTheLowestNumbers) {
  const auto bound = [](std::span<const Op> ops) {
    return ops.size() == 3 && ops[0].a == ops[2].b && ops[2].kind == OpKind::Bind;
  };

  EXPECT_EQ(minimized("- create_allocation: {allocation: 9}\n- render: {context: 8}\n"
                      "- bind: {slot: 77, allocation: 9}\n",
                      bound),
            "- create_allocation\n- render\n- bind\n");
}

TEST(Minimize, GivesIdsLowNumbersOneByOneIfOneMustStay) {
  const auto bound = [](std::span<const Op> ops) { return ops.size() == 1 && ops[0].a == 77; };

  EXPECT_EQ(minimized("- bind: {slot: 77, allocation: 9}\n", bound), "- bind: {slot: 77}\n");
}

TEST(Minimize, EmptiesChoices) {
  EXPECT_EQ(minimized("- split_points: {take: mask, mask: 0xffff}\n- prepatch: {mode: skip_patch}\n"
                      "- preempt\n",
                      [](auto ops) {
                        return has(ops, OpKind::Preempt) && has(ops, OpKind::SplitPoints);
                      }),
            "- split_points\n- preempt\n");
}

TEST(Minimize, NeverTriesACandidateTwice) {
  std::set<std::vector<std::uint8_t>> seen;
  const auto once = [&seen](std::span<const Op> ops) {
    EXPECT_TRUE(seen.insert(encode(ops)).second);
    return count(ops, OpKind::Idle) >= 2 && has(ops, OpKind::Preempt);
  };

  static_cast<void>(minimize_scenario(
      ops_of("- idle\n- preempt: {node: 3}\n- idle\n- requery\n- idle\n- requery\n"), once));
}

TEST(Minimize, ReportsEachExecution) {
  std::vector<std::size_t> executions;
  MinimizeOptions options;
  options.progress = [&](const MinimizeProgress& at) { executions.push_back(at.executions); };

  const auto result = minimize_scenario(
      ops_of("- idle\n- preempt\n"), [](auto ops) { return has(ops, OpKind::Preempt); }, options);

  ASSERT_EQ(executions.size(), result.executions);
  EXPECT_EQ(executions.back(), result.executions);
}

TEST(Minimize, KeepsTheBestSoFarWhenStopped) {
  std::atomic<bool> stop = false;
  MinimizeOptions options;
  options.stop = &stop;
  const auto stopping = [&stop](std::span<const Op> ops) {
    if (ops.size() < 6) stop = true;
    return has(ops, OpKind::Preempt);
  };

  const auto result = minimize_scenario(
      ops_of("- preempt\n- idle\n- idle\n- idle\n- idle\n- idle\n- idle\n- idle\n"), stopping,
      options);

  EXPECT_TRUE(result.reproduced);
  EXPECT_FALSE(result.finished);
  EXPECT_TRUE(has(result.ops, OpKind::Preempt));
}

TEST(Minimize, EndsAfterTheExecutionsItMayTake) {
  MinimizeOptions options;
  options.most_executions = 7;

  const auto result = minimize_scenario(
      std::vector<Op>(300, Op{.kind = OpKind::Idle}), [](auto ops) { return ops.size() > 290; },
      options);

  EXPECT_EQ(result.executions, 7u);
  EXPECT_FALSE(result.finished);
}

}  // namespace
}  // namespace wddm::fuzz
