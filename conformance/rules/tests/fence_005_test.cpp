// What QueryCurrentFence may name, by what has been reported.
#include <d3dkmddi.h>

#include "conformance/rules/tests/trace_test.h"

namespace wddm::fence_005 {
namespace {

class Fence005 : public TraceTest {
 protected:
  void submitted(std::uint32_t fence, std::uint32_t status = 0) {
    add(ev::Submitted{.packet = fence, .fence = fence, .status = status});
  }
  void completed(std::uint32_t fence, CallPlace place = CallPlace::Isr) {
    add(ev::Notified{.type = DXGK_INTERRUPT_DMA_COMPLETED,
                     .fence = fence,
                     .place = static_cast<std::uint32_t>(place)});
  }
  void asks() {
    add(ev::DdiEntered{.ddi = static_cast<std::uint32_t>(DdiId::QueryCurrentFence), .object = 0});
  }
  void answers(std::uint32_t fence) { add(ev::FenceQueried{.fence = fence}); }
};

TEST_F(Fence005, TheOneReportedLast) {
  submitted(5);
  completed(5);
  asks();
  answers(5);
  EXPECT_TRUE(holds("FENCE-005"));
  EXPECT_TRUE(holds("FENCE-006"));
}

TEST_F(Fence005, NoneBeforeTheFirst) {
  submitted(5);
  asks();
  answers(0);
  EXPECT_TRUE(holds("FENCE-005"));
}

TEST_F(Fence005, OneBeforeWhatTheCallHasReported) {
  submitted(5);
  submitted(6);
  completed(5);
  asks();
  completed(6, CallPlace::Synchronize);
  answers(5);
  EXPECT_FALSE(holds("FENCE-005"));
}

TEST_F(Fence005, WhatAnInterruptReportsMeanwhileMayBeBehindIt) {
  submitted(5);
  submitted(6);
  completed(5);
  asks();
  completed(6);
  answers(5);
  EXPECT_TRUE(holds("FENCE-005"));
}

TEST_F(Fence005, SoMayWhatADpcReportsMeanwhile) {
  submitted(5);
  submitted(6);
  completed(5);
  asks();
  add(ev::DpcEntered{});
  completed(6, CallPlace::Synchronize);
  add(ev::DpcLeft{});
  answers(5);
  EXPECT_TRUE(holds("FENCE-005"));
}

TEST_F(Fence005, SoMayWhatAThreadOfTheDriverReportsMeanwhile) {
  submitted(5);
  submitted(6);
  completed(5);
  asks();
  thread_ = 3;
  completed(6, CallPlace::Synchronize);
  completed(6, CallPlace::Synchronize);
  thread_ = 0;
  answers(5);
  EXPECT_TRUE(holds("FENCE-005"));
  EXPECT_TRUE(holds("FENCE-006"));
}

TEST_F(Fence005, TheCallReportsBehindADpc) {
  submitted(5);
  submitted(6);
  completed(5);
  asks();
  add(ev::DpcEntered{});
  add(ev::DpcLeft{});
  completed(6, CallPlace::Synchronize);
  answers(5);
  EXPECT_FALSE(holds("FENCE-005"));
}

TEST_F(Fence005, AnEngineOfAnotherAdapterIsAskedFor) {
  for (const std::uint32_t fence : {5u, 6u}) {
    add(ev::Submitted{.packet = fence, .fence = fence, .engine = 1});
    add(ev::Notified{.type = DXGK_INTERRUPT_DMA_COMPLETED, .fence = fence, .engine = 1});
  }
  add(ev::DdiEntered{.ddi = static_cast<std::uint32_t>(DdiId::QueryCurrentFence), .object = 0},
      std::vector<ddi_arguments::QueryCurrentFence>{{.node = 0, .engine = 1}});
  add(ev::FenceQueried{.fence = 5, .engine = 1});
  EXPECT_FALSE(holds("FENCE-005"));
}

TEST_F(Fence005, WhatOnlyAPreemptionHasNamedMayBeReported) {
  submitted(5);
  submitted(6);
  completed(5);
  add(ev::Notified{.type = DXGK_INTERRUPT_DMA_PREEMPTED, .fence = 7, .last_completed = 6});
  asks();
  completed(6, CallPlace::Synchronize);
  answers(6);
  EXPECT_TRUE(holds("FENCE-005"));
  EXPECT_TRUE(holds("FENCE-006"));
  asks();
  completed(6, CallPlace::Synchronize);
  answers(6);
  EXPECT_FALSE(holds("FENCE-006"));
}

TEST_F(Fence005, OneThatWasRefusedIsReportedOnceToo) {
  submitted(5);
  submitted(6, 0xc000000d);
  completed(5);
  asks();
  completed(6, CallPlace::Synchronize);
  answers(6);
  EXPECT_TRUE(holds("FENCE-006"));
  asks();
  completed(6, CallPlace::Synchronize);
  answers(6);
  EXPECT_FALSE(holds("FENCE-006"));
}

TEST_F(Fence005, OneThatIsReportedInTheCall) {
  submitted(5);
  submitted(6);
  completed(5);
  asks();
  completed(6, CallPlace::Synchronize);
  answers(6);
  EXPECT_TRUE(holds("FENCE-005"));
  EXPECT_TRUE(holds("FENCE-006"));
}

TEST_F(Fence005, NotOneThatIsReportedAfterIt) {
  submitted(5);
  submitted(6);
  completed(5);
  asks();
  answers(6);
  completed(6);
  EXPECT_FALSE(holds("FENCE-005"));
}

TEST_F(Fence005, NotAnOlderOne) {
  submitted(5);
  submitted(6);
  completed(5);
  completed(6);
  asks();
  answers(5);
  EXPECT_FALSE(holds("FENCE-005"));
}

TEST_F(Fence005, WhatWasRefusedNeedsNoReport) {
  submitted(5);
  completed(5);
  submitted(6, 0xC000000D);
  asks();
  answers(6);
  EXPECT_TRUE(holds("FENCE-005"));
}

TEST_F(Fence005, NothingIsKnownRightAfterAReset) {
  submitted(5);
  completed(5);
  submitted(6);
  add(ev::EngineReset{.aborted = 6, .last_completed = 5});
  asks();
  answers(6);
  EXPECT_TRUE(holds("FENCE-005"));
  EXPECT_EQ(times_reached("FENCE-005"), 0u);
}

TEST_F(Fence005, NorRightAfterAFault) {
  submitted(5);
  completed(5);
  submitted(6);
  add(ev::Notified{.type = DXGK_INTERRUPT_DMA_PAGE_FAULTED, .fence = 6});
  asks();
  answers(5);
  EXPECT_TRUE(holds("FENCE-005"));
  EXPECT_EQ(times_reached("FENCE-005"), 0u);
}

class Fence005Missed : public Fence005 {
 protected:
  Fence005Missed() {
    platform_.has_device = true;
    submitted(5);
    submitted(6);
    completed(5);
    op(OpKind::QueryFence);
    asks();
  }
};

TEST_F(Fence005Missed, ByTheCall) {
  answers(5);
  op(OpKind::HoldInterrupts);
  completed(6);
  op(OpKind::Idle);
  EXPECT_FALSE(holds("FENCE-005"));
  EXPECT_TRUE(holds("FENCE-006"));
}

TEST_F(Fence005Missed, NotByOneThatReportsIt) {
  completed(6, CallPlace::Synchronize);
  answers(6);
  op(OpKind::HoldInterrupts);
  completed(6);
  op(OpKind::Idle);
  EXPECT_TRUE(holds("FENCE-005"));
}

TEST_F(Fence005Missed, TheGpuHasGoneOn) {
  answers(5);
  op(OpKind::Advance);
  op(OpKind::HoldInterrupts);
  completed(6);
  op(OpKind::Idle);
  EXPECT_TRUE(holds("FENCE-005"));
}

TEST_F(Fence005Missed, TheGpuGoesOnInTheInterruptRoutine) {
  answers(5);
  op(OpKind::HoldInterrupts);
  add(ev::GpuAdvanced{.units = 1, .used = 1});
  completed(6);
  op(OpKind::Idle);
  EXPECT_TRUE(holds("FENCE-005"));
}

// That it has worked is told behind the interrupt.
TEST_F(Fence005Missed, TheGpuGoesOnBehindTheLastOp) {
  answers(5);
  completed(6);
  add(ev::GpuAdvanced{.units = 1, .used = 1});
  op(OpKind::Idle);
  EXPECT_TRUE(holds("FENCE-005"));
}

TEST_F(Fence005Missed, WithoutADeviceTheDriversThreadsGoOn) {
  platform_.has_device = false;
  answers(5);
  op(OpKind::HoldInterrupts);
  completed(6);
  op(OpKind::Idle);
  EXPECT_TRUE(holds("FENCE-005"));
}

TEST_F(Fence005Missed, ACallThatFailsSaysNothing) {
  add(ev::FenceQueried{.status = 0xC0000001});
  op(OpKind::HoldInterrupts);
  completed(6);
  op(OpKind::Idle);
  EXPECT_TRUE(holds("FENCE-005"));
}

TEST_F(Fence005, TheInterruptRoutineComesInWithTheSameReport) {
  submitted(5);
  asks();
  completed(5, CallPlace::Isr);
  completed(5, CallPlace::Synchronize);
  answers(5);
  EXPECT_FALSE(holds("FENCE-006"));
}

// The packet ends between two looks of the driver, and its interrupt waits for the scenario.
TEST_F(Fence005, WhatEndsMeanwhileMayBeNamedWhereInterruptsAreHeld) {
  submitted(5);
  op(OpKind::HoldInterrupts);
  op(OpKind::QueryFence);
  asks();
  add(ev::GpuAdvanced{.units = 1, .used = 1});
  answers(5);
  EXPECT_TRUE(holds("FENCE-005"));
}

TEST_F(Fence005, WhatEndsMeanwhileIsReportedByItsInterrupt) {
  submitted(5);
  op(OpKind::QueryFence);
  asks();
  add(ev::GpuAdvanced{.units = 1, .used = 1});
  answers(5);
  EXPECT_FALSE(holds("FENCE-005"));
}

TEST_F(Fence005, WhatHadEndedIsReportedByTheCall) {
  submitted(5);
  op(OpKind::HoldInterrupts);
  op(OpKind::QueryFence);
  asks();
  answers(5);
  EXPECT_FALSE(holds("FENCE-005"));
}

}  // namespace
}  // namespace wddm::fence_005
