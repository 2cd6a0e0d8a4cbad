// Baseline, skips and flakes: what deqp-runner users have, and every mistake named by its line.
#include "conformance/harness/suite/expectations.h"

#include <gtest/gtest.h>

#include <fstream>

namespace wddm::harness {
namespace {

constexpr const char* kToday = "2030-06-15";

class Baseline : public testing::Test {
 protected:
  bool read(const std::string& text, const std::string& extension = "txt") {
    path_ = testing::TempDir() + "baseline." + extension;
    std::ofstream(path_) << text;
    return read_baseline(path_, kToday, expectations_, expired_, error_);
  }
  // The complaint without the folder.
  std::string mistake(const std::string& text, const std::string& extension = "txt") {
    EXPECT_FALSE(read(text, extension)) << text;
    const std::string prefix = testing::TempDir();
    EXPECT_EQ(error_.find(prefix), 0u) << error_;
    return error_.substr(prefix.size());
  }

  std::string path_, error_;
  Expectations expectations_;
  std::vector<std::string> expired_;
};

TEST_F(Baseline, ReadsLinesAsDeqpRunnerWritesThem) {
  ASSERT_TRUE(read("# known\nSplit.SPLIT_001,Fail\nPage.PAGE_001,Crash,\"too, late\",,me\n"))
      << error_;

  EXPECT_EQ(expectations_.of("SPLIT-001")->result, ResultKind::Fail);
  const Expectation* const page = expectations_.of("PAGE-001");
  EXPECT_EQ(page->result, ResultKind::Crash);
  EXPECT_EQ(page->reason, "too, late");
  EXPECT_EQ(page->owner, "me");
  EXPECT_EQ(page->line, 3u);
  EXPECT_EQ(expectations_.of("BIND-001"), nullptr);
}

TEST_F(Baseline, AFailuresFileOfTheLastRunIsABaseline) {
  ASSERT_TRUE(
      read("Split.SPLIT_001,Timeout\nBind.BIND_001,UnexpectedPass\nPage.PAGE_001,Flake\n"
           "Nt.NT_PoolLeak,Fail\nFence.FENCE_001,ExpectedFail\n"))
      << error_;

  EXPECT_EQ(expectations_.of("SPLIT-001")->result, ResultKind::Timeout);
  EXPECT_EQ(expectations_.of("BIND-001"), nullptr);
  EXPECT_EQ(expectations_.of("PAGE-001")->result, ResultKind::Flake);
  EXPECT_EQ(expectations_.of("NT-PoolLeak")->result, ResultKind::Fail);
  EXPECT_EQ(expectations_.of("FENCE-001")->result, ResultKind::Fail);
}

TEST_F(Baseline, ReadsYaml) {
  ASSERT_TRUE(
      read("- test: SPLIT-001\n  result: Fail\n  reason: broken\n  link: http://x\n"
           "  owner: me\n  expires: 2031-01-01\n- {test: PAGE-001, result: hang}\n",
           "yaml"))
      << error_;

  const Expectation* const split = expectations_.of("SPLIT-001");
  EXPECT_EQ(split->reason, "broken");
  EXPECT_EQ(split->link, "http://x");
  EXPECT_EQ(split->expires, "2031-01-01");
  EXPECT_EQ(expectations_.of("PAGE-001")->result, ResultKind::Hang);
}

TEST_F(Baseline, AnEntryExcusesNothingFromItsDateOn) {
  ASSERT_TRUE(read("SPLIT-001,Fail,,,,2030-06-15\nPAGE-001,Fail,,,,2030-06-16\n")) << error_;

  EXPECT_EQ(expectations_.of("SPLIT-001"), nullptr);
  ASSERT_EQ(expired_.size(), 1u);
  EXPECT_EQ(expired_[0], path_ + ":1: the entry of SPLIT-001 expired on 2030-06-15");
  EXPECT_NE(expectations_.of("PAGE-001"), nullptr);
}

TEST_F(Baseline, AByteOrderMarkIsPassedOver) {
  ASSERT_TRUE(read("\xef\xbb\xbfSPLIT-001,Fail\n")) << error_;

  EXPECT_NE(expectations_.of("SPLIT-001"), nullptr);
}

TEST_F(Baseline, AMistakeCannotHarmATerminal) {
  EXPECT_EQ(mistake("\x1b[31m\a,Fail\n"),
            "baseline.txt:1: no clause is called '\\x1b[31m\\x07'; see wddmcheck list");
}

TEST_F(Baseline, MayBeOfOnePlaceOrOfSeveral) {
  using Places = std::vector<std::string>;
  ASSERT_TRUE(
      read("Nt.NT_PoolOverrun,Fail,,,,,Node::render\nNt.NT_PoolOverrun_2,Flake,,,,,Node::stop\n"
           "CRASH_2,Crash,,,,,\"SIGSEGV in DxgkDdiPatch (a<b, c>)\"\nNt.NT_Crash,Fail\n"))
      << error_;

  EXPECT_EQ(expectations_.of("NT-PoolOverrun", Places{"Node::render"})->line, 1u);
  EXPECT_EQ(expectations_.of("NT-PoolOverrun", Places{"Node::stop"})->result, ResultKind::Flake);
  EXPECT_EQ(expectations_.of("NT-PoolOverrun", Places{"Node::start"}), nullptr);
  EXPECT_EQ(expectations_.of("NT-PoolOverrun", Places{"Node::render", "Node::start"}), nullptr);
  EXPECT_EQ(expectations_.of("NT-PoolOverrun", {})->line, 1u) << "nobody knows where it was";
  EXPECT_EQ(expectations_.of("NT-Crash", Places{"SIGSEGV in DxgkDdiRender"})->line, 4u)
      << "as older files have it";
  EXPECT_EQ(expectations_.of("CRASH", Places{"SIGSEGV in DxgkDdiPatch (a<b, c>)"})->line, 3u);
  EXPECT_TRUE(expectations_.has_crash_at("SIGSEGV in DxgkDdiPatch (a<b, c>)"));
  EXPECT_FALSE(expectations_.has_crash_at("SIGSEGV in DxgkDdiRender"));
  EXPECT_FALSE(expectations_.has_crash_at("Node::render")) << "no crash";
}

TEST_F(Baseline, NamesTheLineOfEveryMistake) {
  EXPECT_EQ(mistake("SPLIT-001,Fail\nSPLIT-001\n"),
            "baseline.txt:2: 'SPLIT-001' has no result; expected TEST,RESULT");
  EXPECT_EQ(mistake("NOSUCH-001,Fail\n"),
            "baseline.txt:1: no clause is called 'NOSUCH-001'; see wddmcheck list");
  EXPECT_EQ(mistake("SPLIT-001,Broken\n"),
            "baseline.txt:1: 'Broken' is no result; expected Fail, Crash, Hang, Timeout or Flake");
  EXPECT_EQ(mistake("PAGE-001,Fail,,,,tomorrow\n"),
            "baseline.txt:1: 'tomorrow' is no date; expected YYYY-MM-DD");
  for (const char* date : {"2030-99-99", "2030-02-29", "2030-00-01", "2030-01-00", "203a-01-01"}) {
    EXPECT_EQ(mistake(std::string("PAGE-001,Fail,,,,") + date + "\n"),
              std::string("baseline.txt:1: '") + date + "' is no date; expected YYYY-MM-DD");
  }
  EXPECT_EQ(mistake("PAGE-001,Fail,\"unclosed\nSPLIT-001,Fail\n"),
            "baseline.txt:1: a quote is not closed");
  EXPECT_EQ(mistake("PAGE-001,Fail,a,b,c,2030-01-01,d,e\n").substr(0, 33),
            "baseline.txt:1: too many fields; ");
  EXPECT_EQ(mistake("BIND-001,Fail\nBIND_001,Crash\n").substr(0, 46),
            "baseline.txt:2: BIND-001 has another result at");
}

TEST_F(Baseline, NamesTheLineOfEveryMistakeInYaml) {
  const auto in_yaml = [this](const std::string& text) { return mistake(text, "yaml"); };

  EXPECT_EQ(in_yaml("- {test: SPLIT-001, result: Fail, colour: red}\n").substr(0, 36),
            "baseline.yaml:1: unknown key 'colour");
  EXPECT_EQ(in_yaml("- test: SPLIT-001\n  result: Fail\n  test: PAGE-001\n"),
            "baseline.yaml:3: the key 'test' stands twice");
  EXPECT_EQ(in_yaml("- &a {test: SPLIT-001, result: Fail}\n"),
            "baseline.yaml:1: an anchor; write values out");
  EXPECT_EQ(in_yaml("- {test: SPLIT-001, result: Fail}\n- *a\n").substr(0, 17),
            "baseline.yaml:2: ");
  EXPECT_EQ(in_yaml("test: SPLIT-001\n").substr(0, 33), "baseline.yaml:1: not a baseline; ");
  EXPECT_EQ(in_yaml("- {result: Fail}\n"), "baseline.yaml:1: no test is named");
  EXPECT_EQ(in_yaml("- {test: [SPLIT-001], result: Fail}\n").substr(0, 33),
            "baseline.yaml:1: not a baseline; ");
  EXPECT_EQ(in_yaml("- {test: SPLIT-001\n").substr(0, 14), "baseline.yaml:");
}

TEST_F(Baseline, AMissingFileIsNamed) {
  EXPECT_FALSE(read_baseline("/nonexistent/x", kToday, expectations_, expired_, error_));
  EXPECT_EQ(error_, "/nonexistent/x: No such file or directory");
}

TEST(Patterns, MatchEitherSpelling) {
  const std::string path = testing::TempDir() + "skips.txt";
  std::ofstream(path) << "# slow\nSPLIT-0.*\n^Page\\.\n";
  Expectations expectations;
  std::string error;

  ASSERT_TRUE(read_patterns(path, expectations.skips, error)) << error;

  EXPECT_EQ(expectations.skip_of("SPLIT-001")->line, 2u);
  EXPECT_EQ(expectations.skip_of("PAGE-001")->line, 3u);
  EXPECT_EQ(expectations.skip_of("BIND-001"), nullptr);
  EXPECT_EQ(expectations.flake_of("SPLIT-001"), nullptr);
}

TEST(Patterns, ABadOneIsNamedByItsLine) {
  const std::string path = testing::TempDir() + "bad-skips.txt";
  std::ofstream(path) << "ok\n[\n";
  std::vector<Pattern> patterns;
  std::string error;

  EXPECT_FALSE(read_patterns(path, patterns, error));
  EXPECT_EQ(error.find(path + ":2: '[' is no regular expression"), 0u) << error;
}

TEST(Csv, UnderstandsQuotes) {
  EXPECT_EQ(split_csv(R"(a, "b, ""c""" ,)"), (std::vector<std::string>{"a", "b, \"c\"", ""}));
}

}  // namespace
}  // namespace wddm::harness
