// What becomes of packets that came back.
#include <d3dkmddi.h>

#include "conformance/rules/tests/trace_test.h"

namespace wddm::sched_008 {
namespace {

class Sched008 : public TraceTest {
 protected:
  void submits(std::uint32_t packet, std::uint32_t context = 0) {
    add(ev::Submitted{.packet = packet, .fence = packet + 1, .context = context});
  }
  void ends(std::uint32_t packet, PacketFate fate) {
    add(ev::PacketEnded{.packet = packet, .fate = static_cast<std::uint32_t>(fate)});
  }
  bool holds() { return TraceTest::holds("SCHED-008"); }
};

TEST_F(Sched008, AllComeAgain) {
  submits(1);
  submits(2);
  ends(1, PacketFate::Preempted);
  ends(2, PacketFate::Preempted);
  submits(1);
  submits(2);
  EXPECT_TRUE(holds());
  EXPECT_EQ(times_reached("SCHED-008"), 2u);
}

TEST_F(Sched008, TheOrderOfAContextIsKept) {
  submits(1);
  submits(2);
  ends(1, PacketFate::Preempted);
  ends(2, PacketFate::Preempted);
  submits(2);
  EXPECT_FALSE(holds());
}

TEST_F(Sched008, OtherContextsMayGoFirst) {
  submits(1);
  ends(1, PacketFate::Preempted);
  submits(2, 1);
  submits(1);
  EXPECT_TRUE(holds());
}

TEST_F(Sched008, WhatHasCompletedComesAgain) {
  submits(1);
  ends(1, PacketFate::Completed);
  submits(1);
  EXPECT_FALSE(holds());
}

TEST_F(Sched008, OneIsLost) {
  submits(1);
  ends(1, PacketFate::Preempted);
  add(ev::Stuck{});
  EXPECT_FALSE(holds());
}

TEST_F(Sched008, AnEngineHasAPacket) {
  submits(1);
  submits(2, 1);
  ends(1, PacketFate::Preempted);
  add(ev::Stuck{});
  EXPECT_TRUE(holds());
}

TEST_F(Sched008, AnEngineOwesAnAnswer) {
  submits(1);
  ends(1, PacketFate::Preempted);
  add(ev::PreemptAsked{.fence = 9});
  add(ev::Stuck{});
  EXPECT_TRUE(holds());
}

TEST_F(Sched008, WhoIsStillInTheDriverHoldsItUp) {
  submits(1);
  ends(1, PacketFate::Preempted);
  add(ev::DdiEntered{.ddi = static_cast<std::uint32_t>(DdiId::Patch), .object = 1});
  add(ev::Stuck{});
  EXPECT_TRUE(holds());
}

TEST_F(Sched008, ItsDeviceIsInError) {
  submits(1);
  ends(1, PacketFate::Preempted);
  ends(1, PacketFate::Lost);
  add(ev::Stuck{});
  EXPECT_TRUE(holds());
}

}  // namespace
}  // namespace wddm::sched_008
