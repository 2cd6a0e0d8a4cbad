// `wddmcheck merge` with the real target: the built-in driver and one that crashes.
#include <gtest/gtest.h>

#include <filesystem>
#include <set>

#include "conformance/runner/tests/program.h"

namespace wddm::runner {
namespace {

namespace fs = std::filesystem;
using Names = std::set<std::string>;

class MergeCommand : public testing::Test {
 protected:
  MergeCommand() { fs::create_directories(in); }
  ~MergeCommand() override { fs::remove_all(folder); }

  void add(const std::string& name, const std::string& ops) const {
    std::ofstream(in + "/" + name) << "name: a\nops:\n" + ops;
  }
  static Ended merge(const std::string& to, const std::vector<std::string>& from) {
    std::vector<std::string> arguments{WDDMCHECK, "merge", to};
    arguments.insert(arguments.end(), from.begin(), from.end());
    return Program(arguments).wait();
  }
  static Names names_in(const std::string& where) {
    Names names;
    for (const auto& entry : fs::directory_iterator(where)) names.insert(entry.path().filename());
    return names;
  }
  // ", 12 clauses reached"
  static std::string reach_of(const std::string& said) {
    const std::size_t comma = said.rfind(", ");
    return said.substr(comma, said.find(':', comma) - comma);
  }

  const std::string folder = testing::TempDir() + "merge";
  const std::string in = folder + "/in", out = folder + "/out";
};

TEST_F(MergeCommand, OneOfTwoEqualInputsIsKept) {
  add("one.yaml", "- start\n- preempt\n");
  add("other.yaml", "- start\n- preempt\n");

  const Ended ended = merge(out, {in});

  EXPECT_EQ(ended.code, 0) << ended.out << ended.err;
  EXPECT_EQ(names_in(out), Names{"one"});
}

TEST_F(MergeCommand, NotesOfAnEngineAreNoInputs) {
  fs::create_directories(in + "/.state");
  add(".state/fastresume.bin", "- preempt\n");
  add("README.txt", "- idle\n");
  add("id:000000", "- start\n");

  const Ended ended = merge(out, {in});

  EXPECT_EQ(ended.code, 0) << ended.out << ended.err;
  EXPECT_EQ(names_in(out), Names{"id:000000"});
}

TEST_F(MergeCommand, WhatIsKeptReachesTheSameAndIsKeptAgain) {
  const Ended all = merge(out, {WDDM_SEEDS});

  const Ended again = merge(folder + "/again", {out});

  ASSERT_EQ(all.code, 0) << all.out << all.err;
  EXPECT_EQ(again.code, 0) << again.out << again.err;
  EXPECT_LT(names_in(out).size(), names_in(WDDM_SEEDS).size());
  EXPECT_EQ(names_in(folder + "/again"), names_in(out));
  EXPECT_EQ(reach_of(again.out), reach_of(all.out));
}

TEST_F(MergeCommand, AnInputThatEndsTheProcessIsNamedAndLeftOut) {
  add("crash.yaml", "- start\n- create_context: {context: 1}\n- preempt\n");
  add("quiet.yaml", "- start\n- idle\n- idle\n- idle\n");
  ::setenv("WDDM_DRIVER", HOSTILE_FOLDER "/leave.so", 1);
  ::setenv("WDDM_DEVICE", BINARIES "/reference_device.so", 1);
  ::setenv("WDDM_CLIENT", BINARIES "/reference_client.so", 1);

  const Ended ended = merge(out, {in});

  for (const char* name : {"WDDM_DRIVER", "WDDM_DEVICE", "WDDM_CLIENT"}) ::unsetenv(name);
  EXPECT_EQ(ended.code, 1) << ended.out << ended.err;
  EXPECT_EQ(ended.out.rfind(in + "/crash.yaml: ends the process; left out\n", 0), 0u) << ended.out;
  EXPECT_EQ(names_in(out), Names{"quiet"});
}

TEST_F(MergeCommand, AFolderThatHoldsSomethingIsNotWrittenTo) {
  add("one.yaml", "- start\n");

  const Ended ended = merge(in, {in});

  EXPECT_EQ(ended.code, 2);
  EXPECT_EQ(ended.err, "wddmcheck: " + in + ": is there already; name a new folder\n");
}

TEST_F(MergeCommand, InputsWithoutAnOpGiveNothing) {
  std::ofstream(in + "/none.yaml") << "ops: []\n";

  const Ended ended = merge(out, {in});

  EXPECT_EQ(ended.code, 3);
  EXPECT_EQ(ended.err, "wddmcheck: no input has an op\n");
}

TEST_F(MergeCommand, AnInputThatIsNoScenarioIsNamedWithItsLine) {
  add("bad.yaml", "- no_such_op\n");

  const Ended ended = merge(out, {in});

  EXPECT_EQ(ended.code, 2);
  EXPECT_NE(ended.err.find("bad.yaml:3"), std::string::npos) << ended.err;
}

}  // namespace
}  // namespace wddm::runner
