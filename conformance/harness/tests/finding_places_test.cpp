// Each place that a kernel finding was met at, or that runs crashed at, is a result of its own, and
// a baseline that has the place of one excuses no other.
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "conformance/harness/judge/collect.h"
#include "conformance/harness/judge/findings.h"

namespace wddm::harness {
namespace {

constexpr const char* kRender = "Assertion: false (node.cpp:7) (Node::render+0x2f1)";
constexpr const char* kAlsoRender = "Assertion: x < y (node.cpp:9) (Node::render+0x300)";
constexpr const char* kStop = "Assertion: false (node.cpp:40) (Node::stop+0x8)";

class FindingPlaces : public testing::Test {
 protected:
  // A run of the corpus, in which every clause has something to judge.
  RunRecord& run() {
    RunRecord& record = records_.emplace_back();
    record.spec.which = CaseKind::Corpus;
    record.spec.corpus = std::make_shared<const Scenario>();
    record.run.outcome.kind = OutcomeKind::Finished;
    record.run.judged.platform.started = true;
    record.run.judged.rules.resize(all_rules().size());
    for (RuleOutcome& outcome : record.run.judged.rules) outcome.reached = 1;
    return record;
  }
  void find(const std::string& seen) {
    run().run.judged.failures.push_back({.id = "NT-PoolOverrun", .seen = seen});
  }
  void crash(const std::string& about) { run().run.outcome = {OutcomeKind::Crashed, about, {}}; }

  // "Nt.NT_PoolOverrun Nt.NT_PoolOverrun_2": what turns the run red.
  std::string red() {
    CollectOptions options;
    options.configurations = configurations_;
    options.expectations = &known_;
    result_ = collect(records_, options);
    std::string names;
    for (const ClauseResult& clause : result_.driver) {
      if (!clause.expected) names += (names.empty() ? "" : " ") + clause.name;
    }
    return names;
  }
  // As a failures.csv has what was red.
  void excuse_all() {
    for (const ClauseResult& clause : result_.driver) {
      for (const std::string& place : clause.places) {
        known_.baseline.push_back({.id = clause.id, .result = clause.kind, .place = place});
      }
    }
  }

  std::vector<Configuration> configurations_{{.name = "default", .settings = {}}};
  std::vector<RunRecord> records_;
  Expectations known_;
  SuiteResult result_;
};

TEST_F(FindingPlaces, EachIsAResultInTheOrderInWhichTheyWereMet) {
  find(kStop);
  find(kRender);
  find(kStop);
  find(kAlsoRender);

  EXPECT_EQ(red(), "Nt.NT_PoolOverrun Nt.NT_PoolOverrun_2 Nt.NT_PoolOverrun_3");
  EXPECT_EQ(result_.driver[0].places, std::vector<std::string>{"Node::stop"});
  EXPECT_EQ(result_.driver[0].failures.size(), 1u) << "of the corpus the first is enough";
  EXPECT_EQ(result_.driver[2].places, std::vector<std::string>{"Node::render"})
      << "the offset is of one build";
}

TEST_F(FindingPlaces, AreBoundedAndTheRestIsCounted) {
  for (std::size_t i = 0; i < kMostPlaces + 2; ++i) {
    find("Assertion: false (Node::render" + std::to_string(i) + ")");
  }

  red();

  ASSERT_EQ(result_.driver.size(), kMostPlaces);
  EXPECT_EQ(result_.driver[0].reason.find("further"), std::string::npos);
  EXPECT_NE(result_.driver.back().reason.find("at 2 further places, which are not listed"),
            std::string::npos)
      << result_.driver.back().reason;
}

TEST_F(FindingPlaces, OfCrashesAreResultsToo) {
  crash("SIGSEGV in DxgkDdiPatch (patch), last kernel service DbgPrintEx; a read, at node.cpp:9");
  crash("SIGSEGV in DxgkDdiRender (render)");
  crash("SIGSEGV in DxgkDdiPatch (patch); a write");

  EXPECT_EQ(red(), "CRASH CRASH_2");
  EXPECT_EQ(result_.driver[0].places, std::vector<std::string>{"SIGSEGV in DxgkDdiPatch (patch)"});
}

TEST_F(FindingPlaces, ThoseOfABaselineAreExcusedAndNoOthers) {
  find(kRender);
  find("Assertion: of nobody");
  crash("SIGSEGV in DxgkDdiPatch (patch)");
  EXPECT_EQ(red(), "Nt.NT_PoolOverrun Nt.NT_PoolOverrun_2 CRASH");
  excuse_all();
  EXPECT_EQ(red(), "");

  find(kStop);
  crash("SIGSEGV in DxgkDdiRender (render)");

  EXPECT_EQ(red(), "Nt.NT_PoolOverrun_3 CRASH_2");
  EXPECT_NE(result_.driver[2].reason.find("has it at another place"), std::string::npos);
}

TEST_F(FindingPlaces, ABaselineThatNamesNoneExcusesAll) {
  find(kRender);
  find(kStop);
  known_.baseline.push_back({.id = "NT-PoolOverrun"});

  EXPECT_EQ(red(), "");
}

TEST_F(FindingPlaces, OfABugCheckIsItsCode) {
  EXPECT_EQ(place_of_end({OutcomeKind::BugChecked, "KeBugCheckEx(0x119, 0x2, 0xffff1234)", {}}),
            "KeBugCheckEx(0x119)");
  EXPECT_EQ(place_of_end({OutcomeKind::Hung, "nothing can run", {}}), "");
}

}  // namespace
}  // namespace wddm::harness
