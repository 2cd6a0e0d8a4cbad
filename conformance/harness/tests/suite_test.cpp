// From runs to results: every clause over every trace, in every configuration.
#include "conformance/harness/suite/suite.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>

#include "conformance/harness/judge/collect.h"
#include "conformance/harness/suite/configurations.h"
#include "conformance/host/execute.h"

namespace wddm::harness {
namespace {

// Makes the fake host behave so on scenarios of those names; "*" for all.
void script(const std::string& lines) {
  const std::string path = testing::TempDir() + "driver.txt";
  std::ofstream(path) << lines;
  std::string error;
  host::DriverUnderTest driver;
  driver.driver = path;
  ASSERT_TRUE(host::load(driver, error)) << error;
}

Pattern pattern_of(const std::string& text, const std::string& file, std::size_t line) {
  Pattern pattern{.expression = {}, .text = text, .file = file, .line = line};
  std::string error;
  EXPECT_TRUE(pattern.expression.compile(text, error)) << error;
  return pattern;
}

class Suite : public testing::Test {
 protected:
  void SetUp() override { script(""); }
  void TearDown() override { script(""); }

  SuiteResult run(const std::vector<std::string>& ids = {}) {
    selected_.clear();
    for (const Rule* rule : all_rules()) {
      if (ids.empty() || std::count(ids.begin(), ids.end(), rule->id)) selected_.push_back(rule);
    }
    options_.isolation.timeout_seconds = 1;
    options_.configurations = configurations_;
    records_ = run_suite(plan(selected_, configurations_), options_);
    collect_.selected = selected_;
    collect_.configurations = configurations_;
    collect_.expectations = &expectations_;
    return collect(records_, collect_);
  }

  static const ClauseResult& of(const SuiteResult& result, const std::string& id) {
    for (const auto* list : {&result.driver, &result.host}) {
      for (const ClauseResult& clause : *list) {
        if (clause.id == id) return clause;
      }
    }
    ADD_FAILURE() << "no result for " << id;
    static const ClauseResult none;
    return none;
  }

