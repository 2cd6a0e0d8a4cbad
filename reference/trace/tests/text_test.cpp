// Quoting and UTF-8.
#include "reference/trace/text.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>

namespace wddm::text {
namespace {

TEST(Quoted, EscapesWhatIsNotPlainAscii) {
  EXPECT_EQ(quoted(std::string_view("a\"b\\c\n\t\0\x7f\xe9", 10)), R"("a\"b\\c\n\t\x00\x7f\xe9")");
}

TEST(Quoted, CutsBehindTheLimitOnly) {
  EXPECT_EQ(quoted("abc", 3), "\"abc\"");
  EXPECT_EQ(quoted("abcd", 3), "\"abc\"...");
}

RC_GTEST_PROP(Quoted, IsOneLineOfAscii, (const std::string& bytes)) {
  const std::string shown = text::quoted(bytes);
  RC_ASSERT(std::all_of(shown.begin(), shown.end(), [](char c) { return c >= ' ' && c <= '~'; }));
}

// Every character of Unicode, encoded by the definition, and what stands beside them.
std::string encoded(std::uint32_t point, std::size_t length) {
  if (length == 1) return {static_cast<char>(point)};
  std::string bytes(length, '\0');
  for (std::size_t i = length - 1; i > 0; --i, point >>= 6)
    bytes[i] = static_cast<char>(0x80 | (point & 0x3f));
  bytes[0] = static_cast<char>((0xf00u >> length & 0xff) | point);
  return bytes;
}

TEST(Utf8, EveryCharacterHasItsLength) {
  for (std::uint32_t point = 0; point <= 0x10ffff; ++point) {
    const std::size_t length = point < 0x80 ? 1 : point < 0x800 ? 2 : point < 0x10000 ? 3 : 4;
    const bool surrogate = point >= 0xd800 && point < 0xe000;
    const std::string bytes = encoded(point, length);
    ASSERT_EQ(utf8_length(bytes), surrogate ? 0 : length) << point;
    if (surrogate) continue;
    ASSERT_EQ(code_point(bytes), point);
    ASSERT_EQ(utf8_length(std::string_view(bytes).substr(0, length - 1)), 0u) << point;
  }
}

TEST(Utf8, OverlongFormsAreNone) {
  for (std::uint32_t point = 0; point < 0x10000; ++point)
    for (std::size_t length = point < 0x80 ? 2 : point < 0x800 ? 3 : 4; length <= 4; ++length)
      ASSERT_EQ(utf8_length(encoded(point, length)), 0u) << point;
}

TEST(Utf8, CharactersBeyondUnicodeAreNone) {
  for (std::uint32_t point = 0x110000; point < 0x200000; ++point)
    ASSERT_EQ(utf8_length(encoded(point, 4)), 0u) << point;
}

TEST(Utf8, NothingHasNoLength) {
  EXPECT_EQ(utf8_length(""), 0u);
}

}  // namespace
}  // namespace wddm::text
