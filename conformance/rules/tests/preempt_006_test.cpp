// What LastCompletedFenceId claims, by markers and by what the scheduler knows.
#include <d3dkmddi.h>

#include "conformance/rules/tests/trace_test.h"
#include "reference/vidsch/fence_ledger.h"

namespace wddm {
namespace {

class Preempt006 : public TraceTest {
 protected:
  void marker(std::uint32_t runs, MarkerReason reason = MarkerReason::AtPreempted) {
    add(ev::MarkerRead{.packet = 2,
                       .fence = 2,
                       .runs = runs,
                       .expected = 1,
                       .reason = static_cast<std::uint32_t>(reason)});
  }
  void judged(vidsch::ReportOutcome outcome, std::uint32_t type = DXGK_INTERRUPT_DMA_PREEMPTED) {
    add(ev::ReportJudged{.outcome = static_cast<std::uint32_t>(outcome), .type = type});
  }
  bool holds() { return TraceTest::holds("PREEMPT-006"); }
};

TEST_F(Preempt006, WhatIsClaimedHasRun) {
  marker(1);
  judged(vidsch::ReportOutcome::Accepted);
  EXPECT_TRUE(holds());
  EXPECT_EQ(times_reached("PREEMPT-006"), 1u);
}

TEST_F(Preempt006, WhatIsClaimedHasNotRun) {
  marker(0);
  EXPECT_FALSE(holds());
}

TEST_F(Preempt006, OneThatFaultedIsClaimedBeforeTheDpc) {
  add(ev::PageFaultReported{.fence = 2, .packet = 2});
  marker(0);
  EXPECT_TRUE(holds());
}

TEST_F(Preempt006, TheFaultOfAnotherIsNoExcuse) {
  add(ev::PageFaultReported{.fence = 1, .packet = 1});
  marker(0);
  EXPECT_FALSE(holds());
}

TEST_F(Preempt006, WhatIsNotClaimedNeedNotHaveRun) {
  marker(0, MarkerReason::AfterPreempted);
  marker(0, MarkerReason::AtCompleted);
  EXPECT_TRUE(holds());
  EXPECT_EQ(times_reached("PREEMPT-006"), 0u);
}

TEST_F(Preempt006, NumbersThatCannotHaveCompleted) {
  judged(vidsch::ReportOutcome::LastCompletedUnknown);
  judged(vidsch::ReportOutcome::LastCompletedWasPreempted);
  judged(vidsch::ReportOutcome::LastCompletedAfterRequest);
  EXPECT_EQ(failures("PREEMPT-006"), 3u);
}

TEST_F(Preempt006, ThoseOfPreemptionsHaveAClauseOfTheirOwn) {
  judged(vidsch::ReportOutcome::LastCompletedIsPreemption);
  EXPECT_TRUE(holds());
}

}  // namespace
}  // namespace wddm
