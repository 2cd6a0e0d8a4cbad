// wddmcheck run, over a fake host: flags, exit codes, files, and what survives.
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <thread>

#include "conformance/rules/configured.h"
#include "conformance/runner/tests/program.h"

namespace wddm::runner {
namespace {

namespace fs = std::filesystem;
using Arguments = std::vector<std::string>;
using Environment = std::vector<std::pair<std::string, std::string>>;

class RunCommand : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::path(testing::TempDir()) /
              ("run-" + std::string(testing::UnitTest::GetInstance()->current_test_info()->name()));
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }

  // A "driver" of the fake host; see fake_host.h.
  std::string driver(const std::string& script) const { return file("driver.so", script); }
  std::string file(const std::string& name, const std::string& text) const {
    const fs::path path = folder_ / name;
    std::ofstream(path) << text;
    return path;
  }
  std::string output() const { return folder_ / "out"; }

  Ended wddmcheck(Arguments arguments, const Environment& environment = {}) const {
    arguments.insert(arguments.begin(), WDDMCHECK_FAKE);
    return Program(arguments, environment).wait();
  }
  Ended run(Arguments arguments, const Environment& environment = {}) const {
    const bool depth = std::count(arguments.begin(), arguments.end(), "--depth") != 0;
    if (!depth) arguments.insert(arguments.begin(), {"--depth", "quick"});
    arguments.insert(arguments.begin(), "run");
    arguments.insert(arguments.end(), {"--output", output()});
    return wddmcheck(arguments, environment);
  }
  nlohmann::json results() const {
    return nlohmann::json::parse(contents(output() + "/results.json"), nullptr, false);
  }
  std::string result_of(const std::string& name) const {
    const nlohmann::json all = results();
    for (const auto* list : {"results", "host"}) {
      for (const auto& clause : all[list]) {
        if (clause["name"] == name) return clause["result"];
      }
    }
    return "none";
  }

  fs::path folder_;
};

TEST_F(RunCommand, TheBuiltInDriverIsAsExpected) {
  const Ended ended = run({"--filter", "*"});

  EXPECT_EQ(ended.code, 0) << ended.out << ended.err;
  EXPECT_EQ(results()["configurations"].size(), kConfigurations);
  EXPECT_NE(ended.out.find("Report: " + output() + "/results.json\n"), std::string::npos);
  EXPECT_EQ(ended.err, "") << "quiet without a terminal";
}

TEST_F(RunCommand, QuickIsOneConfigurationOfEachClause) {
  ASSERT_EQ(run({"--filter", "*"}).code, 0);
  const int each = results()["runs"];
  run({});

  EXPECT_LT(results()["runs"], each);
}

TEST_F(RunCommand, EveryKindOfDriverIsOneResultWhileTheOthersRun) {
  const std::string script =
      "quiet: crash\nbind: loop\npage: hang\nfence: scribble\ncaps: exit-0\nlife: bugcheck\n";

  // Long enough for the others under sanitizers on a busy machine.
  const Ended ended = run({driver(script), "--timeout", "3"});

  EXPECT_EQ(ended.code, 1) << ended.err;
  EXPECT_EQ(result_of("Split.SPLIT_001"), "crash");
  EXPECT_EQ(result_of("Bind.BIND_001"), "timeout");
  EXPECT_EQ(result_of("Page.PAGE_001"), "hang");
  EXPECT_EQ(result_of("Fence.FENCE_001"), "crash");
  EXPECT_EQ(result_of("Caps.CAPS_001"), "crash");
  EXPECT_EQ(result_of("Life.LIFE_001"), "pass") << "our host's: the crash is the driver's, as above";
}

TEST_F(RunCommand, TwoRunsGiveEqualFilesWhateverTheJobs) {
  const std::string so = driver("quiet: fire\npage: crash\nbind: find\n");
  const Ended first = run({so, "--no-times", "-j1"});
  const std::string json = contents(output() + "/results.json");
  const std::string xml = contents(output() + "/junit.xml");
  const std::string trace = contents(output() + "/failures/Split.SPLIT_001.trace.txt");

  const Ended second = run({so, "--no-times", "-j4"});

  EXPECT_EQ(first.out, second.out);
  EXPECT_EQ(json, contents(output() + "/results.json"));
  EXPECT_EQ(xml, contents(output() + "/junit.xml"));
  EXPECT_EQ(trace, contents(output() + "/failures/Split.SPLIT_001.trace.txt"));
  EXPECT_GT(trace.size(), 100u);
}

