// What made a run red makes the next one green as its baseline; and how runs count that belong to
// no clause of the driver.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>

#include "conformance/harness/judge/collect.h"
#include "conformance/harness/suite/configurations.h"
#include "conformance/harness/suite/suite.h"
#include "conformance/host/execute.h"

namespace wddm::harness {
namespace {

class KnownFailures : public testing::Test {
 protected:
  void TearDown() override { script(""); }

  // Makes the fake host behave so on scenarios of those names.
  static void script(const std::string& lines) {
    const std::string path = testing::TempDir() + "known.txt";
    std::ofstream(path) << lines;
    std::string error;
    host::DriverUnderTest driver;
    driver.driver = path;
    ASSERT_TRUE(host::load(driver, error)) << error;
  }
  SuiteResult run(const std::string& lines) {
    script(lines);
    const auto rules = all_rules();
    const std::vector<const Rule*> selected(rules.begin(), rules.end());
    SuiteOptions options;
    options.isolation.timeout_seconds = 1;
    options.configurations = configurations_;
    CollectOptions collected;
    collected.selected = selected;
    collected.configurations = configurations_;
    collected.expectations = &known_;
    return collect(run_suite(plan(selected, configurations_), options), collected);
  }
  // As a failures.csv has them.
  void excuse(const SuiteResult& result) {
    for (const auto* list : {&result.driver, &result.host}) {
      for (const ClauseResult& clause : *list) {
        if (!clause.expected) known_.baseline.push_back({.id = clause.id, .result = clause.kind});
      }
    }
  }
  static std::size_t number_of(const SuiteResult& result, const std::string& id) {
    return static_cast<std::size_t>(
        std::count_if(result.driver.begin(), result.driver.end(),
                      [&id](const ClauseResult& clause) { return clause.id == id; }));
  }

  std::vector<Configuration> configurations_ = {default_configurations(false)[0]};
  Expectations known_;
};

class Excused : public KnownFailures, public testing::WithParamInterface<const char*> {};

TEST_P(Excused, AreAllThatMadeItRed) {
  const SuiteResult first = run(GetParam());
  EXPECT_NE(exit_code_of(first), 0);

  excuse(first);

  EXPECT_EQ(exit_code_of(run(GetParam())), 0);
}

INSTANTIATE_TEST_SUITE_P(KnownFailures, Excused,
                         testing::Values("quiet: fire\n", "quiet: crash\npage: loop\nbind: hang\n",
                                         "quiet: fire-and-crash\n", "life: crash\n",
                                         "life: hang\npage: crash\n", "page: fire-os\n",
                                         "*: no-start\n", "caps-control: bugcheck\n"));

TEST_F(KnownFailures, AFlakeMayComeOutEitherWay) {
  known_.baseline = {{.id = "SPLIT-001", .result = ResultKind::Flake}};

  EXPECT_EQ(exit_code_of(run("quiet: fire\n")), 0);
  EXPECT_EQ(exit_code_of(run("quiet: crash\n")), 0);
  EXPECT_EQ(exit_code_of(run("")), 0);
}

TEST_F(KnownFailures, ACrashUnderAClauseOfOurOwnHostIsTheDriversAndCountsOnce) {
  const SuiteResult alone = run("life: crash\nlife-control: crash\n");
  const SuiteResult beside = run("life: crash\nquiet: crash\n");

  EXPECT_EQ(number_of(alone, "CRASH"), 1u);
  EXPECT_TRUE(alone.host[0].expected);
  EXPECT_EQ(exit_code_of(alone), 1);
  EXPECT_EQ(number_of(beside, "CRASH"), 0u) << "SPLIT-001 tells it";
}

TEST_F(KnownFailures, ADriverThatStartsNoMoreIsNotExcusedByWhatElseItDid) {
  known_.baseline = {{.id = "SPLIT-001", .result = ResultKind::Fail}};

  EXPECT_EQ(exit_code_of(run("*: no-start\n")), 3);
}

}  // namespace
}  // namespace wddm::harness
