// Which value is found when only some will do.
#include "fuzz/minimizer/lower_value.h"

#include <gtest/gtest.h>

namespace wddm::fuzz {
namespace {

struct Found {
  std::uint32_t value;
  int tries = 0;
};

template <class WillDo>
Found lower(std::uint32_t value, std::uint32_t lowest, WillDo will_do) {
  Found found{};
  found.value = lower_value(value, lowest, [&](std::uint32_t candidate) {
    ++found.tries;
    EXPECT_GE(candidate, lowest);
    EXPECT_LT(candidate, value);
    return will_do(candidate);
  });
  return found;
}

TEST(LowerValue, TakesTheLowestAtOnceIfItWillDo) {
  const Found found = lower(77, 3, [](std::uint32_t) { return true; });

  EXPECT_EQ(found.value, 3u);
  EXPECT_EQ(found.tries, 1);
}

TEST(LowerValue, FindsEveryThresholdExactly) {
  for (std::uint32_t threshold = 1; threshold < 20000; threshold += 37) {
    const Found found = lower(19999, 0, [&](std::uint32_t v) { return v >= threshold; });

    EXPECT_EQ(found.value, threshold);
    EXPECT_LE(found.tries, 30);
  }
}

TEST(LowerValue, LeavesALoneValueAloneAfterAFewTries) {
  const Found found = lower(0xdeadbeef, 0, [](std::uint32_t) { return false; });

  EXPECT_EQ(found.value, 0xdeadbeefu);
  EXPECT_LE(found.tries, 7);
}

TEST(LowerValue, KeepsMultiplesOfPages) {
  const auto pages = [](std::uint32_t v) { return v % 4096 == 0 && v >= 2 * 4096; };

  EXPECT_EQ(lower(100 * 4096, 0, pages).value, 2 * 4096u);
}

TEST(LowerValue, KeepsMultiplesOfWords) {
  const auto words = [](std::uint32_t v) { return v % 4 == 0 && v >= 12; };

  EXPECT_EQ(lower(4000, 0, words).value, 12u);
}

TEST(LowerValue, TheLargestNumberIsNoProblem) {
  EXPECT_EQ(lower(0xffffffff, 0, [](std::uint32_t v) { return v >= 5; }).value, 5u);
}

}  // namespace
}  // namespace wddm::fuzz
