// Completions by what the scheduler made of them.
#include <d3dkmddi.h>

#include "conformance/rules/tests/trace_test.h"
#include "reference/vidsch/fence_ledger.h"

namespace wddm::fence_003 {
namespace {

class Fence003 : public TraceTest {
 protected:
  void judged(vidsch::ReportOutcome outcome, std::uint32_t type = DXGK_INTERRUPT_DMA_COMPLETED) {
    add(ev::ReportJudged{.fence = 5, .outcome = static_cast<std::uint32_t>(outcome), .type = type});
  }
  bool holds() { return TraceTest::holds("FENCE-003"); }
};

TEST_F(Fence003, ALegalReport) {
  judged(vidsch::ReportOutcome{});
  EXPECT_TRUE(holds());
  EXPECT_EQ(times_reached("FENCE-003"), 1u);
}

TEST_F(Fence003, NumbersThatAreNobodysNow) {
  judged(vidsch::ReportOutcome::UnknownFence);
  judged(vidsch::ReportOutcome::WasPreempted);
  judged(vidsch::ReportOutcome::WasReset);
  EXPECT_EQ(failures("FENCE-003"), 3u);
}

// The scheduler has forgotten it: what the trace holds says more.
TEST_F(Fence003, AFenceOfBeforeAResetWasSubmitted) {
  add(ev::Submitted{.fence = 5});
  judged(vidsch::ReportOutcome::UnknownFence);
  EXPECT_NE(seen_by("FENCE-003").find("before the adapter was reset"), std::string::npos);
}

TEST_F(Fence003, AFenceOfAnotherEngineNeverWas) {
  add(ev::Submitted{.node = 1, .fence = 5});
  judged(vidsch::ReportOutcome::UnknownFence);
  EXPECT_NE(seen_by("FENCE-003").find("never submitted to this engine"), std::string::npos);
}

TEST_F(Fence003, PreemptionsHaveClausesOfTheirOwn) {
  judged(vidsch::ReportOutcome::UnknownFence, DXGK_INTERRUPT_DMA_PREEMPTED);
  EXPECT_TRUE(holds());
  EXPECT_EQ(times_reached("FENCE-003"), 0u);
}

}  // namespace
}  // namespace wddm::fence_003
