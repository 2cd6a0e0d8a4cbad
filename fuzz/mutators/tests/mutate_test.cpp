#include "fuzz/mutators/mutate.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace wddm::fuzz {
namespace {

constexpr std::size_t kMost = 64;

std::vector<Op> some_scenario(std::uint64_t seed) {
  Random random(seed);
  return generate(Family::Everything, random);
}

bool is_canonical(const std::vector<Op>& ops) {
  return decode(encode(ops)) == ops;
}

TEST(Mutate, EqualSeedsGiveEqualScenarios) {
  const std::vector<Op> ops = some_scenario(1);
  Random one(7), other(7);

  EXPECT_EQ(mutate(ops, Family::Splits, one, kMost), mutate(ops, Family::Splits, other, kMost));
}

TEST(Mutate, ResultsAreCanonicalBoundedAndNew) {
  for (std::uint64_t seed = 0; seed < 2000; ++seed) {
    const std::vector<Op> ops = some_scenario(seed);
    Random random(seed);

    const std::vector<Op> result = mutate(ops, Family::Everything, random, kMost);

    ASSERT_TRUE(is_canonical(result)) << "seed " << seed;
    ASSERT_LE(result.size(), kMost) << "seed " << seed;
    ASSERT_NE(result, ops) << "seed " << seed;
  }
}

TEST(Mutate, OfNothingIsAScenario) {
  Random random(3);

  EXPECT_GE(mutate({}, Family::Preemption, random, kMost).size(), 8u);
}

TEST(Mutate, WithoutRoomIsNothing) {
  Random random(3);

  EXPECT_TRUE(mutate(some_scenario(1), Family::Preemption, random, 0).empty());
}

TEST(Mutate, HostileBytesBecomeCanonical) {
  std::vector<Op> ops{{.kind = static_cast<OpKind>(250), .a = 9, .x = 9},
                      {.kind = OpKind::Repatch, .x = 0xffffffff}};
  Random random(5);

  EXPECT_TRUE(is_canonical(mutate(ops, Family::Everything, random, kMost)));
}

TEST(Cross, IsABeginningAndAnEnd) {
  const std::vector<Op> ones(10, {.kind = OpKind::Idle}), others(10, {.kind = OpKind::Start});
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    Random random(seed);

    const std::vector<Op> result = cross(ones, others, random, kMost);

    const auto is_start = [](const Op& op) { return op.kind == OpKind::Start; };
    ASSERT_TRUE(std::is_partitioned(result.begin(), result.end(),
                                    [&](const Op& op) { return !is_start(op); }));
  }
}

TEST(Cross, NowAndThenKeepsObjectsApart) {
  const std::vector<Op> one(4, {.kind = OpKind::CreateAllocation, .a = 1, .x = 1});
  bool apart = false;
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    Random random(seed);
    for (const Op& op : cross({}, one, random, kMost)) apart = apart || op.a == 17;
  }
  EXPECT_TRUE(apart);
}

}  // namespace
}  // namespace wddm::fuzz
