// What system memory holds of allocations that were evicted.
#include "conformance/rules/tests/paging_test.h"

namespace wddm::page_010 {
namespace {

constexpr std::uint32_t kCpuVisible = 1u << 0, kSwizzled = 1u << 7;

class Page010 : public PagingTest {
 protected:
  Page010() {
    platform_.segments.resize(2);
    platform_.segments[0].flags.value = 4;  // CpuVisible
  }
  void created(std::uint32_t flags) { add(ev::AllocationCreated{.flags = flags}); }
  void evicted(std::uint32_t from = 1) { moved({.source_segment = from}); }
  void moved(const PagingArguments& arguments) {
    built(DXGK_OPERATION_TRANSFER, arguments);
    done(DXGK_OPERATION_TRANSFER);
  }
  void looked_at() { checked(DXGK_OPERATION_TRANSFER); }
  void differs_inside(std::uint32_t inside = 1) {
    add(ev::MemoryDiffers{.length = 4,
                          .cause = static_cast<std::uint32_t>(MemoryCause::Paging),
                          .cause_object = 1,
                          .operation = DXGK_OPERATION_TRANSFER,
                          .inside = inside});
  }
  void foretold(std::uint32_t in = 0) { add(ev::ConversionForetold{.in = in}); }
  void is_not_judged() {
    looked_at();
    differs_inside();
    EXPECT_TRUE(holds());
    EXPECT_EQ(times_reached("PAGE-010"), 0u);
  }
  bool holds() { return TraceTest::holds("PAGE-010"); }
};

TEST_F(Page010, AsTheCpuSawIt) {
  created(kCpuVisible);
  evicted();
  looked_at();
  EXPECT_TRUE(holds());
  EXPECT_EQ(times_reached("PAGE-010"), 1u);
}

TEST_F(Page010, InAnotherOrder) {
  created(kCpuVisible);
  evicted();
  looked_at();
  differs_inside();
  EXPECT_FALSE(holds());
}

TEST_F(Page010, WhatChangesElsewhereIsAnothersMatter) {
  created(kCpuVisible);
  evicted();
  looked_at();
  differs_inside(0);
  EXPECT_TRUE(holds());
}

TEST_F(Page010, ASwizzledOneHasItsOwnOrder) {
  created(kCpuVisible | kSwizzled);
  evicted();
  is_not_judged();
}

TEST_F(Page010, WhereTheCpuMayNotLookItsOrderIsTheDrivers) {
  created(0);
  evicted();
  is_not_judged();
}

TEST_F(Page010, ASegmentThatTheCpuDoesNotSee) {
  created(kCpuVisible);
  evicted(2);
  is_not_judged();
}

TEST_F(Page010, AnAperture) {
  platform_.segments[0].flags.value |= 1;
  created(kCpuVisible);
  evicted();
  is_not_judged();
}

TEST_F(Page010, WhatComesBack) {
  created(kCpuVisible);
  moved({.destination_segment = 1});
  is_not_judged();
}

TEST_F(Page010, WhatMovesWithinTheSegment) {
  created(kCpuVisible);
  moved({.source_segment = 1, .destination_segment = 1});
  is_not_judged();
}

// -- Swizzled ones, as they are converted

constexpr std::uint32_t kSwizzle = 1, kUnswizzle = 2;  // DXGK_TRANSFERFLAGS

TEST_F(Page010, WhatWasConvertedBeforeIsWhatItWas) {
  created(kCpuVisible | kSwizzled);
  moved({.source_segment = 1, .flags = kUnswizzle});
  foretold();
  looked_at();
  moved({.destination_segment = 1, .flags = kSwizzle});
  foretold(1);
  looked_at();
  EXPECT_TRUE(holds());
  EXPECT_EQ(times_reached("PAGE-010"), 2u);
}

TEST_F(Page010, WhatGoesOutAgainIsAnother) {
  created(kCpuVisible | kSwizzled);
  moved({.source_segment = 1, .flags = kUnswizzle});
  foretold();
  looked_at();
  differs_inside();
  EXPECT_FALSE(holds());
  EXPECT_TRUE(TraceTest::holds("PAGE-005"));
  EXPECT_TRUE(TraceTest::holds("PAGE-007"));
}

TEST_F(Page010, WhatComesInAgainIsAnother) {
  created(kCpuVisible | kSwizzled);
  moved({.destination_segment = 1, .flags = kSwizzle});
  foretold(1);
  looked_at();
  differs_inside();
  EXPECT_FALSE(holds());
}

TEST_F(Page010, AConversionMayWriteNothingElse) {
  created(kCpuVisible | kSwizzled);
  moved({.source_segment = 1, .flags = kUnswizzle});
  foretold();
  looked_at();
  differs_inside(0);
  EXPECT_TRUE(holds());
  EXPECT_FALSE(TraceTest::holds("PAGE-005"));
}

TEST_F(Page010, ThroughARangeItIsKnownTheFirstTime) {
  created(kCpuVisible | kSwizzled);
  moved({.source_segment = 1, .flags = kUnswizzle});
  add(ev::ConversionForetold{.seen = 1});
  looked_at();
  EXPECT_TRUE(holds());
  EXPECT_EQ(times_reached("PAGE-010"), 1u);
}

TEST_F(Page010, NotWhatTheCpuSawThroughTheRange) {
  created(kCpuVisible | kSwizzled);
  moved({.source_segment = 1, .flags = kUnswizzle});
  add(ev::ConversionForetold{.seen = 1});
  looked_at();
  differs_inside();
  EXPECT_FALSE(holds());
  EXPECT_TRUE(TraceTest::holds("PAGE-005"));
}

// Of a transfer in parts the last one says what all of it was to make.
TEST_F(Page010, PartsAreJudgedTogether) {
  created(kCpuVisible | kSwizzled);
  built(DXGK_OPERATION_TRANSFER, {.source_segment = 1, .flags = kUnswizzle});
  built(DXGK_OPERATION_TRANSFER, {.source_segment = 1, .offset = 8192, .flags = kUnswizzle});
  done(DXGK_OPERATION_TRANSFER);
  is_not_judged();
  done(DXGK_OPERATION_TRANSFER);
  foretold();
  looked_at();
  EXPECT_TRUE(holds());
  EXPECT_EQ(times_reached("PAGE-010"), 1u);
}

TEST_F(Page010, PartsThatMakeSomethingElse) {
  created(kCpuVisible | kSwizzled);
  built(DXGK_OPERATION_TRANSFER, {.source_segment = 1, .flags = kUnswizzle});
  built(DXGK_OPERATION_TRANSFER, {.source_segment = 1, .offset = 8192, .flags = kUnswizzle});
  done(DXGK_OPERATION_TRANSFER);
  done(DXGK_OPERATION_TRANSFER);
  foretold();
  looked_at();
  differs_inside();
  EXPECT_FALSE(holds());
  EXPECT_TRUE(TraceTest::holds("PAGE-005"));
  EXPECT_TRUE(TraceTest::holds("PAGE-006"));
}

TEST_F(Page010, TheFirstTimeNobodyKnowsWhatTilesHold) {
  created(kCpuVisible | kSwizzled);
  moved({.source_segment = 1, .flags = kUnswizzle});
  is_not_judged();
}

TEST_F(Page010, WhatWasForetoldOfAnotherSaysNothing) {
  created(kCpuVisible | kSwizzled);
  moved({.source_segment = 1, .flags = kUnswizzle});
  add(ev::ConversionForetold{.allocation = 1});
  is_not_judged();
}

TEST_F(Page010, NorWhatWasForetoldBefore) {
  created(kCpuVisible | kSwizzled);
  foretold();
  moved({.source_segment = 1, .flags = kUnswizzle});
  is_not_judged();
}

TEST_F(Page010, AnInstanceIsWhatItsOriginalIs) {
  created(kCpuVisible | kSwizzled);
  add(ev::AllocationCreated{.allocation = 1, .flags = kCpuVisible});
  add(ev::AllocationRenamed{.allocation = 0, .original = 1, .instances = 2});
  evicted();
  looked_at();
  differs_inside();
  EXPECT_FALSE(holds());
}

TEST_F(Page010, TheSlotHasAnotherAllocationByNow) {
  created(kCpuVisible | kSwizzled);
  created(kCpuVisible);
  evicted();
  looked_at();
  differs_inside();
  EXPECT_FALSE(holds());
}

}  // namespace
}  // namespace wddm::page_010
