// Which engines are reset, and in which order.
#include <d3dkmddi.h>

#include "conformance/rules/tests/trace_test.h"
#include "reference/trace/ddi.h"
#include "reference/vidsch/fence_ledger.h"

namespace wddm::engrst_007 {
namespace {

class Engrst007 : public TraceTest {
 protected:
  Engrst007() { op(OpKind::TimeOut); }
  void preempts(std::uint32_t node) { add(ev::PreemptAsked{.node = node, .outstanding = 1}); }
  void asks(std::uint64_t mask) { add(ev::DependentsAsked{.mask = mask, .node = 1}); }
  void answers(std::uint32_t node, vidsch::ReportOutcome outcome) {
    add(ev::ReportJudged{.node = node,
                         .outcome = static_cast<std::uint32_t>(outcome),
                         .type = DXGK_INTERRUPT_DMA_PREEMPTED});
  }
  void resets(std::uint32_t node) { add(ev::EngineReset{.node = node, .cause = 1}); }
  void enters_reset() {
    add(ev::DdiEntered{.ddi = static_cast<std::uint32_t>(DdiId::ResetEngine)});
  }
  void leaves_reset() {
    add(ev::DdiReturned{.ddi = static_cast<std::uint32_t>(DdiId::ResetEngine)});
  }
  bool holds() { return TraceTest::holds("ENGRST-007"); }
};

TEST_F(Engrst007, TheNodeAndItsDependent) {
  preempts(1);
  asks(0x6);
  preempts(2);
  resets(1);
  resets(2);
  EXPECT_TRUE(holds());
  EXPECT_EQ(times_reached("ENGRST-007"), 2u);
}

TEST_F(Engrst007, NobodyAsked) {
  preempts(1);
  resets(1);
  EXPECT_FALSE(holds());
}

TEST_F(Engrst007, AnAnswerHoldsForOneTimeout) {
  preempts(1);
  asks(0x2);
  resets(1);
  op(OpKind::TimeOut);
  preempts(1);
  resets(1);
  EXPECT_FALSE(holds());
}

TEST_F(Engrst007, AnAnswerHoldsWhileTheScenarioGoesOn) {
  preempts(1);
  asks(0x6);
  preempts(2);
  op(OpKind::Idle);  // before the call
  enters_reset();
  op(OpKind::Render);  // the driver waits in it
  leaves_reset();
  resets(1);
  op(OpKind::Idle);
  resets(2);
  EXPECT_TRUE(holds());
  EXPECT_EQ(times_reached("ENGRST-007"), 2u);
}

TEST_F(Engrst007, ADriverWaitsInAResetWhenAnotherTimeoutBegins) {
  preempts(1);
  asks(0x6);
  preempts(2);
  resets(1);
  enters_reset();
  op(OpKind::TimeOut);
  leaves_reset();
  resets(2);
  EXPECT_TRUE(holds());
  op(OpKind::TimeOut);
  preempts(1);
  resets(1);
  EXPECT_FALSE(holds());
}

TEST_F(Engrst007, AnAnswerEndsWithTheAdapter) {
  preempts(1);
  asks(0x2);
  add(ev::AdapterReset{.cause = 1});
  preempts(1);
  resets(1);
  EXPECT_FALSE(holds());
}

TEST_F(Engrst007, AnotherNode) {
  preempts(1);
  asks(0x2);
  preempts(2);
  resets(2);
  EXPECT_FALSE(holds());
}

TEST_F(Engrst007, ADependentThatWasNotPreempted) {
  preempts(1);
  asks(0x6);
  resets(1);
  resets(2);
  EXPECT_FALSE(holds());
}

TEST_F(Engrst007, ADependentThatHasAnswered) {
  preempts(1);
  asks(0x6);
  preempts(2);
  answers(2, vidsch::ReportOutcome::Accepted);
  resets(1);
  EXPECT_TRUE(holds());
  resets(2);
  EXPECT_FALSE(holds());
}

TEST_F(Engrst007, AnAnswerBeforeTheCallReturnsIsOne) {
  answers(1, vidsch::ReportOutcome::Accepted);
  preempts(1);
  asks(0x2);
  resets(1);
  EXPECT_FALSE(holds());
}

TEST_F(Engrst007, AWrongAnswerIsNone) {
  preempts(1);
  asks(0x2);
  answers(1, vidsch::ReportOutcome::PreemptionIdMismatch);
  resets(1);
  EXPECT_TRUE(holds());
}

TEST_F(Engrst007, OutOfOrder) {
  preempts(1);
  asks(0x6);
  preempts(2);
  resets(2);
  resets(1);
  EXPECT_FALSE(holds());
}

}  // namespace
}  // namespace wddm::engrst_007
