// Candidates are the same for a seed, and fit the addressing of their configuration.
#include <gtest/gtest.h>

#include <set>

#include "fuzz/distill/candidate.h"

namespace wddm::fuzz {
namespace {

std::vector<harness::Configuration> two() {
  std::vector<harness::Configuration> configurations(2);
  configurations[0].name = "default";
  configurations[1].name = "Addressing=1";
  return configurations;
}

TEST(InventCandidates, EqualSeedsGiveEqualOnes) {
  const auto configurations = two();
  const auto first = invent_candidates(configurations, {false, true}, 3, 1);
  const auto again = invent_candidates(configurations, {false, true}, 3, 1);
  const auto others = invent_candidates(configurations, {false, true}, 3, 2);

  ASSERT_EQ(first.size(), again.size());
  std::size_t same = 0;
  for (std::size_t i = 0; i < first.size(); ++i) {
    EXPECT_EQ(first[i].scenario->ops, again[i].scenario->ops);
    EXPECT_EQ(first[i].scenario->name, again[i].scenario->name);
    same += first[i].scenario->ops == others[i].scenario->ops ? 1 : 0;
  }
  EXPECT_LT(same, first.size() / 2);
}

TEST(InventCandidates, EachFamilyThatMeansSomethingInEachConfiguration) {
  const auto all = invent_candidates(two(), {false, true}, 2, 1);
  std::set<std::string> with_lists, with_addresses, names;
  for (const Candidate& one : all) {
    (one.configuration == 0 ? with_lists : with_addresses).insert(one.family);
    EXPECT_TRUE(names.insert(one.scenario->name).second) << one.scenario->name;
  }

  EXPECT_EQ(with_lists.count("patch_lists"), 1u);
  EXPECT_EQ(with_lists.count("page_tables"), 0u);
  EXPECT_EQ(with_addresses.count("page_tables"), 1u);
  EXPECT_EQ(with_addresses.count("splits"), 0u);
  EXPECT_EQ(all.size(), 2 * (with_lists.size() + with_addresses.size()));
}

}  // namespace
}  // namespace wddm::fuzz