TEST_F(RunCommand, SelectsByBothSpellings) {
  for (const char* filter : {"SPLIT-001", "Split.SPLIT_001", "Split.*-PAGE-*"}) {
    EXPECT_EQ(run({"--filter", filter}).code, 0);
    EXPECT_EQ(results()["results"].size(), 1u) << filter;
  }
  EXPECT_EQ(run({"-t", "SPLIT", "-t", "Page", "-x", "PAGE"}).code, 0);
  EXPECT_EQ(results()["results"].size(), 1u);
  EXPECT_EQ(run({"--caselist", file("cases.txt", "Bind.BIND_001\n")}).code, 0);
  EXPECT_EQ(result_of("Bind.BIND_001"), "pass");
  EXPECT_EQ(run({"--fraction", "6", "--fraction-start", "2"}).code, 0);
  EXPECT_EQ(result_of("Bind.BIND_001"), "pass");
}

TEST_F(RunCommand, NothingSelectedIsAnError) {
  const Ended ended = run({"--filter", "Nosuch.*"});

  EXPECT_EQ(ended.code, 2);
  EXPECT_EQ(ended.err, "wddmcheck: no clause is selected; see wddmcheck list for their names\n");
}

TEST_F(RunCommand, ABaselineExcusesAndAnUnexpectedPassIsTold) {
  const std::string so = driver("quiet: fire\n");
  const std::string baseline = file("fails.txt", "Split.SPLIT_001,Fail\n");

  EXPECT_EQ(run({so}).code, 1);
  EXPECT_EQ(run({so, "--baseline", baseline}).code, 0);
  EXPECT_EQ(result_of("Split.SPLIT_001"), "expected-fail");
  EXPECT_EQ(run({so, "--baseline", output() + "/failures.csv"}).code, 0) << "a baseline again";
  EXPECT_EQ(run({driver(""), "--baseline", baseline}).code, 1);
  EXPECT_EQ(result_of("Split.SPLIT_001"), "unexpected-pass");
}

TEST_F(RunCommand, SkipsAndFlakes) {
  const std::string so = driver("quiet: crash\nbind: crash\n");

  const Ended ended = run({so, "--skips", file("skips.txt", "# slow\nSPLIT\n"), "--flakes",
                           file("flakes.txt", "Bind\\..*\n")});

  EXPECT_EQ(ended.code, 0) << ended.out;
  EXPECT_EQ(result_of("Split.SPLIT_001"), "not-run");
  EXPECT_EQ(result_of("Bind.BIND_001"), "flake");
}

TEST_F(RunCommand, BadFilesAreNamedByLine) {
  const std::string baseline = file("fails.txt", "# ok\nSplit.SPLIT_001\n");
  const std::string skips = file("skips.txt", "(\n");

  const Ended bad_baseline = run({"--baseline", baseline});
  const Ended bad_skips = run({"--skips", skips});
  const Ended missing = run({"--flakes", "/nonexistent"});

  EXPECT_EQ(bad_baseline.code, 2);
  EXPECT_EQ(bad_baseline.err, "wddmcheck: " + baseline +
                                  ":2: 'Split.SPLIT_001' has no result; expected TEST,RESULT\n");
  EXPECT_EQ(bad_skips.code, 2);
  EXPECT_EQ(bad_skips.err.find("wddmcheck: " + skips + ":1: "), 0u) << bad_skips.err;
  EXPECT_EQ(missing.code, 2);
}

TEST_F(RunCommand, BadFlagsAreUsageErrorsInOneLine) {
  for (const Arguments& arguments : {Arguments{"--nosuch"},
                                     {"--jobs", "x"},
                                     {"--jobs", "0"},
                                     {"--timeout", "-1"},
                                     {"--config", "Colour=1"},
                                     {"--isolate", "maybe"},
                                     {"--fraction-start", "3"},
                                     {"--client", "/bin/true"},
                                     {"/nonexistent/driver.so"},
                                     {"/tmp"},
                                     {"a.so", "b.so"}}) {
    const Ended ended = run(arguments);
    EXPECT_EQ(ended.code, 2) << arguments[0];
    EXPECT_EQ(std::count(ended.err.begin(), ended.err.end(), '\n'), 1) << ended.err;
    EXPECT_EQ(ended.err.find("wddmcheck: "), 0u) << ended.err;
  }
  EXPECT_EQ(wddmcheck({}).code, 2);
  EXPECT_EQ(wddmcheck({"nosuch"}).code, 2);
}

