// A packet that ran on although it was preempted, told from one that was stopped near its end.
#include <d3dkmddi.h>

#include "conformance/rules/tests/trace_test.h"
#include "conformance/sdk/device.h"

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

// By the device's log, after node 0 has answered.
class Preempt009Log : public TraceTest {
 protected:
  Preempt009Log() {
    platform_.has_device_log = true;
    add(ev::Notified{.type = DXGK_INTERRUPT_DMA_PREEMPTED});
  }
  void submits(std::uint32_t node) {
    enters(3);
    call_ = ev::Submitted{.packet = 3, .node = node};
  }
  void returns() { add(call_); }
  void fetches() { add(ev::DeviceLogged{.kind = WDDM_DEVICE_FETCH}); }
  bool holds() { return TraceTest::holds("PREEMPT-009"); }
  ev::Submitted call_;
};

TEST_F(Preempt009Log, AFetchNeedsASubmission) {
  fetches();
  EXPECT_FALSE(holds());
}

TEST_F(Preempt009Log, AFetchMayComeInsideOfTheSubmission) {
  submits(0);
  fetches();
  returns();
  EXPECT_TRUE(holds());
}

TEST_F(Preempt009Log, ASubmissionToAnotherNodeIsNone) {
  submits(1);
  fetches();
  returns();
  EXPECT_FALSE(holds());
}

TEST_F(Preempt009Log, ASubmissionToTheSameNodeOfAnotherAdapterIsNone) {
  submits(0);
  call_.engine = 1;
  fetches();
  returns();
  EXPECT_FALSE(holds());
}

TEST_F(Preempt009Log, ADeviceThatWasStoppedIsAnotherMatter) {
  add(ev::MappingBalance{});
  fetches();
  EXPECT_TRUE(holds());
}

TEST_F(Preempt009Log, SilenceIsAPass) {
  EXPECT_TRUE(holds());
  EXPECT_EQ(times_reached("PREEMPT-009"), 1u);
}

}  // namespace
}  // namespace wddm
