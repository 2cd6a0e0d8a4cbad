// The registry: order, names in both spellings, and that two rules never share a name.
#include "conformance/rules/rule_registry.h"

#include <gtest/gtest.h>

#include <deque>

#include "conformance/rules/rule.h"

namespace wddm::rule_registry {
namespace {

void check_nothing(const Trace&, const Platform&, Judgement&) {}

// Rules live as long as the process, as those of rule files do.
const Rule& made_up(const char* id, const char* aliases = "") {
  static std::deque<Rule> rules;
  rules.push_back(Rule{.id = id,
                       .aliases = aliases,
                       .title = "title",
                       .rule = "rule",
                       .sources = "source",
                       .applies = always,
                       .check = check_nothing,
                       .scenario = "",
                       .control = "",
                       .fault = {.about = "none"}});
  return rules.back();
}

const RegisterRule kLife(made_up("LIFE-001"));
const RegisterRule kSplitTen(made_up("SPLIT-010"));
const RegisterRule kUnknownArea(made_up("ZEBRA-001"));
const RegisterRule kSplitNine(made_up("SPLIT-009", "SUBMIT-014 OTHER-1"));
const RegisterRule kBind(made_up("BIND-003"));

TEST(Registry, SortsByAreaOfTheCatalogueThenNumber) {
  std::vector<std::string> ids;
  for (const Rule* rule : all_rules()) ids.emplace_back(rule->id);

  EXPECT_EQ(ids, (std::vector<std::string>{"SPLIT-009", "SPLIT-010", "BIND-003", "LIFE-001",
                                           "ZEBRA-001"}));
}

TEST(Registry, FindsInEitherSpellingAndByAlias) {
  EXPECT_STREQ(find_rule("SPLIT-010")->id, "SPLIT-010");
  EXPECT_STREQ(find_rule("split_010")->id, "SPLIT-010");
  EXPECT_STREQ(find_rule("SUBMIT_014")->id, "SPLIT-009");
  EXPECT_STREQ(find_rule("OTHER-1")->id, "SPLIT-009");
  EXPECT_EQ(find_rule("SPLIT-011"), nullptr);
}

TEST(Registry, NamesTestsWithoutADash) {
  EXPECT_EQ(test_name_of("SPLIT-007"), "Split.SPLIT_007");
  EXPECT_EQ(test_name_of("LIFE-001"), "Life.LIFE_001");
}

TEST(RegistryDeathTest, TwoRulesOfOneNameAreADefectOfOurs) {
  EXPECT_EXIT(
      {
        const RegisterRule twice(made_up("SUBMIT-014"));
        (void)all_rules();
      },
      testing::ExitedWithCode(kHarnessExitCode), "HARNESS:.*SUBMIT-014");
}

TEST(RegistryDeathTest, ARuleWithoutACheckIsADefectOfOurs) {
  EXPECT_EXIT(
      {
        Rule rule = made_up("SPLIT-099");
        rule.check = nullptr;
        const RegisterRule broken(rule);
      },
      testing::ExitedWithCode(kHarnessExitCode), "HARNESS:");
}

TEST(Judgement, CountsAFailureAsReached) {
  Judgement judgement;

  judgement.fail(7, "even", "odd", {1, 2});

  EXPECT_EQ(judgement.times_reached(), 1u);
  ASSERT_EQ(judgement.failures().size(), 1u);
  EXPECT_EQ(judgement.failures()[0].because, (std::vector<std::uint32_t>{1, 2}));
}

TEST(Judgement, KeepsTheFirstOfVeryManyFailures) {
  Judgement judgement;

  for (std::uint32_t i = 0; i < 100000; ++i) judgement.fail(i, "", "");

  EXPECT_EQ(judgement.times_reached(), 100000u);
  EXPECT_LT(judgement.failures().size(), 100u);
  EXPECT_EQ(judgement.failures()[0].event, 0u);
}

}  // namespace
}  // namespace wddm::rule_registry
