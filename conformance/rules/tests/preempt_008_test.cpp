// Numbers of preemptions where those of packets belong.
#include <d3dkmddi.h>

#include "conformance/rules/tests/trace_test.h"
#include "reference/vidsch/fence_ledger.h"

namespace wddm::preempt_008 {
namespace {

class Preempt008 : public TraceTest {
 protected:
  void asked(std::uint32_t fence) { add(ev::PreemptAsked{.fence = fence}); }
  void queried(std::uint32_t fence, std::uint32_t node = 0) {
    add(ev::FenceQueried{.node = node, .fence = fence});
  }
  void judged(vidsch::ReportOutcome outcome, std::uint32_t type = DXGK_INTERRUPT_DMA_COMPLETED) {
    add(ev::ReportJudged{.outcome = static_cast<std::uint32_t>(outcome), .type = type});
  }
  bool holds() { return TraceTest::holds("PREEMPT-008"); }
};

TEST_F(Preempt008, FencesOfPackets) {
  asked(7);
  judged(vidsch::ReportOutcome::Accepted);
  queried(6);
  EXPECT_TRUE(holds());
  EXPECT_EQ(times_reached("PREEMPT-008"), 2u);
}

TEST_F(Preempt008, ItIsReportedAsCompleted) {
  asked(7);
  judged(vidsch::ReportOutcome::PreemptionFence);
  EXPECT_FALSE(holds());
}

TEST_F(Preempt008, ItBecomesTheLastCompletedOne) {
  asked(7);
  judged(vidsch::ReportOutcome::LastCompletedIsPreemption, DXGK_INTERRUPT_DMA_PREEMPTED);
  EXPECT_FALSE(holds());
}

TEST_F(Preempt008, AnAnswerBeforeTheCallReturns) {
  judged(vidsch::ReportOutcome::LastCompletedIsPreemption, DXGK_INTERRUPT_DMA_PREEMPTED);
  asked(7);
  EXPECT_FALSE(holds());
}

TEST_F(Preempt008, AQueryNamesIt) {
  asked(7);
  queried(7);
  EXPECT_FALSE(holds());
}

TEST_F(Preempt008, OnAnotherEngineTheNumberIsAPackets) {
  asked(7);
  queried(7, 1);
  EXPECT_TRUE(holds());
}

TEST_F(Preempt008, OfALaterStartTheNumberIsAPackets) {
  asked(7);
  add(ev::MappingBalance{});
  queried(7);
  EXPECT_TRUE(holds());
}

TEST_F(Preempt008, WithoutAPreemptionNothingIsJudged) {
  queried(7);
  judged(vidsch::ReportOutcome::Accepted);
  EXPECT_EQ(times_reached("PREEMPT-008"), 0u);
}

}  // namespace
}  // namespace wddm::preempt_008
