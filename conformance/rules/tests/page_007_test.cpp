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
  void differs() {
    add(ev::MemoryDiffers{.length = 8, .cause = kPaging, .cause_object = kPacket, .inside = 1});
  }
  bool holds() { return TraceTest::holds("PAGE-007"); }
  std::uint32_t reached() { return times_reached("PAGE-007"); }

  static constexpr auto kPaging = static_cast<std::uint32_t>(MemoryCause::Paging);
  static constexpr std::uint32_t kPacket = 3;
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
