// What an adapter says of itself when it is asked again.
#include "conformance/rules/tests/trace_test.h"

namespace wddm::caps_016 {
namespace {

class Caps016 : public TraceTest {
 protected:
  void says(ev::CapsReported caps) { add(caps); }
  void segment(std::uint64_t size, std::uint32_t number = 1, std::uint32_t gpu = 0) {
    add(ev::SegmentReported{
        .size = size, .commit_limit = size, .segment = number, .physical_adapter = gpu});
  }
  void pages(ev::SegmentsReported segments) {
    segments.call = 2;
    add(segments);
  }
  bool holds() { return TraceTest::holds("CAPS-016"); }
  std::uint32_t reached() { return times_reached("CAPS-016"); }
};

TEST_F(Caps016, TheSame) {
  for (int round = 0; round < 3; ++round) {
    says({.scheduling = 1, .nodes = 2});
    segment(0x10000);
  }
  EXPECT_TRUE(holds());
  EXPECT_EQ(reached(), 4u);
}

TEST_F(Caps016, OneAnswerSaysNothing) {
  says({.nodes = 2});
  segment(0x10000);
  EXPECT_EQ(reached(), 0u);
}

TEST_F(Caps016, EachCapabilityIsCompared) {
  const ev::CapsReported others[] = {{.highest_address = 1},
                                     {.scheduling = 1},
                                     {.memory = 1},
                                     {.slots = 1},
                                     {.nodes = 1},
                                     {.misc = 1},
                                     {.engine_resets = 1},
                                     {.more = 1},
                                     {.graphics_preemption = 1},
                                     {.compute_preemption = 1}};
  says({});
  std::size_t wrong = 0;
  for (const ev::CapsReported& other : others) {
    says(other);
    EXPECT_EQ(failures("CAPS-016"), ++wrong);
  }
}

TEST_F(Caps016, WhatTheSystemDecidesMayChange) {
  says({.nodes = 2, .interrupt_message = 0});
  says({.nodes = 2, .interrupt_message = 3});
  EXPECT_TRUE(holds());
}

TEST_F(Caps016, ASegmentThatShrinks) {
  segment(0x10000);
  segment(0x8000);
  EXPECT_FALSE(holds());
}

TEST_F(Caps016, SegmentsAreToldApart) {
  segment(0x10000);
  segment(0x20000, 2);
  segment(0x30000, 1, 1);
  EXPECT_TRUE(holds());
  EXPECT_EQ(reached(), 0u);
}

TEST_F(Caps016, ACommitLimitMayChange) {
  add(ev::SegmentReported{.size = 0x10000, .commit_limit = 0x10000, .segment = 1});
  add(ev::SegmentReported{.size = 0x10000, .commit_limit = 0x8000, .segment = 1});
  EXPECT_TRUE(holds());
}

TEST_F(Caps016, EachMemberOfThePagingBufferIsCompared) {
  const ev::SegmentsReported usual{.paging_segment = 1, .paging_bytes = 4096, .paging_private = 16};
  pages(usual);
  pages(usual);
  EXPECT_TRUE(holds());
  EXPECT_EQ(reached(), 1u);
  pages({.paging_segment = 0, .paging_bytes = 4096, .paging_private = 16});
  EXPECT_EQ(failures("CAPS-016"), 1u);
  pages({.paging_segment = 1, .paging_bytes = 8192, .paging_private = 16});
  EXPECT_EQ(failures("CAPS-016"), 2u);
  pages({.paging_segment = 1, .paging_bytes = 4096, .paging_private = 0});
  EXPECT_EQ(failures("CAPS-016"), 3u);
}

TEST_F(Caps016, OfThePagingBufferTheSecondCallOfTheLeadTells) {
  pages({.paging_bytes = 4096});
  add(ev::SegmentsReported{.call = 1});
  pages({.status = 0xC0000001});
  pages({.paging_bytes = 8192, .physical_adapter = 1});
  EXPECT_TRUE(holds());
  EXPECT_EQ(reached(), 0u);
}

TEST_F(Caps016, EachPhysicalAdapterIsComparedWithItself) {
  const auto gpu = [this](std::uint32_t number, std::uint32_t nodes, std::uint32_t paging_node,
                          std::uint32_t flags) {
    add(ev::PhysicalAdapterReported{
        .physical_adapter = number, .nodes = nodes, .paging_node = paging_node, .flags = flags});
  };
  gpu(0, 2, 1, 2);
  gpu(1, 3, 0, 3);
  gpu(0, 2, 1, 2);
  gpu(1, 3, 0, 3);
  EXPECT_TRUE(holds());
  EXPECT_EQ(reached(), 2u);
  gpu(1, 2, 0, 3);
  EXPECT_EQ(failures("CAPS-016"), 1u);
  gpu(1, 3, 1, 3);
  EXPECT_EQ(failures("CAPS-016"), 2u);
  gpu(0, 2, 1, 3);
  EXPECT_EQ(failures("CAPS-016"), 3u);
}

TEST_F(Caps016, ANewDeviceMayPageElsewhere) {
  pages({.paging_bytes = 4096});
  add(ev::PhysicalAdapterReported{.nodes = 2});
  add(ev::SurpriseRemoved{});
  pages({.paging_bytes = 8192});
  add(ev::PhysicalAdapterReported{.nodes = 3});
  EXPECT_TRUE(holds());
}

TEST_F(Caps016, AnErrorIsNoAnswer) {
  says({.status = 0xC0000001, .nodes = 5});
  says({.nodes = 2});
  says({.status = 0xC0000001});
  says({.nodes = 2});
  EXPECT_TRUE(holds());
  EXPECT_EQ(reached(), 1u);
}

TEST_F(Caps016, ANewDeviceIsAnother) {
  says({.nodes = 2});
  add(ev::SurpriseRemoved{});
  says({.nodes = 3});
  EXPECT_TRUE(holds());
}

TEST_F(Caps016, SoIsADriverThatIsLoadedAnew) {
  says({.nodes = 2});
  add(ev::EntryReturned{});
  says({.nodes = 3});
  EXPECT_TRUE(holds());
}

TEST_F(Caps016, SoIsADeviceWithOtherResources) {
  says({.nodes = 2});
  segment(0x10000);
  op(OpKind::Rebalance);
  says({.nodes = 2});
  segment(0x8000);
  EXPECT_TRUE(holds());
}

TEST_F(Caps016, WhoGetsLessMayHaveLess) {
  segment(0x10000);
  op(OpKind::FailPool);
  segment(0x8000);
  EXPECT_TRUE(holds());
}

}  // namespace
}  // namespace wddm::caps_016
