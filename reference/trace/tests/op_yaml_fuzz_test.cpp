// No text whatever breaks the reader: it is a scenario or gets one line.
//
// Two independent generators, since one that only makes noise never passes the first line: bytes
// without sense, and valid files with a few wounds.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>

#include "reference/trace/op.h"
#include "reference/trace/tests/generators.h"
#include "reference/trace/text.h"

namespace wddm {
namespace {

// What must hold whatever the text is. Returns whether it was a scenario.
bool judge(const std::string& text) {
  Scenario scenario;
  TextError error;
  if (!parse_scenario(text, "f", scenario, error)) {
    RC_ASSERT(error.message.substr(0, 2) == "f:");
    RC_ASSERT(error.message.find(": found ") != std::string::npos);
    RC_ASSERT(error.message.find("; expected ") != std::string::npos);
    RC_ASSERT(std::none_of(error.message.begin(), error.message.end(), text::is_control));
    RC_ASSERT(error.message.size() < 600);
    return false;
  }
  RC_ASSERT(scenario.ops.size() == scenario.lines.size());
  RC_ASSERT(std::is_sorted(scenario.lines.begin(), scenario.lines.end()));
  for (const Op& op : scenario.ops) RC_ASSERT(canonical(op) == op);
  Scenario again;
  RC_ASSERT(parse_scenario(print_scenario(scenario), "f", again, error));
  RC_ASSERT(again.ops == scenario.ops);
  RC_ASSERT(again.name == scenario.name);
  RC_ASSERT(again.about == scenario.about);
  return true;
}

std::size_t position_in(const std::string& text) {
  return *rc::gen::inRange<std::size_t>(0, text.size() + 1);
}

std::string piece() {
  static const std::vector<std::string> kPieces = {"\n",
                                                   "\n- ",
                                                   "  ",
                                                   "\t",
                                                   ": ",
                                                   ":",
                                                   "- ",
                                                   "? ",
                                                   "{",
                                                   "}",
                                                   "[",
                                                   "]",
                                                   ",",
                                                   "\"",
                                                   "'",
                                                   "|\n",
                                                   ">\n",
                                                   "|-1\n",
                                                   "&a ",
                                                   "*a",
                                                   "!!int ",
                                                   "!",
                                                   "%YAML 1.2\n",
                                                   "%TAG ! x:\n",
                                                   "---\n",
                                                   "...\n",
                                                   "#",
                                                   " #",
                                                   "~",
                                                   "null",
                                                   "<<: ",
                                                   "ops:\n",
                                                   "name: ",
                                                   "- idle\n",
                                                   "\\",
                                                   "\"\\u",
                                                   "\\N",
                                                   "\\_",
                                                   "\\L",
                                                   "\\x85",
                                                   "\\uD800",
                                                   "\\U0010FFFF",
                                                   "0x",
                                                   "256",
                                                   "-1",
                                                   "\r",
                                                   "\xEF\xBB\xBF",
                                                   "\xC2\x85",
                                                   "\xE2\x80\xA8",
                                                   "\xff",
                                                   "@",
                                                   "`"};
  return *rc::gen::elementOf(kPieces);
}

void wound(std::string& text) {
  const std::size_t at = position_in(text);
  const auto length = std::min(*rc::gen::inRange<std::size_t>(0, 40), text.size() - at);
  switch (*rc::gen::inRange(0, 5)) {
    case 0:
      text.erase(at, length);
      return;
    case 1:
      text.insert(at, piece());
      return;
    case 2:
      text.insert(position_in(text), std::string(text, at, length));
      return;
    case 3:
      text.resize(at);
      return;
    default:
      if (at < text.size()) text[at] = *rc::gen::arbitrary<char>();
      return;
  }
}

RC_GTEST_PROP(OpYamlFuzz, AnyBytes, ()) {
  const std::vector<std::uint8_t> bytes = *test::any_bytes();
  judge(std::string(bytes.begin(), bytes.end()));
}

RC_GTEST_PROP(OpYamlFuzz, PiecesOfYaml, ()) {
  std::string text;
  const int count = *rc::gen::inRange(0, 60);
  for (int i = 0; i < count; ++i) text += piece();
  judge(text);
}

// A generator whose texts are all refused at their first line would look as green as a good one.
TEST(OpYamlFuzz, WoundedScenarios) {
  int accepted = 0;
  int refused = 0;
  EXPECT_TRUE(rc::check([&] {
    std::string text = print_scenario(*test::canonical_scenario());
    const int wounds = *rc::gen::inRange(1, 6);
    for (int i = 0; i < wounds; ++i) wound(text);
    ++(judge(text) ? accepted : refused);
  }));
  EXPECT_GE(accepted, 5);
  EXPECT_GE(refused, 5);
}

RC_GTEST_PROP(OpYamlFuzz, WoundedFiles, ()) {
  static const std::string kFiles[] = {test::file_text("testdata/valid/spellings.yaml"),
                                       test::file_text("testdata/valid/style.yaml")};
  std::string text = kFiles[*rc::gen::inRange(0, 2)];
  const int wounds = *rc::gen::inRange(1, 4);
  for (int i = 0; i < wounds; ++i) wound(text);
  judge(text);
}

}  // namespace
}  // namespace wddm
