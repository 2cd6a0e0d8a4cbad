// Which results have one cause, by the runs in which they were met.
#include "conformance/harness/judge/causes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "reference/trace/trace_file.h"

namespace wddm::harness {
namespace {

const Rule* const kSplit = find_rule("SPLIT-001");
const Rule* const kBind = find_rule("BIND-001");
const Rule* const kPage = find_rule("PAGE-001");
constexpr std::uint32_t kQuietRuns = 40;
constexpr std::uint32_t kOfThePacket = 1;

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
  // What fires is about what one event tells, unless it is said what led there.
  static void fire(Judged& run, const Rule* rule, std::uint32_t event,
                   std::vector<std::uint32_t> because = {kOfThePacket}) {
    run.failures.push_back({.id = rule->id, .event = event, .chain = std::move(because)});
  }
  static void find(Judged& run, const char* id, std::uint32_t event, const std::string& seen) {
    run.failures.push_back({.id = id, .event = event, .seen = seen, .chain = {event}});
  }

  // Event 1 and 3 are of the packet, event 2 of another one.
  static std::string trace_with(std::uint32_t packet) {
    constexpr std::uint32_t kEvents = 8, kBlobs = 1024;
    struct alignas(64) Line {
      std::byte bytes[64];
    };
    std::vector<Line> storage(trace_storage_bytes(kEvents, kBlobs) / sizeof(Line) + 1);
    TraceWriter writer = TraceWriter::create(storage.data(), kEvents, kBlobs);
    writer.add(ev::OpStarted{}, 0, 0, 0);
    writer.add(ev::Submitted{.packet = packet, .render = 1}, 0, 0, 0);
    writer.add(ev::Submitted{.packet = 99, .render = 2}, 0, 0, 0);
    writer.add(ev::MemoryDiffers{.cause_object = packet}, 0, 0, 0);
    return trace_file(Trace(storage.data()), {}, kWholeTrace);
  }

