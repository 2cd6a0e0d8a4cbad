// Requests that find a packet which waits for a semaphore.
#include <d3dkmddi.h>

#include "conformance/rules/tests/trace_test.h"

namespace wddm::sync_002 {
namespace {

constexpr std::uint32_t kRequest = 9;

class Sync002 : public TraceTest {
 protected:
  void renders(std::uint32_t render, const std::vector<OpKind>& commands) {
    op(OpKind::Render);
    for (const OpKind command : commands) op(command);
    add(ev::RenderCalled{.render = render});
  }
  void submits(std::uint32_t packet) {
    add(ev::Submitted{.packet = packet, .render = packet, .fence = packet + 1});
  }
  void runs(std::uint32_t packet, const std::vector<OpKind>& commands) {
    renders(packet, commands);
    submits(packet);
  }
  void asks() { add(ev::PreemptAsked{.fence = kRequest, .outstanding = 1}); }
  void answers() { add(ev::Notified{.type = DXGK_INTERRUPT_DMA_PREEMPTED, .fence = kRequest}); }
  void goes_back(std::uint32_t packet) {
    add(ev::PacketEnded{.packet = packet,
                        .fate = static_cast<std::uint32_t>(PacketFate::Preempted)});
  }
  void is_stuck() { add(ev::Stuck{.excused = 1}); }
  bool holds() { return TraceTest::holds("SYNC-002"); }
  std::uint32_t reached() { return times_reached("SYNC-002"); }
};

TEST_F(Sync002, TheRequestIsNeverAnswered) {
  runs(0, {OpKind::Wait});
  asks();
  is_stuck();
  EXPECT_FALSE(holds());
}

TEST_F(Sync002, ThePacketGoesBack) {
  runs(0, {OpKind::Wait});
  asks();
  answers();
  goes_back(0);
  is_stuck();
  EXPECT_TRUE(holds());
  EXPECT_EQ(reached(), 1u);
}

TEST_F(Sync002, TheAnswerMayComeBeforeTheCallReturns) {
  runs(0, {OpKind::Wait});
  answers();
  asks();
  goes_back(0);
  is_stuck();
  EXPECT_TRUE(holds());
  EXPECT_EQ(reached(), 1u);
}

TEST_F(Sync002, OnceSomebodySignalsNothingIsKnown) {
  runs(0, {OpKind::Wait});
  runs(1, {OpKind::Signal});
  asks();
  is_stuck();
  EXPECT_TRUE(holds());
  EXPECT_EQ(reached(), 0u);
}

TEST_F(Sync002, ASignalThatIsNotSubmittedSignalsNothing) {
  runs(0, {OpKind::Wait});
  asks();
  renders(1, {OpKind::Signal});
  is_stuck();
  EXPECT_FALSE(holds());
}

TEST_F(Sync002, LongWorkMayHoldItUpToo) {
  runs(0, {OpKind::Wait, OpKind::Spin});
  asks();
  is_stuck();
  EXPECT_TRUE(holds());
}

TEST_F(Sync002, WhatIsFirstDoesNotWait) {
  runs(0, {OpKind::Fill});
  runs(1, {OpKind::Wait});
  asks();
  is_stuck();
  EXPECT_TRUE(holds());
}

TEST_F(Sync002, WithoutARequestAStallIsAllowed) {
  runs(0, {OpKind::Wait});
  is_stuck();
  EXPECT_TRUE(holds());
  EXPECT_EQ(reached(), 0u);
}

TEST_F(Sync002, AlteredCommandsMayBeOthers) {
  renders(0, {OpKind::Wait, OpKind::TamperCommand});
  submits(0);
  asks();
  is_stuck();
  EXPECT_TRUE(holds());
}

}  // namespace
}  // namespace wddm::sync_002
