// What certainly fits a segment, with the gaps that alignment leaves.
#include "conformance/rules/split/refusals.h"
#include "conformance/rules/tests/trace_test.h"

namespace wddm::split_011 {
namespace {

using split::Demand;

// A buffer of one allocation, which fits its aperture and is refused.
class Split011Refusal : public TraceTest {
 protected:
  void SetUp() override { platform_.segments.push_back({.size = 8 * 4096}); }
  void refused(std::uint32_t local = 0, std::uint32_t aperture = 0) {
    add(ev::AllocationCreated{.allocation = 0, .write_set = 1});
    add(ev::RenderCalled{}, std::vector<AllocationRecord>{{.size = 5 * 4096, .allocation = 0}});
    add(ev::Rendered{.dma_used = 64, .dma_given = 4096}, std::vector{PatchRecord{}});
    add(ev::BufferRefused{.local = local, .aperture = aperture});
  }
  void mapped(DXGK_BUILDPAGINGBUFFER_OPERATION operation, std::uint32_t allocation,
              std::uint32_t segment = 1) {
    add(ev::PagingBuilt{.operation = static_cast<std::uint32_t>(operation),
                        .allocation = allocation},
        std::vector{PagingArguments{.destination_segment = segment}});
  }
  bool holds() { return TraceTest::holds("SPLIT-011"); }
};

TEST_F(Split011Refusal, ThereIsRoom) {
  refused();
  EXPECT_FALSE(holds());
}

TEST_F(Split011Refusal, LessIsUsedThanThereIs) {
  refused(4);
  EXPECT_TRUE(holds());
}

TEST_F(Split011Refusal, WhatIsUsedHoldsIt) {
  refused(5, 1);
  EXPECT_FALSE(holds());
}

TEST_F(Split011Refusal, AperturesHaveALimitOfTheirOwn) {
  platform_.segments.front().flags.value |= 1;
  refused(1, 4);
  EXPECT_TRUE(holds());
}

TEST_F(Split011Refusal, PagesOfNoAllocationTakeRoom) {
  mapped(DXGK_OPERATION_MAP_APERTURE_SEGMENT, kNone);
  refused();
  EXPECT_TRUE(holds());
}

TEST_F(Split011Refusal, PagesOfAnotherSegmentDoNot) {
  mapped(DXGK_OPERATION_MAP_APERTURE_SEGMENT, kNone, 2);
  refused();
  EXPECT_FALSE(holds());
}

// The refused buffer has pages of it itself, though nothing has been mapped yet.
TEST_F(Split011Refusal, ContextsWithBuffersInTheSegmentTakeRoom) {
  add(ev::ContextCreated{.dma_segments = 1});
  refused();
  EXPECT_TRUE(holds());
}

TEST_F(Split011Refusal, PagingBuffersInTheSegmentTakeRoom) {
  add(ev::SegmentsReported{.call = 2, .paging_segment = 1});
  refused();
  EXPECT_TRUE(holds());
}

TEST_F(Split011Refusal, ContextsWithBuffersElsewhereDoNot) {
  add(ev::ContextCreated{.dma_segments = 2});
  refused();
  EXPECT_FALSE(holds());
}

TEST_F(Split011Refusal, SoTheyDoByAddressLists) {
  mapped(DXGK_OPERATION_MAP_APERTURE_SEGMENT2, kNone);
  refused();
  EXPECT_TRUE(holds());
}

TEST_F(Split011Refusal, ThoseOfAllocationsMakeRoom) {
  mapped(DXGK_OPERATION_MAP_APERTURE_SEGMENT2, 1);
  refused();
  EXPECT_FALSE(holds());
}

constexpr std::uint32_t kUse64KbPages = 1u << 11;

bool fits(std::uint64_t segment_pages, std::uint32_t flags, std::vector<Demand> wanted) {
  Platform platform;
  platform.segments.push_back({.size = segment_pages * 4096, .flags = {flags}});
  ScratchVector<Demand> demands(wanted.begin(), wanted.end());
  return split::certainly_fits(demands, platform);
}

TEST(Split011, PagesSideBySide) {
  EXPECT_TRUE(fits(8, 0, {{.pages = 5, .segments = 1}, {.pages = 3, .segments = 1}}));
  EXPECT_FALSE(fits(8, 0, {{.pages = 5, .segments = 1}, {.pages = 4, .segments = 1}}));
}

TEST(Split011, AnAlignmentLeavesAGap) {
  const Demand aligned{.pages = 4, .alignment = 4, .segments = 1};
  EXPECT_TRUE(fits(4, 0, {aligned}));
  EXPECT_FALSE(fits(7, 0, {{.pages = 1, .segments = 1}, aligned}));
  EXPECT_TRUE(fits(8, 0, {{.pages = 1, .segments = 1}, aligned}));
}

TEST(Split011, PlacesOf64KbAreAsLarge) {
  const Demand small{.pages = 1, .segments = 1};
  EXPECT_TRUE(fits(16, kUse64KbPages, {small}));
  EXPECT_FALSE(fits(16, kUse64KbPages, {small, small}));
}

}  // namespace
}  // namespace wddm::split_011
