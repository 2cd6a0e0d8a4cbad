#include "conformance/host/nt/rtl/rtl_format.h"

#include <gtest/gtest.h>

#include <cstdarg>
#include <string>

#include "conformance/sdk/ddi/ntdef.h"

namespace wddm::nt {
namespace {

class Collector final : public FormatSink {
 public:
  void put(char16_t character) override { text.push_back(static_cast<char>(character)); }
  std::string text;
};

std::string narrow(const char* format, ...) {
  Collector sink;
  std::va_list arguments;
  va_start(arguments, format);
  format_narrow(sink, format, arguments);
  va_end(arguments);
  return sink.text;
}

std::string wide(const char16_t* format, ...) {
  Collector sink;
  std::va_list arguments;
  va_start(arguments, format);
  format_wide(sink, format, arguments);
  va_end(arguments);
  return sink.text;
}

TEST(Format, Integers) {
  EXPECT_EQ(narrow("%d %i %u", -5, 6, 7u), "-5 6 7");
  EXPECT_EQ(narrow("%x %X %o", 0xabcu, 0xabcu, 8u), "abc ABC 10");
  EXPECT_EQ(narrow("%d", -2147483647 - 1), "-2147483648");
}

TEST(Format, LongIsThirtyTwoBitsWide) {
  // What the caller passes is a 32-bit LONG; the register's upper half holds anything.
  EXPECT_EQ(narrow("%ld|%lu|%lx", 0x7700000001ll, 0x77ffffffffll, 0x7712345678ll),
            "1|4294967295|12345678");
}

TEST(Format, SixtyFourBits) {
  EXPECT_EQ(narrow("%I64d %I64x %lld %llu", -1ll, 0x123456789abull, 1ll << 40, ~0ull),
            "-1 123456789ab 1099511627776 18446744073709551615");
  EXPECT_EQ(narrow("%Ix %zu %Iu", 0x100000000ull, 0x100000000ull, 1ull), "100000000 4294967296 1");
}

TEST(Format, ShortAndChar) {
  EXPECT_EQ(narrow("%hd %hu %hhx", 0x18000, 0x1ffff, 0x1ff), "-32768 65535 ff");
  EXPECT_EQ(narrow("%I32x", 0xfeu), "fe");
}

TEST(Format, WidthAndFlags) {
  EXPECT_EQ(narrow("[%5d][%-5d][%05d]", 42, 42, -42), "[   42][42   ][-0042]");
  EXPECT_EQ(narrow("[%+d][% d][%#x][%#o]", 1, 1, 16u, 8u), "[+1][ 1][0x10][010]");
  EXPECT_EQ(narrow("[%*d][%-*d][%*d]", 4, 1, 4, 2, -4, 3), "[   1][2   ][3   ]");
  EXPECT_EQ(narrow("[%08x][%08X][%.8x]", 0xabu, 0xabu, 0xabu), "[000000ab][000000AB][000000ab]");
}

TEST(Format, PrecisionOfIntegers) {
  EXPECT_EQ(narrow("[%.3d][%6.3d][%.0d][%.*d]", 5, 5, 0, 2, 7), "[005][   005][][07]");
}

TEST(Format, PointersAreSixteenUpperCaseDigits) {
  EXPECT_EQ(narrow("%p", reinterpret_cast<void*>(0x7e9000abcdef)), "00007E9000ABCDEF");
}

TEST(Format, StringsOfEitherWidth) {
  EXPECT_EQ(narrow("%s %S %hs %ws %ls", "a", u"b", "c", u"d", u"e"), "a b c d e");
  EXPECT_EQ(wide(u"%s %S %hs %ws %ls", u"a", "b", "c", u"d", u"e"), "a b c d e");
}

TEST(Format, StringWidthAndPrecision) {
  EXPECT_EQ(narrow("[%5s][%-5s][%.2s][%.*s]", "abc", "abc", "abc", 1, "abc"),
            "[  abc][abc  ][ab][a]");
}

TEST(Format, PrecisionStopsBeforeTheEndOfAnUnterminatedString) {
  const char text[3] = {'a', 'b', 'c'};
  EXPECT_EQ(narrow("%.3s", text), "abc");
}

TEST(Format, NullStrings) {
  EXPECT_EQ(narrow("%s %S %wZ", nullptr, nullptr, nullptr), "(null) (null) (null)");
}

TEST(Format, Characters) {
  EXPECT_EQ(narrow("%c%C%hc%lc", 'a', u'b', 'c', u'd'), "abcd");
  EXPECT_EQ(wide(u"%c%C", u'a', 'b'), "ab");
}

TEST(Format, CountedStringsNeedNoTerminator) {
  char16_t text[2] = {u'x', u'y'};
  UNICODE_STRING string{4, 4, text};
  char ansi_text[1] = {'z'};
  ANSI_STRING ansi{1, 1, ansi_text};
  EXPECT_EQ(narrow("[%wZ][%Z][%5wZ]", &string, &ansi, &string), "[xy][z][   xy]");
  EXPECT_EQ(wide(u"%wZ", &string), "xy");
}

TEST(Format, PercentAndUnknownConversions) {
  EXPECT_EQ(narrow("100%% %y"), "100% y");
  EXPECT_EQ(narrow("end %"), "end ");
}

TEST(Format, FloatingPointTakesItsArgument) {
  EXPECT_EQ(narrow("%f %.2f %d", 1.5, -2.25, 7), "1.500000 -2.25 7");
}

TEST(Format, ManyArgumentsOfEveryRegisterClass) {
  EXPECT_EQ(narrow("%d %d %d %d %d %d %d %.0f %s", 1, 2, 3, 4, 5, 6, 7, 8.0, "9"),
            "1 2 3 4 5 6 7 8 9");
}

TEST(Format, HugeWidthIsBounded) {
  EXPECT_LE(narrow("%999999999d", 1).size(), 1u << 16);
}

}  // namespace
}  // namespace wddm::nt
