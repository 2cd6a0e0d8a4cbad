// The journal: what was gained is on disk, whatever becomes of the runner.
#include "reports/journal.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <fstream>
#include <sstream>

#include "conformance/harness/suite/configurations.h"
#include "conformance/harness/suite/suite.h"
#include "conformance/harness/judge/wire.h"

namespace wddm::reports {
namespace {

JournalHead head() {
  JournalHead head;
  head.version = "1";
  head.configurations = harness::default_configurations(true);
  head.selected = {"SPLIT-001"};
  head.played = harness::PlayedIn::First;
  return head;
}

std::vector<harness::RunRecord> records() {
  const Rule* const rules[] = {find_rule("SPLIT-001")};
  harness::SuiteOptions options;
  options.configurations = head().configurations;
  return harness::run_suite(harness::plan(rules, options.configurations), options);
}

class TheJournal : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = testing::TempDir() + "/journal-" +
              testing::UnitTest::GetInstance()->current_test_info()->name();
    path_ = folder_ + "/journal.jsonl";
  }
  std::string folder_, path_, error_;
};

TEST_F(TheJournal, GivesBackWhatWasWritten) {
  const auto all = records();
  Journal journal;
  ASSERT_TRUE(journal.open(folder_, head(), error_)) << error_;
  for (const auto& record : all) {
    journal.begun(record.spec);
    journal.ended(record);
  }

  JournalContents contents;
  ASSERT_TRUE(read_journal(path_, contents, error_)) << error_;

  EXPECT_EQ(contents.head.selected, head().selected);
  EXPECT_EQ(contents.head.played, head().played);
  EXPECT_EQ(contents.head.configurations[1].settings, head().configurations[1].settings);
  EXPECT_TRUE(contents.unfinished.empty());
  ASSERT_EQ(contents.ended.size(), all.size());
  for (std::size_t i = 0; i < all.size(); ++i) {
    EXPECT_EQ(harness::record_to_line(contents.ended[i]), harness::record_to_line(all[i]));
  }
}

TEST_F(TheJournal, TakesAnyPathOfADriver) {
  JournalHead odd = head();
  odd.subject.driver = "dr\xff.so";
  Journal journal;
  JournalContents contents;

  EXPECT_TRUE(journal.open(folder_, odd, error_)) << error_;

  ASSERT_TRUE(read_journal(path_, contents, error_)) << error_;
  EXPECT_EQ(contents.head.subject.driver, "dr\xef\xbf\xbd.so");
}

TEST_F(TheJournal, SurvivesThatItsWriterIsKilled) {
  const auto all = records();
  const pid_t writer = ::fork();
  if (writer == 0) {
    Journal journal;
    std::string error;
    if (!journal.open(folder_, head(), error)) ::_exit(1);
    journal.begun(all[0].spec);
    journal.ended(all[0]);
    journal.begun(all[1].spec);
    ::raise(SIGKILL);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(writer, &status, 0), writer);
  ASSERT_TRUE(WIFSIGNALED(status));

  JournalContents contents;
  ASSERT_TRUE(read_journal(path_, contents, error_)) << error_;

  EXPECT_EQ(contents.ended.size(), 1u);
  ASSERT_EQ(contents.unfinished.size(), 1u);
  EXPECT_EQ(contents.unfinished[0].configuration, 1u);
}

TEST_F(TheJournal, ALastLineThatWasCutIsLeftOut) {
  const auto all = records();
  {
    Journal journal;
    ASSERT_TRUE(journal.open(folder_, head(), error_)) << error_;
    journal.ended(all[0]);
  }
  std::ofstream(path_, std::ios::app) << harness::record_to_line(all[1]).substr(0, 50);

  JournalContents contents;
  ASSERT_TRUE(read_journal(path_, contents, error_)) << error_;

  EXPECT_EQ(contents.ended.size(), 1u);
}

TEST_F(TheJournal, HostileFilesAreRefusedByTheirLine) {
  Journal journal;
  ASSERT_TRUE(journal.open(folder_, head(), error_)) << error_;
  std::ifstream in(path_);
  std::string first;
  std::getline(in, first);
  const std::string file = testing::TempDir() + "/hostile.jsonl";
  const auto problem = [&](const std::string& text) {
    std::ofstream(file) << text;
    JournalContents contents;
    EXPECT_FALSE(read_journal(file, contents, error_)) << text;
    return error_.substr(file.size());
  };

  EXPECT_EQ(problem("").substr(0, 4), ":1: ");
  EXPECT_EQ(problem("{}\n").substr(0, 4), ":1: ");
  EXPECT_EQ(problem("[[[[\n").substr(0, 4), ":1: ");
  EXPECT_EQ(problem(first + "\n{}\n"), ":2: not a line of a journal");
  EXPECT_EQ(problem(first + "\n{\"begun\":\"NOSUCH-1\"}\n"), ":2: not a line of a journal");
  EXPECT_EQ(problem(first + "\n{\"begun\":7}\n"), ":2: not a line of a journal");
}

TEST_F(TheJournal, RecordsComeInTheOrderOfThePlan) {
  const auto all = records();
  JournalContents contents;
  contents.ended = {all[4], all[0]};
  std::vector<harness::RunSpec> plan;
  for (const auto& record : all) plan.push_back(record.spec);

  const auto ordered = in_order(plan, contents);

  ASSERT_EQ(ordered.size(), 6u);
  EXPECT_EQ(ordered[0].run.outcome.kind, harness::OutcomeKind::Finished);
  EXPECT_EQ(ordered[1].run.outcome.kind, harness::OutcomeKind::NotRun);
  EXPECT_EQ(ordered[4].run.outcome.kind, harness::OutcomeKind::Finished);
}

}  // namespace
}  // namespace wddm::reports
