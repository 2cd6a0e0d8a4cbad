// Packets that were preempted while they waited, when they come again.
#include "conformance/rules/tests/trace_test.h"

namespace wddm::sync_003 {
namespace {

class Sync003 : public TraceTest {
 protected:
  Sync003() {
    renders(0, OpKind::Wait);
    renders(1, OpKind::Signal);
    submits(0);
  }
  void renders(std::uint32_t render, OpKind command) {
    op(OpKind::Render);
    op(command);
    add(ev::RenderCalled{.render = render});
  }
  void submits(std::uint32_t packet) {
    add(ev::Submitted{.packet = packet, .render = packet, .fence = packet + 1});
  }
  void ends(PacketFate fate) {
    add(ev::PacketEnded{.packet = 0, .fate = static_cast<std::uint32_t>(fate)});
  }
  void stalls() { add(ev::GpuAdvanced{.units = 10, .used = 0}); }
  bool holds() { return TraceTest::holds("SYNC-003"); }
  std::uint32_t reached() { return times_reached("SYNC-003"); }
};

TEST_F(Sync003, ItWaitsAgain) {
  stalls();
  ends(PacketFate::Preempted);
  submits(0);
  stalls();
  submits(1);
  ends(PacketFate::Completed);
  EXPECT_TRUE(holds());
  EXPECT_EQ(reached(), 1u);
}

TEST_F(Sync003, ItIsDoneBeforeAnybodySignals) {
  stalls();
  ends(PacketFate::Preempted);
  submits(0);
  stalls();
  ends(PacketFate::Completed);
  EXPECT_FALSE(holds());
}

TEST_F(Sync003, WithNoTimeInBetweenItHadNothingToWaitFor) {
  stalls();
  ends(PacketFate::Preempted);
  submits(1);
  submits(0);
  stalls();
  ends(PacketFate::Completed);
  EXPECT_TRUE(holds());
  EXPECT_EQ(reached(), 0u);
}

TEST_F(Sync003, WhatWasNeverPreemptedIsAnotherMatter) {
  stalls();
  ends(PacketFate::Completed);
  EXPECT_TRUE(holds());
  EXPECT_EQ(reached(), 0u);
}

TEST_F(Sync003, ItWaitsAndIsPreemptedOnceMore) {
  stalls();
  ends(PacketFate::Preempted);
  submits(0);
  stalls();
  ends(PacketFate::Preempted);
  EXPECT_TRUE(holds());
  EXPECT_EQ(reached(), 1u);
}

TEST_F(Sync003, WhatWasStoppedBeforeItWaitedMayEnd) {
  ends(PacketFate::Preempted);
  submits(0);
  ends(PacketFate::Completed);
  EXPECT_TRUE(holds());
}

TEST_F(Sync003, AnEngineThatWasAskedToStopMayStand) {
  add(ev::PreemptAsked{.fence = 9, .outstanding = 1});
  stalls();
  ends(PacketFate::Preempted);
  submits(0);
  ends(PacketFate::Completed);
  EXPECT_TRUE(holds());
}

TEST_F(Sync003, TimeInsideOfCallsSaysNothing) {
  op(OpKind::AdvanceInside);
  stalls();
  ends(PacketFate::Preempted);
  submits(0);
  ends(PacketFate::Completed);
  EXPECT_TRUE(holds());
}

TEST_F(Sync003, AResetEndsIt) {
  stalls();
  ends(PacketFate::Preempted);
  submits(0);
  stalls();
  add(ev::AdapterReset{});
  ends(PacketFate::Completed);
  EXPECT_TRUE(holds());
}

}  // namespace
}  // namespace wddm::sync_003
