// wddmcheck trace: what a failing run leaves can be looked at, and no other file harms.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "conformance/runner/tests/program.h"

namespace wddm::runner {
namespace {

namespace fs = std::filesystem;
using Arguments = std::vector<std::string>;

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

class TraceCommand : public testing::Test {
 protected:
  void SetUp() override {
    folder_ =
        fs::path(testing::TempDir()) /
        ("trace-" + std::string(testing::UnitTest::GetInstance()->current_test_info()->name()));
    fs::remove_all(folder_);
    fs::create_directories(folder_);
    const std::string driver = file("driver.so", "quiet: fire\n");
    const Ended run = Program({WDDMCHECK_FAKE, "run", driver, "--output", folder_ / "out"}).wait();
    ASSERT_EQ(run.code, 1) << run.err;
  }

  std::string file(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ / name, std::ios::binary) << text;
    return folder_ / name;
  }
  std::string stored(const std::string& ending) const {
    return folder_ / "out" / "failures" / ("Split.SPLIT_001" + ending);
  }
  static Ended trace(Arguments arguments) {
    arguments.insert(arguments.begin(), {WDDMCHECK_FAKE, "trace"});
    return Program(arguments).wait();
  }
  static void expect_refused(const std::string& path, const std::string& why) {
    const Ended ended = trace({path});
    EXPECT_EQ(ended.code, 2) << path;
    EXPECT_EQ(ended.out, "") << path;
    EXPECT_TRUE(has(ended.err, why)) << ended.err;
    EXPECT_EQ(std::count(ended.err.begin(), ended.err.end(), '\n'), 1) << ended.err;
  }

  fs::path folder_;
};

TEST_F(TraceCommand, PrintsWhatStandsBesideIt) {
  const Ended ended = trace({stored(".trace")});

  EXPECT_EQ(ended.code, 0) << ended.err;
  const std::string beside = contents(stored(".trace.txt"));
  EXPECT_EQ("scenario of SPLIT-001, default: " + ended.out, beside);
  EXPECT_TRUE(has(ended.out, " MemoryDiffers ")) << ended.out;
}

TEST_F(TraceCommand, PrintsAPart) {
  const Ended of_op = trace({stored(".trace"), "--op", "0"});
  EXPECT_EQ(of_op.code, 0) << of_op.err;
  EXPECT_TRUE(has(of_op.out, " op=0 ")) << of_op.out;
  EXPECT_FALSE(has(of_op.out, " op=-")) << of_op.out;
  const Ended around = trace({stored(".trace"), "--around", "1000000"});
  EXPECT_TRUE(has(around.out, ", 0 of them\n")) << around.out;
  for (const char* wrong : {"-1", "x", "5000000000", ""})
    EXPECT_EQ(trace({stored(".trace"), "--around", wrong}).code, 2) << wrong;
}

TEST_F(TraceCommand, OtherFilesAreRefusedInOneLine) {
  const std::string good = contents(stored(".trace"));
  std::string many = good;
  many.replace(16, 4, "\xff\xff\xff\xff", 4);
  std::string newer = good;
  newer[8] = 9;

  expect_refused(file("cut", good.substr(0, good.size() - 1)), "cut or damaged");
  expect_refused(file("many", many), "4294967295 events");
  expect_refused(file("newer", newer), "in form 9");
  expect_refused(file("text", "ops: []\n"), "no trace of wddmcheck");
  expect_refused(file("empty", ""), "no trace of wddmcheck");
  expect_refused(folder_ / "none", "none: ");
  expect_refused(folder_, "");
  expect_refused("/dev/zero", "/dev/zero: ");
}

}  // namespace
}  // namespace wddm::runner
