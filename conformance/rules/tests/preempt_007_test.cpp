// Finished work that a preemption report leaves out, told from work that was stopped near its end.
#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "conformance/plugin/device.h"
#include "conformance/rules/rule.h"

namespace wddm {
namespace {

class Preempt007 : public ::testing::Test {
 protected:
  static constexpr std::uint32_t kEvents = 16;
  Preempt007()
      : storage_(trace_storage_bytes(kEvents, 0) / sizeof(Line) + 1),
        writer_(TraceWriter::create(storage_.data(), kEvents, 0)) {}

  void ends(std::uint32_t fence) {
    writer_.add(ev::DeviceLogged{.kind = WDDM_DEVICE_PACKET_END, .tag = fence}, 0, 0, 0);
  }
  void reads(std::uint32_t fence, std::uint32_t runs, std::uint32_t expected, MarkerReason reason) {
    writer_.add(ev::MarkerRead{.packet = 7,
                               .fence = fence,
                               .runs = runs,
                               .expected = expected,
                               .reason = static_cast<std::uint32_t>(reason)},
                0, 0, 0);
  }
  bool holds() {
    Judgement judgement;
    find_rule("PREEMPT-007")->check(Trace(storage_.data()), Platform{}, judgement);
    return judgement.failures().empty();
  }

 private:
  struct alignas(64) Line {
    std::byte bytes[64];
  };
  std::vector<Line> storage_;
  TraceWriter writer_;
};

TEST_F(Preempt007, AnEndBeforeTheReportCounts) {
  ends(2);
  reads(2, 1, 0, MarkerReason::AtPreempted);
  EXPECT_FALSE(holds());
}

TEST_F(Preempt007, AStopBehindTheMarkerIsNoEnd) {
  reads(2, 1, 0, MarkerReason::AtPreempted);
  EXPECT_TRUE(holds());
}

TEST_F(Preempt007, WhatGoesOnMayBeCoveredByALaterReport) {
  reads(2, 1, 0, MarkerReason::AtPreempted);
  ends(4);
  reads(4, 1, 1, MarkerReason::AtPreempted);
  EXPECT_TRUE(holds());
}

TEST_F(Preempt007, WorkThatIsDoneTwiceHadEnded) {
  reads(2, 1, 0, MarkerReason::AtPreempted);
  reads(4, 2, 1, MarkerReason::AtCompleted);
  EXPECT_FALSE(holds());
}

}  // namespace
}  // namespace wddm
