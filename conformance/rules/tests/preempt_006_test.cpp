// What LastCompletedFenceId claims, by markers and by what the scheduler knows.
#include <d3dkmddi.h>

#include "conformance/rules/tests/trace_test.h"
#include "conformance/sdk/device.h"
#include "reference/vidsch/fence_ledger.h"

namespace wddm::preempt_006 {
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

TEST_F(Preempt006, WhatIsClaimedHasBegun) {
  const auto preempted = [this](std::uint32_t last_completed) {
    add(ev::Notified{
        .type = DXGK_INTERRUPT_DMA_PREEMPTED, .fence = 9, .last_completed = last_completed});
  };
  const auto submitted = [this](std::uint32_t fence) {
    add(ev::Submitted{.address = std::uint64_t{fence} << 16, .fence = fence, .end = 64});
  };
  submitted(5);
  add(ev::DeviceLogged{.kind = WDDM_DEVICE_PACKET_BEGIN, .tag = 5});
  submitted(6);
  preempted(5);
  EXPECT_TRUE(holds());
  submitted(7);
  preempted(7);
  EXPECT_EQ(failures("PREEMPT-006"), 1u);
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
}  // namespace wddm::preempt_006
