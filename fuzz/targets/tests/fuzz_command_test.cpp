// `wddmcheck fuzz` as a user runs it, over the built-in driver and its faulty variants.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <thread>

#include "conformance/runner/tests/program.h"

namespace wddm::runner {
namespace {

namespace fs = std::filesystem;
using Arguments = std::vector<std::string>;

class FuzzCommand : public testing::Test {
 protected:
  ~FuzzCommand() override { fs::remove_all(folder); }

  static Arguments driver(const std::string& file) {
    return {BINARIES "/" + file, "--device", BINARIES "/reference_device.so", "--client",
            BINARIES "/reference_client.so"};
  }
  [[nodiscard]] Arguments command(Arguments subject, const Arguments& more) const {
    Arguments all{WDDMCHECK, "fuzz", "-j1", "--output", out};
    const bool seeded = std::find(more.begin(), more.end(), "--seed") != more.end();
    if (!seeded) all.insert(all.end(), {"--seed", "12"});
    all.insert(all.end(), subject.begin(), subject.end());
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }
  [[nodiscard]] Ended fuzz(const Arguments& subject, const Arguments& more) const {
    return Program(command(subject, more)).wait();
  }
  /// Of the findings below `folder`: name and text.
  [[nodiscard]] static std::map<std::string, std::string> findings_in(const std::string& folder) {
    std::map<std::string, std::string> all;
    for (const auto& entry : fs::directory_iterator(folder + "/findings")) {
      all[entry.path().filename()] = contents(entry.path());
    }
    return all;
  }

  /// The clause of a finding and what it expects, without numbers.
  [[nodiscard]] static std::string what_is_wrong(const std::string& finding) {
    const auto line_of = [&](const std::string& key) {
      const std::size_t begin = finding.find(key);
      return begin == std::string::npos ? ""
                                        : finding.substr(begin, finding.find('\n', begin) - begin);
    };
    const std::string clause = finding.substr(0, finding.find(" does not hold"));
    std::string what = clause.substr(clause.find_last_of(" \n") + 1) + line_of(" expected ");
    std::erase_if(what, [](char c) { return c >= '0' && c <= '9'; });
    return what;
  }

