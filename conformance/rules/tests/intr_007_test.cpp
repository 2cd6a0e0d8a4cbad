// The order in which one run of the ISR reports.
#include <d3dkmddi.h>

#include "conformance/rules/tests/trace_test.h"

namespace wddm::intr_007 {
namespace {

class Intr007 : public TraceTest {
 protected:
  void enters() { add(ev::IsrEntered{}); }
  void leaves() { add(ev::IsrLeft{}); }
  void reports(std::uint32_t type) { add(ev::Notified{.type = type}); }
  void works(std::uint32_t units) { add(ev::GpuAdvanced{.units = 10, .used = units}); }
  bool holds() { return TraceTest::holds("INTR-007"); }
  std::uint32_t reached() { return times_reached("INTR-007"); }
};

TEST_F(Intr007, EnginesFirst) {
  enters();
  reports(DXGK_INTERRUPT_DMA_COMPLETED);
  reports(DXGK_INTERRUPT_DMA_PREEMPTED);
  reports(DXGK_INTERRUPT_CRTC_VSYNC);
  leaves();
  EXPECT_TRUE(holds());
  EXPECT_EQ(reached(), 1u);
}

TEST_F(Intr007, RetraceBeforeEachReportOfEngines) {
  for (const std::uint32_t type : {DXGK_INTERRUPT_DMA_COMPLETED, DXGK_INTERRUPT_DMA_PREEMPTED,
                                   DXGK_INTERRUPT_DMA_PAGE_FAULTED}) {
    enters();
    reports(DXGK_INTERRUPT_CRTC_VSYNC);
    reports(type);
    leaves();
  }
  EXPECT_EQ(failures("INTR-007"), 3u);
}

TEST_F(Intr007, RetraceOfOverlays) {
  for (const std::uint32_t type : {DXGK_INTERRUPT_CRTC_VSYNC_WITH_MULTIPLANE_OVERLAY,
                                   DXGK_INTERRUPT_CRTC_VSYNC_WITH_MULTIPLANE_OVERLAY2,
                                   DXGK_INTERRUPT_CRTC_VSYNC_WITH_MULTIPLANE_OVERLAY3}) {
    enters();
    reports(type);
    reports(DXGK_INTERRUPT_DMA_COMPLETED);
    leaves();
  }
  EXPECT_EQ(failures("INTR-007"), 3u);
}

TEST_F(Intr007, OneKindAlone) {
  enters();
  reports(DXGK_INTERRUPT_CRTC_VSYNC);
  leaves();
  enters();
  reports(DXGK_INTERRUPT_DMA_COMPLETED);
  leaves();
  EXPECT_TRUE(holds());
  EXPECT_EQ(reached(), 0u);
}

TEST_F(Intr007, OtherTypesMayComeAnywhere) {
  enters();
  reports(DXGK_INTERRUPT_MONITORED_FENCE_SIGNALED);
  reports(DXGK_INTERRUPT_DMA_COMPLETED);
  reports(DXGK_INTERRUPT_CRTC_VSYNC);
  leaves();
  EXPECT_TRUE(holds());
}

TEST_F(Intr007, WhatCameUpMeanwhileMayBeReportedBehind) {
  enters();
  reports(DXGK_INTERRUPT_CRTC_VSYNC);
  works(3);
  reports(DXGK_INTERRUPT_DMA_COMPLETED);
  leaves();
  EXPECT_TRUE(holds());
  EXPECT_EQ(reached(), 0u);
}

TEST_F(Intr007, ADeviceThatHadNothingToDoHasNotWorked) {
  enters();
  reports(DXGK_INTERRUPT_CRTC_VSYNC);
  works(0);
  reports(DXGK_INTERRUPT_DMA_COMPLETED);
  leaves();
  EXPECT_FALSE(holds());
}

TEST_F(Intr007, ASecondLookForCauses) {
  enters();
  reports(DXGK_INTERRUPT_DMA_PREEMPTED);
  reports(DXGK_INTERRUPT_CRTC_VSYNC);
  reports(DXGK_INTERRUPT_DMA_COMPLETED);
  leaves();
  EXPECT_TRUE(holds());
  EXPECT_EQ(reached(), 1u);
}

TEST_F(Intr007, OfAnotherThreadIsAnotherRun) {
  enters();
  reports(DXGK_INTERRUPT_CRTC_VSYNC);
  thread_ = 4;
  add(ev::SyncEntered{});
  reports(DXGK_INTERRUPT_DMA_PREEMPTED);
  add(ev::SyncLeft{});
  thread_ = 0;
  leaves();
  EXPECT_TRUE(holds());
  EXPECT_EQ(reached(), 0u);
}

TEST_F(Intr007, OutsideOfTheIsrThereIsNoOrder) {
  reports(DXGK_INTERRUPT_CRTC_VSYNC);
  reports(DXGK_INTERRUPT_DMA_COMPLETED);
  EXPECT_TRUE(holds());
  EXPECT_EQ(reached(), 0u);
}

}  // namespace
}  // namespace wddm::intr_007
