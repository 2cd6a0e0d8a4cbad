// Requests that nobody answers, with and without a reset.
#include "conformance/rules/tests/trace_test.h"

namespace wddm {
namespace {

class Preempt005 : public TraceTest {
 protected:
  void asked() { add(ev::PreemptAsked{.fence = 9}); }
  void stuck(std::uint32_t excused) { add(ev::Stuck{.excused = excused}); }
  bool holds() {
    add(ev::Ended{});
    return TraceTest::holds("PREEMPT-005");
  }
};

TEST_F(Preempt005, ARequestIsAnswered) {
  asked();
  EXPECT_FALSE(holds());
}

TEST_F(Preempt005, AResetOfWorkThatNeedNotEndCancelsARequest) {
  asked();
  stuck(1);
  EXPECT_TRUE(holds());
}

TEST_F(Preempt005, AResetCancelsNoLaterRequest) {
  stuck(1);
  asked();
  EXPECT_FALSE(holds());
}

TEST_F(Preempt005, AResetThatTheMissingAnswerMadeNecessaryIsNoExcuse) {
  asked();
  stuck(0);
  EXPECT_FALSE(holds());
}

TEST_F(Preempt005, OnlyTheNextResetCancelsARequest) {
  asked();
  stuck(0);
  stuck(1);
  EXPECT_FALSE(holds());
}

}  // namespace
}  // namespace wddm
