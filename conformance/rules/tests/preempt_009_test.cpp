// A packet that ran on although it was preempted, told from one that was stopped near its end.
#include "conformance/rules/tests/trace_test.h"

namespace wddm {
namespace {

class Preempt009 : public TraceTest {
 protected:
  void reads(std::uint32_t runs, MarkerReason reason) {
    add(ev::MarkerRead{.packet = 7, .runs = runs, .reason = static_cast<std::uint32_t>(reason)});
  }
  bool holds() { return TraceTest::holds("PREEMPT-009"); }
};

TEST_F(Preempt009, AnEndBehindTheReportCounts) {
  reads(0, MarkerReason::AtPreempted);
  reads(1, MarkerReason::AfterPreempted);
  EXPECT_FALSE(holds());
}

TEST_F(Preempt009, AStopBehindTheMarkerIsNoEnd) {
  reads(1, MarkerReason::AtPreempted);
  reads(1, MarkerReason::AfterPreempted);
  EXPECT_TRUE(holds());
}

TEST_F(Preempt009, AMarkerThatNobodyCouldReadAtTheReportSaysNothingLater) {
  reads(1, MarkerReason::AfterPreempted);
  EXPECT_TRUE(holds());
}

TEST_F(Preempt009, EachReportIsHeldAgainstItsOwnReading) {
  reads(0, MarkerReason::AtPreempted);
  reads(0, MarkerReason::AfterPreempted);
  reads(1, MarkerReason::AfterPreempted);
  EXPECT_TRUE(holds());
}

}  // namespace
}  // namespace wddm
