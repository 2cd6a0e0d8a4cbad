// minimize, convert, and what repro takes, over a fake host: files in, files and exit codes out.
#include <gtest/gtest.h>

#include <csignal>
#include <filesystem>
#include <thread>

#include "conformance/runner/tests/program.h"

namespace wddm::runner {
namespace {

namespace fs = std::filesystem;
using Arguments = std::vector<std::string>;

Ended wddmcheck(Arguments arguments) {
  arguments.insert(arguments.begin(), WDDMCHECK_FAKE);
  return Program(arguments).wait();
}
std::string path_of(const std::string& name) {
  return testing::TempDir() + "/" + testing::UnitTest::GetInstance()->current_test_info()->name() +
         name;
}
std::string file(const std::string& name, const std::string& text) {
  std::ofstream(path_of(name), std::ios::binary) << text;
  return path_of(name);
}
bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

// A scenario of 60 ops, two of which are preemptions.
std::string long_scenario(const std::string& name) {
  std::string text = "name: " + name + "\nops:\n";
  for (int i = 0; i < 60; ++i) text += i == 20 || i == 41 ? "- preempt: {node: 3}\n" : "- idle\n";
  return text;
}
// `preempt: {node: 1}` as a fuzzer keeps it.
std::string preempt_bytes() {
  return "\x2a\x01" + std::string(14, '\0');
}

TEST(MinimizeCommand, KeepsTheClauseAtItsKindOfOp) {
  const std::string yaml = file("s.yaml", long_scenario("preempt-fire"));

  const Ended ended = wddmcheck({"minimize", yaml});

  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_TRUE(has(ended.out, "SPLIT-001-preempt: 1 ops, before 60, after ")) << ended.out;
  EXPECT_EQ(ended.err, "") << "no progress in a log";
  const std::string text = contents(yaml + ".min.yaml");
  EXPECT_EQ(text.rfind("# SPLIT-001 does not hold: Memory is as predicted\n", 0), 0u) << text;
  EXPECT_TRUE(has(text, "\n# driver: reference_kmd.so, record ")) << text;
  EXPECT_TRUE(has(text, "\nname: preempt-fire\nops:\n- preempt\n")) << text;
}

TEST(MinimizeCommand, GivesTheSameFileEachTime) {
  const std::string yaml = file("s.yaml", long_scenario("preempt-fire"));
  const std::string out = path_of("out.yaml");
  ASSERT_EQ(wddmcheck({"minimize", yaml, "--output", out}).code, 0);
  const std::string once = contents(out);

  ASSERT_EQ(wddmcheck({"minimize", yaml, "--output", out}).code, 0);

  EXPECT_EQ(contents(out), once);
}

TEST(MinimizeCommand, KeepsACrashInItsDdi) {
  const std::string yaml = file("s.yaml", long_scenario("preempt-crash"));

  const Ended ended = wddmcheck({"minimize", yaml});

  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_TRUE(has(ended.out, "-in-DxgkDdiRender: 1 ops")) << ended.out;
  EXPECT_EQ(contents(yaml + ".min.yaml").rfind("# The run crashed: op 0 (preempt): SIG", 0), 0u);
}

TEST(MinimizeCommand, KeepsAHang) {
  const std::string yaml = file("s.yaml", long_scenario("preempt-hang"));

  EXPECT_TRUE(has(wddmcheck({"minimize", yaml}).out, "HANG: 1 ops"));
}

TEST(MinimizeCommand, TakesBytes) {
  const std::string crash = file("crash-1", preempt_bytes() + preempt_bytes());
  const std::string driver = file("d.so", "*: preempt-fire\n");

  const Ended ended = wddmcheck({"minimize", crash, "--driver", driver});

  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_TRUE(has(contents(crash + ".min.yaml"), "ops:\n- preempt\n"));
}

TEST(MinimizeCommand, SettingsComeIntoTheFile) {
  const std::string yaml = file("s.yaml", long_scenario("preempt-fire"));

  const Ended ended = wddmcheck({"minimize", yaml, "--config", "PreemptionAware=0"});

  EXPECT_TRUE(has(ended.out, "1 ops, before 61")) << ended.out;
}

TEST(MinimizeCommand, KeepsTheClauseThatIsNamed) {
  const std::string yaml = file("s.yaml", long_scenario("preempt-fire"));

  EXPECT_EQ(wddmcheck({"minimize", yaml, "--clause", "OTHER-001"}).code, 0) << "an alias";
  const Ended other = wddmcheck({"minimize", yaml, "--clause", "BIND-001"});
  EXPECT_EQ(other.code, 3);
  EXPECT_TRUE(has(other.err, "nothing to minimize: BIND-001 does not fire")) << other.err;
  EXPECT_EQ(wddmcheck({"minimize", yaml, "--clause", "NOSUCH-001"}).code, 2);
}

TEST(MinimizeCommand, AnInputThatIsGoodHasNothingToMinimize) {
  const std::string yaml = file("s.yaml", long_scenario("quiet"));

  const Ended ended = wddmcheck({"minimize", yaml});

  EXPECT_EQ(ended.code, 3);
  EXPECT_EQ(ended.err, "wddmcheck: " + yaml + ": nothing to minimize: no clause fires\n");
  EXPECT_FALSE(fs::exists(yaml + ".min.yaml"));
}

TEST(MinimizeCommand, ADefectOfOursIsExitCodeFour) {
  EXPECT_EQ(wddmcheck({"minimize", file("s.yaml", long_scenario("preempt-throw"))}).code, 4);
}

TEST(MinimizeCommand, UsageErrors) {
  const std::string yaml = file("s.yaml", long_scenario("preempt-fire"));

  EXPECT_EQ(wddmcheck({"minimize"}).code, 2);
  EXPECT_EQ(wddmcheck({"minimize", "/nonexistent"}).code, 2);
  EXPECT_EQ(wddmcheck({"minimize", yaml, "--output", "/nonexistent/out"}).code, 2);
  EXPECT_EQ(wddmcheck({"minimize", yaml, "--driver", "/nonexistent.so"}).code, 2);
}

TEST(MinimizeCommand, AFolderThatIsGoneIsOneLine) {
  const std::string yaml = file("s.yaml", long_scenario("preempt-fire"));
  const std::string gone = path_of("gone");

  const Ended ended =
      Program({"/bin/sh", "-c",
               "mkdir " + gone + " && cd " + gone + " && rmdir " + gone +
                   " && exec " WDDMCHECK_FAKE " minimize " + yaml + " --output x.yaml"})
          .wait();

  EXPECT_EQ(ended.code, 2);
  EXPECT_EQ(ended.err, "wddmcheck: x.yaml: cannot be written: No such file or directory\n");
}

TEST(MinimizeCommand, TellsACommandThatAShellTakes) {
  const std::string yaml = file("it's.yaml", long_scenario("preempt-fire"));
  ASSERT_EQ(wddmcheck({"minimize", yaml}).code, 0);
  const std::string text = contents(yaml + ".min.yaml");
  const std::size_t again = text.find("#   again     wddmcheck ") + 23;

  const Ended ended = Program({"/bin/sh", "-c",
                               WDDMCHECK_FAKE + text.substr(again, text.find('\n', again) - again)})
                          .wait();

  EXPECT_EQ(ended.code, 1) << ended.err;
}

// A run that loops until its limit gives the signal time to arrive in the middle.
TEST(MinimizeCommand, WritesTheBestSoFarWhenInterrupted) {
  const std::string yaml = file("s.yaml", long_scenario("preempt-loop"));
  Program program({WDDMCHECK_FAKE, "minimize", yaml, "--timeout", "0.3"});
  std::this_thread::sleep_for(std::chrono::milliseconds(1200));

  ::kill(program.pid(), SIGINT);
  const Ended ended = program.wait();

  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_TRUE(has(ended.out, "executions (stopped)")) << ended.out;
  EXPECT_TRUE(has(contents(yaml + ".min.yaml"), "- preempt"));
}

TEST(ReproCommand, TakesBytes) {
  const std::string crash = file("id:000001,sig:06", preempt_bytes() + "tail");
  const std::string driver = file("d.so", "*: preempt-fire\n");

  const Ended ended = wddmcheck({"repro", crash, "--driver", driver});

  EXPECT_EQ(ended.code, 1);
  EXPECT_TRUE(has(ended.out, "Read as bytes: 1 ops\n")) << ended.out;
  EXPECT_TRUE(has(ended.out, "op 0    preempt: {node: 1}\n")) << ended.out;
}

TEST(ReproCommand, AFileNamedYamlMustBeYaml) {
  const Ended ended = wddmcheck({"repro", file("typo.yaml", "op:\n- preempt\n")});

  EXPECT_EQ(ended.code, 2) << ended.out;
  EXPECT_TRUE(has(ended.err, "typo.yaml:1: found the key \"op\"")) << ended.err;
}

TEST(ReproCommand, AnEmptyFileIsAnEmptyScenario) {
  EXPECT_EQ(wddmcheck({"repro", file("empty", "")}).code, 0);
}

TEST(ReproCommand, SaysSoOnAnotherDriver) {
  const std::string yaml = file("s.yaml", long_scenario("preempt-fire"));
  const std::string same = file("a.so", "");
  const std::string other = file("b.so", "*: no-caps\n");
  ASSERT_EQ(wddmcheck({"minimize", yaml, "--driver", same}).code, 0);

  const Ended here = wddmcheck({"repro", yaml + ".min.yaml", "--driver", same});
  const Ended there = wddmcheck({"repro", yaml + ".min.yaml", "--driver", other});

  EXPECT_EQ(here.code, 1);
  EXPECT_FALSE(has(here.out, "Found on")) << here.out;
  EXPECT_TRUE(has(there.out, "a.so (record ")) << there.out;
  EXPECT_TRUE(has(there.out, "which differs first in: WDDM version")) << there.out;
}

TEST(ConvertCommand, GoesThereAndBack) {
  const std::string yaml = file("s.yaml", "ops:\n- preempt: {node: 1}\n");
  const std::string bytes = path_of("bytes");

  ASSERT_EQ(wddmcheck({"convert", yaml, "--output", bytes}).code, 0);

  EXPECT_EQ(contents(bytes), preempt_bytes());
  EXPECT_EQ(wddmcheck({"convert", bytes}).out, contents(yaml));
  EXPECT_EQ(wddmcheck({"convert", yaml, "--to", "yaml"}).out, contents(yaml));
}

TEST(ConvertCommand, WritesAGoogleTestCase) {
  const std::string yaml = file("s.yaml", "name: two \"words\"\nops:\n- preempt: {node: 1}\n");

  const Ended ended = wddmcheck({"convert", yaml, "--to", "gtest"});

  EXPECT_EQ(ended.code, 0);
  EXPECT_TRUE(has(ended.out, "TEST(Scenario, TwoWords) {\n")) << ended.out;
  EXPECT_TRUE(has(ended.out,
                  "      // preempt: {node: 1}\n      {.kind = wddm::OpKind::Preempt, .a = 1},\n"));
}

TEST(ConvertCommand, WritesToStandardOutputByName) {
  const std::string yaml = file("s.yaml", "ops:\n- preempt: {node: 1}\n");
  const std::string log = file("log", "before\n");

  const Ended ended =
      Program({"/bin/sh", "-c",
               WDDMCHECK_FAKE " convert " + yaml + " --to yaml --output /dev/stdout >> " + log})
          .wait();

  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_EQ(contents(log), "before\n" + contents(yaml));
}

TEST(ConvertCommand, UsageErrors) {
  EXPECT_EQ(wddmcheck({"convert", "/nonexistent"}).code, 2);
  EXPECT_EQ(wddmcheck({"convert", file("s.yaml", "ops: []\n"), "--to", "json"}).code, 2);
  EXPECT_EQ(wddmcheck({"convert", file("t.yaml", "ops: [nosuch]\n")}).code, 2);
}

}  // namespace
}  // namespace wddm::runner
