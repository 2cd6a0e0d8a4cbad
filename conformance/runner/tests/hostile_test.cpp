// Hostile drivers through the real program: each ends as one result of the right kind where it did
// its deed, everything else is judged, and nothing is taken for a defect of ours.
#include <gtest/gtest.h>

#include "conformance/runner/tests/hostile_run.h"

namespace wddm::runner {
namespace {

constexpr const char* kManyClauses =
    "CAPS-001:LIFE-004:SEG-*:ALLOC-00*:PAGE-003:PAGE-01*:SPLIT-005:SPLIT-011:SPLIT-015:RENDER-00*:"
    "FENCE-00*:PREEMPT-00*";

// Windows loads the image again for each DriverEntry.
TEST_F(Hostile, StaticVariablesAreNewForEachDriverEntry) {
  run("asserts_once", "LIFE-001:LIFE-002");
  EXPECT_EQ(ended_.code, 0) << all();
}

TEST_F(Hostile, AWildWriteIsACrash) {
  run("segfault");

  expect_only_preemption("crash", "SIGSEGV in DxgkDdiPreemptCommand (preempt)");
  EXPECT_NE(trace("Preempt.PREEMPT_008").find("Crashed"), std::string::npos);
  EXPECT_NE(trace("Preempt.PREEMPT_008").find("SIGSEGV in DxgkDdiPreemptCommand, last kernel"),
            std::string::npos);
}

TEST_F(Hostile, ACrashSaysWhatWasTouchedAndWhere) {
  run("segfault");
#if !defined(__SANITIZE_ADDRESS__)  // which looks into its own memory about that address first
  EXPECT_NE(reason("PREEMPT-008")
                .find("; an access by what is no address: never set, or freed?, at segfault.cpp:5"),
            std::string::npos)
      << reason("PREEMPT-008");
#endif

  run("overrun_patches", "CAPS-001:SPLIT-001");
  EXPECT_EQ(result("SPLIT-001"), "crash");
  EXPECT_NE(reason("SPLIT-001").find("): SIGSEGV in DxgkDdiRender"), std::string::npos)
      << reason("SPLIT-001");
  EXPECT_NE(
      reason("SPLIT-001")
          .find("; a write 16 bytes behind the patch-location list, at overrun_patches.cpp:7"),
      std::string::npos)
      << reason("SPLIT-001");
}

TEST_F(Hostile, AnAbortIsACrash) {
  run("abort");

  expect_only_preemption("crash", "SIGABRT in DxgkDdiPreemptCommand");
  EXPECT_NE(trace("Preempt.PREEMPT_008").find("SIGABRT in DxgkDdiPreemptCommand"),
            std::string::npos);
}

TEST_F(Hostile, AnEndlessRecursionIsAStackOverflow) {
  run("stack");

  expect_only_preemption("crash", "in DxgkDdiPreemptCommand");
  EXPECT_EQ(result("NT-StackOverflow"), "fail");
}

TEST_F(Hostile, AnEndlessLoopIsATimeout) {
  run("spin", "CAPS-001:PREEMPT-008", "2");

  EXPECT_EQ(ended_.code, 1) << all();
  EXPECT_EQ(result("PREEMPT-008"), "timeout");
  EXPECT_NE(reason("PREEMPT-008").find("in DxgkDdiPreemptCommand"), std::string::npos);
  EXPECT_EQ(result("CAPS-001"), "pass");
}

TEST_F(Hostile, AnEventThatNobodySetsIsAHang) {
  run("deadlock", "CAPS-001:SPLIT-001");

  EXPECT_EQ(ended_.code, 1) << all();
  EXPECT_EQ(result("SPLIT-001"), "hang");
  EXPECT_NE(reason("SPLIT-001").find("DxgkDdiRender waits in KeWaitForSingleObject"),
            std::string::npos);
  EXPECT_EQ(result("CAPS-001"), "pass");
}

TEST_F(Hostile, ATimerWrittenOverIsACrash) {
  run("timer");

  expect_only_preemption("crash", "");
}

TEST_F(Hostile, LeavingTheProcessIsACrash) {
  run("leave");

  expect_only_preemption("crash", "the process was left with exit code 0");
}

TEST_F(Hostile, KillingTheProcessGroupEndsOneScenario) {
  run("kill_group");

  expect_only_preemption("crash", "SIGKILL");
}

TEST_F(Hostile, ATraceWrittenOverIsNotBelieved) {
  run("scribble_trace");

  expect_only_preemption("crash", "the trace was written over");
}

TEST_F(Hostile, AStackWrittenOverIsACrash) {
  run("scribble_stack", "CAPS-001:SPLIT-001");

  EXPECT_EQ(ended_.code, 1) << all();
  EXPECT_EQ(result("SPLIT-001"), "crash");
  EXPECT_EQ(result("CAPS-001"), "pass");
}

TEST_F(Hostile, CallbacksWrittenOverHarmNobodyElse) {
  run("scribble_callbacks", kManyClauses);

  EXPECT_EQ(ended_.code, 0) << all();
}

TEST_F(Hostile, AByteBehindAPoolBlockIsFound) {
  run("write_behind_pool", "CAPS-001:SPLIT-001");

  EXPECT_EQ(ended_.code, 1) << all();
  EXPECT_EQ(result("NT-PoolOverrun"), "fail");
  EXPECT_EQ(result("SPLIT-001"), "pass");
  EXPECT_EQ(result("CAPS-001"), "pass");
}

TEST_F(Hostile, AThreadAliveAtUnloadIsFound) {
  run("leave_thread");

  EXPECT_EQ(ended_.code, 1) << all();
  EXPECT_EQ(result("NT-ThreadAliveAtUnload"), "fail");
  EXPECT_EQ(result("PREEMPT-008"), "pass");
}

// Time in which it could end by itself would hide it.
TEST_F(Hostile, AThreadThatNobodyWaitsForIsFound) {
  run("hurried_thread", "LIFE-003");

  EXPECT_EQ(ended_.code, 1) << all();
  EXPECT_EQ(result("NT-ThreadAliveAtUnload"), "fail");
}

TEST_F(Hostile, AStartThatFailsHalfWayLeaks) {
  run("halfway");

  EXPECT_EQ(ended_.code, 1) << all();
  EXPECT_EQ(result("LIFE-001"), "not-applicable");
  EXPECT_EQ(result("NT-PoolLeak"), "fail");
  EXPECT_NE(reason("NT-PoolLeak").find(", from DriverEntry at halfway.cpp:9"), std::string::npos)
      << reason("NT-PoolLeak");
  EXPECT_EQ(result("NT-ThreadAliveAtUnload"), "fail");
  EXPECT_NE(ended_.out.find("DriverEntry returned STATUS_INSUFFICIENT_RESOURCES"),
            std::string::npos);
}

// Takes all there is of something, and fails nobody but itself.
class Bomb : public Hostile, public testing::WithParamInterface<const char*> {};

TEST_P(Bomb, FailsTheDriverOnly) {
  run(GetParam(), "CAPS-001:PAGE-005:SPLIT-001");

  EXPECT_EQ(ended_.code, 1) << all();
  EXPECT_EQ(result("CAPS-001"), "pass");
}

INSTANTIATE_TEST_SUITE_P(Hostile, Bomb,
                         testing::Values("bomb_mappings", "bomb_memory", "bomb_pool",
                                         "bomb_threads"),
                         [](const auto& bomb) { return std::string(bomb.param); });

TEST_F(Hostile, OfATableWithoutEntriesItsEntriesAreJudged) {
  run("no_table", "CAPS-001:SPLIT-001");

  EXPECT_EQ(ended_.code, 1) << all();
  EXPECT_EQ(result("LIFE-011"), "fail");
  EXPECT_NE(ended_.out.find("The driver did not start: the driver has no DxgkDdiAddDevice"),
            std::string::npos)
      << all();
}

class Lie : public Hostile, public testing::WithParamInterface<const char*> {};

TEST_P(Lie, IsJudgedToTheEnd) {
  run(GetParam(), kManyClauses);

  expect_judged_to_the_end();
}

INSTANTIATE_TEST_SUITE_P(Hostile, Lie,
                         testing::Values("lie_allocation", "lie_at_once", "lie_caps", "lie_handles",
                                         "lie_paging", "lie_passes", "lie_patches", "lie_render",
                                         "lie_reports", "lie_segments"),
                         [](const auto& lie) { return std::string(lie.param); });

// What a kernel service catches is a finding of its own, whatever else comes of it.
struct Deed {
  const char* driver;
  std::vector<const char*> findings;
  const char* filter = "CAPS-001";
};
void PrintTo(const Deed& deed, std::ostream* out) {
  *out << deed.driver;
}

class Caught : public Hostile, public testing::WithParamInterface<Deed> {};

TEST_P(Caught, IsAFinding) {
  run(GetParam().driver, GetParam().filter);

  EXPECT_EQ(ended_.code, 1) << all();
  for (const char* finding : GetParam().findings) EXPECT_EQ(result(finding), "fail") << all();
  EXPECT_EQ(result("CAPS-001"), "pass");
}

INSTANTIATE_TEST_SUITE_P(
    Hostile, Caught,
    testing::Values(Deed{"callback_levels", {"NT-IrqlTooHigh", "NT-IrqlTooLow"}},
                    Deed{"collect_locked", {"NT-IrqlTooHigh"}, "CAPS-001:TDR-008"},
                    Deed{"dpc_number", {"NT-BadParameter"}},
                    Deed{"free_foreign_mdl", {"NT-PoolBadPointer"}, "CAPS-001:PAGE-005"},
                    Deed{"initialise_again", {"NT-BadParameter"}},
                    Deed{"isr_return", {"NT-IrqlChanged"}, "CAPS-001:SPLIT-001"},
                    Deed{"synchronize_high", {"NT-IrqlTooHigh"}},
                    Deed{"synchronize_return", {"NT-IrqlChanged", "NT-LockHeldAtReturn"}},
                    Deed{"unmap_copied_mdl", {"NT-BadParameter"}}),
    [](const auto& deed) { return std::string(deed.param.driver); });

TEST_F(Hostile, ADpcOfARemovedDeviceDoesNotRun) {
  run("call_after_remove", "CAPS-001:LIFE-003");

  EXPECT_EQ(ended_.code, 1) << all();
  EXPECT_EQ(result("LIFE-003"), "fail");
  EXPECT_EQ(results_["summary"]["crash"], 0);
}

TEST_F(Hostile, WhatRunsOnTheOtherProcessorIsNotTheDpc) {
  run("synchronize_beside_dpc", "INTR-00*:SPLIT-001");

  EXPECT_EQ(ended_.code, 0) << all();
}

TEST_F(Hostile, AnAllocationIsNoResource) {
  run("handle_type", "CAPS-001:SPLIT-001");

  EXPECT_EQ(ended_.code, 0) << all();
}

// No clause forbids these sizes; too small a buffer may show as passes that get nowhere. Segments
// of buffers are another matter.
TEST_F(Hostile, ListsOfNoAndEverySizeAreCutToMeasure) {
  run("lie_context", "CAPS-001:SPLIT-001:RENDER-001");

  EXPECT_EQ(ended_.code, 1) << all();
  EXPECT_EQ(result("SEG-004"), "fail");
  EXPECT_EQ(result("CAPS-001"), "pass");
}

TEST_F(Hostile, WhatIsNoDriverIsOneLine) {
  const std::string text = file("text.so", "#!/bin/sh\n");
  const std::string empty = file("empty.so", "");
  const std::string torn = file("torn.so", contents(driver("segfault")).substr(0, 3000));

  for (const std::string& path : {text, empty, torn, beside("reference_device.so")}) {
    const Ended ended = wddmcheck({"run", path, "--output", folder_});
    EXPECT_EQ(ended.code, 3) << path << ended.out << ended.err;
    EXPECT_EQ(ended.err.find("wddmcheck: " + path + ": "), 0u) << ended.err;
    EXPECT_EQ(std::count(ended.err.begin(), ended.err.end(), '\n'), 1) << ended.err;
    EXPECT_EQ(ended.out, "");
  }
}

TEST_F(Hostile, AVersionOfTheFutureIsOneLine) {
  run("version");

  EXPECT_EQ(ended_.code, 3);
  EXPECT_NE(ended_.err.find("DxgkInitialize refused interface version 0x12001"), std::string::npos);
  EXPECT_EQ(std::count(ended_.err.begin(), ended_.err.end(), '\n'), 1) << ended_.err;
}

TEST_F(Hostile, PlugInsThatAreNoneAreOneLine) {
  const std::string text = file("text.so", "text\n");

  for (const char* flag : {"--device", "--client"}) {
    const Ended ended = wddmcheck({"run", driver("segfault"), flag, text, "--output", folder_});
    EXPECT_EQ(ended.code, 3) << ended.err;
    EXPECT_EQ(ended.err.find("wddmcheck: " + text + ": "), 0u) << ended.err;
    EXPECT_EQ(std::count(ended.err.begin(), ended.err.end(), '\n'), 1) << ended.err;
  }
}

TEST_F(Hostile, DevicesThatBreakTheirContractAreOneLine) {
  const std::pair<const char*, const char*> devices[] = {
      {"odd_bar", "the size of a BAR is not a power of two of at least 4096"},
      {"huge_bar", "the register BARs exceed 768 MiB"},
      {"no_reader", "the table has no bar_read()"}};

  for (const auto& [name, trouble] : devices) {
    const Ended ended =
        wddmcheck({"run", driver("segfault"), "--device", driver(name), "--output", folder_});
    EXPECT_EQ(ended.code, 3) << ended.err;
    EXPECT_EQ(ended.err, "wddmcheck: " + driver(name) + ": " + trouble + "\n");
  }
}

TEST_F(Hostile, PlugInsOfVersion1AreOneLine) {
  for (const std::string kind : {"device", "client"}) {
    const std::string plug_in = std::string(PLUG_INS_FOLDER "/tiny_") + kind + "_version_1.so";
    const Ended ended =
        wddmcheck({"run", driver("segfault"), "--" + kind, plug_in, "--output", folder_});
    EXPECT_EQ(ended.code, 3) << ended.err;
    EXPECT_EQ(ended.err, "wddmcheck: " + plug_in + ": Wddm" +
                             (kind == "device" ? "Device" : "Client") +
                             "Entry offers a table of version 1, and version 2 is expected; "
                             "rebuild it with conformance/sdk/" +
                             kind + ".h of this wddmcheck\n");
  }
}

TEST_F(Hostile, ADeviceThatCannotBeMadeIsNoDefectOfOurs) {
  const Ended ended = wddmcheck({"run", driver("segfault"), "--device", driver("no_device"),
                                 "--filter", "CAPS-001", "--output", folder_});

  EXPECT_EQ(ended.code, 1) << ended.out << ended.err;
  EXPECT_EQ((ended.out + ended.err).find("HARNESS"), std::string::npos) << ended.out << ended.err;
  EXPECT_NE(ended.out.find("create() of the device plug-in returned null"), std::string::npos)
      << ended.out;
}

TEST_F(Hostile, BadFlagsAndFilesAreUsageErrors) {
  const std::string baseline = file("fails.txt", "# ok\nSplit.SPLIT_001\n");
  const std::string scenario = file("s.yaml", "ops:\n  - nosuchop\n");

  const Ended flag = wddmcheck({"run", "--nosuch"});
  const Ended missing = wddmcheck({"run", "/nonexistent.so"});
  const Ended bad_baseline = wddmcheck({"run", "--baseline", baseline});
  const Ended bad_scenario = wddmcheck({"repro", scenario});

  for (const Ended& ended : {flag, missing, bad_baseline, bad_scenario}) {
    EXPECT_EQ(ended.code, 2) << ended.err;
    EXPECT_EQ(std::count(ended.err.begin(), ended.err.end(), '\n'), 1) << ended.err;
  }
  EXPECT_EQ(bad_baseline.err.find("wddmcheck: " + baseline + ":2: "), 0u) << bad_baseline.err;
  EXPECT_EQ(bad_scenario.err.find("wddmcheck: " + scenario + ":2: "), 0u) << bad_scenario.err;
}

}  // namespace
}  // namespace wddm::runner
