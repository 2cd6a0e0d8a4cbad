// Which transfers show whether the pages of an MDL are taken one by one.
#include <d3dkmddi.h>

#include "conformance/rules/tests/trace_test.h"

namespace wddm::page_007 {
namespace {

class Page007 : public TraceTest {
 protected:
  void runs(std::uint32_t operation, const PagingArguments& arguments) {
    add(ev::PagingBuilt{.operation = operation}, std::vector{arguments});
    add(ev::PagingDone{.operation = operation, .packet = kPacket});
  }
  void is_compared() { add(ev::MemoryChecked{.cause = kPaging, .object = kPacket}); }
  // A page of allocation 0.
  void differs(std::uint32_t offset = kPage, std::uint32_t expected = 1, std::uint32_t seen = 0) {
    add(ev::MemoryDiffers{.where = static_cast<std::uint32_t>(MemoryPlace::Allocation),
                          .offset = offset,
                          .length = 8,
                          .expected = expected,
                          .seen = seen,
                          .cause = kPaging,
                          .cause_object = kPacket,
                          .inside = 1});
  }
  void differs_elsewhere() {
    add(ev::MemoryDiffers{.where = static_cast<std::uint32_t>(MemoryPlace::SystemPage),
                          .length = 8,
                          .cause = kPaging,
                          .cause_object = kPacket});
  }
  // The second half of four pages, whose MDL begins with the second.
  void part_runs(std::uint32_t from, std::uint32_t to) {
    runs(DXGK_OPERATION_TRANSFER, {.size = 2 * kPage,
                                   .source_segment = from,
                                   .destination_segment = to,
                                   .offset = 2 * kPage,
                                   .mdl_offset = 1,
                                   .scattered = 1});
  }
  bool holds() { return TraceTest::holds("PAGE-007"); }
  std::uint32_t reached() { return times_reached("PAGE-007"); }

  static constexpr auto kPaging = static_cast<std::uint32_t>(MemoryCause::Paging);
  static constexpr std::uint32_t kPacket = 3, kPage = 4096;
};

TEST_F(Page007, EachPageIsWhereItBelongs) {
  runs(DXGK_OPERATION_TRANSFER, {.source_segment = 1, .scattered = 1});
  is_compared();
  EXPECT_TRUE(holds());
  EXPECT_EQ(reached(), 1u);
}

TEST_F(Page007, OnTheWayOut) {
  runs(DXGK_OPERATION_TRANSFER, {.source_segment = 1, .scattered = 1});
  differs();
  EXPECT_FALSE(holds());
}

TEST_F(Page007, OnTheWayIn) {
  runs(DXGK_OPERATION_TRANSFER, {.destination_segment = 1, .scattered = 1});
  differs();
  EXPECT_FALSE(holds());
}

TEST_F(Page007, WhatIsWrongFromItsFirstPageOnIsNotOfTheFrames) {
  runs(DXGK_OPERATION_TRANSFER, {.source_segment = 1, .scattered = 1});
  differs(0);
  differs(kPage);
  EXPECT_TRUE(holds());
  EXPECT_EQ(reached(), 0u);
}

TEST_F(Page007, UnlessOnePageHoldsWhatAnotherWasTo) {
  runs(DXGK_OPERATION_TRANSFER, {.source_segment = 1, .scattered = 1});
  differs(0, 7, 8);
  differs(kPage, 8, 9);
  EXPECT_FALSE(holds());
}

TEST_F(Page007, AtTheSamePlaceInThePage) {
  runs(DXGK_OPERATION_TRANSFER, {.source_segment = 1, .scattered = 1});
  differs(0, 7, 8);
  differs(kPage + 4, 8, 9);
  EXPECT_TRUE(holds());
}

TEST_F(Page007, SystemMemoryOfOthersIsWritten) {
  runs(DXGK_OPERATION_TRANSFER, {.source_segment = 1, .scattered = 1});
  differs(0);
  differs_elsewhere();
  EXPECT_FALSE(holds());
}

// What comes from another place in the segment is where it was to be.
TEST_F(Page007, APartThatGoesOutIsWrongWhereItWasToWrite) {
  part_runs(1, 0);
  differs(2 * kPage);
  differs(3 * kPage);
  EXPECT_TRUE(holds());
  EXPECT_FALSE(TraceTest::holds("PAGE-006"));
}

TEST_F(Page007, APartThatGoesOutBeginsWithTheFirstFrameOfItsMdl) {
  part_runs(1, 0);
  is_compared();
  differs(kPage);
  EXPECT_FALSE(holds());
}

// Only the last is known by what it was called with.
TEST_F(Page007, AnEarlierPartIsNotJudgedByTheLast) {
  part_runs(1, 0);
  is_compared();
  differs(kPage);
  add(ev::PagingDone{.operation = DXGK_OPERATION_TRANSFER, .packet = kPacket});
  is_compared();
  EXPECT_TRUE(holds());
}

TEST_F(Page007, WhatAnEarlierPartLeftWrongIsNotThatOfTheLast) {
  part_runs(1, 0);
  is_compared();
  differs(kPage);
  part_runs(1, 0);
  is_compared();
  differs(kPage);
  EXPECT_EQ(failures("PAGE-007"), 1u);
}

TEST_F(Page007, NorAreTwoPartsThatAreComparedTogether) {
  part_runs(1, 0);
  add(ev::PagingDone{.operation = DXGK_OPERATION_TRANSFER, .packet = kPacket});
  is_compared();
  differs(kPage);
  EXPECT_TRUE(holds());
}

TEST_F(Page007, OfAPartThatComesInEitherSideMayBeWrong) {
  part_runs(0, 1);
  differs(kPage);
  differs(2 * kPage);
  EXPECT_TRUE(holds());
}

TEST_F(Page007, NorIsOneJudgedDuringWhichPoolFails) {
  op(OpKind::FailPool);
  op(OpKind::Evict);
  runs(DXGK_OPERATION_TRANSFER, {.source_segment = 1, .scattered = 1});
  differs();
  EXPECT_TRUE(holds());
  op(OpKind::Evict);
  runs(DXGK_OPERATION_TRANSFER, {.source_segment = 1, .scattered = 1});
  differs();
  EXPECT_FALSE(holds());
}

TEST_F(Page007, PagesThatFollowEachOtherShowNothing) {
  runs(DXGK_OPERATION_TRANSFER, {.source_segment = 1});
  differs();
  EXPECT_TRUE(holds());
  EXPECT_EQ(reached(), 0u);
}

TEST_F(Page007, NorDoSegmentsOnBothSides) {
  runs(DXGK_OPERATION_TRANSFER, {.source_segment = 1, .destination_segment = 2, .scattered = 1});
  differs();
  EXPECT_TRUE(holds());
  EXPECT_EQ(reached(), 0u);
}

TEST_F(Page007, NorDoesAMap) {
  runs(DXGK_OPERATION_MAP_APERTURE_SEGMENT, {.destination_segment = 2, .scattered = 1});
  differs();
  EXPECT_TRUE(holds());
}

// Where its pages are in system memory is of the conversion: PAGE-010.
TEST_F(Page007, AConversionIsAnotherMatter) {
  DXGK_TRANSFERFLAGS flags{};
  flags.Unswizzle = 1;
  runs(DXGK_OPERATION_TRANSFER, {.source_segment = 1, .scattered = 1, .flags = flags.Value});
  differs();
  EXPECT_TRUE(holds());
  EXPECT_EQ(reached(), 0u);
}

}  // namespace
}  // namespace wddm::page_007
