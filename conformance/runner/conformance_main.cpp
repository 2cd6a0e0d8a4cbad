// The conformance suite as a plain GoogleTest binary: a test for each clause, Split.SPLIT_007.
//
// gtest's flags, sharding and XML output work as everywhere. Each test runs the clause's scenario
// and control case in every configuration, each in a process of its own; --isolate=none keeps them
// here for a debugger. The driver is named by WDDM_DRIVER, WDDM_DEVICE and WDDM_CLIENT, or is the
// built-in one; known failures by WDDM_BASELINE. A test fails too if another clause fires on its
// scenario: run alone, it is the only one to see that.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <iostream>
#include <string>

#include "conformance/harness/judge/collect.h"
#include "conformance/harness/judge/verdict.h"
#include "conformance/harness/suite/configurations.h"
#include "conformance/harness/suite/scenario_book.h"
#include "conformance/harness/suite/suite.h"
#include "conformance/rules/rule_registry.h"
#include "conformance/runner/driver_choice.h"
#include "conformance/runner/options.h"
#include "conformance/runner/process.h"
#include "reports/record_traces.h"

namespace wddm::runner {
namespace {

using harness::ClauseResult;
using harness::ResultKind;

// What all tests share.
struct Setting {
  harness::IsolatorOptions isolation;
  std::vector<harness::Configuration> configurations;
  harness::Expectations expectations;
  bool built_in = true;
  bool defect = false;  // a defect of ours was met
};
Setting& setting() {
  static Setting instance;
  return instance;
}

std::string explained(const ClauseResult& clause, std::span<const harness::RunRecord> records) {
  std::string text =
      fmt::format("{}: {}: {}\n", clause.name, harness::name_of(clause.kind), clause.reason);
  reports::RecordTraces traces(records);
  for (const harness::FailureAt& at : clause.failures) {
    const harness::RunSpec& spec = records[at.record].spec;
    text += print_verdict(at.failure, clause.rule,
                          {harness::place_name(*spec.rule, spec.which),
                           setting().configurations[spec.configuration].name, ""},
                          chain_of(at.failure, traces.of(at.record)));
  }
  return text;
}

class ClauseTest : public testing::Test {
 public:
  explicit ClauseTest(const Rule& rule) : rule_(rule) {}

  void TestBody() override {
    const Rule* const rules[] = {&rule_};
    harness::SuiteOptions suite;
    suite.isolation = setting().isolation;
    suite.configurations = setting().configurations;
    const auto records = run_suite(harness::plan(rules, suite.configurations), suite);
    harness::CollectOptions collect;
    collect.selected = rules;
    collect.configurations = suite.configurations;
    collect.expectations = &setting().expectations;
    collect.unreached_is_red = setting().built_in;
    const harness::SuiteResult result = harness::collect(records, collect);

    for (const std::string& defect : result.harness) {
      setting().defect = true;
      ADD_FAILURE() << "HARNESS: " << defect;
    }
    for (const auto* list : {&result.driver, &result.host}) {
      for (const ClauseResult& clause : *list) {
        if (!clause.expected) ADD_FAILURE() << explained(clause, records);
      }
    }
    skip_if_nothing_was_judged(result);
  }

 private:
  void skip_if_nothing_was_judged(const harness::SuiteResult& result) const {
    for (const ClauseResult& clause : result.driver) {
      const bool judged =
          clause.kind != ResultKind::NotApplicable && clause.kind != ResultKind::ExpectedFail;
      if (clause.rule != &rule_ || judged || HasFailure()) continue;
      GTEST_SKIP() << harness::name_of(clause.kind) << ": " << clause.reason;
    }
  }

  const Rule& rule_;
};

void register_clauses() {
  for (const Rule* rule : all_rules()) {
    const std::string name = test_name_of(rule->id);
    const std::size_t dot = name.find('.');
    testing::RegisterTest(name.substr(0, dot).c_str(), name.substr(dot + 1).c_str(), nullptr,
                          nullptr, __FILE__, __LINE__,
                          [rule]() -> testing::Test* { return new ClauseTest(*rule); });
  }
}

std::string from_environment(const char* name) {
  const char* const value = std::getenv(name);
  return value ? value : "";
}

// Our own flags; gtest has taken its away.
bool read_flags(int argc, char** argv, std::string& error) {
  for (int i = 1; i < argc; ++i) {
    const std::string flag = argv[i];
    if (flag == "--isolate=none") {
      setting().isolation.isolate = harness::Isolate::None;
    } else if (flag.rfind("--timeout=", 0) == 0) {
      char* end = nullptr;
      const double seconds = std::strtod(flag.c_str() + 10, &end);
      setting().isolation.timeout_seconds = seconds;
      if (*end == '\0' && seconds > 0) continue;
      error = flag + ": expected a number of seconds";
      return false;
    } else if (flag != "--isolate=fork") {
      error = fmt::format(
          "{}: unknown; beside gtest's flags there are --isolate=fork|none and "
          "--timeout=SECONDS",
          flag);
      return false;
    }
  }
  return true;
}

bool prepare(std::string& error, int& exit_code) {
  exit_code = kExitUsage;
  const reports::Subject subject{from_environment("WDDM_DRIVER"), from_environment("WDDM_DEVICE"),
                                 from_environment("WDDM_CLIENT")};
  setting().built_in = subject.driver.empty();
  setting().configurations = harness::default_configurations(setting().built_in);
  const std::string baseline = from_environment("WDDM_BASELINE");
  std::vector<std::string> expired;
  if (!baseline.empty() && !read_baseline(baseline, std::string(now_text().text).substr(0, 10),
                                          setting().expectations, expired, error)) {
    return false;
  }
  host::DriverUnderTest driver;
  if (!locate(subject, driver, error)) return false;
  exit_code = kExitNothingJudged;
  return setting().isolation.isolate == harness::Isolate::None
             ? host::load(driver, error)
             : load_carefully(driver, setting().isolation.timeout_seconds, error);
}

int conformance(int argc, char** argv) {
  without_address_randomization(argv);
  register_clauses();
  testing::InitGoogleTest(&argc, argv);
  std::string error;
  if (!read_flags(argc, argv, error)) return complain(error);
  if (testing::GTEST_FLAG(list_tests)) return RUN_ALL_TESTS();
  int exit_code = kExitUsage;
  if (!prepare(error, exit_code)) {
    complain(error);
    return exit_code;
  }
  const int result = RUN_ALL_TESTS();
  if (setting().defect) return kExitHarness;
  const bool shard = std::getenv("GTEST_TOTAL_SHARDS") != nullptr;
  if (!shard && testing::UnitTest::GetInstance()->test_to_run_count() == 0) {
    return complain("no clause is selected; see --gtest_list_tests for their names");
  }
  return result == 0 ? kExitGood : kExitUnexpected;
}

}  // namespace
}  // namespace wddm::runner

int main(int argc, char** argv) {
  return wddm::runner::conformance(argc, argv);
}
