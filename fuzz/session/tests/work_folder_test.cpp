#include "fuzz/session/work_folder.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "fuzz/session/input_file.h"

namespace wddm::fuzz {
namespace {

namespace fs = std::filesystem;

class WorkFolders : public ::testing::Test {
 protected:
  WorkFolders() : path(::testing::TempDir() + "work"), folder(path) {
    fs::remove_all(path);
    std::string error;
    EXPECT_TRUE(WorkFolder::make(path, error)) << error;
  }
  ~WorkFolders() override { fs::remove_all(path); }

  std::string path;
  WorkFolder folder;
};

TEST_F(WorkFolders, GivesBackWhatWasStored) {
  const std::vector<std::uint8_t> input{1, 2, 3};

  EXPECT_TRUE(folder.store("SPLIT-005-idle", input));

  EXPECT_EQ(folder.buckets(), std::vector<std::string>{"SPLIT-005-idle"});
  EXPECT_EQ(folder.input_of("SPLIT-005-idle"), input);
}

TEST_F(WorkFolders, GivesBucketsInTheOrderInWhichTheyCame) {
  for (const char* bucket : {"SPLIT-005-idle", "HANG", "BIND-001-stop", "HANG"}) {
    EXPECT_TRUE(folder.store(bucket, std::vector<std::uint8_t>{1}));
  }
  folder.forget("HANG");

  EXPECT_EQ(folder.buckets(), (std::vector<std::string>{"SPLIT-005-idle", "BIND-001-stop"}));
}

TEST_F(WorkFolders, TheFirstInputOfABucketStays) {
  const std::vector<std::uint8_t> first{1}, second{2};

  EXPECT_TRUE(folder.store("HANG", first));
  EXPECT_TRUE(folder.store("HANG", second));

  EXPECT_EQ(folder.input_of("HANG"), first);
}

TEST_F(WorkFolders, TakeAnotherInputForABucketThatIsForgotten) {
  const std::vector<std::uint8_t> first{1}, second{2};
  EXPECT_TRUE(folder.store("HANG", first));

  folder.forget("HANG");
  EXPECT_TRUE(folder.store("HANG", second));

  EXPECT_EQ(folder.input_of("HANG"), second);
}

TEST_F(WorkFolders, KnowFatalInputsByTheirDigest) {
  const std::vector<std::uint8_t> input{1, 2, 3}, other{1, 2};

  folder.mark_fatal(input);

  EXPECT_EQ(folder.fatal().count(digest_of(input)), 1u);
  EXPECT_EQ(folder.fatal().count(digest_of(other)), 0u);
}

TEST_F(WorkFolders, BothSidesSeeOneCount) {
  const MappedBoard ours = folder.board_of(0);
  const MappedBoard theirs = WorkFolder(path).board_of(0);
  ASSERT_TRUE(ours != nullptr && theirs != nullptr);

  theirs->executions += 7;

  EXPECT_EQ(ours->executions, 7u);
}

TEST_F(WorkFolders, AWorkerStartedAgainCountsOn) {
  folder.board_of(3)->executions = 5;

  EXPECT_EQ(WorkFolder(path).board_of(3)->executions, 5u);
}

TEST(WorkFolder, ThatCannotBeIsNamed) {
  std::string error;

  EXPECT_FALSE(WorkFolder::make("/dev/null/work", error));

  EXPECT_EQ(error.rfind("/dev/null/work: cannot be created", 0), 0u) << error;
}

}  // namespace
}  // namespace wddm::fuzz
