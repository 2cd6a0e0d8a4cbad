// Which allocations must be aligned to 64 KB.
#include "conformance/rules/tests/trace_test.h"

namespace wddm::pgsz_002 {
namespace {

constexpr std::uint32_t kUse64KBPages = 1u << 11;

// Segment 2 has pages of 64 KB.
class Pgsz002 : public TraceTest {
 protected:
  Pgsz002() {
    platform_.segments.resize(2);
    platform_.segments[1].flags.value = kUse64KBPages;
  }
  bool holds_for(std::uint32_t write_set, std::uint32_t alignment, std::uint32_t preferred = 0) {
    add(ev::AllocationCreated{
        .write_set = write_set, .preferred = preferred, .alignment = alignment});
    return holds("PGSZ-002");
  }
};

TEST_F(Pgsz002, NoAlignmentIsOfAPage) {
  EXPECT_FALSE(holds_for(2, 0));
}

TEST_F(Pgsz002, AMultipleIsEnough) {
  EXPECT_TRUE(holds_for(2, 0x30000));
  EXPECT_EQ(times_reached("PGSZ-002"), 1u);
}

TEST_F(Pgsz002, WhatMayLieThereCountsAndNotWhatIsPreferred) {
  EXPECT_FALSE(holds_for(3, 0x1000, 1));
}

// Of the other GPU segment 1 has pages of 64 KB.
TEST_F(Pgsz002, EachGpuOfALinkHasItsOwnSegments) {
  platform_.gpu_mmu = true;
  platform_.linked_adapters = 2;
  add(ev::SegmentReported{.segment = 1, .flags = kUse64KBPages, .physical_adapter = 1});
  add(ev::SegmentReported{.segment = 2, .physical_adapter = 1});
  add(ev::AllocationCreated{.write_set = 2, .alignment = 0x1000, .renaming = 1});
  EXPECT_TRUE(holds("PGSZ-002"));
  add(ev::AllocationCreated{.write_set = 1, .alignment = 0x1000, .renaming = 1});
  EXPECT_FALSE(holds("PGSZ-002"));
}

TEST_F(Pgsz002, SurfacesOfDxgkrnlToo) {
  add(ev::ShapeDescribed{.write_set = 2, .alignment = 0x10000, .standard = 4});
  EXPECT_TRUE(holds("PGSZ-002"));
  EXPECT_EQ(times_reached("PGSZ-002"), 1u);
  add(ev::ShapeDescribed{.write_set = 2, .alignment = 0x1000, .standard = 4});
  EXPECT_FALSE(holds("PGSZ-002"));
}

TEST_F(Pgsz002, OtherSegmentsWantNothing) {
  EXPECT_TRUE(holds_for(1, 0));
  EXPECT_EQ(times_reached("PGSZ-002"), 0u);
}

}  // namespace
}  // namespace wddm::pgsz_002
