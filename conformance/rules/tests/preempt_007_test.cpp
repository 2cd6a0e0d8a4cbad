// Finished work that a preemption report leaves out, told from work that was stopped near its end.
#include <d3dkmddi.h>

#include "conformance/rules/tests/trace_test.h"
#include "conformance/sdk/device.h"
#include "reference/vidsch/fence_ledger.h"

namespace wddm::preempt_007 {
namespace {

class Preempt007 : public TraceTest {
 protected:
  void ends(std::uint32_t fence) {
    add(ev::DeviceLogged{.kind = WDDM_DEVICE_PACKET_END, .tag = fence});
  }
  void reads(std::uint32_t fence, std::uint32_t runs, std::uint32_t expected, MarkerReason reason) {
    add(ev::MarkerRead{.packet = 7,
                       .fence = fence,
                       .runs = runs,
                       .expected = expected,
                       .reason = static_cast<std::uint32_t>(reason)});
  }
  bool holds() { return TraceTest::holds("PREEMPT-007"); }
};

TEST_F(Preempt007, AStopBehindTheMarkerIsNoEnd) {
  reads(2, 1, 0, MarkerReason::AtPreempted);
  EXPECT_TRUE(holds());
}

TEST_F(Preempt007, WhatGoesOnMayBeCoveredByALaterReport) {
  reads(2, 1, 0, MarkerReason::AtPreempted);
  ends(4);
  reads(4, 1, 1, MarkerReason::AtPreempted);
  EXPECT_TRUE(holds());
}

TEST_F(Preempt007, WorkThatIsDoneTwiceHadEnded) {
  reads(2, 1, 0, MarkerReason::AtPreempted);
  reads(4, 2, 1, MarkerReason::AtCompleted);
  EXPECT_FALSE(holds());
}

// By the device's log.
class Preempt007Log : public Preempt007 {
 protected:
  Preempt007Log() {
    platform_.has_device_log = true;
    submitted();
  }
  void submitted() { add(ev::Submitted{.packet = 7, .fence = 2, .paging = 1}); }
  void comes_back() {
    add(ev::PacketEnded{
        .packet = 7, .fence = 2, .fate = static_cast<std::uint32_t>(PacketFate::Preempted)});
  }
  void reported() { add(ev::Notified{.type = DXGK_INTERRUPT_DMA_PREEMPTED}); }
};

TEST_F(Preempt007Log, APacketThatHadEndedDoesNotComeBack) {
  ends(2);
  reported();
  comes_back();
  EXPECT_FALSE(holds());
}

TEST_F(Preempt007Log, APacketThatHadNotEndedComesBack) {
  reported();
  comes_back();
  EXPECT_TRUE(holds());
}

TEST_F(Preempt007Log, WhatAResetGivesBackShowsNothing) {
  ends(1);
  reported();
  submitted();
  add(ev::EngineReset{});
  comes_back();
  EXPECT_TRUE(holds());
  EXPECT_EQ(times_reached("PREEMPT-007"), 0u);
}

TEST_F(Preempt007Log, AnEndBehindTheReportIsAnotherMatter) {
  reported();
  ends(2);
  comes_back();
  EXPECT_TRUE(holds());
}

TEST_F(Preempt007Log, OnlyTheEndOfItsLatestSubmissionCounts) {
  ends(2);
  submitted();
  reported();
  comes_back();
  EXPECT_TRUE(holds());
}

// What the scheduler says of a report that is too old.
class Preempt007Report : public Preempt007 {
 protected:
  void submitted(std::uint32_t fence, NTSTATUS status) {
    add(ev::Submitted{
        .packet = fence, .fence = fence, .status = static_cast<std::uint32_t>(status)});
  }
  void too_old(std::uint32_t last_completed) {
    add(ev::Notified{
        .type = DXGK_INTERRUPT_DMA_PREEMPTED, .fence = 15, .last_completed = last_completed});
    add(ev::ReportJudged{
        .fence = 15,
        .outcome = static_cast<std::uint32_t>(vidsch::ReportOutcome::LastCompletedTooOld),
        .type = DXGK_INTERRUPT_DMA_PREEMPTED});
  }
};

TEST_F(Preempt007Report, OfARefusedPacketItIsSaidThatNobodyHasReportedIt) {
  submitted(13, STATUS_SUCCESS);
  submitted(14, STATUS_INVALID_PARAMETER);
  too_old(13);
  EXPECT_FALSE(holds());
  EXPECT_NE(seen_by("PREEMPT-007").find("14 behind it"), std::string::npos);
}

TEST_F(Preempt007Report, OneThatWasRefusedBeforeItIsAnotherMatter) {
  submitted(12, STATUS_INVALID_PARAMETER);
  submitted(13, STATUS_SUCCESS);
  submitted(14, STATUS_SUCCESS);
  too_old(13);
  EXPECT_FALSE(holds());
  EXPECT_EQ(seen_by("PREEMPT-007"), "one that lies before a fence reported earlier");
}

}  // namespace
}  // namespace wddm::preempt_007
