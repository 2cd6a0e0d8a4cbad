// Buffers between whose portions another context ran.
#include "conformance/rules/tests/trace_test.h"

namespace wddm::split_018 {
namespace {

class Split018 : public TraceTest {
 protected:
  void submitted(std::uint32_t packet, std::uint32_t render, std::uint32_t node = 0,
                 std::uint32_t again = 0) {
    submitted_from(packet == 3 ? 0x40 : 0, packet, render, node, again);
  }
  void submitted_from(std::uint32_t start, std::uint32_t packet, std::uint32_t render,
                      std::uint32_t node = 0, std::uint32_t again = 0) {
    add(ev::Submitted{.packet = packet,
                      .render = render,
                      .node = node,
                      .context = render,
                      .start = start,
                      .again = again});
  }
  void interleaved() {
    submitted(1, 0);
    submitted(2, 1);
    submitted(3, 0);
  }
  void checked(std::uint32_t packet, std::uint32_t differences) {
    add(ev::MemoryChecked{.cause = static_cast<std::uint32_t>(MemoryCause::Render),
                          .object = packet,
                          .differences = differences});
    if (differences != 0) add(ev::MemoryDiffers{.length = 4, .cause_object = packet});
  }
  bool holds() { return TraceTest::holds("SPLIT-018"); }
  std::uint32_t reached() { return times_reached("SPLIT-018"); }
};

TEST_F(Split018, AsWithoutIt) {
  interleaved();
  checked(3, 0);
  EXPECT_TRUE(holds());
  EXPECT_EQ(reached(), 1u);
}

TEST_F(Split018, NotAsWithoutIt) {
  interleaved();
  checked(3, 1);
  EXPECT_FALSE(holds());
}

TEST_F(Split018, PortionsInOneGoAreAnothersMatter) {
  submitted(1, 0);
  submitted(3, 0);
  checked(3, 1);
  EXPECT_TRUE(holds());
  EXPECT_EQ(reached(), 0u);
}

TEST_F(Split018, APassOfRenderIsNoPortion) {
  submitted(1, 0);
  submitted(2, 1);
  submitted_from(0, 3, 0);
  checked(3, 1);
  EXPECT_TRUE(holds());
  EXPECT_EQ(reached(), 0u);
}

TEST_F(Split018, AnotherEngineInterruptsNothing) {
  submitted(1, 0);
  submitted(2, 1, 1);
  submitted(3, 0);
  checked(3, 1);
  EXPECT_TRUE(holds());
  EXPECT_EQ(reached(), 0u);
}

TEST_F(Split018, WhatWasPreemptedIsAnothersMatter) {
  submitted(1, 0);
  submitted(1, 0, 0, 1);
  submitted(2, 1);
  submitted(3, 0);
  checked(3, 1);
  EXPECT_TRUE(holds());
  EXPECT_EQ(reached(), 0u);
}

TEST_F(Split018, SoIsTheOtherContext) {
  interleaved();
  checked(2, 1);
  EXPECT_TRUE(holds());
}

}  // namespace
}  // namespace wddm::split_018
