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