TEST_F(RunCommand, HelpIsNoError) {
  for (const Arguments& arguments : {Arguments{"--help"}, {"run", "--help"}, {"--version"}}) {
    const Ended ended = wddmcheck(arguments);
    EXPECT_EQ(ended.code, 0);
    EXPECT_FALSE(ended.out.empty());
    EXPECT_EQ(ended.err, "");
  }
  const std::string help = wddmcheck({"run", "--help"}).out;
  for (const char* flag :
       {"--driver", "--device", "--client", "--filter", "--include-tests", "--exclude-tests",
        "--caselist", "--jobs", "--timeout", "--baseline", "--skips", "--flakes", "--output",
        "--fraction", "--max-fails", "--depth", "--config", "--isolate", "--no-times",
        "WDDM_DRIVER"}) {
    EXPECT_NE(help.find(flag), std::string::npos) << flag;
  }
}

TEST_F(RunCommand, WhatCannotBeLoadedIsOneLine) {
  const Ended refused = run({driver("load: refuse driver.so: no DriverEntry\n")});
  const Ended crashing = run({driver("load: crash\n")});
  const Ended looping = run({driver("load: loop\n"), "--timeout", "0.3"});

  EXPECT_EQ(refused.code, 3);
  EXPECT_EQ(refused.err, "wddmcheck: driver.so: no DriverEntry\n");
  EXPECT_EQ(crashing.code, 3);
  EXPECT_NE(crashing.err.find("driver.so: crashes while it is loaded: Aborted\n"),
            std::string::npos)
      << crashing.err;
  EXPECT_EQ(looping.code, 3);
  EXPECT_NE(looping.err.find("static constructors do not come to an end\n"), std::string::npos);
}

TEST_F(RunCommand, AWrongInterfaceVersionIsOneLine) {
  const Ended ended = run({driver("*: old-version\n")});

  EXPECT_EQ(ended.code, 3);
  EXPECT_NE(ended.err.find("DxgkInitialize refused interface version 0x1052"), std::string::npos);
  EXPECT_EQ(std::count(ended.err.begin(), ended.err.end(), '\n'), 1) << ended.err;
  EXPECT_EQ(ended.out, "");
}

TEST_F(RunCommand, ADriverThatDoesNotStartLeavesNothingToJudge) {
  const Ended ended = run({driver("*: no-start\n")});

  EXPECT_EQ(ended.code, 3);
  EXPECT_NE(ended.out.find("The driver did not start: DriverEntry returned STATUS_UNSUCCESSFUL"),
            std::string::npos)
      << ended.out;
}

TEST_F(RunCommand, ADefectOfOursIsExitCodeFour) {
  const Ended ended = run({driver("page: harness\n")});

  EXPECT_EQ(ended.code, 4);
  EXPECT_NE(ended.out.find("HARNESS"), std::string::npos);
}

TEST_F(RunCommand, TheEnvironmentNamesTheDriver) {
  const Ended ended = run({}, {{"WDDM_DRIVER", driver("quiet: fire\n")}});

  EXPECT_EQ(ended.code, 1);
  EXPECT_EQ(results()["driver"], (folder_ / "driver.so").string());
}

TEST_F(RunCommand, ConfigurationsAreGivenByFlag) {
  const Ended ended =
      run({driver(""), "--config", "default", "--config", "PreemptionAware=0,DmaBufferSize=8192"});

  EXPECT_EQ(ended.code, 0);
  EXPECT_EQ(results()["configurations"],
            (nlohmann::json{"default", "PreemptionAware=0,DmaBufferSize=8192"}));
  EXPECT_EQ(result_of("Page.PAGE_001"), "pass") << "reached with the second one only";
}

