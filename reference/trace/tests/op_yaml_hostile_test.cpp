// Files that are no scenarios: each gets its one line.
//
// testdata/hostile holds the files and expected.txt, one line for each of them, in the order of
// their names. What would make the repository large is made here.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <sstream>

#include "reference/trace/op.h"
#include "reference/trace/tests/generators.h"

namespace wddm {
namespace {

std::string message_for(const std::string& text, const std::string& file) {
  Scenario scenario;
  TextError error;
  EXPECT_FALSE(parse_scenario(text, file, scenario, error)) << print_scenario(scenario);
  return error.message;
}

std::vector<std::string> hostile_files() {
  std::vector<std::string> names;
  for (const auto& entry :
       std::filesystem::directory_iterator(WDDM_TRACE_FOLDER "/testdata/hostile"))
    if (entry.path().extension() == ".yaml") names.push_back(entry.path().stem());
  std::sort(names.begin(), names.end());
  return names;
}

std::map<std::string, std::string> expected_messages() {
  std::map<std::string, std::string> messages;
  std::istringstream lines(test::file_text("testdata/hostile/expected.txt"));
  for (std::string line; std::getline(lines, line);)
    messages.emplace(line.substr(0, line.find('.')), line);
  return messages;
}

class HostileFile : public testing::TestWithParam<std::string> {};

TEST_P(HostileFile, GetsItsMessage) {
  const std::string file = GetParam() + ".yaml";
  EXPECT_EQ(message_for(test::file_text("testdata/hostile/" + file), file),
            expected_messages()[GetParam()]);
}

INSTANTIATE_TEST_SUITE_P(Files, HostileFile, testing::ValuesIn(hostile_files()),
                         [](const auto& file) { return file.param; });

TEST(HostileFiles, EveryExpectedMessageHasItsFile) {
  const std::vector<std::string> files = hostile_files();
  EXPECT_GE(files.size(), 100u);
  for (const auto& [name, message] : expected_messages())
    EXPECT_TRUE(std::binary_search(files.begin(), files.end(), name)) << message;
}

TEST(HostileText, FileBeyondFourMegabytesIsNotRead) {
  EXPECT_EQ(message_for(std::string((4u << 20) + 1, '['), "f"),
            "f:1: found a file of 4194305 bytes; expected at most 4194304");
}

TEST(HostileText, OpBeyondTheLimitIsRefused) {
  std::string text = "ops:\n";
  for (std::size_t i = 0; i <= kMaxOps; ++i) text += "- idle\n";
  EXPECT_EQ(message_for(text, "f"), "f:65537: found op 65536; expected at most 65535 ops");
}

// The library keeps a text in memory until it ends.
TEST(HostileText, OpenTextsDoNotFillMemory) {
  const std::string expected =
      "f:1: found more than 65536 bytes in one piece; expected shorter texts and comments";
  const std::string letters((4u << 20) - 100, 'a');
  EXPECT_EQ(message_for("name: " + letters, "f"), expected);
  EXPECT_EQ(message_for("name: \"" + letters, "f"), expected);
  EXPECT_EQ(message_for("name: '" + letters, "f"), expected);
  EXPECT_EQ(message_for("name: |\n  " + letters, "f"), expected);
  EXPECT_EQ(message_for("name: # " + letters, "f"), expected);
}

TEST(HostileText, DeepFlowsEndAtOnce) {
  EXPECT_EQ(message_for(std::string(4u << 20, '['), "f"),
            "f:1: found a list; expected a map with ops");
  EXPECT_EQ(message_for(std::string(4u << 20, '{'), "f"),
            "f:1: found a map as a key; expected name, about or ops");
  std::string lines;
  while (lines.size() + 2 <= 4u << 20) lines += "[\n";
  EXPECT_EQ(message_for(lines, "f"), "f:1: found a list; expected a map with ops");
}

TEST(HostileText, DeepBlocksEndAtOnce) {
  std::string text;
  while (text.size() + 2 <= 4u << 20) text += "- ";
  EXPECT_EQ(message_for(text, "f"), "f:1: found a list; expected a map with ops");
}

TEST(HostileText, FileNameCannotBreakTheLine) {
  EXPECT_EQ(message_for("", "a\nb\x1b"), "a?b?:1: found no content; expected a map with ops");
}

}  // namespace
}  // namespace wddm
