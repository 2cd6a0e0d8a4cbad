// Packets that nothing covers: reported in their own call, reset, and never brought to their end.
#include <d3dkmddi.h>

#include "conformance/rules/tests/trace_test.h"

namespace wddm::fence_001 {
namespace {

class Fence001 : public TraceTest {
 protected:
  void submitted(std::uint32_t packet, std::uint32_t start = 0, std::uint32_t status = 0) {
    add(ev::Submitted{
        .packet = packet, .fence = packet, .start = start, .end = 64, .status = status});
  }
  void completed(std::uint32_t fence) {
    add(ev::Notified{.type = DXGK_INTERRUPT_DMA_COMPLETED, .fence = fence});
  }
  void lost(std::uint32_t packet) {
    add(ev::PacketEnded{
        .packet = packet, .fence = packet, .fate = static_cast<std::uint32_t>(PacketFate::Lost)});
  }
  void stuck(std::uint32_t excused) { add(ev::Stuck{.excused = excused}); }
  void has_run(std::uint32_t packet, std::uint32_t runs) {
    add(ev::MarkerRead{.packet = packet,
                       .runs = runs,
                       .expected = 1,
                       .reason = static_cast<std::uint32_t>(MarkerReason::AtEnd)});
  }
  bool holds() {
    add(ev::Ended{});
    return TraceTest::holds("FENCE-001");
  }
};

TEST_F(Fence001, APacketMayCompleteInsideOfItsSubmission) {
  enters(2);
  completed(2);
  has_run(2, 1);
  submitted(2);
  EXPECT_TRUE(holds());
}

TEST_F(Fence001, APacketThatRanIsCovered) {
  enters(2);
  submitted(2);
  has_run(2, 1);
  EXPECT_FALSE(holds());
}

// Between the marker and the end of a buffer slots may still be given up.
TEST_F(Fence001, WhatWasPreemptedBehindItsMarkerHasNotRunAgain) {
  submitted(2);
  add(ev::PacketEnded{
      .packet = 2, .fence = 2, .fate = static_cast<std::uint32_t>(PacketFate::Preempted)});
  add(ev::MarkerRead{
      .packet = 2, .runs = 1, .reason = static_cast<std::uint32_t>(MarkerReason::AfterPreempted)});
  add(ev::Submitted{.packet = 2, .fence = 3, .end = 64, .again = 1});
  stuck(1);
  lost(2);
  has_run(2, 1);
  EXPECT_TRUE(holds());
}

TEST_F(Fence001, AReportCoversWhatCameBefore) {
  submitted(2);
  submitted(3);
  completed(3);
  has_run(2, 1);
  has_run(3, 1);
  EXPECT_TRUE(holds());
}

TEST_F(Fence001, WorkThatNothingHoldsUpEnds) {
  submitted(2);
  stuck(0);
  lost(2);
  EXPECT_FALSE(holds());
}

TEST_F(Fence001, AReportThatComesWithTheResetIsLate) {
  submitted(2);
  completed(2);
  submitted(3);
  submitted(4);
  stuck(0);
  completed(4);
  EXPECT_FALSE(holds());
}

TEST_F(Fence001, WhatTheScenarioHeldUpMayBeToldThen) {
  submitted(2);
  stuck(1);
  completed(2);
  EXPECT_TRUE(holds());
}

TEST_F(Fence001, WhatIsSubmittedBehindTheResetIsAnotherMatter) {
  submitted(2);
  completed(2);
  stuck(0);
  submitted(3);
  completed(3);
  EXPECT_TRUE(holds());
}

TEST_F(Fence001, WhatTheDriverRefusedMayBeToldWithTheReset) {
  submitted(2, 0, 0xC000000D);
  stuck(0);
  completed(2);
  EXPECT_TRUE(holds());
}

TEST_F(Fence001, WorkThatTheScenarioHoldsUpNeedNotEnd) {
  submitted(2);
  stuck(1);
  lost(2);
  EXPECT_TRUE(holds());
}

TEST_F(Fence001, WhatTheDriverRefusedDoesNotRun) {
  submitted(2, 0, 0xC000000D);
  stuck(0);
  lost(2);
  EXPECT_TRUE(holds());
}

TEST_F(Fence001, AReportMayWaitForALaterPacketThatIsReset) {
  submitted(2);
  submitted(3);
  stuck(1);
  lost(2);
  has_run(2, 1);
  lost(3);
  has_run(3, 0);
  EXPECT_TRUE(holds());
}

TEST_F(Fence001, NoReportWaitsForAPacketAfterTheReset) {
  submitted(2);
  stuck(1);
  lost(2);
  has_run(2, 1);
  submitted(3);
  completed(3);
  EXPECT_FALSE(holds());
}

TEST_F(Fence001, AResetOfItsEngineSettlesIt) {
  submitted(2);
  add(ev::EngineReset{});
  has_run(2, 1);
  EXPECT_TRUE(holds());
  EXPECT_EQ(times_reached("FENCE-001"), 0u);
}

TEST_F(Fence001, AResetOfTheSameNodeOfAnotherAdapterDoesNot) {
  submitted(2);
  add(ev::EngineReset{.engine = 1});
  has_run(2, 1);
  EXPECT_FALSE(holds());
}

TEST_F(Fence001, AnEngineOfAnotherAdapterIsReset) {
  add(ev::Submitted{.packet = 2, .fence = 2, .end = 64, .engine = 1});
  add(ev::EngineReset{.engine = 1});
  has_run(2, 1);
  EXPECT_TRUE(holds());
}

TEST_F(Fence001, AResetThatFailedSettlesNothing) {
  submitted(2);
  add(ev::EngineReset{.status = 0xC0000001});
  has_run(2, 1);
  EXPECT_FALSE(holds());
}

TEST_F(Fence001, ADeviceThatIsGoneReportsNothing) {
  stuck(0);
  add(ev::MappingBalance{});
  submitted(2);
  add(ev::SurpriseRemoved{.outstanding = 1});
  lost(2);
  has_run(2, 1);
  EXPECT_TRUE(holds());
}

class Split006 : public Fence001 {
 protected:
  bool holds() {
    add(ev::Ended{});
    return TraceTest::holds("SPLIT-006");
  }
};

TEST_F(Split006, ALaterPortionThatNothingHoldsUpEnds) {
  submitted(2, 32);
  stuck(0);
  lost(2);
  EXPECT_FALSE(holds());
}

TEST_F(Split006, ALaterPortionBehindAnotherPacketIsNotToBlame) {
  submitted(2);
  submitted(3, 32);
  stuck(0);
  lost(2);
  lost(3);
  EXPECT_TRUE(holds());
}

TEST_F(Split006, ALaterPortionThatTheScenarioHoldsUpNeedNotEnd) {
  submitted(2, 32);
  stuck(1);
  lost(2);
  EXPECT_TRUE(holds());
}

TEST_F(Split006, APortionThatDidNotEndShowsNothing) {
  submitted(2, 32);
  stuck(1);
  lost(2);
  EXPECT_EQ(times_reached("SPLIT-006"), 0u);
}

}  // namespace
}  // namespace wddm::fence_001
