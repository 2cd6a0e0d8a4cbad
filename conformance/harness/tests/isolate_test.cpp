// Whatever a driver does, one run of it is one outcome, and the next run is as if nothing happened.
#include "conformance/harness/isolate/isolate.h"

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "conformance/harness/fake/fake_host.h"

namespace wddm::harness {
namespace {

Scenario scenario_called(const std::string& name) {
  Scenario scenario;
  scenario.name = name;
  scenario.ops = {{.kind = OpKind::Start}, {.kind = OpKind::Idle}};
  scenario.lines = {3, 4};
  return scenario;
}

RunOutcome run(const std::string& name, double timeout_seconds = 20) {
  const Scenario scenario = scenario_called(name);
  IsolatorOptions options;
  options.timeout_seconds = timeout_seconds;
  return Isolator(options).run_one({.scenario = &scenario});
}

// Runs in a child, which sees whether a page of the region is there.
bool child_has(const Region& region) {
  ProcessPool pool(1);
  bool has = false;
  ProcessPool::Job job;
  job.child = [&region] { return ::msync(&region.note(), 4096, MS_ASYNC) == 0 ? 0 : 1; };
  job.done = [&has](const ProcessEnd& end) { has = end.exited && end.code == 0; };
  pool.push_back(std::move(job));
  pool.run(nullptr);
  return has;
}

TEST(Region, IsOnlyThereForProcessesThatAreToHaveIt) {
  const Region region(16, 16);
  EXPECT_TRUE(child_has(region));

  region.inherit(false);
  EXPECT_FALSE(child_has(region));

  region.inherit(true);
  EXPECT_TRUE(child_has(region));
}

TEST(Region, IsOutOfReachWhereItIsClosed) {
  const Region region(16, 16);
  // A sanitizer ends a process that was given a signal.
  const auto writes = [&region](bool open) {
    ProcessPool pool(1);
    bool good = false;
    ProcessPool::Job job;
    job.child = [&region, open] {
      region.open(open);
      region.note().call[0] = 'x';
      return 0;
    };
    job.done = [&good](const ProcessEnd& end) { good = end.exited && end.code == 0; };
    pool.push_back(std::move(job));
    pool.run(nullptr);
    return good;
  };

  EXPECT_TRUE(writes(true));
  EXPECT_FALSE(writes(false));
}

// Each child writes over all that it shares with others, as a driver might.
TEST(Isolate, RunsSideBySideDoNotReachEachOther) {
  IsolatorOptions options;
  options.jobs = 4;
  Isolator isolator(options);
  const Scenario wild = scenario_called("scribble"), quiet = scenario_called("quiet");
  std::size_t finished = 0;
  for (int i = 0; i < 20; ++i) {
    isolator.enqueue({.scenario = &wild, .replay = false}, [](const RunOutcome&) {});
    isolator.enqueue({.scenario = &quiet, .replay = false}, [&finished](const RunOutcome& run) {
      finished += run.outcome.kind == OutcomeKind::Finished ? 1 : 0;
    });
  }

  isolator.run();

  EXPECT_EQ(finished, 20u);
}

TEST(Isolate, AQuietRunFinishes) {
  const RunOutcome outcome = run("quiet");

  EXPECT_EQ(outcome.outcome.kind, OutcomeKind::Finished) << outcome.outcome.about;
  EXPECT_TRUE(outcome.judged.done);
  EXPECT_TRUE(outcome.judged.ended);
  EXPECT_TRUE(outcome.judged.platform.started);
  EXPECT_FALSE(outcome.replayed);
}

TEST(Isolate, ACrashIsSurvivedAndSaysWhere) {
  const RunOutcome outcome = run("crash");

  EXPECT_EQ(outcome.outcome.kind, OutcomeKind::Crashed);
  EXPECT_NE(outcome.outcome.about.find("in DxgkDdiRender, last kernel service KeSetEvent"),
            std::string::npos)
      << outcome.outcome.about;
  EXPECT_TRUE(outcome.judged.platform.started) << "the trace up to the crash is judged";
  EXPECT_TRUE(outcome.replayed);
  EXPECT_FALSE(outcome.flaky);
}

TEST(Isolate, ASignalThatWasSentIsACrashToo) {
  EXPECT_EQ(run("raise").outcome.kind, OutcomeKind::Crashed);
}

TEST(Isolate, AbortIsACrash) {
  const RunOutcome outcome = run("abort");

  EXPECT_EQ(outcome.outcome.kind, OutcomeKind::Crashed);
  EXPECT_NE(outcome.outcome.about.find("SIGABRT"), std::string::npos) << outcome.outcome.about;
}

TEST(Isolate, AnEndlessLoopIsStoppedAndSaysWhere) {
  const RunOutcome outcome = run("loop", 0.3);

  EXPECT_EQ(outcome.outcome.kind, OutcomeKind::TimedOut);
  EXPECT_EQ(outcome.outcome.about,
            "no end after 0.3 s of CPU time in DxgkDdiRender, last kernel service KeSetEvent");
}

TEST(Isolate, ALoopThatIgnoresSignalsIsKilled) {
  EXPECT_EQ(run("deaf", 0.3).outcome.kind, OutcomeKind::TimedOut);
}

TEST(Isolate, ALoopWithoutOutputIsKilled) {
  EXPECT_EQ(run("closed", 0.3).outcome.kind, OutcomeKind::TimedOut);
}

TEST(Isolate, HangAndBugCheckComeFromTheTrace) {
  const RunOutcome hang = run("hang");
  const RunOutcome bug_check = run("bugcheck");

  EXPECT_EQ(hang.outcome.kind, OutcomeKind::Hung);
  EXPECT_NE(hang.outcome.about.find("thread 1 waits for event 3"), std::string::npos);
  EXPECT_EQ(bug_check.outcome.kind, OutcomeKind::BugChecked);
  EXPECT_NE(bug_check.outcome.about.find("0x117"), std::string::npos) << bug_check.outcome.about;
}

TEST(Isolate, LeavingTheProcessIsNoticedWhateverTheCode) {
  EXPECT_EQ(run("exit").outcome.kind, OutcomeKind::ExitedEarly);
  EXPECT_EQ(run("exit-0").outcome.kind, OutcomeKind::ExitedEarly);
  EXPECT_EQ(run("exit-4").outcome.kind, OutcomeKind::ExitedEarly);
}

TEST(Isolate, ADefectOfOursIsNotTheDrivers) {
  const RunOutcome outcome = run("harness");

  EXPECT_EQ(outcome.outcome.kind, OutcomeKind::Harness);
  EXPECT_NE(outcome.outcome.about.find("fake_host.cpp:"), std::string::npos)
      << outcome.outcome.about;
}

TEST(Isolate, ATraceThatWasWrittenOverIsNotBelieved) {
  const RunOutcome outcome = run("scribble");

  EXPECT_EQ(outcome.outcome.kind, OutcomeKind::Scribbled);
  EXPECT_TRUE(outcome.judged.failures.empty());
  EXPECT_EQ(run("quiet").outcome.kind, OutcomeKind::Finished);
}

TEST(Isolate, MoreEventsThanATraceHoldsAreAnOutcome) {
  const RunOutcome full = run("flood-events");
  EXPECT_EQ(full.outcome.kind, OutcomeKind::Overflowed);
  EXPECT_EQ(full.outcome.about.find("; "), std::string::npos) << full.outcome.about;
}

TEST(Isolate, WhatFiredBeforeATraceWasFullIsNamed) {
  const RunOutcome full = run("fire-and-flood");
  EXPECT_EQ(full.outcome.kind, OutcomeKind::Overflowed);
  ASSERT_FALSE(full.judged.failures.empty());
  EXPECT_NE(full.outcome.about.find("; " + full.judged.failures[0].id + " fired first"),
            std::string::npos)
      << full.outcome.about;
}

TEST(Isolate, OutputIsCapturedAndBounded) {
  EXPECT_EQ(run("print").outcome.output, "a line of the driver\n");
  const RunOutcome flood = run("flood");
  EXPECT_EQ(flood.outcome.kind, OutcomeKind::Finished);
  EXPECT_EQ(flood.outcome.output.size(), 64u * 1024);
}

TEST(Isolate, AProcessLeftBehindDoesNotHoldUsUp) {
  const auto begun = std::chrono::steady_clock::now();

  EXPECT_EQ(run("leave-child").outcome.kind, OutcomeKind::Finished);

  EXPECT_LT(std::chrono::steady_clock::now() - begun, std::chrono::seconds(10));
}

TEST(Isolate, ACheckThatCrashesLosesOneRunAndIsNamed) {
  const RunOutcome outcome = run("lie");

  ASSERT_EQ(outcome.judged.harness.size(), 1u);
  EXPECT_NE(outcome.judged.harness[0].find("CAPS-001"), std::string::npos)
      << outcome.judged.harness[0];
}

TEST(Isolate, ACheckThatThrowsIsADefectOfOursAndTheOthersStillJudge) {
  const RunOutcome outcome = run("throw");

  ASSERT_EQ(outcome.judged.harness.size(), 1u);
  EXPECT_EQ(outcome.judged.harness[0], "the check of CAPS-001 threw: not thought of");
  EXPECT_EQ(outcome.judged.rules.size(), all_rules().size());
}

TEST(Isolate, AFailureThatDoesNotComeBackIsAFlake) {
  const std::string file = testing::TempDir() + "flaky";
  ::setenv(fake::kFlakyFile, file.c_str(), 1);

  const RunOutcome outcome = run("flaky");
  std::filesystem::remove(file);

  EXPECT_TRUE(outcome.replayed);
  EXPECT_TRUE(outcome.flaky);
  EXPECT_EQ(outcome.flake_about, "first finished SPLIT-001 at op 0; then finished");
}

TEST(Isolate, AFailureThatComesBackIsNone) {
  const RunOutcome outcome = run("fire");

  EXPECT_TRUE(outcome.replayed);
  EXPECT_FALSE(outcome.flaky);
  ASSERT_EQ(outcome.judged.failures.size(), 1u);
  EXPECT_EQ(outcome.judged.failures[0].id, "SPLIT-001");
}

TEST(Isolate, SeveralJobsGiveWhatOneGives) {
  const std::vector<std::string> names = {"quiet", "fire", "crash", "hang", "print", "exit"};
  const auto all = [&names](unsigned jobs) {
    std::vector<Scenario> scenarios;
    for (const std::string& name : names) scenarios.push_back(scenario_called(name));
    std::vector<std::string> signatures(names.size());
    IsolatorOptions options;
    options.jobs = jobs;
    Isolator isolator(options);
    for (std::size_t i = 0; i < names.size(); ++i) {
      isolator.enqueue({.scenario = &scenarios[i]}, [&signatures, i](const RunOutcome& outcome) {
        signatures[i] = signature_of(outcome) + outcome.outcome.about + outcome.outcome.output;
      });
    }
    isolator.run();
    return signatures;
  };

  // From one place, since sanitizers print where calls came from.
  std::vector<std::vector<std::string>> results;
  for (const unsigned jobs : {1u, 4u}) results.push_back(all(jobs));

  EXPECT_EQ(results[0], results[1]);
}

// Those who crash, hang or leave take nobody with them.
TEST(Isolate, CompanyGivesWhatEachGivesAlone) {
  const std::vector<std::string> names = {"quiet", "crash", "fire", "quiet",
                                          "hang",  "exit",  "fire"};
  std::vector<Scenario> scenarios;
  for (const std::string& name : names) scenarios.push_back(scenario_called(name));
  std::vector<std::string> together(names.size()), alone;
  Isolator isolator(IsolatorOptions{});
  for (std::size_t i = 0; i < names.size(); ++i) {
    isolator.enqueue({.scenario = &scenarios[i]}, [&together, i](const RunOutcome& outcome) {
      together[i] = signature_of(outcome) + outcome.outcome.about;
    });
  }

  isolator.run();

  for (const std::string& name : names) {
    const RunOutcome outcome = run(name);
    alone.push_back(signature_of(outcome) + outcome.outcome.about);
  }
  EXPECT_EQ(together, alone);
}

// More runs share a process as long as all goes well, fewer again behind one that does not.
TEST(Isolate, LargeCompaniesLoseNothingByThoseThatEndBadly) {
  std::vector<Scenario> scenarios;
  for (int i = 0; i < 400; ++i) {
    scenarios.push_back(scenario_called(i % 150 == 149 ? "crash" : "fire"));
  }
  const std::string crash = signature_of(run("crash")), fire = signature_of(run("fire"));
  std::vector<std::string> seen(scenarios.size()), expected(scenarios.size());
  IsolatorOptions options;
  options.jobs = 2;
  Isolator isolator(options);
  for (std::size_t i = 0; i < scenarios.size(); ++i) {
    expected[i] = i % 150 == 149 ? crash : fire;
    isolator.enqueue({.scenario = &scenarios[i]},
                     [&seen, i](const RunOutcome& outcome) { seen[i] = signature_of(outcome); });
  }

  isolator.run();

  EXPECT_EQ(seen, expected);
}

TEST(Isolate, AFailureInCompanyThatDoesNotComeBackAloneIsAFlake) {
  const std::string file = testing::TempDir() + "flaky_in_company";
  ::setenv(fake::kFlakyFile, file.c_str(), 1);
  const Scenario flaky = scenario_called("flaky"), quiet = scenario_called("quiet");
  std::string about;
  Isolator isolator(IsolatorOptions{});
  isolator.enqueue({.scenario = &quiet}, [](const RunOutcome&) {});
  isolator.enqueue({.scenario = &flaky},
                   [&about](const RunOutcome& outcome) { about = outcome.flake_about; });

  isolator.run();
  std::filesystem::remove(file);

  EXPECT_EQ(about, "first finished SPLIT-001 at op 0; then finished");
}

TEST(Isolate, AStopEndsWhatRunsAndWhatWaits) {
  const Scenario endless = scenario_called("loop");
  IsolatorOptions options;
  options.timeout_seconds = 60;
  Isolator isolator(options);
  std::atomic<bool> stop{false};
  std::vector<OutcomeKind> outcomes;
  for (int i = 0; i < 3; ++i) {
    isolator.enqueue({.scenario = &endless}, [&outcomes](const RunOutcome& outcome) {
      outcomes.push_back(outcome.outcome.kind);
    });
  }
  std::thread stopper([&stop] {
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    stop = true;
  });

  isolator.run(&stop);
  stopper.join();

  EXPECT_EQ(outcomes, std::vector<OutcomeKind>(3, OutcomeKind::NotRun));
}

TEST(Isolate, WithoutIsolationARunIsJudgedHere) {
  const Scenario scenario = scenario_called("fire");
  IsolatorOptions options;
  options.isolate = Isolate::None;

  const RunOutcome outcome = Isolator(options).run_one({.scenario = &scenario});

  EXPECT_EQ(outcome.outcome.kind, OutcomeKind::Finished);
  ASSERT_EQ(outcome.judged.failures.size(), 1u);
}

TEST(Classify, LeavesAddressesOutOfASanitizersReport) {
  ProcessEnd end;
  end.exited = true;
  end.code = 1;
  end.output =
      "kmd.c:7:3: runtime error: store to address 0x6020000015f8 with insufficient space\n";

  const Outcome outcome = classify(end, {}, {}, 10);

  EXPECT_EQ(outcome.kind, OutcomeKind::Crashed);
  EXPECT_EQ(outcome.about, "runtime error: store to address ... with insufficient space");
}

TEST(Classify, TellsByWhichClockTheTimeWasUp) {
  ProcessEnd end;
  end.timed_out = true;
  EXPECT_EQ(classify(end, {}, {}, 10).about, "no end after 10 s of CPU time");
  end.waited = true;
  EXPECT_EQ(classify(end, {}, {}, 10).about, "waits without end");
}

TEST(Classify, LeavesProcessIdsOutOfTheOutput) {
  ProcessEnd end;
  end.signal = SIGSEGV;
  end.output = "====\n==4711==ERROR: A\n==4711==Hint: a == 1, 5==5\n==12";

  const Outcome outcome = classify(end, {}, {}, 10);

  EXPECT_EQ(outcome.output, "====\n==...==ERROR: A\n==...==Hint: a == 1, 5==5\n==12");
}

#if defined(__SANITIZE_ADDRESS__)
TEST(Isolate, ASanitizersReportIsACrashWithoutAddresses) {
  const RunOutcome outcome = run("overrun");

  EXPECT_EQ(outcome.outcome.kind, OutcomeKind::Crashed);
  EXPECT_NE(outcome.outcome.about.find("heap-buffer-overflow"), std::string::npos);
  EXPECT_EQ(outcome.outcome.about.find("0x"), std::string::npos) << outcome.outcome.about;
}
#endif

}  // namespace
}  // namespace wddm::harness