TEST_F(RunCommand, VerdictsCountOpsAsTheFileThatRepeatsThem) {
  const std::string so = driver("quiet: fire\n");
  ASSERT_EQ(run({so, "--config", "NoDmaPatching=1"}).code, 1);
  const std::string failure = output() + "/failures/Split.SPLIT_001";

  const Ended again = wddmcheck({"repro", "--driver", so, failure + ".yaml"});

  // Its op, and what was seen with the events that led there.
  const auto told = [](const std::string& text) {
    const std::size_t op = text.find("\n  op ", text.find("SPLIT-001 does not hold"));
    const std::size_t seen = text.find("\n  expected ", op);
    const std::string setting = "configure: {setting: NoDmaPatching, value: 1}";
    return text.substr(op, text.find(setting, op) + setting.size() - op) +
           text.substr(seen, text.find("\n  rule ", seen) - seen);
  };
  EXPECT_EQ(told(contents(failure + ".verdict.txt")), told(again.out));
  EXPECT_EQ(told(again.out).rfind("\n  op        0  configure", 0), 0u) << again.out;
}

TEST_F(RunCommand, MaxFailsStopsEarly) {
  const Ended ended = run({driver("quiet: fire\n"), "--max-fails", "1"});

  EXPECT_EQ(ended.code, 1);
  EXPECT_EQ(result_of("Caps.CAPS_001"), "not-run");
}

// In the journal: the runs before the one that loops have ended.
constexpr const char* kEndOfSplit = R"("case":"scenario","clause":"SPLIT-001")";

TEST_F(RunCommand, AnInterruptWritesWhatIsThere) {
  Program program({WDDMCHECK_FAKE, "run", driver("bind: loop\n"), "--timeout", "60", "-j1",
                   "--output", output()});
  // BIND-001 loops once the end of SPLIT-001 stands in the journal.
  const std::string journal = output() + "/journal.jsonl";
  for (int i = 0; i < 3000; ++i) {
    if (contents(journal).find(kEndOfSplit) != std::string::npos) break;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }

  ::kill(program.pid(), SIGINT);
  const Ended ended = program.wait();

  EXPECT_EQ(ended.code, 1) << ended.err;
  EXPECT_EQ(result_of("Split.SPLIT_001"), "pass");
  EXPECT_EQ(result_of("Bind.BIND_001"), "not-run");
  EXPECT_EQ(results()["interrupted"], true);
}

