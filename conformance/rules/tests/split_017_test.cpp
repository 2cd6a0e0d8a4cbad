// What may come between the portions of a buffer, in the Windows 7 model.
#include "conformance/rules/tests/trace_test.h"

namespace wddm::split_017 {
namespace {

// Render 0 of context 0 in two portions, and render 1 of context 1 in one.
class Split017 : public TraceTest {
 protected:
  Split017() {
    add(ev::PortionPlanned{.render = 0, .index = 0});
    add(ev::PortionPlanned{.render = 0, .index = 1});
    add(ev::PortionPlanned{.render = 1, .index = 0});
  }
  void submitted(std::uint32_t packet, std::uint32_t render, std::uint32_t again = 0) {
    add(ev::Submitted{.packet = packet, .render = render, .context = render, .again = again});
  }
  void preempted(std::uint32_t packet) {
    add(ev::PacketEnded{.packet = packet,
                        .fate = static_cast<std::uint32_t>(PacketFate::Preempted)});
  }
  void lost(std::uint32_t packet) {
    add(ev::PacketEnded{.packet = packet, .fate = static_cast<std::uint32_t>(PacketFate::Lost)});
  }
  bool holds() { return TraceTest::holds("SPLIT-017"); }
};

TEST_F(Split017, AnotherContextComesAfterTheLastPortion) {
  submitted(1, 0);
  submitted(2, 0);
  submitted(3, 1);
  EXPECT_TRUE(holds());
}

TEST_F(Split017, AnotherContextComesNotBetweenPortions) {
  submitted(1, 0);
  submitted(3, 1);
  EXPECT_FALSE(holds());
}

TEST_F(Split017, ABufferWhoseFirstPortionComesBackIsNotBegun) {
  submitted(1, 0);
  preempted(1);
  submitted(3, 1);
  submitted(1, 0, 1);
  submitted(2, 0);
  EXPECT_TRUE(holds());
}

TEST_F(Split017, AFirstPortionThatRunsAgainBeginsItsBuffer) {
  submitted(1, 0);
  preempted(1);
  submitted(1, 0, 1);
  submitted(3, 1);
  EXPECT_FALSE(holds());
}

// Its device is in error: what was not submitted is cancelled.
TEST_F(Split017, ABufferWhoseRestIsCancelledIsOver) {
  submitted(1, 0);
  lost(2);
  submitted(3, 1);
  EXPECT_TRUE(holds());
}

TEST_F(Split017, WhatIsCancelledOnAnotherEngineIsNotItsRest) {
  submitted(1, 0);
  add(ev::PacketEnded{
      .packet = 2, .node = 1, .fate = static_cast<std::uint32_t>(PacketFate::Lost)});
  submitted(3, 1);
  EXPECT_FALSE(holds());
}

TEST_F(Split017, ADeviceThatIsGoneEndsEveryBuffer) {
  submitted(1, 0);
  add(ev::SurpriseRemoved{});
  submitted(3, 1);
  EXPECT_TRUE(holds());
}

TEST_F(Split017, AResetEndsEveryBuffer) {
  submitted(1, 0);
  add(ev::Stuck{});
  submitted(3, 1);
  EXPECT_TRUE(holds());
}

}  // namespace
}  // namespace wddm::split_017
