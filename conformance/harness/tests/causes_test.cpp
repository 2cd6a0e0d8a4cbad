// Which results have one cause, by the runs in which they were met.
#include "conformance/harness/judge/causes.h"

#include <gtest/gtest.h>

namespace wddm::harness {
namespace {

const Rule* const kSplit = find_rule("SPLIT-001");
const Rule* const kBind = find_rule("BIND-001");
const Rule* const kPage = find_rule("PAGE-001");
constexpr std::uint32_t kQuietRuns = 40;

class Causes : public testing::Test {
 protected:
  // A run of the clause's scenario, in which every clause has something to judge.
  Judged& run_of(const Rule* rule) {
    RunRecord& record = records_.emplace_back();
    record.spec.rule = rule;
    record.run.outcome.kind = OutcomeKind::Finished;
    record.run.judged.platform.started = true;
    record.run.judged.rules.resize(all_rules().size());
    for (RuleOutcome& outcome : record.run.judged.rules) outcome.reached = 1;
    return record.run.judged;
  }
  void quiet_runs() {
    for (std::uint32_t i = 0; i < kQuietRuns; ++i) run_of(kPage);
  }
  void end(const Rule* rule, OutcomeKind kind, const std::string& about) {
    run_of(rule);
    records_.back().run.outcome = {kind, about, {}};
  }
  void crash(const Rule* rule, const std::string& about) { end(rule, OutcomeKind::Crashed, about); }
  static void fire(Judged& run, const Rule* rule, std::uint32_t event) {
    run.failures.push_back({.id = rule->id, .event = event});
  }

  // "SPLIT-001 BIND-001, PAGE-001": two causes, of which the first has two symptoms.
  std::string causes() {
    const CollectOptions options{
        .selected = all_rules(), .excluded = {}, .configurations = configurations_};
    result_ = collect(records_, options);
    std::string text;
    for (const Cause& cause : causes_of(result_, records_)) {
      text += text.empty() ? "" : ", ";
      for (const Symptom& symptom : cause.symptoms) {
        text += (&symptom == &cause.symptoms.front() ? "" : " ") + symptom.clause->id;
      }
    }
    return text;
  }

  std::vector<Configuration> configurations_{{.name = "default", .settings = {}}};
  std::vector<RunRecord> records_;
  SuiteResult result_;
};

TEST_F(Causes, AnAccessOfTheDeviceIsWhatAClauseSaysOfIt) {
  quiet_runs();
  for (int i = 0; i < 3; ++i) {
    Judged& run = run_of(kSplit);
    run.failures.push_back({.id = "NT-DmaOutsideMemory", .event = 5});
    fire(run, kSplit, 7);
  }

  EXPECT_EQ(causes(), "SPLIT-001 NT-DmaOutsideMemory");
}

TEST_F(Causes, InAnotherOpItIsAnother) {
  quiet_runs();
  for (int i = 0; i < 3; ++i) {
    Judged& run = run_of(kSplit);
    run.failures.push_back({.id = "NT-DmaOutsideMemory", .event = 5, .op = 0});
    run.failures.push_back({.id = kSplit->id, .event = 7, .op = 1});
  }

  EXPECT_EQ(causes(), "NT-DmaOutsideMemory SPLIT-001");
}

TEST_F(Causes, RunsThatHangAtOnePlaceHangForOneReason) {
  const std::string hang =
      "nothing can run\nthread 0 (application 0) in DxgkDdiResetFromTimeout waits in "
      "KeWaitForSingleObject at Adapter::reset+0x46 for event #1\n";
  quiet_runs();
  end(kBind, OutcomeKind::Hung, hang + "thread 3 (VidMm worker) waits in a job for VidMm\n");
  end(kSplit, OutcomeKind::Hung, hang + "thread 3 (VidMm worker) waits in earlier packets\n");
  EXPECT_EQ(causes(), "SPLIT-001 BIND-001");
}

TEST_F(Causes, WhatNeverFailsAloneFollows) {
  quiet_runs();
  Judged& run = run_of(kPage);
  fire(run, kBind, 9);
  fire(run, kSplit, 4);

  EXPECT_EQ(causes(), "SPLIT-001 BIND-001");
}

TEST_F(Causes, WhatAlsoFailsAloneIsACauseOfItsOwn) {
  quiet_runs();
  Judged& run = run_of(kPage);
  fire(run, kBind, 9);
  fire(run, kSplit, 4);
  fire(run_of(kPage), kBind, 9);

  EXPECT_EQ(causes(), "SPLIT-001, BIND-001");
}

TEST_F(Causes, WhatComesEarlierDoesNotFollow) {
  quiet_runs();
  for (const std::uint32_t bind : {9u, 2u}) {
    Judged& run = run_of(kPage);
    fire(run, kBind, bind);
    fire(run, kSplit, 4);
  }

  EXPECT_EQ(causes(), "SPLIT-001, BIND-001");
}

TEST_F(Causes, OfTwoAtOneEventTheOneWhoseScenarioItIsLeads) {
  quiet_runs();
  Judged& run = run_of(kSplit);
  fire(run, kBind, 4);
  fire(run, kSplit, 4);

  EXPECT_EQ(causes(), "SPLIT-001 BIND-001");
}

TEST_F(Causes, WhatFailsInEveryRunExplainsNothing) {
  for (int i = 0; i < 9; ++i) fire(run_of(kPage), kSplit, 4);
  Judged& run = run_of(kPage);
  fire(run, kSplit, 4);
  fire(run, kBind, 9);

  EXPECT_EQ(causes(), "SPLIT-001, BIND-001");
}

TEST_F(Causes, WhatMostlyHoldsBehindTheOtherDoesNotFollow) {
  quiet_runs();
  for (int i = 0; i < 3; ++i) fire(run_of(kPage), kSplit, 4);
  Judged& run = run_of(kPage);
  fire(run, kSplit, 4);
  fire(run, kBind, 9);

  EXPECT_EQ(causes(), "SPLIT-001, BIND-001");
}

TEST_F(Causes, WhatIsAskedNowhereElseDoesNotFollow) {
  quiet_runs();
  for (RunRecord& record : records_) record.run.judged.rules.assign(all_rules().size(), {});
  Judged& run = run_of(kPage);
  fire(run, kSplit, 4);
  fire(run, kBind, 9);

  EXPECT_EQ(causes(), "SPLIT-001, BIND-001");
}

TEST_F(Causes, OnePlaceOfACrashIsOne) {
  quiet_runs();
  crash(kSplit, "SIGSEGV in DxgkDdiPatch (f < g), last kernel service X");
  crash(kBind, "SIGSEGV in DxgkDdiPatch (f < g), last kernel service Y");
  crash(kPage, "SIGSEGV in DxgkDdiRender (h)");

  EXPECT_EQ(causes(), "SPLIT-001 BIND-001, PAGE-001");
}

TEST_F(Causes, ACrashFollowsFromWhatFailedBefore) {
  quiet_runs();
  crash(kSplit, "SIGSEGV in DxgkDdiPatch (f)");
  fire(records_.back().run.judged, kBind, 4);

  EXPECT_EQ(causes(), "BIND-001 SPLIT-001");
}

TEST_F(Causes, NothingWrongHasNone) {
  quiet_runs();

  EXPECT_EQ(causes(), "");
}

}  // namespace
}  // namespace wddm::harness
