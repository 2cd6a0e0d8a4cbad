#include "fuzz/session/input_file.h"

#include <gtest/gtest.h>

namespace wddm::fuzz {
namespace {

namespace fs = std::filesystem;

const std::vector<std::uint8_t> kBytes{1, 2, 3};

TEST(InputFiles, AreFoundInFoldersBelow) {
  const fs::path folder = fs::path(::testing::TempDir()) / "inputs";
  fs::create_directories(folder / "deep" / "deeper");
  write_input(folder / "one", kBytes);
  write_input(folder / "deep" / "deeper" / "two", kBytes);
  std::string error;

  const std::set<fs::path> files = inputs_below(folder, error);

  EXPECT_EQ(files, (std::set<fs::path>{folder / "one", folder / "deep" / "deeper" / "two"}));
  EXPECT_EQ(error, "");
  fs::remove_all(folder);
}

TEST(InputFiles, NotesBetweenThemArePassedOver) {
  const fs::path folder = fs::path(::testing::TempDir()) / "inputs";
  fs::create_directories(folder / ".state");
  write_input(folder / ".state" / "queue", kBytes);
  write_input(folder / "README.txt", kBytes);
  std::string error;

  EXPECT_TRUE(inputs_below(folder, error).empty());
  EXPECT_EQ(error, "");
  fs::remove_all(folder);
}

TEST(InputFiles, AFolderThatCannotBeReadIsNamed) {
  std::string error;

  EXPECT_TRUE(inputs_below("/dev/null", error).empty());

  EXPECT_EQ(error.rfind("/dev/null: ", 0), 0u) << error;
}

TEST(InputFiles, ThatCannotBeWrittenAreNotThere) {
  EXPECT_FALSE(write_input("/dev/full", kBytes));
}

}  // namespace
}  // namespace wddm::fuzz
