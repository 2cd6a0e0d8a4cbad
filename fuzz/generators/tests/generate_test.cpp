#include "fuzz/generators/generate.h"

#include <gtest/gtest.h>

#include <array>
#include <string>

#include "fuzz/generators/family.h"

namespace wddm::fuzz {
namespace {

constexpr std::uint32_t kSeeds = 2000;

std::vector<Op> from_seed(Family family, std::uint64_t seed) {
  Random random(seed);
  return generate(family, random);
}

class EveryFamily : public testing::TestWithParam<Family> {};

TEST_P(EveryFamily, ReachesEachOfItsOps) {
  std::array<std::uint32_t, 256> seen{};
  for (std::uint32_t seed = 0; seed < kSeeds; ++seed) {
    for (const Op& op : from_seed(GetParam(), seed)) ++seen[static_cast<std::size_t>(op.kind)];
  }
  for (const OpInfo& op : op_catalogue()) {
    if (weight_in(GetParam(), op) == 0) continue;
    EXPECT_GE(seen[static_cast<std::size_t>(op.kind)], 50u) << op.name;
  }
}

TEST_P(EveryFamily, MakesCanonicalOpsOfTheLengthAskedFor) {
  for (std::uint32_t seed = 0; seed < kSeeds; ++seed) {
    const std::vector<Op> ops = from_seed(GetParam(), seed);
    ASSERT_EQ(ops.size(), GeneratorOptions{}.ops);
    for (const Op& op : ops) ASSERT_EQ(op, canonical(op)) << print_op(op);
  }
}

TEST_P(EveryFamily, RepeatsItselfForASeed) {
  EXPECT_EQ(from_seed(GetParam(), 7), from_seed(GetParam(), 7));
  EXPECT_NE(from_seed(GetParam(), 7), from_seed(GetParam(), 8));
}

// FNV-1a over the bytes of the scenario of seed 1. A change here changes what every seed that
// somebody wrote down stands for: deliberate, or not at all.
std::uint64_t golden(Family family) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const std::uint8_t byte : encode(from_seed(family, 1))) hash = (hash ^ byte) * 0x100000001b3;
  return hash;
}

constexpr std::uint64_t kGolden[kFamilies] = {
    0x70b1ad158f7e19d8, 0xe086aaebb40afe94, 0x5f641ac8eba3872f,
    0x95e9eeff055ffb38, 0xa8af49ab94296f68, 0x99c4ef14a40bedda,
    0xfdc38c54b4570dfe, 0xe830d42eb6fcd939, 0x3d013306857d6b66};

TEST_P(EveryFamily, MakesTheGoldenScenario) {
  EXPECT_EQ(golden(GetParam()), kGolden[static_cast<std::size_t>(GetParam())]);
}

INSTANTIATE_TEST_SUITE_P(Generate, EveryFamily,
                         testing::ValuesIn(families().begin(), families().end()),
                         [](const auto& test) { return std::string(family_name(test.param)); });

TEST(Generate, EverythingKnowsEveryOp) {
  for (const OpInfo& op : op_catalogue()) {
    EXPECT_NE(weight_in(Family::Everything, op), 0u) << op.name;
  }
}

}  // namespace
}  // namespace wddm::fuzz
