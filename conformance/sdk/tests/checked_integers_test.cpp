// Checked arithmetic of ntintsafe.h at the edges of its types.
#include <gtest/gtest.h>

#include "ntintsafe.h"

namespace {

TEST(CheckedIntegers, SumsThatFitAreExact) {
  ULONG sum = 0;
  EXPECT_EQ(RtlULongAdd(0xFFFFFFFEU, 1, &sum), STATUS_SUCCESS);
  EXPECT_EQ(sum, 0xFFFFFFFFU);
}

TEST(CheckedIntegers, OverflowIsReportedWithAllOnes) {
  ULONG sum = 0;
  EXPECT_EQ(RtlULongAdd(0xFFFFFFFFU, 1, &sum), STATUS_INTEGER_OVERFLOW);
  EXPECT_EQ(sum, 0xFFFFFFFFU);
  ULONG difference = 0;
  EXPECT_EQ(RtlULongSub(0, 1, &difference), STATUS_INTEGER_OVERFLOW);
  ULONGLONG product = 0;
  EXPECT_EQ(RtlULongLongMult(1ULL << 32, 1ULL << 32, &product), STATUS_INTEGER_OVERFLOW);
}

TEST(CheckedIntegers, ConversionsRefuseWhatDoesNotFit) {
  ULONG narrow = 0;
  EXPECT_EQ(RtlULongLongToULong(0xFFFFFFFFULL, &narrow), STATUS_SUCCESS);
  EXPECT_EQ(narrow, 0xFFFFFFFFU);
  EXPECT_EQ(RtlULongLongToULong(0x100000000ULL, &narrow), STATUS_INTEGER_OVERFLOW);
  ULONG from_negative = 0;
  EXPECT_EQ(RtlLongToULong(-1, &from_negative), STATUS_INTEGER_OVERFLOW);
}

}  // namespace
