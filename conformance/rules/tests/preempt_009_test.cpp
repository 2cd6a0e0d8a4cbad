// A packet that ran on although it was preempted, told from one that was stopped near its end.
#include <d3dkmddi.h>

#include "conformance/rules/tests/trace_test.h"
#include "conformance/sdk/device.h"

namespace wddm::preempt_009 {
namespace {

class Preempt009 : public TraceTest {
 protected:
  void reads(std::uint32_t runs, MarkerReason reason) {
    add(ev::MarkerRead{.packet = 7, .runs = runs, .reason = static_cast<std::uint32_t>(reason)});
  }
  bool holds() { return TraceTest::holds("PREEMPT-009"); }
};

TEST_F(Preempt009, AnEndBehindTheReportCounts) {
  reads(0, MarkerReason::AtPreempted);
  reads(1, MarkerReason::AfterPreempted);
  EXPECT_FALSE(holds());
}

TEST_F(Preempt009, AStopBehindTheMarkerIsNoEnd) {
  reads(1, MarkerReason::AtPreempted);
  reads(1, MarkerReason::AfterPreempted);
  EXPECT_TRUE(holds());
}

TEST_F(Preempt009, AMarkerThatNobodyCouldReadAtTheReportSaysNothingLater) {
  reads(1, MarkerReason::AfterPreempted);
  EXPECT_TRUE(holds());
}

TEST_F(Preempt009, EachReportIsHeldAgainstItsOwnReading) {
  reads(0, MarkerReason::AtPreempted);
  reads(0, MarkerReason::AfterPreempted);
  reads(1, MarkerReason::AfterPreempted);
  EXPECT_TRUE(holds());
}

// By the device's log, after node 0 has answered.
class Preempt009Log : public TraceTest {
 protected:
  Preempt009Log() {
    platform_.has_device_log = true;
    for (const std::uint32_t fence : {4u, 5u, 6u}) add(ev::Submitted{.fence = fence});
    add(ev::DeviceLogged{.kind = WDDM_DEVICE_PACKET_BEGIN, .tag = 4});
    add(ev::Notified{.type = DXGK_INTERRUPT_DMA_COMPLETED, .fence = 4});
    preempted(7);
  }
  void preempted(std::uint32_t fence) {
    add(ev::Notified{.type = DXGK_INTERRUPT_DMA_PREEMPTED, .fence = fence, .last_completed = 5});
  }
  void submits(std::uint32_t node) {
    enters(3);
    call_ = ev::Submitted{.packet = 3, .node = node, .fence = 3};
  }
  void returns() { add(call_); }
  void fetches(std::uint32_t fence = 6) {
    add(ev::DeviceLogged{.kind = WDDM_DEVICE_FETCH, .tag = fence});
  }
  bool holds() { return TraceTest::holds("PREEMPT-009"); }
  ev::Submitted call_;
};

TEST_F(Preempt009Log, AFetchNeedsASubmission) {
  fetches();
  EXPECT_FALSE(holds());
}

TEST_F(Preempt009Log, AnEmptyPacketMayCarryTheFenceOfARefusedOne) {
  add(ev::Submitted{.fence = 8, .status = 0xC000000D});
  preempted(9);
  fetches(8);
  EXPECT_TRUE(holds());
}

TEST_F(Preempt009Log, TheFenceOfARefusedOneStandsForThoseBeforeIt) {
  add(ev::Submitted{.fence = 8});
  add(ev::Submitted{.fence = 9, .status = 0xC000000D});
  add(ev::Notified{.type = DXGK_INTERRUPT_DMA_COMPLETED, .fence = 9});
  preempted(10);
  fetches(8);
  EXPECT_TRUE(holds());
}

TEST_F(Preempt009Log, AFetchMayComeInsideOfTheSubmission) {
  submits(0);
  fetches();
  returns();
  EXPECT_TRUE(holds());
}

TEST_F(Preempt009Log, ASubmissionToAnotherNodeIsNone) {
  submits(1);
  fetches();
  returns();
  EXPECT_FALSE(holds());
}

TEST_F(Preempt009Log, ASubmissionToTheSameNodeOfAnotherAdapterIsNone) {
  submits(0);
  call_.engine = 1;
  fetches();
  returns();
  EXPECT_FALSE(holds());
}

TEST_F(Preempt009Log, WhatWasNotPreemptedIsAnotherMatter) {
  fetches(4);
  fetches(5);
  EXPECT_TRUE(holds());
}

TEST_F(Preempt009Log, TheDriverMayHaveWorkOfItsOwn) {
  fetches(0);
  preempted(8);
  fetches(8);
  EXPECT_TRUE(holds());
  fetches(6);
  EXPECT_FALSE(holds());
}

TEST_F(Preempt009Log, AnEngineWithoutPacketsShowsNothing) {
  submits(0);
  returns();
  add(ev::Notified{.type = DXGK_INTERRUPT_DMA_COMPLETED, .fence = 3});
  preempted(8);
  EXPECT_TRUE(holds());
  EXPECT_EQ(times_reached("PREEMPT-009"), 1u);
}

TEST_F(Preempt009Log, ADeviceThatWasStoppedIsAnotherMatter) {
  add(ev::MappingBalance{});
  fetches();
  EXPECT_TRUE(holds());
}

TEST_F(Preempt009, ALogWithoutFetchesShowsNothing) {
  add(ev::Submitted{.fence = 4});
  add(ev::DeviceLogged{.kind = WDDM_DEVICE_PACKET_STOPPED, .tag = 4});
  add(ev::Notified{.type = DXGK_INTERRUPT_DMA_PREEMPTED, .fence = 5, .last_completed = 3});
  EXPECT_TRUE(holds());
  EXPECT_EQ(times_reached("PREEMPT-009"), 0u);
}

TEST_F(Preempt009Log, SilenceIsAPass) {
  EXPECT_TRUE(holds());
  EXPECT_EQ(times_reached("PREEMPT-009"), 1u);
}

}  // namespace
}  // namespace wddm::preempt_009
