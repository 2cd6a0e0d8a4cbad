// Reports against stored raw results: a journal in, every form of the report out.
//
// A folder of testdata/ holds journal.jsonl, perhaps baseline.txt, and the reports expected from
// them. WDDM_UPDATE_GOLDEN=1 writes the expected files anew; look at the difference before keeping
// it.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "conformance/harness/suite/suite.h"
#include "reports/journal.h"
#include "reports/report.h"

namespace wddm::reports {
namespace {

namespace fs = std::filesystem;

std::string text_of(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

struct Case {
  JournalContents journal;
  harness::Expectations expectations;
  std::vector<const Rule*> selected;
  Report report;
};

void read_case(const fs::path& folder, Case& made) {
  std::string error;
  ASSERT_TRUE(read_journal(folder / "journal.jsonl", made.journal, error)) << error;
  std::vector<std::string> expired;
  if (fs::exists(folder / "baseline.txt")) {
    ASSERT_TRUE(harness::read_baseline(folder / "baseline.txt", "2030-01-01", made.expectations,
                                       expired, error))
        << error;
    for (auto& entry : made.expectations.baseline) entry.file = "baseline.txt";
  }
  const JournalHead& head = made.journal.head;
  for (const std::string& id : head.selected) made.selected.push_back(find_rule(id));

  Report& report = made.report;
  report.version = head.version;
  report.subject = head.subject;
  report.configurations = head.configurations;
  report.records = in_order(harness::plan(made.selected, head.configurations), made.journal);
  harness::CollectOptions options;
  options.selected = made.selected;
  options.configurations = report.configurations;
  options.expectations = &made.expectations;
  options.unreached_is_red = head.subject.driver.empty();
  report.result = harness::collect(report.records, options);
  report.exit_code = harness::exit_code_of(report.result);
}

void expect_golden(const fs::path& path, const std::string& text) {
  if (std::getenv("WDDM_UPDATE_GOLDEN")) std::ofstream(path, std::ios::binary) << text;
  EXPECT_EQ(text, text_of(path)) << path;
}

class Golden : public testing::TestWithParam<std::string> {};

TEST_P(Golden, EveryFormIsAsStored) {
  const fs::path folder = fs::path(WDDM_TESTDATA) / GetParam();
  Case made;
  read_case(folder, made);

  ConsoleOptions console;
  console.output = "out";
  expect_golden(folder / "console.txt", console_summary(made.report, console));
  expect_golden(folder / "results.json", results_json(made.report));
  expect_golden(folder / "junit.xml", junit_xml(made.report));
  expect_golden(folder / "failures.csv", failures_csv(made.report));
  const auto files = failure_files(made.report);
  if (std::getenv("WDDM_UPDATE_GOLDEN")) fs::create_directories(folder / "failures");
  for (const auto& [name, text] : files) expect_golden(folder / "failures" / name, text);
  std::size_t stored = 0;
  if (fs::exists(folder / "failures")) {
    for (const auto& entry : fs::directory_iterator(folder / "failures")) {
      EXPECT_EQ(files.count(entry.path().filename()), 1u) << entry.path();
      ++stored;
    }
  }
  EXPECT_EQ(stored, files.size());
}

std::vector<std::string> cases() {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(WDDM_TESTDATA)) {
    if (entry.is_directory()) names.push_back(entry.path().filename());
  }
  std::sort(names.begin(), names.end());
  return names;
}

INSTANTIATE_TEST_SUITE_P(Reports, Golden, testing::ValuesIn(cases()),
                         [](const auto& one) { return one.param; });

TEST(GoldenCases, ThereAreSome) {
  EXPECT_GE(cases().size(), 4u);
}

}  // namespace
}  // namespace wddm::reports
