// Where a driver may want its paging buffer, and that numbers stay.
#include "conformance/rules/tests/trace_test.h"

namespace wddm::seg_001 {
namespace {

constexpr std::uint32_t kAperture = 1;

class Seg001 : public TraceTest {
 protected:
  // Segment 1 is memory, segment 2 an aperture.
  bool holds_for(std::uint32_t paging_segment, std::uint32_t paging_bytes = 4096) {
    add(ev::SegmentsReported{.call = 1, .count = 2});
    add(ev::SegmentsReported{.call = 2,
                             .count = 2,
                             .asked = 2,
                             .paging_segment = paging_segment,
                             .paging_bytes = paging_bytes});
    add(ev::SegmentReported{.segment = 1});
    add(ev::SegmentReported{.segment = 2, .flags = kAperture});
    return holds("SEG-001");
  }
};

TEST_F(Seg001, SystemMemory) {
  EXPECT_TRUE(holds_for(0));
}

TEST_F(Seg001, AnApertureSegment) {
  EXPECT_TRUE(holds_for(2));
}

TEST_F(Seg001, AMemorySegment) {
  EXPECT_FALSE(holds_for(1));
}

TEST_F(Seg001, NoSegmentAtAll) {
  EXPECT_FALSE(holds_for(3));
}

TEST_F(Seg001, NoSize) {
  EXPECT_FALSE(holds_for(0, 0));
}

TEST_F(Seg001, AQueryThatFails) {
  constexpr std::uint32_t kNoMemory = 0xC0000017, kInvalidParameter = 0xC000000D;
  add(ev::SegmentsReported{.call = 1, .status = kNoMemory});
  EXPECT_FALSE(holds("SEG-001"));
  op(OpKind::FailPool);
  EXPECT_TRUE(holds("SEG-001"));
  EXPECT_EQ(times_reached("SEG-001"), 0u);
  add(ev::SegmentsReported{.call = 1, .status = kInvalidParameter});
  EXPECT_FALSE(holds("SEG-001"));
}

TEST_F(Seg001, TheFormOfWddm12IsEnough) {
  constexpr std::uint32_t kNotSupported = 0xC00000BB;
  add(ev::SegmentsReported{.version = 4, .call = 1, .status = kNotSupported});
  add(ev::SegmentsReported{.version = 3, .call = 1, .count = 2});
  EXPECT_TRUE(holds("SEG-001"));
  EXPECT_EQ(times_reached("SEG-001"), 1u) << "what is refused is not judged";
}

TEST_F(Seg001, NoFormIsNotEnough) {
  constexpr std::uint32_t kNotSupported = 0xC00000BB;
  add(ev::SegmentsReported{.version = 4, .call = 1, .status = kNotSupported});
  add(ev::SegmentsReported{.version = 3, .call = 1, .status = kNotSupported});
  EXPECT_FALSE(holds("SEG-001"));
}

TEST_F(Seg001, WhatWasAnsweredOnceIsNotRefusedLater) {
  constexpr std::uint32_t kNotSupported = 0xC00000BB;
  add(ev::SegmentsReported{.version = 3, .call = 1, .count = 2});
  add(ev::SegmentsReported{.version = 4, .call = 1, .status = kNotSupported, .round = 1});
  EXPECT_FALSE(holds("SEG-001"));
}

TEST_F(Seg001, AnotherNumberLater) {
  add(ev::SegmentsReported{.call = 1, .count = 2});
  add(ev::SegmentsReported{.call = 1, .count = 3});
  EXPECT_FALSE(holds("SEG-001"));
}

TEST_F(Seg001, AnotherKindLater) {
  add(ev::SegmentReported{.segment = 1});
  add(ev::SegmentReported{.segment = 1, .flags = kAperture});
  EXPECT_FALSE(holds("SEG-001"));
}

TEST_F(Seg001, EachGpuOfALinkHasItsOwn) {
  add(ev::SegmentsReported{.call = 1, .count = 2});
  add(ev::SegmentReported{.segment = 1});
  add(ev::SegmentsReported{.call = 1, .count = 3, .physical_adapter = 1});
  add(ev::SegmentReported{.segment = 1, .flags = kAperture, .physical_adapter = 1});
  EXPECT_TRUE(holds("SEG-001"));
}

class Seg001OfAnotherDevice : public Seg001 {
 protected:
  void says(std::uint32_t count, std::uint32_t flags) {
    add(ev::SegmentsReported{.call = 1, .count = count});
    add(ev::SegmentReported{.segment = 1, .flags = flags});
  }
};

TEST_F(Seg001OfAnotherDevice, WithOtherResourcesItMayHaveOthers) {
  says(2, 0);
  op(OpKind::Rebalance);
  says(3, 4);
  EXPECT_TRUE(holds("SEG-001"));
  op(OpKind::Cycle);
  says(2, 4);
  EXPECT_FALSE(holds("SEG-001"));
}

TEST_F(Seg001OfAnotherDevice, SoItMayInPlaceOfOneThatWasPulledOut) {
  says(2, 0);
  add(ev::SurpriseRemoved{});
  says(3, 4);
  EXPECT_TRUE(holds("SEG-001"));
}

TEST_F(Seg001OfAnotherDevice, SoMayADriverThatIsLoadedAnew) {
  says(2, 0);
  add(ev::EntryReturned{});
  says(3, 4);
  EXPECT_TRUE(holds("SEG-001"));
}

TEST_F(Seg001, WithoutPagingNobodyAsks) {
  platform_.absent_ddis.value.set(static_cast<std::size_t>(DdiId::BuildPagingBuffer));
  EXPECT_TRUE(holds_for(1, 0));
}

}  // namespace
}  // namespace wddm::seg_001