  // In how many of the runs so far that clause has something to judge, from the last on.
  void judges_only_last(const Rule* rule, std::size_t runs) {
    const auto rules = all_rules();
    const auto at = std::find(rules.begin(), rules.end(), rule) - rules.begin();
    for (std::size_t i = 0; i + runs < records_.size(); ++i) {
      records_[i].run.judged.rules[static_cast<std::size_t>(at)].reached = 0;
    }
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
        text += (&symptom == &cause.symptoms.front() ? "" : " ") +
                (symptom.clause != nullptr ? symptom.clause->id : symptom.name());
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

  EXPECT_EQ(causes(), "NT-DmaOutsideMemory, SPLIT-001");
}

TEST_F(Causes, RunsThatHangAtOnePlaceHangForOneReason) {
  const std::string hang =
      "nothing can run\nthread 0 (application 0) in DxgkDdiResetFromTimeout waits in "
      "KeWaitForSingleObject at Adapter::reset+0x46 for event #1\n";
  quiet_runs();
  end(kBind, OutcomeKind::Hung, hang + "thread 3 (VidMm worker) waits in a job for VidMm\n");
  end(kSplit, OutcomeKind::Hung, hang + "thread 3 (VidMm worker) waits in earlier packets\n");
  EXPECT_EQ(causes(), "HANG SPLIT-001 BIND-001");
}

TEST_F(Causes, WhatNeverFailsAloneFollows) {
  quiet_runs();
  Judged& run = run_of(kPage);
  fire(run, kBind, 9);
  fire(run, kSplit, 4);

  EXPECT_EQ(causes(), "SPLIT-001 BIND-001");
}

TEST_F(Causes, WhatIsOfAnotherEventDoesNotFollow) {
  quiet_runs();
  Judged& run = run_of(kPage);
  fire(run, kBind, 9, {8, 9});
  fire(run, kSplit, 4, {3, 4});

  EXPECT_EQ(causes(), "SPLIT-001, BIND-001");
}

TEST_F(Causes, WhatIsOfOnePacketFollows) {
  quiet_runs();
  for (const std::uint32_t packet : {7u, 8u}) {
    Judged& run = run_of(kPage);
    run.trace = trace_with(packet);
    fire(run, kBind, 3, {3});
    fire(run, kSplit, 1, {1});
  }
  EXPECT_EQ(causes(), "SPLIT-001 BIND-001");
}

TEST_F(Causes, WhatIsOfAnotherPacketDoesNot) {
  quiet_runs();
  Judged& run = run_of(kPage);
  run.trace = trace_with(7);
  fire(run, kBind, 2, {2});
  fire(run, kSplit, 1, {1});
  EXPECT_EQ(causes(), "SPLIT-001, BIND-001");
}

TEST_F(Causes, AnotherPlaceIsAnotherFinding) {
  quiet_runs();
  find(run_of(kPage), "NT-Assertion", 5, "Assertion: false (Node::render+0x2f1)");
  Judged& run = run_of(kPage);
  find(run, "NT-Assertion", 5, "Assertion: false (Adapter::escape+0x61)");
  fire(run, kBind, 6, {5, 6});

  EXPECT_EQ(causes(), "NT-Assertion, NT-Assertion BIND-001");
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

// Each pair fails at one event in the scenario of some other clause, with SPLIT-001 in the place of
// what judges all: BIND-001 judges a case of it.
TEST_F(Causes, OfTwoAtOneEventTheSpecialCaseLeadsWhereNothingElseGoesWrong) {
  quiet_runs();
  for (int i = 0; i < 3; ++i) {
    Judged& run = run_of(kPage);
    fire(run, kSplit, 4);
    fire(run, kBind, 4);
  }
  judges_only_last(kBind, 5);

  EXPECT_EQ(causes(), "BIND-001 SPLIT-001");
}

TEST_F(Causes, WhereMoreGoesWrongWhatIsSaidOfAllLeads) {
  quiet_runs();
  for (int i = 0; i < 30; ++i) fire(run_of(kPage), kSplit, 4);
  for (int i = 0; i < 3; ++i) {
    Judged& run = run_of(kPage);
    fire(run, kBind, 4);
    fire(run, kSplit, 4);
  }
  judges_only_last(kBind, 5);

  EXPECT_EQ(causes(), "SPLIT-001 BIND-001");
}

TEST_F(Causes, WhatComesFirstLeadsWhateverItJudges) {
  quiet_runs();
  Judged& run = run_of(kPage);
  fire(run, kBind, 5);
  fire(run, kSplit, 4);
  judges_only_last(kBind, 5);

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

TEST_F(Causes, WhatNamesTheOtherFollowsThoughNothingElseAsksIt) {
  quiet_runs();
  for (RunRecord& record : records_) record.run.judged.rules.assign(all_rules().size(), {});
  Judged& run = run_of(kPage);
  fire(run, kSplit, 4, {3, 4});
  run.failures.push_back({.id = kBind->id, .event = 9, .op = 1, .chain = {4, 9}});

  EXPECT_EQ(causes(), "SPLIT-001 BIND-001");
}

TEST_F(Causes, ALeakOfAnotherFunctionIsAnother) {
  quiet_runs();
  for (const char* const asker : {"Device::open", "Adapter::start", "Device::open"}) {
    find(run_of(kPage), "NT-PoolLeak", 5,
         std::string("PoolLeak: DriverUnload: tag 'Test': 1 blocks, 8 bytes, from ") + asker +
             " at driver.cpp:7");
  }

  EXPECT_EQ(causes(), "NT-PoolLeak, NT-PoolLeak");
}

// A driver may have one function for all that it allocates.
TEST_F(Causes, ALeakInAnotherCallIsAnother) {
  quiet_runs();
  for (const char* const call : {"DxgkDdiCreateDevice", "DxgkDdiStartDevice"}) {
    find(run_of(kPage), "NT-PoolLeak", 5,
         std::string("PoolLeak: DriverUnload: tag 'Test': 1 blocks, 8 bytes, from allocate at "
                     "driver.cpp:7 in ") +
             call);
  }

  EXPECT_EQ(causes(), "NT-PoolLeak, NT-PoolLeak");
}

TEST_F(Causes, OnePlaceOfACrashIsOne) {
  quiet_runs();
  crash(kSplit, "SIGSEGV in DxgkDdiPatch (f < g), last kernel service X");
  crash(kBind, "SIGSEGV in DxgkDdiPatch (f < g), last kernel service Y");
  crash(kPage, "SIGSEGV in DxgkDdiRender (h)");

  EXPECT_EQ(causes(), "CRASH SPLIT-001 BIND-001, PAGE-001");
}

TEST_F(Causes, ACrashFollowsFromWhatFailedBefore) {
  quiet_runs();
  crash(kSplit, "SIGSEGV in DxgkDdiPatch (f)");
  fire(records_.back().run.judged, kBind, 4);

  EXPECT_EQ(causes(), "BIND-001 SPLIT-001");
}

TEST_F(Causes, ACrashDoesNotFollowFromAnEarlierOp) {
  quiet_runs();
  crash(kSplit, "SIGSEGV in DxgkDdiPatch (f)");
  records_.back().run.judged.broken_off.op = 3;
  fire(records_.back().run.judged, kBind, 4);

  EXPECT_EQ(causes(), "BIND-001, SPLIT-001");
}

TEST_F(Causes, ACrashIsNoFailureOfAClauseThatDoesNotApply) {
  quiet_runs();
  crash(kSplit, "SIGSEGV in DxgkDdiPatch (f)");
  const auto rules = all_rules();
  for (RunRecord& record : records_) {
    const auto at = std::find(rules.begin(), rules.end(), kSplit) - rules.begin();
    record.run.judged.rules[static_cast<std::size_t>(at)] = {.not_applicable = "no patch lists"};
  }

  EXPECT_EQ(causes(), "CRASH");
}

// What clauses say has the grade of the clause; findings and ends go by what came before them.
TEST_F(Causes, OnlyBehindHostileUserModeIsRobustness) {
  const auto grades = [this] {
    causes();
    std::vector<Grade> all;
    for (const Cause& cause : causes_of(result_, records_)) all.push_back(cause.grade);
    return all;
  };
  for (int i = 0; i < 2; ++i) {
    find(run_of(kSplit), "NT-Assertion", 4, "false (Node::render+0x4)");
    records_.back().run.judged.failures.back().provoked = "op 2 (tamper_patch)";
  }
  crash(kBind, "SIGSEGV in DxgkDdiPatch (f)");
  records_.back().run.judged.broken_off.provoked = "op 1: less room";
  quiet_runs();
  EXPECT_EQ(grades(), (std::vector{Grade::Robustness, Grade::Robustness}));

  find(run_of(kSplit), "NT-Assertion", 4, "false (Node::render+0x4)");

  const auto with_an_honest_one = grades();
  EXPECT_EQ(std::count(with_an_honest_one.begin(), with_an_honest_one.end(), Grade::Documented), 1);
  EXPECT_EQ(result_.driver.back().failures.front().failure.provoked, "")
      << "what is shown is the one that nobody can explain away";
}

TEST_F(Causes, NothingWrongHasNone) {
  quiet_runs();

  EXPECT_EQ(causes(), "");
}

}  // namespace
}  // namespace wddm::harness