  std::vector<const Rule*> selected_;
  std::vector<Configuration> configurations_ = default_configurations(true);
  std::vector<RunRecord> records_;
  SuiteOptions options_;
  CollectOptions collect_;
  Expectations expectations_;
};

TEST_F(Suite, PlansByClauseCaseAndConfiguration) {
  const Rule* const rules[] = {find_rule("SPLIT-001"), find_rule("PAGE-001")};

  const std::vector<RunSpec> specs = plan(rules, configurations_);

  ASSERT_EQ(specs.size(), 12u);
  EXPECT_EQ(specs[2].configuration, 2u);
  EXPECT_EQ(specs[3].which, CaseKind::Control);
  EXPECT_STREQ(specs[6].rule->id, "PAGE-001");
}

TEST_F(Suite, PlansOneConfigurationOfEachCase) {
  const Rule* const rules[] = {find_rule("SPLIT-001"), find_rule("PAGE-001")};

  const std::vector<RunSpec> specs = plan(rules, configurations_, PlayedIn::First);

  ASSERT_EQ(specs.size(), 4u);
  EXPECT_EQ(specs[1].which, CaseKind::Control);
  EXPECT_EQ(specs[1].configuration, 0u);
  EXPECT_STREQ(specs[2].rule->id, "PAGE-001");
}

TEST_F(Suite, PlansConfigurationsThatTheAreaHangsOn) {
  const Rule* const rules[] = {find_rule("SPLIT-001"), find_rule("PAGE-001")};

  const std::vector<RunSpec> specs = plan(rules, configurations_, PlayedIn::Apart);

  ASSERT_EQ(specs.size(), 6u);
  EXPECT_EQ(specs[2].configuration, 2u);
  EXPECT_EQ(specs[3].which, CaseKind::Control) << "in the first alone";
  EXPECT_STREQ(specs[4].rule->id, "PAGE-001");
  EXPECT_EQ(specs[5].which, CaseKind::Control) << "and not where packets are preempted otherwise";
}

TEST_F(Suite, AConformingDriverPassesWhatApplies) {
  const SuiteResult result = run();

  EXPECT_EQ(of(result, "SPLIT-001").kind, ResultKind::Pass);
  EXPECT_EQ(of(result, "SPLIT-001").traces, 36u) << "judged on every trace of all clauses";
  EXPECT_EQ(of(result, "FENCE-001").kind, ResultKind::NotApplicable);
  EXPECT_EQ(of(result, "FENCE-001").reason, "no device log");
  EXPECT_EQ(result.host.size(), 1u);
  EXPECT_TRUE(result.harness.empty());
  EXPECT_EQ(exit_code_of(result), 0);
}

TEST_F(Suite, PlaysOnceWhatIsTheSame) {
  script("quiet: fire\n");
  configurations_ = {configurations_[0], configurations_[0]};

  const SuiteResult result = run({"SPLIT-001"});

  ASSERT_EQ(records_.size(), 4u);
  EXPECT_GT(records_[0].run.milliseconds, 0);
  EXPECT_EQ(records_[1].run.milliseconds, 0) << "the same as the first";
  EXPECT_EQ(of(result, "SPLIT-001").failures.size(), 2u) << "and judged all the same";
}

TEST_F(Suite, ACheckThatOneConfigurationReachesIsReached) {
  EXPECT_EQ(of(run(), "PAGE-001").kind, ResultKind::Pass);
}

TEST_F(Suite, ACheckThatIsNeverReachedIsRedOrSaysSo) {
  configurations_ = default_configurations(false);

  const ClauseResult vendor = of(run(), "PAGE-001");
  collect_.unreached_is_red = true;
  const SuiteResult built_in = run();

  EXPECT_EQ(vendor.kind, ResultKind::NotApplicable);
  EXPECT_EQ(vendor.reason, "not reached: no device log");
  EXPECT_EQ(of(built_in, "PAGE-001").kind, ResultKind::Fail);
  EXPECT_EQ(exit_code_of(built_in), 1);
}

TEST_F(Suite, AClauseThatFiresElsewhereIsReportedUnderItsOwnName) {
  script("page: fire\n");

  const SuiteResult result = run({"PAGE-001"});

  const ClauseResult& split = of(result, "SPLIT-001");
  EXPECT_EQ(split.kind, ResultKind::Fail);
  EXPECT_FALSE(split.selected);
  EXPECT_EQ(records_[split.failures[0].record].spec.rule, find_rule("PAGE-001"));
  EXPECT_EQ(of(result, "PAGE-001").kind, ResultKind::Pass);
  EXPECT_EQ(exit_code_of(result), 1);
}

TEST_F(Suite, SettingsCountAsOpsOfTheScenario) {
  script("quiet: fire\n");
  Configuration two;
  std::string error;
  ASSERT_TRUE(parse_configuration("NoDmaPatching=1,PreemptionAware=0", two, error)) << error;
  configurations_ = {two};

  const SuiteResult result = run({"SPLIT-001"});

  const std::vector<FailureAt>& failures = of(result, "SPLIT-001").failures;
  ASSERT_EQ(failures.size(), 1u);
  EXPECT_EQ(failures[0].failure.op_text, "configure: {setting: NoDmaPatching, value: 1}");
  EXPECT_EQ(failures[0].failure.line, 0u);
}

TEST_F(Suite, AnExcludedClauseIsSilent) {
  script("page: fire\n");
  collect_.excluded = {"SPLIT-001"};

  EXPECT_EQ(exit_code_of(run({"PAGE-001"})), 0);
}

TEST_F(Suite, HowItsOwnRunsEndIsTheClausesResult) {
  script("quiet: crash\nbind: hang\npage: loop\ncaps-control: bugcheck\n");
  configurations_ = default_configurations(false);

  const SuiteResult result = run();

  EXPECT_EQ(of(result, "SPLIT-001").kind, ResultKind::Crash);
  EXPECT_EQ(of(result, "SPLIT-001").reason.find("scenario of SPLIT-001: op 0 (start): SIGSEGV "),
            0u);
  EXPECT_EQ(of(result, "BIND-001").kind, ResultKind::Hang);
  EXPECT_EQ(of(result, "PAGE-001").kind, ResultKind::Timeout);
  EXPECT_EQ(of(result, "CAPS-001").kind, ResultKind::Crash);
  EXPECT_EQ(of(result, "CAPS-001").reason.substr(0, 21), "control of CAPS-001: ");
  EXPECT_EQ(result.host[0].kind, ResultKind::Pass) << "the others still run";
  EXPECT_EQ(exit_code_of(result), 1);
}

TEST_F(Suite, ACrashIsAResultOfItsOwnAndLeavesTheFailure) {
  script("quiet: fire-and-crash\n");

  const SuiteResult result = run({"SPLIT-001"});

  EXPECT_EQ(of(result, "SPLIT-001").kind, ResultKind::Fail);
  EXPECT_EQ(of(result, "NT-Crash").kind, ResultKind::Fail);
  EXPECT_EQ(of(result, "NT-Crash").failures[0].failure.seen.substr(0, 8), "SIGSEGV ");
}

TEST_F(Suite, ACrashThatKeepsAClauseFromBeingJudgedIsItsResult) {
  script("quiet: crash\n");

  const SuiteResult result = run({"SPLIT-001"});

  ASSERT_EQ(result.driver.size(), 1u) << "no finding beside it";
  EXPECT_EQ(result.driver[0].kind, ResultKind::Crash);
}

TEST_F(Suite, WhatFiredBeforeATraceWasFullIsTheClausesResult) {
  script("quiet: fire-and-flood\n");

  const SuiteResult result = run({"SPLIT-001"});

  EXPECT_EQ(of(result, "SPLIT-001").kind, ResultKind::Fail);
  EXPECT_EQ(exit_code_of(result), 1);
}

TEST_F(Suite, AFullTraceInWhichNothingFiredIsNoPass) {
  script("quiet: flood-events\n");

  const SuiteResult result = run({"SPLIT-001"});

  EXPECT_EQ(of(result, "SPLIT-001").kind, ResultKind::Hang);
}

TEST_F(Suite, AKernelFindingIsAResultOfItsOwn) {
  script("quiet: find\n");

  const SuiteResult result = run({"SPLIT-001"});

  const ClauseResult& finding = of(result, "NT-PoolOverrun");
  EXPECT_EQ(finding.name, "Nt.NT_PoolOverrun");
  EXPECT_EQ(finding.kind, ResultKind::Fail);
  EXPECT_EQ(of(result, "SPLIT-001").kind, ResultKind::Pass);
  EXPECT_EQ(exit_code_of(result), 1);
}

TEST_F(Suite, AClauseOfOurOwnHostIsADefectOfOurs) {
  script("page: fire-os\n");

  const SuiteResult result = run();

  EXPECT_EQ(result.host[0].kind, ResultKind::Fail);
  EXPECT_EQ(result.harness.size(), 1u);
  EXPECT_EQ(count(result)[ResultKind::Fail], 0u) << "it never counts in a driver's score";
  EXPECT_EQ(exit_code_of(result), 4);
}

TEST_F(Suite, ADefectOfOursIsTold) {
  script("quiet: harness\nbind: lie\n");
  configurations_ = default_configurations(false);

  const SuiteResult result = run();

  EXPECT_EQ(of(result, "SPLIT-001").kind, ResultKind::NotRun);
  EXPECT_EQ(result.harness.size(), 2u);
  EXPECT_EQ(exit_code_of(result), 4);
}

TEST_F(Suite, ADriverThatNeverStartsLeavesNothingToJudge) {
  script("*: no-start\n");

  const SuiteResult result = run();

  EXPECT_FALSE(result.started);
  EXPECT_EQ(result.start_trouble, "DriverEntry returned STATUS_UNSUCCESSFUL");
  EXPECT_EQ(exit_code_of(result), 3);
}

TEST_F(Suite, ExpectedFailuresAreExpected) {
  script("quiet: fire\n");
  expectations_.baseline = {{.id = "SPLIT-001", .result = ResultKind::Fail}};

  const SuiteResult result = run();

  EXPECT_EQ(of(result, "SPLIT-001").kind, ResultKind::ExpectedFail);
  EXPECT_EQ(exit_code_of(result), 0);
}

TEST_F(Suite, AnUnexpectedPassIsAResult) {
  expectations_.baseline = {{.id = "SPLIT-001", .result = ResultKind::Fail}};

  const SuiteResult result = run();

  EXPECT_EQ(of(result, "SPLIT-001").kind, ResultKind::UnexpectedPass);
  EXPECT_EQ(exit_code_of(result), 1);
}

TEST_F(Suite, AnotherFailureThanExpectedIsUnexpected) {
  script("quiet: fire-and-crash\n");
  expectations_.baseline = {{.id = "SPLIT-001", .result = ResultKind::Fail}};

  const SuiteResult result = run();

  EXPECT_EQ(of(result, "SPLIT-001").kind, ResultKind::ExpectedFail);
  EXPECT_FALSE(of(result, "NT-Crash").expected);
}

TEST_F(Suite, SkippedClausesAreNotRunAndKnownFlakesDoNotCount) {
  script("quiet: fire\n");
  expectations_.skips.push_back(pattern_of("BIND", "skips", 1));
  expectations_.flakes.push_back(pattern_of("SPLIT", "flakes", 4));

  const SuiteResult result = run();

  EXPECT_EQ(of(result, "BIND-001").kind, ResultKind::NotRun);
  EXPECT_EQ(of(result, "BIND-001").reason, "skipped by skips:1");
  EXPECT_EQ(of(result, "SPLIT-001").kind, ResultKind::Flake);
  EXPECT_EQ(exit_code_of(result), 0);
}

TEST_F(Suite, StopsAfterSoManyFailuresWhateverTheJobs) {
  script("quiet: fire\npage: crash\n");
  options_.max_fails = 2;
  const auto kinds = [this](unsigned jobs) {
    options_.isolation.jobs = jobs;
    std::vector<ResultKind> all;
    const SuiteResult result = run();
    for (const ClauseResult& clause : result.driver) all.push_back(clause.kind);
    return all;
  };

  const std::vector<ResultKind> one = kinds(1);

  // SPLIT-001 fires, BIND-001 passes, the first run of PAGE-001 is the second failure.
  EXPECT_EQ(one, (std::vector<ResultKind>{ResultKind::Fail, ResultKind::Pass, ResultKind::Crash,
                                          ResultKind::NotRun, ResultKind::NotRun}));
  EXPECT_EQ(kinds(4), one);
}

TEST_F(Suite, TellsOfEveryRun) {
  std::vector<std::string> told;
  options_.begun = [&](const RunSpec& spec) { told.push_back(std::string("+") + spec.rule->id); };
  options_.ended = [&](const RunRecord& record) {
    told.push_back(std::string("-") + record.spec.rule->id);
  };
  configurations_ = default_configurations(false);

  (void)run({"SPLIT-001"});

  EXPECT_EQ(told,
            (std::vector<std::string>{"+SPLIT-001", "+SPLIT-001", "-SPLIT-001", "-SPLIT-001"}));
}

TEST(Configurations, LeaveOpsTheirLines) {
  Scenario scenario;
  scenario.ops = {{.kind = OpKind::Start}};
  scenario.lines = {7};
  const Op setting{.kind = OpKind::Configure, .x = 1};

  const Scenario result = with_settings(scenario, {&setting, 1});

  EXPECT_EQ(result.ops, (std::vector<Op>{setting, scenario.ops[0]}));
  EXPECT_EQ(result.lines, (std::vector<std::uint32_t>{0, 7}));
}

TEST(Configurations, HoldAnyValueOfAForeignDriver) {
  Configuration configuration;
  std::string error;

  ASSERT_TRUE(parse_configuration(
      "Mode=fast,Level=3,Name=\"a,1\",RtlGetVersion=10.0.22621,PreemptionAware=0", configuration,
      error, SettingNames::Any))
      << error;

  EXPECT_EQ(configuration.values,
            (std::vector<host::ServiceValue>{{.name = "Mode", .text = "fast", .is_text = true},
                                             {.name = "Level", .number = 3},
                                             {.name = "Name", .text = "a,1", .is_text = true}}));
  EXPECT_EQ(configuration.windows, (host::WindowsRelease{10, 0, 22621}));
  EXPECT_EQ(configuration.settings.size(), 1u);
  EXPECT_FALSE(configuration.in_files());
  for (const char* bad : {"RtlGetVersion=10", "RtlGetVersion=10.0.x", "=1", "Mode"}) {
    EXPECT_FALSE(parse_configuration(bad, configuration, error, SettingNames::Any)) << bad;
    EXPECT_EQ(error.rfind("--config: ", 0), 0u) << error;
  }
}

TEST(Configurations, AreReadByName) {
  Configuration configuration;
  std::string error;

  ASSERT_TRUE(parse_configuration("PreemptionAware=0,LocalSegmentPages=0x10", configuration, error))
      << error;
  EXPECT_EQ(configuration.settings.size(), 2u);
  EXPECT_EQ(configuration.settings[1].x, 16u);
  ASSERT_TRUE(parse_configuration("default", configuration, error)) << error;
  EXPECT_TRUE(configuration.settings.empty());

  for (const char* bad : {"", "Colour=1", "PreemptionAware", "PreemptionAware=x",
                          "PreemptionAware=1,", "PreemptionAware=99999999999"}) {
    EXPECT_FALSE(parse_configuration(bad, configuration, error)) << bad;
    EXPECT_EQ(error.rfind("--config: ", 0), 0u) << error;
  }
}

}  // namespace
}  // namespace wddm::harness
