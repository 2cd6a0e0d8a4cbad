// wddmcheck distill, over the real host and the built-in driver: the same twice, and nothing of
// others is written over.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>

#include "conformance/runner/tests/program.h"

namespace wddm::runner {
namespace {

namespace fs = std::filesystem;
using Files = std::map<std::string, std::string>;

class DistillCommand : public testing::Test {
 protected:
  void SetUp() override {
    folder_ =
        fs::path(testing::TempDir()) /
        ("distill-" + std::string(testing::UnitTest::GetInstance()->current_test_info()->name()));
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  Ended distill(const std::string& out, const std::vector<std::string>& more) const {
    std::vector<std::string> arguments = {WDDMCHECK,  "distill",  (folder_ / out).string(),
                                          WDDM_SEEDS, "--events", "6000"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return Program(arguments).wait();
  }
  Files files(const std::string& out) const {
    Files all;
    for (const auto& entry : fs::recursive_directory_iterator(folder_ / out)) {
      if (entry.is_regular_file())
        all[fs::relative(entry.path(), folder_ / out)] = contents(entry.path());
    }
    return all;
  }

  fs::path folder_;
};

TEST_F(DistillCommand, GivesTheSameFilesTwice) {
  const Ended first = distill("one", {"-j1", "--candidates", "1"});
  const Ended second = distill("two", {"-j2", "--candidates", "1"});

  ASSERT_EQ(first.code, 0) << first.out << first.err;
  ASSERT_EQ(second.code, 0) << second.out << second.err;
  const Files one = files("one");
  EXPECT_GT(one.size(), 4u);
  EXPECT_EQ(one.count("index.tsv"), 1u);
  EXPECT_EQ(one, files("two"));
}

TEST_F(DistillCommand, WritesOverACorpusAndOverNothingElse) {
  ASSERT_EQ(distill("out", {"--candidates", "0"}).code, 0);
  const Files before = files("out");
  std::ofstream(folder_ / "out" / "patch_lists" / "former.yaml") << "ops: []\n";

  EXPECT_EQ(distill("out", {"--candidates", "0"}).code, 0);
  EXPECT_EQ(files("out"), before);

  fs::create_directories(folder_ / "mine");
  std::ofstream(folder_ / "mine" / "thesis.txt") << "\n";
  const Ended refused = distill("mine", {});
  EXPECT_EQ(refused.code, 2);
  EXPECT_NE(refused.err.find("holds what is no distilled corpus"), std::string::npos);
}

}  // namespace
}  // namespace wddm::runner
