// What QueryCurrentFence may name, by what has been reported.
#include <d3dkmddi.h>

#include "conformance/rules/tests/trace_test.h"

namespace wddm {
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

TEST_F(Fence005, TheInterruptRoutineComesInWithTheSameReport) {
  submitted(5);
  asks();
  completed(5, CallPlace::Isr);
  completed(5, CallPlace::Synchronize);
  answers(5);
  EXPECT_FALSE(holds("FENCE-006"));
}

}  // namespace
}  // namespace wddm
