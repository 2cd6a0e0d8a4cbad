// What ResetEngine may name as aborted, by reports and by the device's log.
#include <d3dkmddi.h>

#include "conformance/rules/tests/trace_test.h"
#include "conformance/sdk/device.h"
#include "reference/trace/ddi.h"

namespace wddm::engrst_002 {
namespace {

class Engrst002 : public TraceTest {
 protected:
  void submitted(std::uint32_t fence) {
    add(ev::Submitted{.packet = fence, .fence = fence, .end = 16});
  }
  void begins(std::uint32_t fence) {
    add(ev::DeviceLogged{.kind = WDDM_DEVICE_PACKET_BEGIN, .tag = fence});
  }
  void ends(std::uint32_t fence) {
    add(ev::DeviceLogged{.kind = WDDM_DEVICE_PACKET_END, .tag = fence});
  }
  void stops(std::uint32_t fence) {
    add(ev::DeviceLogged{.kind = WDDM_DEVICE_PACKET_STOPPED, .tag = fence});
  }
  void enters_reset() {
    add(ev::DdiEntered{.ddi = static_cast<std::uint32_t>(DdiId::ResetEngine)},
        std::vector{ddi_arguments::ResetEngine{}});
  }
  void completed(std::uint32_t fence) {
    add(ev::Notified{.type = DXGK_INTERRUPT_DMA_COMPLETED, .fence = fence});
  }
  void faulted(std::uint32_t fence) {
    add(ev::Notified{.type = DXGK_INTERRUPT_DMA_PAGE_FAULTED, .fence = fence});
  }
  void reset(std::uint32_t aborted, std::uint32_t last_completed) {
    add(ev::EngineReset{.aborted = aborted, .last_completed = last_completed});
  }
  bool holds() { return TraceTest::holds("ENGRST-002"); }
};

TEST_F(Engrst002, AnyOfThemWhereNobodyKnowsWhichRan) {
  submitted(9);
  completed(9);
  submitted(10);
  submitted(11);
  reset(11, 9);
  EXPECT_TRUE(holds());
}

TEST_F(Engrst002, NotOneBehindThePacketThatRan) {
  submitted(10);
  submitted(11);
  begins(10);
  reset(11, 9);
  EXPECT_FALSE(holds());
}

TEST_F(Engrst002, NotOneThatWaitsBehindAPageFault) {
  submitted(10);
  submitted(11);
  begins(10);
  stops(10);
  faulted(10);
  reset(11, 10);
  EXPECT_FALSE(holds());
}

// An engine may hang before it begins what it has.
TEST_F(Engrst002, TheNextOfAnEngineThatHasBegunNothing) {
  submitted(9);
  begins(9);
  ends(9);
  completed(9);
  submitted(10);
  submitted(11);
  reset(10, 9);
  EXPECT_TRUE(holds());
}

TEST_F(Engrst002, NotOneBehindTheNext) {
  submitted(9);
  begins(9);
  ends(9);
  completed(9);
  submitted(10);
  submitted(11);
  reset(11, 9);
  EXPECT_FALSE(holds());
}

TEST_F(Engrst002, TheNextBehindOneThatEndedWithoutAReport) {
  submitted(9);
  submitted(10);
  submitted(11);
  begins(9);
  ends(9);
  reset(10, 8);
  EXPECT_TRUE(holds());
  submitted(12);
  submitted(13);
  submitted(14);
  begins(12);
  ends(12);
  reset(14, 11);
  EXPECT_FALSE(holds());
}

TEST_F(Engrst002, AnyOfAnEngineThatTellsNothing) {
  add(ev::DeviceLogged{.kind = WDDM_DEVICE_PACKET_BEGIN, .node = 1, .tag = 5});
  submitted(10);
  reset(10, 9);
  EXPECT_TRUE(holds());
}

TEST_F(Engrst002, PagingThatTheLogLeavesOut) {
  submitted(9);
  begins(9);
  ends(9);
  add(ev::Submitted{.packet = 10, .fence = 10, .end = 16, .paging = 1});
  reset(10, 9);
  EXPECT_TRUE(holds());
}

TEST_F(Engrst002, TheOneThatFaulted) {
  submitted(10);
  submitted(11);
  begins(10);
  stops(10);
  faulted(10);
  reset(10, 10);
  EXPECT_TRUE(holds());
}

// An engine that needs no reset for its fault goes on, and is stuck in what comes next.
TEST_F(Engrst002, TheOneBehindAFaultThatAsksForNoReset) {
  submitted(10);
  submitted(11);
  begins(10);
  stops(10);
  faulted(10);
  add(ev::PageFaultReported{.fence = 10});
  reset(11, 10);
  EXPECT_TRUE(holds());
}

TEST_F(Engrst002, BehindAFaultThatAsksForOneNothingBegins) {
  submitted(10);
  submitted(11);
  begins(10);
  stops(10);
  faulted(10);
  add(ev::PageFaultReported{.fence = 10, .flags = DXGK_PAGE_FAULT_ENGINE_RESET_REQUIRED});
  reset(11, 10);
  EXPECT_FALSE(holds());
}

TEST_F(Engrst002, PacketsThatTheHardwareIsGivenInOneGo) {
  submitted(10);
  submitted(11);
  begins(11);
  ends(11);
  reset(10, 9);
  EXPECT_TRUE(holds());
}

TEST_F(Engrst002, ThePacketThatTheResetStops) {
  submitted(9);
  completed(9);
  submitted(10);
  begins(10);
  enters_reset();
  stops(10);
  reset(9, 9);
  EXPECT_FALSE(holds());
}

TEST_F(Engrst002, APreemptionMayEndInsideOfTheCall) {
  submitted(9);
  completed(9);
  submitted(10);
  begins(10);
  enters_reset();
  stops(10);
  add(ev::ReportIgnored{.type = DXGK_INTERRUPT_DMA_PREEMPTED, .fence = 11, .last_completed = 9});
  reset(9, 9);
  EXPECT_TRUE(holds());
}

TEST_F(Engrst002, APacketMayFaultWhenNobodyListens) {
  submitted(9);
  completed(9);
  submitted(10);
  submitted(11);
  begins(10);
  add(ev::ReportIgnored{.type = DXGK_INTERRUPT_DMA_PAGE_FAULTED, .fence = 10});
  reset(11, 9);
  EXPECT_TRUE(holds());
}

TEST_F(Engrst002, WhatHadStoppedBeforeTheResetDoesNotRun) {
  submitted(9);
  completed(9);
  submitted(10);
  begins(10);
  stops(10);
  enters_reset();
  reset(9, 9);
  EXPECT_TRUE(holds());
}

TEST_F(Engrst002, NotWhatCompletedWhileAPacketRuns) {
  submitted(9);
  completed(9);
  submitted(10);
  begins(10);
  reset(9, 9);
  EXPECT_FALSE(holds());
}

TEST_F(Engrst002, WhatCompletedLastWhereNothingIsLeft) {
  submitted(9);
  begins(9);
  ends(9);
  completed(9);
  reset(9, 9);
  EXPECT_TRUE(holds());
}

TEST_F(Engrst002, WhatEndedWithoutAReport) {
  submitted(8);
  completed(8);
  submitted(9);
  begins(9);
  ends(9);
  reset(9, 8);
  EXPECT_TRUE(holds());
}

TEST_F(Engrst002, WhatIsReportedInsideOfTheCall) {
  submitted(8);
  completed(8);
  submitted(9);
  completed(9);
  reset(9, 8);
  EXPECT_TRUE(holds());
}

TEST_F(Engrst002, AnythingBeforeTheFirstHasCompletedButNoFenceToCome) {
  submitted(5);
  add(ev::EngineReset{.aborted = 0, .last_submitted = 5});
  submitted(6);
  add(ev::EngineReset{.aborted = 3, .last_submitted = 6});
  submitted(7);
  add(ev::EngineReset{.aborted = 0xffffffff, .last_submitted = 7});
  EXPECT_TRUE(holds());
  submitted(8);
  add(ev::EngineReset{.aborted = 9, .last_submitted = 8});
  EXPECT_FALSE(holds());
}

TEST_F(Engrst002, NoFenceOfAnotherEngine) {
  submitted(8);
  completed(8);
  submitted(9);
  add(ev::Submitted{.packet = 5, .node = 1, .fence = 50});
  reset(50, 8);
  EXPECT_FALSE(holds());
}

}  // namespace
}  // namespace wddm::engrst_002
