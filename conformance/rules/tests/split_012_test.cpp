// Where a portion ends that is not the last, and which elements belong to it.
#include "conformance/rules/tests/list_test.h"

namespace wddm::split_012 {
namespace {

constexpr auto kNoMemory = static_cast<std::uint32_t>(CutReason::NoMemory);
constexpr auto kForced = static_cast<std::uint32_t>(CutReason::Forced);
constexpr auto kEnd = static_cast<std::uint32_t>(CutReason::End);

// 64 bytes with an element of offset 0 and two of offset 32.
class Split012 : public ListTest {
 protected:
  Split012() {
    render({{.value = 0, .patch_offset = 8},
            {.value = 1, .patch_offset = 40, .split_offset = 32},
            {.value = 2, .patch_offset = 48, .split_offset = 32}});
  }
  void planned(std::uint32_t end, std::uint32_t count, std::uint32_t why) {
    add(ev::PortionPlanned{.end = end, .count = count, .why = why});
  }
  bool holds() { return TraceTest::holds("SPLIT-012"); }
};

TEST_F(Split012, AtTheSplitOffsetOfTheFirstElementLeftOut) {
  planned(32, 1, kNoMemory);
  EXPECT_TRUE(holds());
  EXPECT_EQ(times_reached("SPLIT-012"), 1u);
}

TEST_F(Split012, AtItsPatchOffset) {
  planned(40, 1, kNoMemory);
  EXPECT_FALSE(holds());
}

TEST_F(Split012, TheElementThatSharesItsSplitOffsetIsLeftOutToo) {
  planned(32, 2, kNoMemory);
  EXPECT_FALSE(holds());
}

TEST_F(Split012, SplitPointsThatAreTakenForNothingAreAlike) {
  planned(24, 1, kForced);
  EXPECT_FALSE(holds());
}

TEST_F(Split012, BehindTheLastElementNothingIsLeftOut) {
  planned(64, 3, kNoMemory);
  EXPECT_FALSE(holds());
}

TEST_F(Split012, TheLastPortionEndsWithTheBuffer) {
  planned(64, 3, kEnd);
  EXPECT_TRUE(holds());
  EXPECT_EQ(times_reached("SPLIT-012"), 0u);
}

}  // namespace
}  // namespace wddm::split_012
