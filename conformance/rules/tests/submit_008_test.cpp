// Refused packets in an order, and with answers, that the built-in driver does not show.
#include <d3dkmddi.h>

#include "conformance/rules/tests/trace_test.h"
#include "conformance/sdk/device.h"
#include "reference/trace/ddi.h"

namespace wddm::submit_008 {
namespace {

constexpr std::uint32_t kInvalidParameter = 0xC000000D, kUnsuccessful = 0xC0000001;

class Submit008 : public TraceTest {
 protected:
  Submit008() { platform_.gpu_mmu = true; }
  void enters_virtual(std::uint32_t packet) {
    add(ev::DdiEntered{.ddi = static_cast<std::uint32_t>(DdiId::SubmitCommandVirtual),
                       .object = packet});
  }
  // Packets bear the number of their fence.
  void submitted(std::uint32_t fence, std::uint32_t engine = 0) {
    add(ev::Submitted{.packet = fence, .fence = fence, .engine = engine});
  }
  void refused(std::uint32_t fence, std::uint32_t engine = 0) {
    add(ev::Submitted{
        .packet = fence, .fence = fence, .status = kInvalidParameter, .engine = engine});
  }
  void ended(std::uint32_t fence, PacketFate fate = PacketFate::Completed) {
    add(ev::PacketEnded{.packet = fence, .fence = fence, .fate = static_cast<std::uint32_t>(fate)});
  }
  void logs_end(std::uint32_t fence) {
    add(ev::DeviceLogged{.kind = WDDM_DEVICE_PACKET_END, .tag = fence});
  }
  void logs_stop(std::uint32_t fence) {
    add(ev::DeviceLogged{.kind = WDDM_DEVICE_PACKET_STOPPED, .tag = fence});
  }
  void preempted(std::uint32_t last_completed) {
    add(ev::Notified{.type = DXGK_INTERRUPT_DMA_PREEMPTED, .last_completed = last_completed});
  }
  void waits() {
    op(OpKind::WaitTime);
    op(OpKind::QueryFence);
  }
  void queried(std::uint32_t fence, std::uint32_t status = 0, std::uint32_t engine = 0) {
    add(ev::FenceQueried{.fence = fence, .status = status, .engine = engine});
  }
  std::size_t failures() { return TraceTest::failures("SUBMIT-008"); }
  std::uint32_t times_reached() { return TraceTest::times_reached("SUBMIT-008"); }
};

TEST_F(Submit008, BeforeAndAfterItsTurn) {
  submitted(1);
  refused(2);
  queried(0);
  logs_end(1);
  ended(1);
  ended(2);
  waits();
  queried(2);
  EXPECT_EQ(failures(), 0u);
  EXPECT_EQ(times_reached(), 2u);
  queried(1);
  EXPECT_EQ(failures(), 1u);
}

TEST_F(Submit008, ToldWhileAPacketBeforeItIsAtWork) {
  submitted(1);
  refused(2);
  queried(2);
  logs_end(1);
  EXPECT_EQ(failures(), 1u);
}

TEST_F(Submit008, ToldByAPreemptionThatHasStoppedWhatIsBeforeIt) {
  submitted(1);
  logs_end(1);
  ended(1);
  submitted(2);
  refused(3);
  logs_stop(2);
  preempted(1);
  EXPECT_EQ(failures(), 0u);
  EXPECT_EQ(times_reached(), 1u);
  preempted(3);
  EXPECT_EQ(failures(), 1u);
}

TEST_F(Submit008, WhatIsBeforeItEndedAndThenCameThePreemption) {
  submitted(1);
  refused(2);
  submitted(3);
  logs_end(1);
  logs_stop(3);
  preempted(2);
  EXPECT_EQ(failures(), 0u);
}

TEST_F(Submit008, TheLogTellsOfTheLastOfSeveralPackets) {
  submitted(1);
  submitted(2);
  refused(3);
  logs_end(2);
  preempted(3);
  queried(3);
  EXPECT_EQ(failures(), 0u);
}

TEST_F(Submit008, OfAnEmptyPacketBeforeItNoLogTells) {
  submitted(1);
  add(ev::Submitted{.packet = 2, .fence = 2, .paging = 1, .switches = 1});
  refused(3);
  logs_end(1);
  preempted(3);
  queried(3);
  EXPECT_EQ(failures(), 0u);
}

TEST_F(Submit008, NorOfOneThatRendersNothing) {
  submitted(1);
  add(ev::DdiEntered{.ddi = static_cast<std::uint32_t>(DdiId::SubmitCommandVirtual), .object = 2},
      std::vector{ddi_arguments::SubmitCommandVirtual{.flags = 8}});
  submitted(2);
  refused(3);
  logs_end(1);
  preempted(3);
  EXPECT_EQ(failures(), 0u);
  submitted(4);
  refused(5);
  preempted(5);
  EXPECT_EQ(failures(), 1u);
}

TEST_F(Submit008, WhatIsThrownOutMayComeBackBeforeIt) {
  submitted(1);
  refused(2);
  ended(2, PacketFate::Rejected);
  ended(1, PacketFate::Lost);
  waits();
  queried(0);
  EXPECT_EQ(failures(), 0u);
}

TEST_F(Submit008, WhatIsThrownOutBehindItSaysNothing) {
  submitted(1);
  refused(2);
  submitted(3);
  ended(1);
  ended(2, PacketFate::Rejected);
  ended(3, PacketFate::Lost);
  waits();
  queried(1);
  EXPECT_EQ(failures(), 1u);
}

TEST_F(Submit008, TheGpuIsAheadOfWhatIsReported) {
  submitted(1);
  refused(2);
  logs_end(1);
  queried(2);
  ended(1);
  ended(2);
  EXPECT_EQ(failures(), 0u);
}

TEST_F(Submit008, WithoutALogNobodyKnowsWhenPacketsEnd) {
  submitted(1);
  refused(2);
  queried(2);
  EXPECT_EQ(failures(), 0u);
  EXPECT_EQ(times_reached(), 0u);
}

TEST_F(Submit008, ReportedFromInsideTheCall) {
  enters_virtual(2);
  ended(2);
  refused(2);
  waits();
  queried(1);
  EXPECT_EQ(failures(), 1u);
}

TEST_F(Submit008, EnginesOfANodeAreSeveral) {
  submitted(1, 1);
  refused(2, 1);
  refused(3);
  ended(3);
  waits();
  queried(3);
  queried(0, 0, 1);
  logs_end(7);
  EXPECT_EQ(failures(), 0u);
  EXPECT_EQ(times_reached(), 2u);
}

TEST_F(Submit008, AnAnswerThatFailsIsNone) {
  refused(2);
  ended(2);
  waits();
  queried(0, kUnsuccessful);
  EXPECT_EQ(failures(), 0u);
  EXPECT_EQ(times_reached(), 0u);
}

TEST_F(Submit008, ASecondRefusalDoesNotUndoTheFirst) {
  refused(2);
  ended(2);
  waits();
  submitted(3);
  refused(4);
  queried(1);
  EXPECT_EQ(failures(), 1u);
}

TEST_F(Submit008, NorDoesItHideThatTheFirstIsTooEarly) {
  submitted(1);
  refused(2);
  refused(3);
  queried(2);
  logs_end(1);
  EXPECT_EQ(failures(), 1u);
}

TEST_F(Submit008, APagingFenceThatComesAgainIsLater) {
  submitted(1);
  ended(1, PacketFate::Preempted);
  refused(2);
  ended(2);
  submitted(1);
  waits();
  queried(1);
  EXPECT_EQ(failures(), 0u);
}

TEST_F(Submit008, TimeThatHasBegunBeforeItsTurnDoesNotCount) {
  submitted(1);
  refused(2);
  op(OpKind::WaitTime);
  ended(1);
  ended(2);
  op(OpKind::QueryFence);
  queried(1);
  EXPECT_EQ(failures(), 0u);
}

}  // namespace
}  // namespace wddm::submit_008
