// Strings, bitmaps and the rest of Rtl; the format engine has its own tests.
#include <cstring>

#include "conformance/host/nt/tests/memory_test_support.h"
#include "conformance/sdk/ddi/nt/memory.h"
#include "conformance/sdk/ddi/nt/rtl.h"
#include "conformance/sdk/ddi/ntstatus.h"
#include "conformance/sdk/ddi/ntstrsafe.h"

namespace wddm::nt {
namespace {

using Rtl = MemoryServices;

UNICODE_STRING unicode_string(const char16_t* text) {
  UNICODE_STRING string;
  RtlInitUnicodeString(&string, text);
  return string;
}

std::u16string_view view(const UNICODE_STRING& string) {
  return {string.Buffer, string.Length / sizeof(WCHAR)};
}

TEST_F(Rtl, InitialisedStringCountsBytes) {
  const UNICODE_STRING string = unicode_string(u"abc");
  EXPECT_EQ(string.Length, 6);
  EXPECT_EQ(string.MaximumLength, 8);
  const UNICODE_STRING empty = unicode_string(nullptr);
  EXPECT_EQ(empty.Length, 0);
  EXPECT_EQ(empty.MaximumLength, 0);
}

TEST_F(Rtl, CopyIsCutToTheRoom) {
  WCHAR buffer[2];
  UNICODE_STRING destination{0, sizeof buffer, buffer};
  const UNICODE_STRING source = unicode_string(u"abc");
  RtlCopyUnicodeString(&destination, &source);
  EXPECT_EQ(view(destination), u"ab");
}

TEST_F(Rtl, AppendingBeyondTheRoomFailsAndChangesNothing) {
  WCHAR buffer[4];
  UNICODE_STRING destination{0, sizeof buffer, buffer};
  EXPECT_EQ(RtlAppendUnicodeToString(&destination, u"abc"), STATUS_SUCCESS);
  EXPECT_EQ(RtlAppendUnicodeToString(&destination, u"de"), STATUS_BUFFER_TOO_SMALL);
  EXPECT_EQ(view(destination), u"abc");
}

TEST_F(Rtl, ComparisonMayIgnoreCase) {
  const UNICODE_STRING lower = unicode_string(u"abc"), upper = unicode_string(u"ABC");
  EXPECT_TRUE(RtlEqualUnicodeString(&lower, &upper, TRUE));
  EXPECT_FALSE(RtlEqualUnicodeString(&lower, &upper, FALSE));
  EXPECT_GT(RtlCompareUnicodeString(&lower, &upper, FALSE), 0);
}

TEST_F(Rtl, PrefixIsFound) {
  const UNICODE_STRING prefix = unicode_string(u"AB"), whole = unicode_string(u"abc");
  EXPECT_TRUE(RtlPrefixUnicodeString(&prefix, &whole, TRUE));
  EXPECT_FALSE(RtlPrefixUnicodeString(&whole, &prefix, TRUE));
}

TEST_F(Rtl, ConversionsAllocateAndFree) {
  ANSI_STRING ansi;
  RtlInitAnsiString(&ansi, "h\xe4");
  UNICODE_STRING wide{};
  ASSERT_EQ(RtlAnsiStringToUnicodeString(&wide, &ansi, TRUE), STATUS_SUCCESS);
  EXPECT_EQ(view(wide), u"h\u00e4");
  ANSI_STRING back{};
  ASSERT_EQ(RtlUnicodeStringToAnsiString(&back, &wide, TRUE), STATUS_SUCCESS);
  EXPECT_STREQ(back.Buffer, "h\xe4");
  RtlFreeUnicodeString(&wide);
  RtlFreeAnsiString(&back);
  EXPECT_EQ(pool_usage().blocks, 0u);
}

TEST_F(Rtl, ConversionFailsWithThePool) {
  ANSI_STRING ansi;
  RtlInitAnsiString(&ansi, "x");
  UNICODE_STRING wide{};
  fail_pool(1, false);
  EXPECT_EQ(RtlAnsiStringToUnicodeString(&wide, &ansi, TRUE), STATUS_NO_MEMORY);
}

TEST_F(Rtl, NumbersBecomeStringsAndBack) {
  WCHAR buffer[16];
  UNICODE_STRING string{0, sizeof buffer, buffer};
  EXPECT_EQ(RtlIntegerToUnicodeString(0xbeef, 16, &string), STATUS_SUCCESS);
  EXPECT_EQ(view(string), u"BEEF");
  ULONG value = 0;
  EXPECT_EQ(RtlUnicodeStringToInteger(&string, 16, &value), STATUS_SUCCESS);
  EXPECT_EQ(value, 0xbeefu);
  const UNICODE_STRING prefixed = unicode_string(u" -0x10zz");
  EXPECT_EQ(RtlUnicodeStringToInteger(&prefixed, 0, &value), STATUS_SUCCESS);
  EXPECT_EQ(value, 0u - 16);
  string.MaximumLength = 4;
  EXPECT_EQ(RtlIntegerToUnicodeString(12345, 10, &string), STATUS_BUFFER_OVERFLOW);
}

TEST_F(Rtl, GuidsBecomeStringsAndBack) {
  const GUID guid{0x4d36e968, 0xe325, 0x11ce, {0xbf, 0xc1, 0x08, 0x00, 0x2b, 0xe1, 0x03, 0x18}};
  UNICODE_STRING string{};
  ASSERT_EQ(RtlStringFromGUID(guid, &string), STATUS_SUCCESS);
  EXPECT_EQ(view(string), u"{4D36E968-E325-11CE-BFC1-08002BE10318}");
  GUID back{};
  ASSERT_EQ(RtlGUIDFromString(&string, &back), STATUS_SUCCESS);
  EXPECT_EQ(std::memcmp(&guid, &back, sizeof guid), 0);
  string.Buffer[1] = u'x';
  EXPECT_EQ(RtlGUIDFromString(&string, &back), STATUS_INVALID_PARAMETER);
  RtlFreeUnicodeString(&string);
}

TEST_F(Rtl, WideFunctionsCountSixteenBitCharacters) {
  EXPECT_EQ(WddmWcslen(u"abc"), 3u);
  EXPECT_EQ(WddmWcscmp(u"a", u"a"), 0);
  EXPECT_LT(WddmWcscmp(u"a", u"b"), 0);
  EXPECT_EQ(WddmWcsncmp(u"abx", u"aby", 2), 0);
  EXPECT_EQ(WddmWcsicmp(u"ABC", u"abc"), 0);
  const WCHAR text[] = u"hello";
  EXPECT_EQ(WddmWcsstr(text, u"ll"), text + 2);
  EXPECT_EQ(WddmWcschr(text, u'o'), text + 4);
  EXPECT_EQ(WddmWcschr(text, u'x'), nullptr);
}

TEST_F(Rtl, VersionNeedsASize) {
  RTL_OSVERSIONINFOEXW version{};
  EXPECT_EQ(RtlGetVersion(reinterpret_cast<PRTL_OSVERSIONINFOW>(&version)),
            STATUS_INVALID_PARAMETER);
  version.dwOSVersionInfoSize = sizeof version;
  EXPECT_EQ(RtlGetVersion(reinterpret_cast<PRTL_OSVERSIONINFOW>(&version)), STATUS_SUCCESS);
  EXPECT_EQ(version.dwMajorVersion, 10u);
  ULONG build = 0;
  static_cast<void>(PsGetVersion(nullptr, nullptr, &build, nullptr));
  EXPECT_EQ(version.dwBuildNumber, build);
}

TEST_F(Rtl, ExFormsTellTheEndAndTheRoomBehindIt) {
  CHAR text[8];
  PSTR end = nullptr;
  SIZE_T left = 0;

  EXPECT_EQ(RtlStringCbPrintfExA(text, sizeof text, &end, &left, 0, "%s-%d", "ab", 7),
            STATUS_SUCCESS);
  EXPECT_STREQ(text, "ab-7");
  EXPECT_EQ(end, text + 4);
  EXPECT_EQ(left, 4u);

  EXPECT_EQ(RtlStringCbCatExA(text, sizeof text, "cdefgh", nullptr, &left, STRSAFE_NO_TRUNCATION),
            STATUS_BUFFER_OVERFLOW);
  EXPECT_STREQ(text, "ab-7") << "as it was";
  EXPECT_EQ(RtlStringCchCopyExA(text, sizeof text, "x", &end, nullptr, STRSAFE_FILL_BYTE(0x5a)),
            STATUS_SUCCESS);
  EXPECT_EQ(text[7], 0x5a);
  EXPECT_EQ(RtlStringCbCopyExA(text, sizeof text, "x", nullptr, nullptr, 0x10000),
            STATUS_INVALID_PARAMETER);
}

TEST_F(Rtl, WideExFormsCountBytesOrCharacters) {
  WCHAR text[8];
  SIZE_T left = 0;

  EXPECT_EQ(RtlStringCbPrintfExW(text, sizeof text, nullptr, &left, 0, u"abc"), STATUS_SUCCESS);
  EXPECT_EQ(left, 10u);
  EXPECT_EQ(RtlStringCchPrintfExW(text, 8, nullptr, &left, 0, u"abcdefghij"),
            STATUS_BUFFER_OVERFLOW);
  EXPECT_EQ(left, 1u);
}

TEST_F(Rtl, RoutinesAreFoundByNameButNotThoseOfTheCLibrary) {
  UNICODE_STRING name = unicode_string(u"MmMapIoSpaceEx");
  EXPECT_EQ(MmGetSystemRoutineAddress(&name), reinterpret_cast<PVOID>(&MmMapIoSpaceEx));
  name = unicode_string(u"printf");
  EXPECT_EQ(MmGetSystemRoutineAddress(&name), nullptr);
  name = unicode_string(u"ZwInvented");
  EXPECT_EQ(MmGetSystemRoutineAddress(&name), nullptr);
}

TEST_F(Rtl, SafeCopyCutsAndTerminates) {
  char buffer[4];
  EXPECT_EQ(RtlStringCbCopyA(buffer, sizeof buffer, "abcdef"), STATUS_BUFFER_OVERFLOW);
  EXPECT_STREQ(buffer, "abc");
  EXPECT_EQ(RtlStringCbCopyA(buffer, 0, "abc"), STATUS_INVALID_PARAMETER);
  EXPECT_EQ(RtlStringCchCopyNA(buffer, 4, "abcdef", 2), STATUS_SUCCESS);
  EXPECT_STREQ(buffer, "ab");
}

TEST_F(Rtl, SafeSizesAreBytesOrCharacters) {
  WCHAR buffer[4];
  EXPECT_EQ(RtlStringCbCopyW(buffer, sizeof buffer, u"abc"), STATUS_SUCCESS);
  EXPECT_EQ(RtlStringCchCopyW(buffer, 3, u"abc"), STATUS_BUFFER_OVERFLOW);
  std::size_t length = 0;
  EXPECT_EQ(RtlStringCbLengthW(u"abc", 100, &length), STATUS_SUCCESS);
  EXPECT_EQ(length, 6u);
}

TEST_F(Rtl, SafeCatNeedsATerminatedDestination) {
  char buffer[8] = "ab";
  EXPECT_EQ(RtlStringCchCatA(buffer, 8, "cd"), STATUS_SUCCESS);
  EXPECT_STREQ(buffer, "abcd");
  EXPECT_EQ(RtlStringCchCatA(buffer, 6, "efgh"), STATUS_BUFFER_OVERFLOW);
  EXPECT_STREQ(buffer, "abcde");
  EXPECT_EQ(RtlStringCchCatA(buffer, 3, "x"), STATUS_INVALID_PARAMETER);
}

TEST_F(Rtl, UnterminatedTextHasNoLength) {
  std::size_t length = 9;
  EXPECT_EQ(RtlStringCchLengthA("abc", 3, &length), STATUS_INVALID_PARAMETER);
  EXPECT_EQ(length, 0u);
}

TEST_F(Rtl, SafePrintfFormatsByWindowsRules) {
  WCHAR buffer[32];
  EXPECT_EQ(RtlStringCbPrintfW(buffer, sizeof buffer, u"%s-%S-%ld", u"w", "n", -1), STATUS_SUCCESS);
  EXPECT_EQ(std::u16string_view(buffer), u"w-n--1");
  EXPECT_EQ(RtlStringCchPrintfW(buffer, 4, u"%d", 12345), STATUS_BUFFER_OVERFLOW);
  EXPECT_EQ(std::u16string_view(buffer), u"123");
}

TEST_F(Rtl, UnicodeStringPrintfNeedsNoTerminator) {
  WCHAR buffer[3];
  UNICODE_STRING string{0, sizeof buffer, buffer};
  EXPECT_EQ(RtlUnicodeStringPrintf(&string, u"%d", 123), STATUS_SUCCESS);
  EXPECT_EQ(view(string), u"123");
}

TEST_F(Rtl, UnicodeStringThatIsNoneIsAnInvalidParameter) {
  WCHAR buffer[8] = u"abcdefg";
  const UNICODE_STRING source = unicode_string(u"xy");
  UNICODE_STRING longer{14, 4, buffer};
  UNICODE_STRING nowhere{0, 8, nullptr};
  UNICODE_STRING odd{3, 8, buffer};
  for (UNICODE_STRING* string : {&longer, &nowhere, &odd}) {
    EXPECT_EQ(RtlUnicodeStringCatString(string, u"xy"), STATUS_INVALID_PARAMETER);
    EXPECT_EQ(RtlUnicodeStringCopyString(string, u"xy"), STATUS_INVALID_PARAMETER);
    EXPECT_EQ(RtlUnicodeStringCopy(string, &source), STATUS_INVALID_PARAMETER);
    EXPECT_EQ(RtlUnicodeStringPrintf(string, u"xy"), STATUS_INVALID_PARAMETER);
  }
  EXPECT_EQ(std::u16string_view(buffer), u"abcdefg");
}

TEST_F(Rtl, FullUnicodeStringTakesNoMore) {
  WCHAR buffer[4];
  UNICODE_STRING string{0, sizeof buffer, buffer};
  EXPECT_EQ(RtlUnicodeStringCatString(&string, u"abc"), STATUS_SUCCESS);
  EXPECT_EQ(RtlUnicodeStringCatString(&string, u"de"), STATUS_BUFFER_OVERFLOW);
  EXPECT_EQ(view(string), u"abcd");
  EXPECT_EQ(RtlUnicodeStringCatString(&string, u"e"), STATUS_INVALID_PARAMETER);
  EXPECT_EQ(RtlUnicodeStringCatString(&string, u""), STATUS_SUCCESS);
}

TEST_F(Rtl, EmptyStringIsNoNumber) {
  const UNICODE_STRING empty = unicode_string(u"");
  const UNICODE_STRING letters = unicode_string(u"xyz");
  ULONG value = 7;
  EXPECT_EQ(RtlUnicodeStringToInteger(&empty, 10, &value), STATUS_INVALID_PARAMETER);
  EXPECT_EQ(RtlUnicodeStringToInteger(&letters, 10, &value), STATUS_SUCCESS);
  EXPECT_EQ(value, 0u);
}

class Bitmap : public MemoryServices {
 protected:
  Bitmap() { RtlInitializeBitMap(&map_, words_, 70); }
  ULONG words_[3] = {0, 0, 0xffffffc0};  // the bits behind the 70th are not the map's
  RTL_BITMAP map_{};
};

TEST_F(Bitmap, BitsAreSetAndCleared) {
  RtlSetBits(&map_, 30, 5);
  EXPECT_TRUE(RtlAreBitsSet(&map_, 30, 5));
  EXPECT_FALSE(RtlAreBitsSet(&map_, 29, 2));
  EXPECT_EQ(RtlNumberOfSetBits(&map_), 5u);
  RtlClearBit(&map_, 32);
  EXPECT_FALSE(RtlTestBit(&map_, 32));
  EXPECT_EQ(RtlNumberOfClearBits(&map_), 66u);
}

TEST_F(Bitmap, BitsBehindTheEndStay) {
  RtlSetAllBits(&map_);
  RtlClearAllBits(&map_);
  EXPECT_EQ(words_[2], 0xffffffc0);
  RtlSetBits(&map_, 69, 2);
  EXPECT_EQ(only_finding(), "BadParameter: bits beyond the end of the bitmap");
}

TEST_F(Bitmap, RunsAreFoundFromTheHintOnAndWrap) {
  RtlSetAllBits(&map_);
  RtlClearBits(&map_, 10, 3);
  RtlClearBits(&map_, 60, 4);
  EXPECT_EQ(RtlFindClearBits(&map_, 3, 0), 10u);
  EXPECT_EQ(RtlFindClearBits(&map_, 3, 20), 60u);
  EXPECT_EQ(RtlFindClearBits(&map_, 4, 0), 60u);
  EXPECT_EQ(RtlFindClearBits(&map_, 3, 65), 10u);
  EXPECT_EQ(RtlFindClearBits(&map_, 5, 0), 0xffffffffu);
  EXPECT_EQ(RtlFindClearBitsAndSet(&map_, 3, 0), 10u);
  EXPECT_TRUE(RtlAreBitsSet(&map_, 10, 3));
}

TEST_F(Bitmap, RunsAreEnumerated) {
  RtlSetAllBits(&map_);
  RtlClearBits(&map_, 10, 3);
  RtlClearBits(&map_, 60, 4);
  ULONG start = 0;
  EXPECT_EQ(RtlFindFirstRunClear(&map_, &start), 3u);
  EXPECT_EQ(start, 10u);
  EXPECT_EQ(RtlFindNextForwardRunClear(&map_, 13, &start), 4u);
  EXPECT_EQ(start, 60u);
  EXPECT_EQ(RtlFindLongestRunClear(&map_, &start), 4u);
  EXPECT_EQ(start, 60u);
}

TEST_F(Bitmap, EveryRunOfASmallMapIsFoundWhereANaiveSearchFindsIt) {
  ULONG word = 0;
  RTL_BITMAP small;
  RtlInitializeBitMap(&small, &word, 8);
  for (word = 0; word < 256; ++word)
    for (ULONG count = 1; count <= 8; ++count) {
      ULONG expected = 0xffffffff;
      for (ULONG at = 0; at + count <= 8 && expected == 0xffffffff; ++at)
        if ((word >> at & ((1u << count) - 1)) == 0) expected = at;
      ASSERT_EQ(RtlFindClearBits(&small, count, 0), expected) << word << ' ' << count;
    }
}

TEST_F(Bitmap, SignificantBits) {
  EXPECT_EQ(RtlFindLeastSignificantBit(0x50), 4);
  EXPECT_EQ(RtlFindMostSignificantBit(0x50), 6);
  EXPECT_EQ(RtlFindLeastSignificantBit(0), -1);
}

}  // namespace
}  // namespace wddm::nt