TEST_F(RunCommand, AKilledRunnerLeavesAJournalToReport) {
  Program program({WDDMCHECK_FAKE, "run", driver("quiet: fire\nbind: loop\n"), "--timeout", "60",
                   "-j1", "--output", output()});
  const std::string journal = output() + "/journal.jsonl";
  for (int i = 0; i < 3000; ++i) {
    if (contents(journal).find(kEndOfSplit) != std::string::npos) break;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  ::kill(program.pid(), SIGKILL);
  (void)program.wait();
  ASSERT_FALSE(fs::exists(output() + "/results.json"));

  const Ended ended = wddmcheck({"report", output()});

  EXPECT_EQ(ended.code, 1);
  EXPECT_NE(ended.err.find("wddmcheck: note: scenario of BIND-001 had begun and not ended\n"),
            std::string::npos)
      << ended.err;
  EXPECT_EQ(result_of("Split.SPLIT_001"), "fail");
  EXPECT_EQ(result_of("Bind.BIND_001"), "not-run");
}

TEST_F(RunCommand, AFolderThatCannotBeWrittenIsNamed) {
  const Ended ended = wddmcheck({"run", "--output", "/dev/null/x"});

  EXPECT_EQ(ended.code, 2);
  EXPECT_EQ(ended.err.find("wddmcheck: /dev/null/x/journal.jsonl: "), 0u) << ended.err;
}

// The first scenario of the corpus beside the program that a driver with patch lists is played.
std::string first_of_corpus() {
  const std::string index =
      contents(fs::path(WDDMCHECK_FAKE).parent_path() / "distilled" / "index.tsv");
  const std::size_t name = index.find("\npatch_lists/") + std::string("\npatch_lists/").size();
  return index.substr(name, index.find(".yaml", name) - name);
}

TEST_F(RunCommand, DepthIsWhatIsPlayedBesides) {
  ASSERT_EQ(run({driver(""), "--depth", "quick"}).code, 0);
  EXPECT_FALSE(results().contains("corpus"));
  const auto quick = results()["runs"].get<std::size_t>();

  const Ended ended = run({driver(""), "--depth", "normal"});
  ASSERT_EQ(ended.code, 0) << ended.out;
  const auto normal = results()["corpus"]["planned"].get<std::size_t>();
  EXPECT_GT(normal, 20u);
  EXPECT_EQ(results()["corpus"]["played"], normal);
  EXPECT_EQ(results()["runs"], quick + normal);
  EXPECT_NE(ended.out.find(std::to_string(normal) + " are of the corpus"), std::string::npos);

  ASSERT_EQ(run({driver(""), "--depth", "thorough"}).code, 0);
  // What is swept besides goes on until nothing fails any more, which is soon here.
  const auto thorough = results()["corpus"]["planned"].get<std::size_t>();
  EXPECT_GT(thorough, normal + 2000 + 500);
  EXPECT_LT(thorough, normal + 2000 + 4000);
  EXPECT_EQ(results()["corpus"]["played"], thorough);

  EXPECT_EQ(run({driver(""), "--depth", "deep"}).code, 2);
}

TEST_F(RunCommand, WithoutDepthASelectionPlaysNothingBesides) {
  ASSERT_EQ(wddmcheck({"run", driver(""), "--output", output()}).code, 0);
  EXPECT_TRUE(results().contains("corpus"));

  ASSERT_EQ(wddmcheck({"run", driver(""), "--filter", "SPLIT-*", "--output", output()}).code, 0);
  EXPECT_FALSE(results().contains("corpus"));
}

TEST_F(RunCommand, WhatFiresInTheCorpusIsReportedAsEverything) {
  const std::string so = driver(first_of_corpus() + ": fire\n");
  const Ended ended = run({so, "--depth", "normal", "--no-times", "-j1"});
  ASSERT_EQ(ended.code, 1) << ended.out << ended.err;
  EXPECT_EQ(result_of("Split.SPLIT_001"), "fail");
  EXPECT_EQ(contents(output() + "/failures.csv"), "Split.SPLIT_001,Fail\n");
  EXPECT_NE(contents(output() + "/junit.xml").find(first_of_corpus() + " of the corpus"),
            std::string::npos);
  const std::string failure = output() + "/failures/Split.SPLIT_001.yaml";
  EXPECT_NE(contents(failure).find(first_of_corpus()), std::string::npos);
  const std::string json = contents(output() + "/results.json");

  EXPECT_EQ(run({so, "--depth", "normal", "--no-times", "-j4"}).code, 1);
  EXPECT_EQ(json, contents(output() + "/results.json"));
  EXPECT_EQ(wddmcheck({"report", output(), "--no-times"}).code, 1);
  EXPECT_EQ(json, contents(output() + "/results.json")) << "as the journal has it";

  const std::string baseline = file("known.csv", contents(output() + "/failures.csv"));
  EXPECT_EQ(run({so, "--depth", "normal", "--baseline", baseline}).code, 0);
}

TEST_F(RunCommand, ACrashInTheCorpusIsAResultThatABaselineKnows) {
  const std::string so = driver(first_of_corpus() + ": crash\n");
  ASSERT_EQ(run({so, "--depth", "normal"}).code, 1);
  EXPECT_EQ(result_of("CRASH"), "crash");
  const std::string failures = contents(output() + "/failures.csv");
  EXPECT_EQ(failures.rfind("CRASH,Crash,op 0 (", 0), 0u) << failures;
  EXPECT_NE(failures.find("): crashed SIGSEGV in DxgkDdiRender"), std::string::npos) << failures;

  const std::string baseline = file("known.csv", failures);
  EXPECT_EQ(run({so, "--depth", "normal", "--baseline", baseline}).code, 0);
}

TEST_F(RunCommand, ADriverThatTakesTooLongIsNotPlayedTheCorpus) {
  EXPECT_EQ(run({driver("quiet: loop\n"), "--depth", "normal", "--timeout", "0.5"}).code, 1);
  EXPECT_FALSE(results().contains("corpus"));
}

TEST_F(RunCommand, QuietSaysOnlyWhatIsWrong) {
  EXPECT_EQ(run({"--quiet", "--filter", "*"}).out, "Report: " + output() + "/results.json\n");
}

}  // namespace
}  // namespace wddm::runner
