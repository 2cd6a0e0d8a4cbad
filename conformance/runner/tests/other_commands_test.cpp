// list, explain, selftest, info and repro, and the GoogleTest binary, over a fake host.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <sstream>

#include "conformance/runner/tests/program.h"
#include "reference/trace/op.h"

namespace wddm::runner {
namespace {

namespace fs = std::filesystem;
using Arguments = std::vector<std::string>;
using Environment = std::vector<std::pair<std::string, std::string>>;

Ended wddmcheck(Arguments arguments) {
  arguments.insert(arguments.begin(), WDDMCHECK_FAKE);
  return Program(arguments).wait();
}
Ended conformance(Arguments arguments, const Environment& environment = {}) {
  arguments.insert(arguments.begin(), WDDM_CONFORMANCE_FAKE);
  return Program(arguments, environment).wait();
}
std::string file(const std::string& name, const std::string& text) {
  const std::string path = testing::TempDir() + "/" +
                           testing::UnitTest::GetInstance()->current_test_info()->name() + name;
  std::ofstream(path) << text;
  return path;
}
bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(List, NamesClausesInOrder) {
  const Ended ended = wddmcheck({"list"});

  EXPECT_EQ(ended.code, 0);
  EXPECT_EQ(ended.out.find("Split.SPLIT_001      Memory is as predicted\nBind.BIND_001 "), 0u)
      << ended.out;
  EXPECT_EQ(wddmcheck({"list", "--filter", "PAGE-*"}).out,
            "Page.PAGE_001        Reached without preemption only\n");
}

TEST(List, CanBeACaseList) {
  const std::string names = file("cases.txt", "Page.PAGE_001\n");

  EXPECT_EQ(wddmcheck({"list", "--test-list", names}).code, 0);
}

TEST(List, TakesSettingsAsRunDoes) {
  const std::string given = file("given.so", "");

  EXPECT_EQ(wddmcheck({"list", given, "--config", "Mode=fast,Level=3"}).code, 0);
  EXPECT_EQ(wddmcheck({"list", given, "--settings", "Mode=fast"}).code, 0);
  const Ended unknown = wddmcheck({"list", "--config", "Colour=1"});
  EXPECT_EQ(unknown.code, 2);
  EXPECT_EQ(unknown.err,
            "wddmcheck: --config: no setting is called 'Colour'; see wddmcheck info --config\n");
  EXPECT_EQ(wddmcheck({"list", given, "--config", "A=1", "--config", "A=2"}).code, 2)
      << "it is one answer";
}

TEST(List, SettingsAloneAreThoseOfTheBuiltInDriver) {
  EXPECT_FALSE(has(wddmcheck({"list"}).out, "not applicable"));
  EXPECT_TRUE(has(wddmcheck({"list", "--config", "PreemptionAware=0"}).out,
                  "(not applicable: no device log)"));
}

TEST(Explain, TellsAllOfAClause) {
  const Ended ended = wddmcheck({"explain", "Split.SPLIT_001"});

  EXPECT_EQ(ended.code, 0);
  for (const char* part : {"SPLIT-001: Memory is as predicted", "a made-up document, section 1",
                           "name: quiet", "name: control", "a word is altered", "oracle"}) {
    EXPECT_TRUE(has(ended.out, part)) << part;
  }
  EXPECT_EQ(wddmcheck({"explain", "OTHER-001"}).out, ended.out) << "by its alias";
  EXPECT_TRUE(has(wddmcheck({"explain", "NT-PoolOverrun"}).out, "pool block"));
}

TEST(Explain, TellsOfSeveralInTheirOrder) {
  const std::string clause = wddmcheck({"explain", "SPLIT-001"}).out;
  const std::string finding = wddmcheck({"explain", "NT-PoolOverrun"}).out;

  EXPECT_EQ(wddmcheck({"explain", "SPLIT-001", "NT-PoolOverrun"}).out, clause + '\n' + finding);

  const Ended ended = wddmcheck({"explain", "SPLIT-001", "SPLIT-999"});
  EXPECT_EQ(ended.code, 2);
  EXPECT_EQ(ended.out, "") << "nothing is told of half a list";
}

TEST(Explain, AnUnknownNameIsAUsageError) {
  const Ended ended = wddmcheck({"explain", "SPLIT-999"});

  EXPECT_EQ(ended.code, 2);
  EXPECT_EQ(ended.err, "wddmcheck: no clause is called 'SPLIT-999'; see wddmcheck list\n");
}

TEST(Driver, OfTheCommandLineCountsForMoreThanThatOfTheEnvironment) {
  const std::string given = file("given.so", ""), other = file("other.so", "");

  const Ended ended = Program({WDDMCHECK_FAKE, "info", given}, {{"WDDM_DRIVER", other}}).wait();

  EXPECT_EQ(ended.out.rfind(given + "\n", 0), 0u) << ended.out << ended.err;
}

TEST(Driver, IsNamedOnce) {
  const std::string given = file("given.so", ""), other = file("other.so", "");

  const Ended ended = wddmcheck({"info", given, "--driver", other});

  EXPECT_EQ(ended.code, 2);
  EXPECT_EQ(ended.err,
            "wddmcheck: two drivers are named: " + given + " and --driver " + other + "\n");
}

TEST(Settings, AreTold) {
  const Ended ended = wddmcheck({"info", "--config"});

  EXPECT_EQ(ended.code, 0);
  for (const char* const name : shape_values(FieldShape::Setting)) {
    const std::string head = "\n  " + std::string(name) + " (default: ";
    EXPECT_TRUE(has(ended.out, head)) << "the page of the reference driver lacks " << name;
  }
  EXPECT_TRUE(has(ended.out, "\n  DmaBufferSize (default: 16384)\n      bytes, at least 512\n"))
      << ended.out;
  EXPECT_TRUE(has(ended.out, "\n\nWith GPU virtual addresses:\n  PageTableLevels ")) << ended.out;
  EXPECT_FALSE(has(ended.out, "`"));
  std::istringstream lines(ended.out);
  for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 100u) << line;
}

TEST(Settings, OfNoSuchNameAreToldElsewhere) {
  const Ended ended = wddmcheck({"run", "--config", "Colour=1"});

  EXPECT_EQ(ended.code, 2);
  EXPECT_EQ(ended.err,
            "wddmcheck: --config: no setting is called 'Colour'; see wddmcheck info --config\n");
}

TEST(Numbers, ArePlain) {
  for (const Arguments& wrong : {Arguments{"fuzz", "--runs", "-1"},
                                 {"fuzz", "--seed", "1e3"},
                                 {"fuzz", "--time", "1e3s"},
                                 {"fuzz", "--time", ""},
                                 {"fuzz", "--time", "1.2.3s"},
                                 {"fuzz", "--time", "."},
                                 {"run", "--timeout", "nan"},
                                 {"run", "--timeout", "1.2.3"},
                                 {"run", "--max-fails", "-1"}}) {
    EXPECT_EQ(wddmcheck(wrong).code, 2) << wrong[1] << ' ' << wrong[2];
  }
}

TEST(Paths, AreNotEmpty) {
  const std::string yaml = file("s.yaml", "ops: []\n");

  for (const Arguments& wrong : {Arguments{"run", "--output", ""},
                                 {"fuzz", "--output", ""},
                                 {"fuzz", "--corpus", ""},
                                 {"fuzz", "--seeds", ""},
                                 {"minimize", yaml, "--output", ""},
                                 {"convert", yaml, "--output", ""},
                                 {"repro", yaml, "--trace", ""},
                                 {"merge", "", yaml}}) {
    const Ended ended = wddmcheck(wrong);
    EXPECT_EQ(ended.code, 2) << wrong[0] << ' ' << wrong[1];
    EXPECT_TRUE(has(ended.err, "a path is missing")) << ended.err;
  }
}

// As a shell would run it, so that output and folder are what they are for a user.
Ended shell(const std::string& command) {
  return Program({"/bin/sh", "-c", command}).wait();
}

TEST(Output, ThatCannotBeWrittenIsNoSuccess) {
  const std::string yaml = file("s.yaml", "ops: [idle]\n");

  for (const std::string& command :
       {std::string("list"), std::string("explain SPLIT-001"), std::string("info"),
        std::string("--help"), "convert " + yaml + " --to yaml", "convert " + yaml + " --to gtest",
        "repro " + yaml}) {
    const Ended ended = shell(WDDMCHECK_FAKE " " + command + " > /dev/full");
    EXPECT_EQ(ended.code, 2) << command;
    EXPECT_EQ(ended.err, "wddmcheck: standard output cannot be written\n");
  }
}

TEST(Output, OfWhatWentWrongKeepsItsExitCode) {
  const std::string yaml = file("s.yaml", "name: throw\nops: [start]\n");

  EXPECT_EQ(shell(WDDMCHECK_FAKE " repro " + yaml + " > /dev/full").code, 4);
}

TEST(TemporaryFolder, ThatIsNotThereIsOneLine) {
  const std::string yaml = file("s.yaml", "ops: [idle]\n");
  const std::string out = testing::TempDir() + "/merged";

  for (const Arguments& command :
       {Arguments{WDDMCHECK_FAKE, "merge", out, yaml}, {WDDMCHECK_FAKE, "selftest", "--fuzz"}}) {
    const Ended ended = Program(command, {{"TMPDIR", "/nonexistent"}}).wait();
    EXPECT_EQ(ended.code, 2) << ended.err;
    EXPECT_EQ(ended.err.find("wddmcheck: no folder for temporary files: "), 0u) << ended.err;
    EXPECT_EQ(std::count(ended.err.begin(), ended.err.end(), '\n'), 1) << ended.err;
  }
}

TEST(Merge, SaysBeforeTheWorkThatItCannotWrite) {
  const std::string yaml = file("s.yaml", "ops: [idle]\n"), empty = file("empty", "");

  const Ended ended = wddmcheck({"merge", empty, yaml});
  const Ended below = wddmcheck({"merge", empty + "/out", yaml});

  EXPECT_EQ(ended.code, 2);
  EXPECT_EQ(ended.err.find("wddmcheck: " + empty + ": cannot be written: "), 0u) << ended.err;
  EXPECT_EQ(below.code, 2);
  EXPECT_EQ(below.err.find("wddmcheck: " + empty + "/out: cannot be written: "), 0u) << below.err;
}

TEST(SelfTest, SaysWhichFaultsSurvive) {
  const Ended all = wddmcheck({"selftest", "--driver", file("d.so", "")});
  const Ended good = wddmcheck({"selftest", "--driver", file("d.so", ""), "--filter", "SPLIT-*"});

  EXPECT_EQ(all.code, 1);
  EXPECT_TRUE(has(all.out, "PAGE-001     SURVIVED  oracle")) << all.out;
  EXPECT_TRUE(has(all.out, "CAPS-001     SURVIVED  oracle    SPLIT-001\n")) << all.out;
  EXPECT_FALSE(has(all.out, "BIND-001")) << "variants are of the reference driver only";
  EXPECT_EQ(good.code, 0);
  EXPECT_TRUE(has(good.out, "1 of 1 faults are caught by their own clause"));
}

TEST(SelfTest, IncludesVariantsOfTheReferenceDriver) {
  const Ended ended = wddmcheck({"selftest", "--filter", "BIND-001"});

  EXPECT_EQ(ended.code, 0) << ended.out << ended.err;
  EXPECT_TRUE(has(ended.out, "BIND-001     killed    variant"));
}

TEST(Info, TellsCapabilitiesAndLongs) {
  const Ended ended = wddmcheck({"info", file("d.so", "")});

  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_TRUE(has(ended.out, "interface version      0x5023"));
  EXPECT_TRUE(has(ended.out, "segment 1 "));
  EXPECT_TRUE(has(ended.out, "driver.c:7: long int count"));
}

TEST(Info, SaysWhatTheHostPlays) {
  const Ended ended = wddmcheck({"info", file("d.so", "")});

  EXPECT_TRUE(has(ended.out, "\n  host plays             patch lists")) << ended.out;
}

TEST(Info, TakesSettingsAsOtherCommandsDo) {
  const std::string given = file("d.so", "");

  const Ended ended = wddmcheck({"info", given, "--config", "Mode=fast"});
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_EQ(ended.out.rfind(given + "\nwith Mode=fast\n", 0), 0u) << ended.out;
  EXPECT_EQ(wddmcheck({"info", "--settings", "Colour=1"}).code, 2);
  EXPECT_EQ(wddmcheck({"info", given, "--config", "A=1", "--settings", "A=2"}).code, 2);
  EXPECT_EQ(wddmcheck({"info", "--config", "--config", "A=1"}).code, 2);
  EXPECT_EQ(wddmcheck({"info", given, "--config"}).err,
            "wddmcheck: --config without settings tells of the built-in driver's: name no driver, "
            "or say --config NAME=VALUE\n");
}

TEST(Info, ADriverThatDoesNotStartIsTold) {
  const Ended ended = wddmcheck({"info", file("d.so", "*: no-start\n")});

  EXPECT_EQ(ended.code, 3);
  EXPECT_TRUE(has(ended.out, "It did not start: DriverEntry returned STATUS_UNSUCCESSFUL"));
  EXPECT_TRUE(has(ended.out, "Capabilities are not known"));
}

TEST(Repro, TellsOpsAndVerdicts) {
  const std::string yaml = file("s.yaml", "name: fire\nops:\n  - start\n  - preempt: {node: 1}\n");
  const std::string trace = testing::TempDir() + "/repro-trace.txt";

  const Ended ended = wddmcheck({"repro", yaml, "--trace", trace});

  EXPECT_EQ(ended.code, 1);
  EXPECT_TRUE(has(ended.out, "op 0    start  (line 3)\n        #")) << ended.out;
  EXPECT_TRUE(has(ended.out, "op 1    preempt: {node: 1}  (line 4)\n"));
  EXPECT_TRUE(has(ended.out, "SPLIT-001 does not hold"));
  EXPECT_TRUE(has(contents(trace), "EntryReturned"));
}

TEST(Repro, AQuietScenarioIsGood) {
  const Ended ended = wddmcheck({"repro", file("s.yaml", "ops:\n  - start\n")});

  EXPECT_EQ(ended.code, 0);
  EXPECT_TRUE(has(ended.out, "No clause fired."));
}

TEST(Repro, TheDriverMayStandBehindTheScenario) {
  const std::string yaml = file("s.yaml", "ops:\n  - start\n");
  const Ended missing = wddmcheck({"repro", yaml, "/nonexistent.so"});
  const Ended two = wddmcheck({"minimize", yaml, "/a.so", "--driver", "/b.so"});

  EXPECT_EQ(missing.code, 2);
  EXPECT_TRUE(has(missing.err, "/nonexistent.so")) << missing.err;
  EXPECT_EQ(two.code, 2);
  EXPECT_TRUE(has(two.err, "two drivers are named: /a.so and --driver /b.so")) << two.err;
}

TEST(Repro, ACrashIsToldAndSurvived) {
  const Ended ended = wddmcheck({"repro", file("s.yaml", "name: crash\nops:\n  - start\n")});

  EXPECT_EQ(ended.code, 1);
  EXPECT_TRUE(has(ended.out, "the run crashed: op 0 (start): SIG")) << ended.out;
}

TEST(Repro, WithGdbACrashIsLeftToTheDebugger) {
  const Ended ended =
      wddmcheck({"repro", "--gdb", file("s.yaml", "name: abort\nops:\n  - start\n")});

  EXPECT_EQ(ended.code, 1000 + SIGABRT);
}

TEST(Repro, BadFilesAreNamedByLine) {
  const std::string yaml = file("s.yaml", "ops:\n  - nosuchop\n");

  const Ended bad = wddmcheck({"repro", yaml});

  EXPECT_EQ(bad.code, 2);
  EXPECT_EQ(bad.err.find("wddmcheck: " + yaml + ":2: "), 0u) << bad.err;
  EXPECT_EQ(wddmcheck({"repro", "/nonexistent"}).code, 2);
  EXPECT_EQ(wddmcheck({"repro"}).code, 2);
}

TEST(Repro, AFailureFileRepeatsItsFailure) {
  const std::string out = testing::TempDir() + "/repro-out";
  const std::string driver = file("d.so", "page: fire\n");
  ASSERT_EQ(wddmcheck({"run", driver, "--output", out, "--config", "PreemptionAware=0"}).code, 1);

  const Ended ended =
      wddmcheck({"repro", "--driver", driver, out + "/failures/Split.SPLIT_001.yaml"});

  EXPECT_EQ(ended.code, 1);
  EXPECT_TRUE(has(ended.out, "op 0    configure")) << "its settings come with it" << ended.out;
}

TEST(Report, AFolderWithoutAJournalIsAUsageError) {
  EXPECT_EQ(wddmcheck({"report", "/nonexistent"}).code, 2);
}

TEST(Conformance, HasATestForEachClause) {
  const Ended ended = conformance({"--gtest_list_tests"});

  EXPECT_EQ(ended.code, 0);
  EXPECT_TRUE(has(ended.out, "Split.\n  SPLIT_001\nBind.\n  BIND_001\n")) << ended.out;
}

TEST(Conformance, AGoodDriverPassesAndSkipsSayWhy) {
  const Ended ended = conformance({});

  EXPECT_EQ(ended.code, 0) << ended.out;
  EXPECT_TRUE(has(ended.out, "[       OK ] Split.SPLIT_001"));
  EXPECT_TRUE(has(ended.out, "[  SKIPPED ] Fence.FENCE_001"));
  EXPECT_TRUE(has(ended.out, "not-applicable: no device log"));
}

TEST(Conformance, ACrashFailsOneTestAndTheOthersRun) {
  const Ended ended = conformance({}, {{"WDDM_DRIVER", file("d.so", "bind: crash\n")}});

  EXPECT_EQ(ended.code, 1);
  EXPECT_TRUE(has(ended.out, "[  FAILED  ] Bind.BIND_001"));
  EXPECT_TRUE(has(ended.out, "[       OK ] Split.SPLIT_001"));
  EXPECT_TRUE(has(ended.out, "SIGSEGV in DxgkDdiRender") || has(ended.out, "in DxgkDdiRender"));
}

TEST(Conformance, AClauseThatFiresElsewhereFailsThatTest) {
  const Environment environment = {{"WDDM_DRIVER", file("d.so", "caps: fire\n")}};

  const Ended ended = conformance({"--gtest_filter=Caps.*"}, environment);

  EXPECT_EQ(ended.code, 1);
  EXPECT_TRUE(has(ended.out, "SPLIT-001 does not hold")) << ended.out;
}

TEST(Conformance, ABaselineExcuses) {
  const Environment environment = {{"WDDM_DRIVER", file("d.so", "quiet: fire\n")},
                                   {"WDDM_BASELINE", file("fails.txt", "SPLIT-001,Fail\n")}};

  EXPECT_EQ(conformance({}, environment).code, 0);
}

TEST(Conformance, HonoursFlagsShardsAndOutput) {
  const std::string xml = testing::TempDir() + "/conformance.xml";

  const Ended one = conformance({"--gtest_filter=Split.*", "--gtest_output=xml:" + xml});
  const Ended shard = conformance({}, {{"GTEST_TOTAL_SHARDS", "6"}, {"GTEST_SHARD_INDEX", "1"}});

  EXPECT_EQ(one.code, 0);
  EXPECT_TRUE(has(contents(xml), "name=\"SPLIT_001\""));
  EXPECT_EQ(shard.code, 0);
  EXPECT_TRUE(has(shard.out, "[       OK ] Bind.BIND_001")) << shard.out;
  EXPECT_FALSE(has(shard.out, "SPLIT_001"));
}

TEST(Conformance, UsageErrorsAndDriversThatCannotBeLoaded) {
  EXPECT_EQ(conformance({"--nosuch"}).code, 2);
  EXPECT_EQ(conformance({"--timeout=never"}).code, 2);
  EXPECT_EQ(conformance({"--gtest_filter=Nosuch.*"}).code, 2);
  EXPECT_EQ(conformance({}, {{"WDDM_DRIVER", "/nonexistent.so"}}).code, 2);
  EXPECT_EQ(conformance({}, {{"WDDM_DRIVER", file("d.so", "load: refuse no\n")}}).code, 3);
}

TEST(Conformance, ADefectOfOursIsExitCodeFour) {
  EXPECT_EQ(conformance({}, {{"WDDM_DRIVER", file("d.so", "page: harness\n")}}).code, 4);
}

TEST(Conformance, RunsWithoutIsolationToo) {
  EXPECT_EQ(conformance({"--isolate=none", "--gtest_filter=Split.*"}).code, 0);
}

}  // namespace
}  // namespace wddm::runner
