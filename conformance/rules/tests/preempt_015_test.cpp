// What is to blame on preemptions: what a packet uses that came back since memory was compared.
#include "conformance/rules/tests/trace_test.h"

namespace wddm::preempt_015 {
namespace {

class Preempt015 : public TraceTest {
 protected:
  void built(std::uint32_t render, std::uint32_t allocation) {
    const std::vector<AllocationRecord> list{{.allocation = allocation}};
    add(ev::BufferBuilt{.render = render, .count = 1}, list);
  }
  void submitted(std::uint32_t render, std::uint32_t again) {
    add(ev::Submitted{.packet = render, .render = render, .again = again});
  }
  void compared(std::uint32_t packet, std::uint32_t differences) {
    add(ev::MemoryChecked{.cause = static_cast<std::uint32_t>(MemoryCause::Render),
                          .object = packet,
                          .differences = differences});
  }
  void differs(std::uint32_t allocation) {
    add(ev::MemoryDiffers{.where = static_cast<std::uint32_t>(MemoryPlace::Allocation),
                          .object = allocation,
                          .length = 4});
  }
  bool holds() { return TraceTest::holds("PREEMPT-015"); }
};

TEST_F(Preempt015, AnotherPacketEndsLast) {
  built(1, 7);
  built(2, 8);
  submitted(1, 0);
  submitted(1, 1);
  submitted(2, 0);
  compared(2, 1);
  differs(7);
  EXPECT_FALSE(holds());
}

TEST_F(Preempt015, WhatAResetHasGivenBackWasNotPreempted) {
  built(1, 7);
  submitted(1, 0);
  add(ev::EngineReset{});
  add(ev::PacketEnded{.packet = 1, .fate = static_cast<std::uint32_t>(PacketFate::Preempted)});
  submitted(1, 1);
  compared(1, 1);
  differs(7);
  EXPECT_TRUE(holds());
  EXPECT_EQ(times_reached("PREEMPT-015"), 0u);
}

// It had been preempted before, and was in no queue of the engine.
TEST_F(Preempt015, AResetOfItsEngineComesBetween) {
  built(1, 7);
  submitted(1, 0);
  add(ev::PacketEnded{.packet = 1, .fate = static_cast<std::uint32_t>(PacketFate::Preempted)});
  submitted(2, 0);
  add(ev::EngineReset{});
  add(ev::PacketEnded{.packet = 2, .fate = static_cast<std::uint32_t>(PacketFate::Lost)});
  submitted(1, 1);
  compared(1, 1);
  differs(7);
  EXPECT_FALSE(holds());
}

TEST_F(Preempt015, AnEmptyPacketComesBetween) {
  built(1, 7);
  submitted(1, 0);
  add(ev::Submitted{.packet = 2, .render = kNone, .paging = 1, .switches = 1});
  submitted(1, 1);
  compared(1, 0);
  EXPECT_TRUE(holds());
  EXPECT_EQ(times_reached("PREEMPT-015"), 1u);
}

TEST_F(Preempt015, AnEmptyPacketMakesItBeginAnew) {
  built(1, 7);
  submitted(1, 0);
  add(ev::Submitted{.packet = 2, .render = kNone, .paging = 1, .switches = 1});
  submitted(1, 1);
  compared(1, 1);
  differs(7);
  EXPECT_FALSE(holds());
}

TEST_F(Preempt015, WhatItDoesNotUse) {
  built(1, 7);
  submitted(1, 0);
  submitted(1, 1);
  compared(1, 1);
  differs(8);
  EXPECT_TRUE(holds());
}

TEST_F(Preempt015, ItWasComparedBefore) {
  built(1, 7);
  submitted(1, 0);
  submitted(1, 1);
  compared(1, 0);
  built(2, 7);
  submitted(2, 0);
  compared(2, 1);
  differs(7);
  EXPECT_TRUE(holds());
}

}  // namespace
}  // namespace wddm::preempt_015
