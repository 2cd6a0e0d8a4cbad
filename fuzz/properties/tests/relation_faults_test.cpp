// A relation that cannot fail says nothing: each is violated by the seeded fault of its clause.
#include <gtest/gtest.h>

#include <ostream>
#include <string>
#include <vector>

#include "fuzz/properties/relation.h"

namespace wddm::fuzz {
namespace {

struct Broken {
  const char* clause;
  const Relation& relation;
};
void PrintTo(const Broken& broken, std::ostream* out) {
  *out << broken.clause;
}

std::vector<Op> first_violation(const Relation& relation, const Fault& fault) {
  constexpr std::uint64_t kMostScenarios = 200;
  for (std::uint64_t seed = 1; seed <= kMostScenarios; ++seed) {
    Random random(seed);
    std::vector<Op> ops = relation.scenario(random);
    if (compare(relation, ops, &fault).finding == Finding::Violated) return ops;
  }
  return {};
}

class SeededFault : public ::testing::TestWithParam<Broken> {};

TEST_P(SeededFault, ViolatesTheRelation) {
  const auto& [clause, relation] = GetParam();
  const Rule* const rule = find_rule(clause);
  ASSERT_NE(rule, nullptr);

  const std::vector<Op> ops = first_violation(relation, rule->fault);
  const Scenario shortest = shortest_violation(relation, ops, &rule->fault);

  EXPECT_FALSE(ops.empty()) << clause << ": " << rule->fault.about;
  EXPECT_LE(shortest.ops.size(), 12u) << print_scenario(shortest);
}

INSTANTIATE_TEST_SUITE_P(Memory, SeededFault,
                         ::testing::Values(Broken{"SPLIT-005", kSplitAnywhere},
                                           Broken{"PAGE-007", kEvictAnything},
                                           Broken{"PATCH-003", kPatchAgain},
                                           Broken{"PREEMPT-009", kPreemptAnywhere},
                                           Broken{"SPLIT-018", kInterleaveContexts}),
                         [](const ::testing::TestParamInfo<Broken>& broken) {
                           std::string name = broken.param.clause;
                           name[name.find('-')] = '_';
                           return name;
                         });

}  // namespace
}  // namespace wddm::fuzz
