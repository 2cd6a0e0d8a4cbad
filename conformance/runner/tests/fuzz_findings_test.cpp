// What `wddmcheck fuzz` leaves behind of inputs that it could not make findings of, and whether its
// exit code counts them.
#include "conformance/runner/fuzz_findings.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "conformance/runner/tests/program.h"
#include "fuzz/session/bucket.h"

namespace wddm::runner {
namespace {

namespace fs = std::filesystem;
using Input = std::vector<std::uint8_t>;

constexpr const char* kBucket = "SPLIT-001-start";

class FuzzFindingsTest : public testing::Test {
 protected:
  FuzzFindingsTest() : folder_(testing::TempDir() + "fuzz-findings") {
    fs::remove_all(folder_);
    fs::create_directories(folder_);
    options_.output = folder_ + "/out";
    options_.quiet = true;
  }
  ~FuzzFindingsTest() override { fs::remove_all(folder_); }

  [[nodiscard]] std::string kept(const std::string& name) const {
    return contents(options_.output + '/' + name);
  }

  const std::string folder_;
  Options options_;
  harness::Expectations known_;
};

TEST_F(FuzzFindingsTest, WhatIsLeftIsKeptAsItWas) {
  FuzzFindings findings(options_, known_, {}, "");
  findings.add_left(kBucket, Input{'a', 0, 'c'});
  findings.add_left("CRASH", Input{'d'});
  EXPECT_EQ(kept("left/SPLIT-001-start.1"), std::string("a\0c", 3));
  EXPECT_EQ(kept("left/CRASH.2"), "d");
  EXPECT_EQ(findings.problem(), "");
  EXPECT_NE(findings.summary().find(", 2 not looked at"), std::string::npos) << findings.summary();
}

TEST_F(FuzzFindingsTest, WhatIsLeftMayBeAFinding) {
  FuzzFindings findings(options_, known_, {}, "");
  EXPECT_EQ(findings.exit_code(true), kExitGood);
  findings.add_left(kBucket, {});
  EXPECT_EQ(findings.exit_code(true), kExitUnexpected);
}

TEST_F(FuzzFindingsTest, WhatABaselineHasIsKeptAndExpected) {
  known_.baseline.push_back({.id = "SPLIT-001"});
  FuzzFindings findings(options_, known_, {}, "");
  findings.add_left(kBucket, Input{'a'});
  EXPECT_EQ(kept("left/SPLIT-001-start.1"), "a");
  EXPECT_EQ(findings.exit_code(true), kExitGood);
  findings.add_left("SPLIT-002-start", {});
  EXPECT_EQ(findings.exit_code(true), kExitUnexpected) << "another clause";
}

TEST_F(FuzzFindingsTest, ABaselineMayNameTheEndOfARun) {
  known_.baseline.push_back({.id = "CRASH", .result = harness::ResultKind::Crash});
  FuzzFindings findings(options_, known_, {}, "");
  findings.add_left("CRASH", {});
  EXPECT_EQ(findings.exit_code(true), kExitGood);
}

// As a run of the clauses has it: under the name that it has there.
TEST_F(FuzzFindingsTest, ACrashOfABaselineIsKnownByItsPlaceAndNoOtherIs) {
  constexpr const char* kPlace = "SIGSEGV in DxgkDdiPatch (patch)";
  known_.baseline.push_back({.id = "NT-Crash", .place = kPlace});
  known_.baseline.push_back(
      {.id = "CRASH", .result = harness::ResultKind::Crash, .place = "SIGSEGV in DriverEntry"});
  FuzzFindings findings(options_, known_, {}, "");
  const auto excused = [&findings](const std::string& about) {
    fuzz::Finding finding;
    finding.run.outcome = {harness::OutcomeKind::Crashed, about, {}};
    finding.name = finding.bucket = fuzz::bucket_of(finding.run, finding.scenario);
    return findings.excuse(finding);
  };
  EXPECT_TRUE(excused(std::string(kPlace) + "; a read, at node.cpp:9"));
  EXPECT_TRUE(excused("SIGSEGV in DriverEntry"));
  EXPECT_FALSE(excused("SIGSEGV in DxgkDdiRender (render)"));
}

TEST_F(FuzzFindingsTest, ThatTheTimeWasOverBeforeItWasShortIsSaid) {
  FuzzFindings findings(options_, known_, {}, "");
  fuzz::Finding finding;
  finding.name = finding.bucket = kBucket;
  finding.cut_short = true;
  testing::internal::CaptureStdout();
  findings.add(finding);
  const std::string told = testing::internal::GetCapturedStdout();
  EXPECT_NE(told.find("0 ops, were 0 (the time was over: "), std::string::npos) << told;
}

TEST_F(FuzzFindingsTest, WhatCannotBeWrittenIsSaid) {
  options_.output = folder_ + "/file/out";
  std::ofstream(folder_ + "/file") << "no folder";
  FuzzFindings findings(options_, known_, {}, "");
  findings.add_left(kBucket, Input{'a'});
  EXPECT_EQ(findings.problem(), options_.output + "/left/SPLIT-001-start.1: cannot be written");
}

TEST_F(FuzzFindingsTest, WhatIsUnsteadyHasAFolderOfItsOwn) {
  FuzzFindings findings(options_, known_, {}, "");
  findings.add_unsteady("TIMEOUT", Input{'a'});
  EXPECT_EQ(kept("unsteady/TIMEOUT.1"), "a");
  EXPECT_EQ(findings.exit_code(true), kExitGood) << "too slow beside others";
  findings.add_unsteady(kBucket, Input{'b'});
  EXPECT_EQ(kept("unsteady/SPLIT-001-start.2"), "b");
  EXPECT_EQ(findings.exit_code(true), kExitUnexpected);
}

}  // namespace
}  // namespace wddm::runner
