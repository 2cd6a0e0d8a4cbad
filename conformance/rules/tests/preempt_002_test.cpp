// Resets for timeouts, and the requests before them.
#include <d3dkmddi.h>

#include "conformance/rules/tests/trace_test.h"

namespace wddm::preempt_002 {
namespace {

constexpr std::uint32_t kFault = 0, kTimeout = 1;

class Preempt002 : public TraceTest {
 protected:
  void asks() { add(ev::PreemptAsked{.fence = 5, .outstanding = 1}); }
  void answers(std::uint32_t outcome = 0) {
    add(ev::ReportJudged{.fence = 5, .outcome = outcome, .type = DXGK_INTERRUPT_DMA_PREEMPTED});
  }
  void resets_engine(std::uint32_t cause = kTimeout) { add(ev::EngineReset{.cause = cause}); }
  void resets_adapter() { add(ev::AdapterReset{.cause = kTimeout}); }
  bool holds() { return TraceTest::holds("PREEMPT-002"); }
};

TEST_F(Preempt002, TheEngineOwesAnAnswer) {
  asks();
  resets_engine();
  EXPECT_TRUE(holds());
  EXPECT_EQ(times_reached("PREEMPT-002"), 1u);
}

TEST_F(Preempt002, NobodyAsked) {
  resets_engine();
  EXPECT_FALSE(holds());
}

TEST_F(Preempt002, ItHasAnswered) {
  asks();
  answers();
  resets_engine();
  EXPECT_FALSE(holds());
}

// What the driver waits for inside of the reset may be the very answer.
TEST_F(Preempt002, AnAnswerInsideOfTheResetComesTooLate) {
  asks();
  add(ev::DdiEntered{.ddi = static_cast<std::uint32_t>(DdiId::ResetFromTimeout)});
  answers();
  resets_adapter();
  EXPECT_TRUE(holds());
}

TEST_F(Preempt002, AWrongAnswerIsNone) {
  asks();
  answers(1);
  resets_engine();
  EXPECT_TRUE(holds());
}

TEST_F(Preempt002, AnAnswerBeforeTheCallReturnsIsOne) {
  answers();
  asks();
  resets_engine();
  EXPECT_FALSE(holds());
}

TEST_F(Preempt002, AnotherStartMayUseAFenceAgain) {
  asks();
  answers();
  add(ev::MappingBalance{});
  asks();
  resets_engine();
  EXPECT_TRUE(holds());
}

TEST_F(Preempt002, AFaultIsNoTimeout) {
  resets_engine(kFault);
  EXPECT_TRUE(holds());
  EXPECT_EQ(times_reached("PREEMPT-002"), 0u);
}

TEST_F(Preempt002, TheAdapterBehindAnEngine) {
  asks();
  resets_engine();
  resets_adapter();
  EXPECT_TRUE(holds());
}

TEST_F(Preempt002, TheAdapterUnasked) {
  resets_adapter();
  EXPECT_FALSE(holds());
}

}  // namespace
}  // namespace wddm::preempt_002