  const std::string folder = testing::TempDir() + "fuzz";
  const std::string out = folder + "/out";
};

// A variant whose paging buffers have no addresses before a call of Patch: memory is not what
// PAGE-012 says.
const Arguments kPagesWrongly{"--config", "Variant=8", "--runs", "40", "--seed", "5"};

TEST_F(FuzzCommand, FindsASeededFaultAndItsFileReproducesIt) {
  const Ended ended = fuzz(driver("reference_kmd_faulty.so"), kPagesWrongly);

  ASSERT_EQ(ended.code, 1) << ended.out << ended.err;
  const auto findings = findings_in(out);
  ASSERT_FALSE(findings.empty());
  for (const auto& [name, text] : findings) {
    const std::string clause = name.substr(0, name.find('.'));
    Arguments repro{WDDMCHECK, "repro", out + "/findings/" + name, "--driver"};
    const Arguments subject = driver("reference_kmd_faulty.so");
    repro.insert(repro.end(), subject.begin(), subject.end());
    const Ended again = Program(repro).wait();
    EXPECT_EQ(again.code, 1) << again.out << again.err;
    EXPECT_NE(again.out.find(clause), std::string::npos) << name << '\n' << again.out;
  }
}

TEST_F(FuzzCommand, FindsTheSameWithTheSameSeed) {
  static_cast<void>(fuzz(driver("reference_kmd_faulty.so"), kPagesWrongly));
  const auto first = findings_in(out);
  fs::remove_all(out);

  static_cast<void>(fuzz(driver("reference_kmd_faulty.so"), kPagesWrongly));

  EXPECT_EQ(findings_in(out), first);
}

TEST_F(FuzzCommand, KnownFindingsDoNotFailTheRun) {
  fs::create_directories(folder);
  std::ofstream(folder + "/known.txt")
      << "Page.PAGE_003,Fail\nPage.PAGE_005,Fail\nPage.PAGE_007,Fail\nPage.PAGE_012,Fail\n"
         "Page.PAGE_014,Fail\n"
         "Page.PAGE_015,Fail\nPage.PAGE_019,Fail\nSubmit.SUBMIT_017,Fail\n";
  Arguments more = kPagesWrongly;
  more.insert(more.end(), {"--baseline", folder + "/known.txt"});

  const Ended ended = fuzz(driver("reference_kmd_faulty.so"), more);

  EXPECT_EQ(ended.code, 0) << ended.out << ended.err;
  EXPECT_NE(ended.out.find("known SUBMIT-017"), std::string::npos) << ended.out;
  EXPECT_FALSE(fs::exists(out + "/findings")) << "what is known is not minimized";
}

// The second run begins with what the first has kept, and thus comes to other scenarios: a clause
// that fails in them at another op is no news.
TEST_F(FuzzCommand, WhatAnEarlierRunWroteIsNotNew) {
  static_cast<void>(fuzz(driver("reference_kmd_faulty.so"), kPagesWrongly));
  Arguments again = command(driver("reference_kmd_faulty.so"), kPagesWrongly);
  *std::find(again.begin(), again.end(), "5") = "14";

  const Ended ended = Program(again).wait();

  EXPECT_EQ(ended.code, 1) << ended.out << ended.err;
  EXPECT_NE(ended.out.find("again SUBMIT-017"), std::string::npos) << ended.out;
  std::set<std::string> told;
  for (const auto& [name, text] : findings_in(out)) {
    const std::string what = what_is_wrong(text);
    EXPECT_TRUE(told.insert(what).second) << name << " tells once more: " << what;
  }
}

// Six clauses see what the GPU did at addresses that it was not given.
TEST_F(FuzzCommand, WhatFollowsFromAFindingIsNoFindingOfItsOwn) {
  const Ended ended = fuzz(driver("reference_kmd_faulty.so"), kPagesWrongly);

  EXPECT_NE(ended.out.find(": follows from SUBMIT-017"), std::string::npos) << ended.out;
  EXPECT_NE(ended.out.find(" more that follow from these"), std::string::npos) << ended.out;
  EXPECT_EQ(findings_in(out).size(), 1u) << ended.out;
}

TEST_F(FuzzCommand, AVerdictNamesTheOpOfItsFile) {
  static_cast<void>(fuzz(driver("reference_kmd_faulty.so"), kPagesWrongly));
  const auto findings = findings_in(out);
  ASSERT_FALSE(findings.empty());

  const auto& [name, text] = *findings.begin();
  Arguments repro{WDDMCHECK, "repro", out + "/findings/" + name, "--driver"};
  const Arguments subject = driver("reference_kmd_faulty.so");
  repro.insert(repro.end(), subject.begin(), subject.end());
  const Ended again = Program(repro).wait();

  const std::size_t begin = text.find(" op ");
  ASSERT_NE(begin, std::string::npos) << text;
  const std::string place = text.substr(begin, text.find('\n', begin) - begin);
  EXPECT_NE(again.out.find(place), std::string::npos) << place << '\n' << again.out;
}

// Each of them, and a few that are like them, would end the worker at each of its starts.
TEST_F(FuzzCommand, SeedsThatEndTheProcessAreRunOnce) {
  const Ended ended = fuzz(driver("hostile/leave.so"), {"--runs", "200", "--seeds", WDDM_SEEDS});

  EXPECT_EQ(ended.code, 1) << ended.out << ended.err;
  EXPECT_NE(ended.out.find("EXIT: "), std::string::npos) << ended.out;
  EXPECT_NE(ended.out.find("\n200 executions"), std::string::npos) << ended.out;
}

TEST_F(FuzzCommand, RunsAreThoseOfAllWorkersTogether) {
  Arguments two_workers = command(driver("reference_kmd.so"), {"--runs", "3"});
  *std::find(two_workers.begin(), two_workers.end(), "-j1") = "-j2";

  const Ended ended = Program(two_workers).wait();

  EXPECT_EQ(ended.out.rfind("3 executions", 0), 0u) << ended.out;
}

TEST_F(FuzzCommand, AStoppedProcessIsFoundToo) {
  fs::create_directories(folder + "/seeds");
  std::ofstream(folder + "/seeds/preempts.yaml") << "ops:\n- preempt\n";

  const Ended ended = fuzz(driver("hostile/stop_process.so"),
                           {"--time", "5s", "--timeout", "1", "--seeds", folder + "/seeds"});

  EXPECT_EQ(ended.code, 1) << ended.out << ended.err;
  EXPECT_NE(ended.out.find("TIMEOUT: "), std::string::npos) << ended.out;
}

TEST_F(FuzzCommand, ABaselineExcusesHowARunEndsToo) {
  fs::create_directories(folder);
  std::ofstream(folder + "/known.txt") << "CRASH,Crash\n";

  const Ended ended =
      fuzz(driver("hostile/segfault.so"), {"--runs", "10", "--baseline", folder + "/known.txt"});

  EXPECT_EQ(ended.code, 0) << ended.out << ended.err;
  EXPECT_NE(ended.out.find("known CRASH-SIGSEGV-in-"), std::string::npos) << ended.out;
}

TEST_F(FuzzCommand, ACrashEndsItsRunAndNotTheWorker) {
  for (const char* const name : {"hostile/segfault.so", "hostile/copy_to_nowhere.so"}) {
    const Ended ended = fuzz(driver(name), {"--runs", "200"});

    EXPECT_EQ(ended.code, 1) << name << ended.out << ended.err;
    EXPECT_NE(ended.out.find("CRASH-SIGSEGV-in-DxgkDdiPreemptCommand-preempt"), std::string::npos)
        << name << ended.out;
    EXPECT_TRUE(fs::is_empty(fs::path(out) / "work" / "fatal")) << name << " ended no worker";
    fs::remove_all(out);
  }
}

TEST_F(FuzzCommand, ADriverHasValuesOfItsOwn) {
  const Ended ended =
      fuzz(driver("hostile/segfault.so"), {"--runs", "10", "--config", "Colour=red"});

  EXPECT_EQ(ended.code, 1) << ended.out << ended.err;
  ASSERT_FALSE(findings_in(out).empty());
  for (const auto& [name, text] : findings_in(out)) {
    EXPECT_NE(text.find("Colour=red"), std::string::npos) << name << " needs it again: " << text;
  }
}

TEST_F(FuzzCommand, ABaselineExcusesNoOtherResult) {
  fs::create_directories(folder);
  std::ofstream(folder + "/known.txt") << "Page.PAGE_012,Crash\n";
  Arguments more = kPagesWrongly;
  more.insert(more.end(), {"--baseline", folder + "/known.txt"});

  EXPECT_EQ(fuzz(driver("reference_kmd_faulty.so"), more).code, 1);
}

TEST_F(FuzzCommand, AnEndlessLoopIsFoundByItsTimeout) {
  const Ended ended = fuzz(driver("hostile/spin.so"), {"--time", "5s", "--timeout", "1"});

  EXPECT_EQ(ended.code, 1) << ended.out << ended.err;
  EXPECT_NE(ended.out.find("TIMEOUT: "), std::string::npos) << ended.out;
}

#ifdef WITH_AFL
TEST_F(FuzzCommand, AflFindsASeededFaultAndLeavesItsCorpus) {
  const Ended ended = fuzz(driver("reference_kmd_faulty.so"),
                           {"--engine", "afl", "--config", "Variant=8", "--seed", "3", "--runs",
                            "600", "--corpus", folder + "/corpus"});

  ASSERT_EQ(ended.code, 1) << ended.out << ended.err;
  EXPECT_NE(ended.out.find("\nPAGE-0"), std::string::npos) << "pages are written wrongly\n"
                                                           << ended.out;
  EXPECT_FALSE(findings_in(out).empty());
  EXPECT_FALSE(fs::is_empty(folder + "/corpus"));
  EXPECT_EQ(contents(fs::path(out) / "work" / "log.0").find("PROGRAM ABORT"), std::string::npos);
  EXPECT_NE(ended.out.find("\n600 executions"), std::string::npos) << ended.out;
}

TEST_F(FuzzCommand, AflFindsWhatEndsTheProcess) {
  const Ended ended = fuzz(driver("hostile/segfault.so"), {"--engine", "afl", "--runs", "200"});

  ASSERT_EQ(ended.code, 1) << ended.out << ended.err;
  EXPECT_NE(ended.out.find("CRASH-SIGSEGV-in-"), std::string::npos) << ended.out;
}
#endif

TEST_F(FuzzCommand, ReadsTheCorpusInEitherForm) {
  fs::create_directories(folder + "/corpus");
  std::ofstream(folder + "/corpus/rendering.yaml")
      << "ops:\n- create_allocation\n- create_context\n- render\n- bind\n- fill\n- idle\n";

  const Ended ended =
      fuzz(driver("reference_kmd.so"), {"--runs", "4", "--corpus", folder + "/corpus"});

  EXPECT_EQ(ended.code, 0) << ended.out << ended.err;
  const auto clauses = ended.out.find(" of ");
  ASSERT_NE(clauses, std::string::npos) << ended.out;
  EXPECT_GT(std::atoi(ended.out.c_str() + clauses - 2), 30) << ended.out;
}

TEST_F(FuzzCommand, LeavesAFolderAloneThatIsNotItsOwn) {
  const fs::path precious = fs::path(out) / "work" / "precious.cpp";
  fs::create_directories(precious.parent_path());
  std::ofstream(precious) << "x";

  const Ended ended = fuzz(driver("reference_kmd.so"), {"--runs", "1"});

  EXPECT_EQ(ended.code, 2) << ended.out;
  EXPECT_TRUE(fs::exists(precious));
}

TEST_F(FuzzCommand, FindsNothingInTheReferenceDriver) {
  const Ended ended = fuzz(driver("reference_kmd.so"), {"--runs", "100"});

  EXPECT_EQ(ended.code, 0) << ended.out << ended.err;
  EXPECT_NE(ended.out.find("0 findings: 0 new, 0 known, 0 unsteady"), std::string::npos);
  EXPECT_EQ(ended.err, "");
}

TEST_F(FuzzCommand, SaysWhatIsOutOfReachWithoutAClient) {
  const Ended ended = fuzz(
      {BINARIES "/reference_kmd.so", "--device", BINARIES "/reference_device.so"}, {"--runs", "1"});

  EXPECT_EQ(ended.code, 0) << ended.out << ended.err;
  EXPECT_NE(ended.err.find("clauses are out of reach: "), std::string::npos) << ended.err;
  EXPECT_NE(ended.err.find("no client: nothing can be rendered"), std::string::npos) << ended.err;
  EXPECT_NE(ended.err.find("not given: --client\n"), std::string::npos) << ended.err;
}

TEST_F(FuzzCommand, SaysThatADriverWithoutItsDeviceDoesNotStart) {
  const Ended ended = fuzz({BINARIES "/reference_kmd.so"}, {"--runs", "1"});

  EXPECT_EQ(ended.code, 3) << ended.out;
  EXPECT_NE(ended.err.find("(DxgkDdiStartDevice returned "), std::string::npos) << ended.err;
  EXPECT_NE(ended.err.find("not given: --device --client\n"), std::string::npos) << ended.err;
}

TEST_F(FuzzCommand, ASignalEndsItWithItsSummary) {
  Program running(command(driver("reference_kmd.so"), {"--time", "1h"}));
  const auto has_begun = [&] {
    return fs::exists(out + "/corpus") && !fs::is_empty(out + "/corpus");
  };
  for (int turn = 0; turn < 6000 && !has_begun(); ++turn) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }

  ::kill(running.pid(), SIGINT);
  const Ended ended = running.wait();

  EXPECT_EQ(ended.code, 0) << ended.out << ended.err;
  EXPECT_NE(ended.out.find("0 findings"), std::string::npos) << ended.out;
}

}  // namespace
}  // namespace wddm::runner
