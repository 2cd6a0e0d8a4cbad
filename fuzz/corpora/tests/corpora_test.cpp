// Every scenario file of corpora/, on the built-in driver: it ends, and no clause fails. The
// distilled ones are left out: `wddmcheck run` plays them, in settings of their own.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "conformance/harness/isolate/isolate.h"
#include "conformance/harness/judge/verdict.h"
#include "conformance/host/execute.h"

namespace wddm {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> files() {
  std::vector<std::string> names;
  for (const auto& entry : fs::recursive_directory_iterator(WDDM_CORPORA)) {
    const bool distilled = entry.path().string().starts_with(WDDM_CORPORA "/distilled/");
    if (entry.path().extension() == ".yaml" && !distilled) {
      names.push_back(fs::relative(entry.path(), WDDM_CORPORA).string());
    }
  }
  std::sort(names.begin(), names.end());
  return names;
}

class Corpora : public ::testing::TestWithParam<std::string> {
 protected:
  static void SetUpTestSuite() {
    std::string error;
    ASSERT_TRUE(host::load({}, error)) << error;
  }
};

TEST_P(Corpora, IsQuietOnTheBuiltInDriver) {
  std::ifstream in(std::string(WDDM_CORPORA "/") + GetParam());
  const std::string text{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  Scenario scenario;
  TextError error;
  ASSERT_TRUE(parse_scenario(text, GetParam(), scenario, error)) << error.message;

  const harness::RunOutcome run = harness::Isolator({}).run_one({.scenario = &scenario});

  EXPECT_EQ(run.outcome.kind, harness::OutcomeKind::Finished) << run.outcome.about;
  EXPECT_FALSE(run.flaky) << run.flake_about;
  for (const std::string& defect : run.judged.harness) ADD_FAILURE() << defect;
  const StoredTrace stored(run.judged.trace);
  for (const harness::Failure& failure : run.judged.failures) {
    ADD_FAILURE() << print_verdict(failure, find_rule(failure.id), {GetParam(), "", ""},
                                   chain_of(failure, stored));
  }
}

std::string test_name(const ::testing::TestParamInfo<std::string>& info) {
  std::string name = info.param.substr(0, info.param.find(".yaml"));
  std::replace_if(
      name.begin(), name.end(), [](unsigned char c) { return std::isalnum(c) == 0; }, '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Files, Corpora, ::testing::ValuesIn(files()), test_name);

}  // namespace
}  // namespace wddm
