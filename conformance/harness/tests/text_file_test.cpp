// Files that users name: links, pipes and devices among them, and text as editors leave it.
#include "conformance/harness/suite/text_file.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace wddm::harness {
namespace {

namespace fs = std::filesystem;

class TextFile : public testing::Test {
 protected:
  TextFile() {
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  ~TextFile() override { fs::remove_all(folder_); }

  [[nodiscard]] std::string path(const std::string& name) const { return folder_ / name; }
  [[nodiscard]] std::string contents(const std::string& name) const {
    std::ostringstream text;
    text << std::ifstream(path(name)).rdbuf();
    return text.str();
  }
  [[nodiscard]] std::size_t files() const {
    return static_cast<std::size_t>(
        std::distance(fs::directory_iterator(folder_), fs::directory_iterator()));
  }
  bool write(const std::string& name) { return write_text_file(path(name), "text\n", error_); }

  const fs::path folder_ = fs::path(testing::TempDir()) / "text-file";
  std::string error_;
};

TEST_F(TextFile, TakesThePlaceOfAnOlderOne) {
  std::ofstream(path("file")) << "older and longer\n";

  ASSERT_TRUE(write("file")) << error_;

  EXPECT_EQ(contents("file"), "text\n");
  EXPECT_EQ(files(), 1u);
}

TEST_F(TextFile, IsWrittenBehindALink) {
  std::ofstream(path("file")) << "older\n";
  fs::create_symlink("file", path("link"));

  ASSERT_TRUE(write("link")) << error_;

  EXPECT_TRUE(fs::is_symlink(path("link")));
  EXPECT_EQ(contents("file"), "text\n");
}

TEST_F(TextFile, IsMadeBehindALinkToNothing) {
  fs::create_symlink(path("file"), path("second"));
  fs::create_symlink("second", path("first"));

  EXPECT_TRUE(can_be_written(path("first"), error_)) << error_;
  ASSERT_TRUE(write("first")) << error_;

  EXPECT_TRUE(fs::is_symlink(path("first")) && fs::is_symlink(path("second")));
  EXPECT_EQ(contents("file"), "text\n");
}

TEST_F(TextFile, ALinkToItselfIsAMistake) {
  fs::create_symlink("link", path("link"));

  EXPECT_FALSE(write("link"));
  EXPECT_EQ(error_, path("link") + ": cannot be written: Too many levels of symbolic links");
}

TEST_F(TextFile, APipeIsWrittenTo) {
  ASSERT_EQ(::mkfifo(path("pipe").c_str(), 0600), 0);
  const int reader = ::open(path("pipe").c_str(), O_RDONLY | O_NONBLOCK);
  ASSERT_GE(reader, 0);

  ASSERT_TRUE(write("pipe")) << error_;

  std::array<char, 16> read{};
  const ssize_t got = ::read(reader, read.data(), read.size());
  ::close(reader);
  EXPECT_EQ(std::string(read.data(), static_cast<std::size_t>(std::max<ssize_t>(got, 0))),
            "text\n");
  EXPECT_TRUE(fs::is_fifo(path("pipe")));
}

TEST_F(TextFile, AFullDeviceIsAMistake) {
  EXPECT_TRUE(can_be_written("/dev/full", error_)) << error_;
  EXPECT_FALSE(write_text_file("/dev/full", "text\n", error_));

  EXPECT_EQ(error_, "/dev/full: cannot be written: No space left on device");
  EXPECT_TRUE(fs::is_character_file("/dev/full"));
}

TEST_F(TextFile, AFailureLeavesTheOlderOneAlone) {
  std::ofstream(path("file")) << "older\n";
  fs::create_symlink("/dev/full", path("file.new"));

  EXPECT_FALSE(write("file"));

  EXPECT_EQ(error_, path("file") + ": cannot be written: No space left on device");
  EXPECT_EQ(contents("file"), "older\n");
  EXPECT_EQ(files(), 1u);
}

TEST_F(TextFile, WhereItCannotBeIsKnownBefore) {
  EXPECT_TRUE(can_be_written(path("new"), error_)) << error_;
  EXPECT_FALSE(can_be_written(path("none/new"), error_));
  EXPECT_EQ(error_, path("none/new") + ": cannot be written: No such file or directory");
  EXPECT_FALSE(can_be_written(folder_, error_));
  EXPECT_EQ(error_, folder_.string() + ": cannot be written: Is a directory");
}

TEST_F(TextFile, WithoutAnEndIsTooLarge) {
  std::string text;

  EXPECT_FALSE(read_text_file("/dev/zero", text, error_));

  EXPECT_EQ(error_, "/dev/zero: larger than 64 MiB");
}

TEST(Lines, BeginBehindAByteOrderMark) {
  const std::vector<Line> lines = meaningful_lines("\xef\xbb\xbfone\n# two\n three \n");

  ASSERT_EQ(lines.size(), 2u);
  EXPECT_EQ(lines[0].text, "one");
  EXPECT_EQ(lines[1].text, "three");
  EXPECT_EQ(lines[1].number, 3u);
}

}  // namespace
}  // namespace wddm::harness
