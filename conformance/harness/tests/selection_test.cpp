// Filters: gtest's semantics, with both spellings of a clause's name.
#include "conformance/harness/suite/selection.h"

#include <gtest/gtest.h>

#include <fstream>

namespace wddm::harness {
namespace {

std::vector<std::string> selected(const SelectionOptions& options) {
  Selection selection;
  std::string error;
  EXPECT_TRUE(select(options, selection, error)) << error;
  std::vector<std::string> ids;
  for (const Rule* rule : selection.rules) ids.emplace_back(rule->id);
  return ids;
}
std::vector<std::string> filtered(const std::string& filter) {
  SelectionOptions options;
  options.filter = filter;
  return selected(options);
}
std::string refused(const SelectionOptions& options) {
  Selection selection;
  std::string error;
  EXPECT_FALSE(select(options, selection, error));
  return error;
}
using Ids = std::vector<std::string>;
const Ids kAll = {"SPLIT-001", "BIND-001", "PAGE-001", "FENCE-001", "CAPS-001", "LIFE-001"};

TEST(Filter, WithoutOneEverythingIsSelected) {
  EXPECT_EQ(filtered(""), kAll);
}

TEST(Filter, TakesBothSpellings) {
  for (const char* filter : {"SPLIT-001", "SPLIT_001", "Split.SPLIT_001", "Split.*", "SPLIT-*",
                             "split-001", "SPLIT-0?1", "OTHER-001", "*SPLIT_001"}) {
    EXPECT_EQ(filtered(filter), Ids{"SPLIT-001"}) << filter;
  }
}

TEST(Filter, JoinsPatternsWithColons) {
  EXPECT_EQ(filtered("BIND-001:Page.*"), (Ids{"BIND-001", "PAGE-001"}));
}

TEST(Filter, TakesAwayWhatFollowsTheDash) {
  EXPECT_EQ(filtered("*-SPLIT-001:Life.*"), (Ids{"BIND-001", "PAGE-001", "FENCE-001", "CAPS-001"}));
  EXPECT_EQ(filtered("-Split.*:Bind.*:Page.*"), (Ids{"FENCE-001", "CAPS-001", "LIFE-001"}));
  EXPECT_EQ(filtered("Split.*:Bind.*-BIND-001"), Ids{"SPLIT-001"});
}

TEST(Filter, ManyStarsTakeNoTime) {
  EXPECT_FALSE(filter_takes("*a*a*a*a*a*a*a*a*a*a*a*a*a*a*b", "SPLIT-001"));
}

TEST(Select, ExpressionsIncludeAndExclude) {
  SelectionOptions options;
  options.include = {"SPLIT|BIND", "^Page"};
  options.exclude = {"BIND-00[1-9]"};

  EXPECT_EQ(selected(options), (Ids{"SPLIT-001", "PAGE-001"}));
}

TEST(Select, RemembersWhatWasExcludedByName) {
  SelectionOptions options;
  options.filter = "Split.*-BIND-001";
  options.exclude = {"Nt\\..*Leak"};
  Selection selection;
  std::string error;

  ASSERT_TRUE(select(options, selection, error)) << error;

  EXPECT_EQ(selection.excluded, (std::set<std::string>{"BIND-001", "NT-PoolLeak"}));
}

TEST(Select, AFractionIsEveryNth) {
  SelectionOptions options;
  options.fraction = 2;
  options.fraction_start = 2;

  EXPECT_EQ(selected(options), (Ids{"BIND-001", "FENCE-001", "LIFE-001"}));
}

TEST(Select, NothingSelectedIsAnError) {
  SelectionOptions options;
  options.filter = "Nosuch.*";

  EXPECT_EQ(refused(options), "no clause is selected; see wddmcheck list for their names");
}

TEST(Select, ABadExpressionIsAnError) {
  SelectionOptions options;
  options.include = {"("};

  EXPECT_EQ(refused(options), "'(' is no regular expression: missing ): (");
}

TEST(Select, AnExpressionCannotExhaustTheStack) {
  SelectionOptions options;
  options.include = {std::string(1'000'000, '(')};

  const std::string start(40, '(');
  EXPECT_EQ(refused(options).find("'" + start + "...' is no regular expression: "), 0u);
  options.include = {"(a*)*(a*)*(a*)*(a*)*(a*)*(a*)*b$"};
  options.exclude = {std::string(100'000, 'a')};
  EXPECT_EQ(refused(options), "no clause is selected; see wddmcheck list for their names");
}

TEST(Select, ListsAreCheckedLineByLine) {
  const std::string path = testing::TempDir() + "caselist.txt";
  SelectionOptions options;
  options.lists = {path};

  std::ofstream(path) << "# comment\n\nPage.PAGE_001\n  SPLIT-001 \n";
  EXPECT_EQ(selected(options), (Ids{"SPLIT-001", "PAGE-001"}));

  std::ofstream(path) << "Page.PAGE_001\nSplit.SPLIT_999\n";
  EXPECT_EQ(refused(options),
            path + ":2: no clause is called 'Split.SPLIT_999'; see wddmcheck list");
}

TEST(Names, LeadToIds) {
  EXPECT_EQ(id_named("Split.SPLIT_001"), "SPLIT-001");
  EXPECT_EQ(id_named("OTHER-001"), "SPLIT-001");
  EXPECT_EQ(id_named("Nt.NT_PoolOverrun"), "NT-PoolOverrun");
  EXPECT_EQ(id_named("nt-pooloverrun"), "NT-PoolOverrun");
  EXPECT_EQ(id_named("Nt.NT_PoolOverrun_2"), "NT-PoolOverrun") << "at a further place";
  EXPECT_EQ(id_named("SPLIT-001_2"), "");
  EXPECT_EQ(id_named("SPLIT-002"), "");
}

}  // namespace
}  // namespace wddm::harness
