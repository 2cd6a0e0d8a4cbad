#include "fuzz/mutators/mutate.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "fuzz/generators/generate.h"
#include "fuzz/generators/make_op.h"
#include "fuzz/mutators/mixture.h"
#include "fuzz/mutators/mutate_op.h"

namespace wddm::fuzz {
namespace {

constexpr std::uint32_t kSeeds = 2000;
constexpr std::size_t kMostOps = 40;

std::vector<Op> scenario(std::uint64_t seed) {
  Random random(seed);
  return generate(Family::Everything, random);
}
std::vector<Op> mutated(std::span<const Op> ops, std::uint64_t seed) {
  Random random(seed);
  return mutate(ops, Family::Everything, random, kMostOps);
}
void expect_sound(const std::vector<Op>& ops) {
  ASSERT_LE(ops.size(), kMostOps);
  for (const Op& op : ops) ASSERT_EQ(op, affordable(canonical(op))) << print_op(op);
}

TEST(Mutate, ResultsAreCanonicalAffordableAndShortEnough) {
  for (std::uint32_t seed = 0; seed < kSeeds; ++seed) {
    expect_sound(mutated(scenario(seed), seed));
  }
}

TEST(Mutate, ResultsDiffer) {
  const std::vector<Op> input = scenario(1);
  for (std::uint32_t seed = 0; seed < kSeeds; ++seed) ASSERT_NE(mutated(input, seed), input);
}

TEST(Mutate, ResultsDifferFromInputsThatAreTooLong) {
  const std::vector<Op> input(2 * kMostOps, {.kind = OpKind::Idle});
  const std::vector<Op> cut(kMostOps, {.kind = OpKind::Idle});
  for (std::uint32_t seed = 0; seed < kSeeds; ++seed) ASSERT_NE(mutated(input, seed), cut);
}

TEST(Mutate, ResultsDifferFromTheShortestInputs) {
  const std::vector<Op> one{{.kind = OpKind::Idle}};
  for (std::uint32_t seed = 0; seed < kSeeds; ++seed) {
    ASSERT_NE(mutated({}, seed), std::vector<Op>{});
    ASSERT_NE(mutated(one, seed), one);
  }
}

TEST(Mutate, TakesAnyBytes) {
  Random random(3);
  for (std::uint32_t seed = 0; seed < kSeeds; ++seed) {
    std::vector<std::uint8_t> bytes(16 * random.below(20));
    for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(random.next());
    expect_sound(mutated(decode(bytes), seed));
  }
}

TEST(Mutate, PicksNoFaultyDriver) {
  const std::vector<Op> one{{.kind = OpKind::Configure}};
  for (std::uint32_t seed = 0; seed < kSeeds; ++seed) {
    for (const Op& op : mutated(one, seed)) {
      ASSERT_FALSE(op.kind == OpKind::Configure &&
                   op.a == static_cast<std::uint8_t>(Setting::Variant));
    }
  }
}

TEST(Nudge, TurnsSizesRelativeToWhatIsNeededAndBack) {
  std::uint32_t turned = 0, turned_back = 0;
  for (std::uint32_t seed = 0; seed < kSeeds; ++seed) {
    Random random(seed);
    Op absolute{.kind = OpKind::Render, .x = 64}, relative = absolute;
    relative.b = static_cast<std::uint8_t>(Measure::NeededMinus);
    nudge(absolute, random);
    nudge(relative, random);
    turned += absolute.b != 0;
    turned_back += relative.b == 0;
  }
  EXPECT_GT(turned, kSeeds / 10);
  EXPECT_GT(turned_back, kSeeds / 10);
}

TEST(Mutate, RepeatsItselfForASeed) {
  EXPECT_EQ(mutated(scenario(1), 5), mutated(scenario(1), 5));
}

TEST(Mutate, PutsSettingsBeforeTheStart) {
  const std::vector<Op> input{{.kind = OpKind::Start}, {.kind = OpKind::Idle}};
  std::uint32_t settings = 0;
  for (std::uint32_t seed = 0; seed < kSeeds; ++seed) {
    settings += mutated(input, seed).front().kind == OpKind::Configure;
  }
  EXPECT_GT(settings, kSeeds / 50);
}

TEST(Invent, ResultsAreSoundAndOfManyKinds) {
  std::set<OpKind> kinds;
  for (std::uint32_t seed = 0; seed < kSeeds; ++seed) {
    Random random(seed);
    const std::vector<Op> ops =
        invent(Family::Everything, random, kMostOps, {.displays = 1, .testing = 1});
    expect_sound(ops);
    for (const Op& op : ops) kinds.insert(op.kind);
  }
  EXPECT_EQ(kinds.size(), op_catalogue().size());
}

TEST(Mixture, BeginsFromNothingAndComesToDerive) {
  Mixture mixture;
  Random random(1);
  const auto from_nothing = [&](std::uint32_t tries) {
    std::uint32_t count = 0;
    for (std::uint32_t i = 0; i < tries; ++i) count += mixture.from_nothing(random);
    return count;
  };
  EXPECT_EQ(from_nothing(32), 32u);
  static_cast<void>(from_nothing(1000));
  const std::uint32_t later = from_nothing(1000);
  EXPECT_GT(later, 200u);
  EXPECT_LT(later, 300u);
}

TEST(Mutate, GrowsShrinksAndKeepsTheLength) {
  const std::vector<Op> input = scenario(1);
  std::set<int> directions;
  for (std::uint32_t seed = 0; seed < kSeeds; ++seed) {
    const std::size_t size = mutated(input, seed).size();
    directions.insert(size < input.size() ? -1 : size > input.size());
  }
  EXPECT_EQ(directions, (std::set{-1, 0, 1}));
}

TEST(Cross, ResultsAreSoundAndHoldOpsOfBoth) {
  const std::vector<Op> first(10, {.kind = OpKind::Idle});
  const std::vector<Op> second(10, {.kind = OpKind::Requery});
  std::uint32_t of_both = 0;
  for (std::uint32_t seed = 0; seed < kSeeds; ++seed) {
    Random random(seed);
    const std::vector<Op> crossed = cross(first, second, random, kMostOps);
    expect_sound(crossed);
    of_both +=
        std::ranges::count(crossed, first[0]) != 0 && std::ranges::count(crossed, second[0]) != 0;
  }
  EXPECT_GT(of_both, kSeeds / 2);
}

TEST(Cross, KeepsSlotsApartAtTimes) {
  const std::vector<Op> both{{.kind = OpKind::CreateAllocation, .a = 0, .x = 1},
                             {.kind = OpKind::MakeResident, .a = 0}};
  std::set<std::uint8_t> slots;
  for (std::uint32_t seed = 0; seed < kSeeds; ++seed) {
    Random random(seed);
    for (const Op& op : cross(both, both, random, kMostOps)) slots.insert(op.a);
  }
  EXPECT_EQ(slots, (std::set<std::uint8_t>{0, 1}));
}

}  // namespace
}  // namespace wddm::fuzz
