// What `wddmcheck fuzz` leaves behind of inputs that it could not make findings of, and whether its
// exit code counts them.
#include "conformance/runner/fuzz_findings.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "conformance/runner/tests/program.h"

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
