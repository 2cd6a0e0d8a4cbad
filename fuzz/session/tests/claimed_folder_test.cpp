#include "fuzz/session/claimed_folder.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace wddm::fuzz {
namespace {

namespace fs = std::filesystem;

class ClaimedFolders : public testing::Test {
 protected:
  ~ClaimedFolders() override { fs::remove_all(path); }
  void put(const std::string& name) const {
    fs::create_directories(path);
    std::ofstream(path + "/" + name) << "x";
  }
  [[nodiscard]] bool holds(const std::string& name) const { return fs::exists(path + "/" + name); }

  const std::string path = testing::TempDir() + "claimed";
  std::string error;
};

TEST_F(ClaimedFolders, AreMade) {
  ClaimedFolder folder;

  EXPECT_TRUE(folder.claim(path + "/below", error)) << error;
  EXPECT_TRUE(fs::is_directory(path + "/below"));
}

TEST_F(ClaimedFolders, AreEmptiedIfTheyWereClaimedBefore) {
  {
    ClaimedFolder earlier;
    EXPECT_TRUE(earlier.claim(path, error)) << error;
    put("left");
  }

  ClaimedFolder folder;

  EXPECT_TRUE(folder.claim(path, error)) << error;
  EXPECT_FALSE(holds("left"));
}

TEST_F(ClaimedFolders, LeaveWhatIsNotOurs) {
  put("a.cpp");
  ClaimedFolder folder;

  EXPECT_FALSE(folder.claim(path, error));
  EXPECT_EQ(error, path + ": holds files that are not of wddmcheck fuzz; name another --output");
  EXPECT_TRUE(holds("a.cpp"));
}

TEST_F(ClaimedFolders, HaveOneOwnerAtATime) {
  ClaimedFolder first, second;
  EXPECT_TRUE(first.claim(path, error)) << error;
  put("in use");

  EXPECT_FALSE(second.claim(path, error));
  EXPECT_EQ(error, path + ": another wddmcheck works there; name another --output");
  EXPECT_TRUE(holds("in use"));
}

}  // namespace
}  // namespace wddm::fuzz
