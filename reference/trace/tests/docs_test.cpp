// The pages beside the code say what the .def files say.
//
// With WDDM_UPDATE_DOCS set in the environment the tables are rewritten instead of compared.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>

#include "reference/trace/op.h"
#include "reference/trace/tests/doc_tables.h"
#include "reference/trace/tests/generators.h"

namespace wddm {
namespace {

// Lines of `rows` that `others` lacks, one a line.
std::string lacking(const std::vector<std::string>& others, const std::vector<std::string>& rows) {
  std::string missing;
  for (const std::string& row : rows)
    if (std::find(others.begin(), others.end(), row) == others.end()) missing += row + "\n";
  return missing;
}

void expect_table(const std::string& file, const std::string& name,
                  const std::vector<std::string>& rows) {
  const std::string page = test::file_text(file);
  if (std::getenv("WDDM_UPDATE_DOCS") != nullptr) {
    std::ofstream(WDDM_TRACE_FOLDER "/" + file) << test::with_rows(page, name, rows);
    return;
  }
  const std::vector<std::string> written = test::rows_in(page, name);
  EXPECT_EQ(lacking(written, rows), "") << file << " lacks these rows";
  EXPECT_EQ(lacking(rows, written), "") << file << " has these rows too many";
  EXPECT_EQ(written, rows) << file << ": run trace_tests with WDDM_UPDATE_DOCS=1";
}

TEST(Docs, ScenarioPageHasEveryOpAndField) {
  expect_table("scenario.md", "ops", test::op_rows());
}

TEST(Docs, EventPageHasEveryEvent) {
  expect_table("events.md", "events", test::event_rows());
}

TEST(Docs, PageOfTheBoundaryHasEveryDdiAndCallback) {
  expect_table("ddis.md", "ddis", test::ddi_rows());
  expect_table("ddis.md", "callbacks", test::callback_rows());
}

TEST(Docs, ExampleOfTheScenarioPageIsAScenario) {
  const std::string page = test::file_text("scenario.md");
  const std::size_t begin = page.find("```yaml\n") + 8;
  const std::string example = page.substr(begin, page.find("```\n", begin) - begin);
  Scenario scenario;
  TextError error;
  ASSERT_TRUE(parse_scenario(example, "scenario.md", scenario, error)) << error.message;
  EXPECT_EQ(print_scenario(scenario), example);
}

TEST(DocTables, RowsCanBeReplaced) {
  const std::string page = "a\n<!-- t -->\n| h |\n|---|\n| 1 |\n| 2 |\n<!-- end t -->\nb\n";
  EXPECT_EQ(test::rows_in(page, "t"), (std::vector<std::string>{"| 1 |", "| 2 |"}));
  EXPECT_EQ(test::with_rows(page, "t", {"| 3 |"}),
            "a\n<!-- t -->\n| h |\n|---|\n| 3 |\n<!-- end t -->\nb\n");
}

}  // namespace
}  // namespace wddm
