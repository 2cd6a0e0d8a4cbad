// The order in which an engine comes to the ends of its packets, by its log.
#include <d3dkmddi.h>

#include "conformance/rules/tests/trace_test.h"
#include "conformance/sdk/device.h"

namespace wddm::preempt_012 {
namespace {

class Preempt012 : public TraceTest {
 protected:
  void submits(std::uint32_t fence, std::uint32_t node = 0) {
    add(ev::Submitted{.node = node, .fence = fence});
  }
  void logs(std::uint32_t kind, std::uint32_t fence, std::uint32_t node = 0) {
    add(ev::DeviceLogged{.kind = kind, .node = node, .tag = fence});
  }
  void begins(std::uint32_t fence) { logs(WDDM_DEVICE_PACKET_BEGIN, fence); }
  void stops(std::uint32_t fence) { logs(WDDM_DEVICE_PACKET_STOPPED, fence); }
  void ends(std::uint32_t fence) { logs(WDDM_DEVICE_PACKET_END, fence); }
  void preempted(std::uint32_t last_completed) {
    add(ev::Notified{.type = DXGK_INTERRUPT_DMA_PREEMPTED, .last_completed = last_completed});
  }
  void completed(std::uint32_t fence) {
    add(ev::Notified{.type = DXGK_INTERRUPT_DMA_COMPLETED, .fence = fence});
  }
  bool holds() { return TraceTest::holds("PREEMPT-012"); }
  std::uint32_t reached() { return times_reached("PREEMPT-012"); }
};

TEST_F(Preempt012, InOrder) {
  submits(1);
  submits(2);
  begins(1);
  ends(1);
  begins(2);
  ends(2);
  EXPECT_TRUE(holds());
  EXPECT_EQ(reached(), 2u);
}

TEST_F(Preempt012, ANewerOneRunsFirst) {
  submits(1);
  submits(2);
  begins(2);
  ends(2);
  EXPECT_TRUE(holds());  // the driver may have dealt with the first itself
  begins(1);
  EXPECT_FALSE(holds());
}

TEST_F(Preempt012, ANewerOneEndsFirst) {
  submits(1);
  submits(2);
  begins(1);
  begins(2);
  ends(2);
  ends(1);
  EXPECT_FALSE(holds());
}

TEST_F(Preempt012, WhatIsBehindAStoppedOneDoesNotEnd) {
  submits(1);
  submits(2);
  begins(1);
  stops(1);
  begins(2);
  ends(2);
  EXPECT_FALSE(holds());
}

TEST_F(Preempt012, NorHasItEndedWhenThatStops) {
  submits(1);
  submits(2);
  begins(1);
  begins(2);
  ends(2);
  stops(1);
  EXPECT_FALSE(holds());
}

TEST_F(Preempt012, AStoppedOneMayGoOn) {
  submits(1);
  submits(2);
  begins(1);
  stops(1);
  begins(1);
  ends(1);
  ends(2);
  EXPECT_TRUE(holds());
}

TEST_F(Preempt012, AfterTheReportWindowsDecides) {
  submits(1);
  submits(2);
  begins(1);
  stops(1);
  preempted(0);
  submits(2);
  submits(3);
  begins(2);
  ends(2);
  begins(3);
  ends(3);
  EXPECT_TRUE(holds());
}

TEST_F(Preempt012, AFaultEndsItsPacket) {
  submits(1);
  submits(2);
  begins(1);
  stops(1);
  logs(WDDM_DEVICE_PAGE_FAULT, 1);
  ends(2);
  EXPECT_TRUE(holds());
}

TEST_F(Preempt012, SoDoesOneThatOnlyTheIommuKnowsOf) {
  add(ev::Submitted{.packet = 7, .fence = 1});
  add(ev::Submitted{.packet = 8, .fence = 2});
  begins(1);
  add(ev::IommuFaulted{.packet = 7});
  stops(1);
  ends(2);
  EXPECT_TRUE(holds());
}

TEST_F(Preempt012, TheFaultOfANewerPacketDoesNot) {
  add(ev::Submitted{.packet = 7, .fence = 1});
  add(ev::Submitted{.packet = 8, .fence = 2});
  add(ev::Submitted{.packet = 9, .fence = 3});
  begins(1);
  add(ev::IommuFaulted{.packet = 9});
  stops(1);
  ends(2);
  EXPECT_FALSE(holds());
}

TEST_F(Preempt012, AResetEndsAll) {
  submits(1);
  submits(2);
  begins(1);
  stops(1);
  add(ev::EngineReset{});
  submits(2);
  submits(3);
  ends(2);
  EXPECT_TRUE(holds());
}

TEST_F(Preempt012, EnginesHaveQueuesOfTheirOwn) {
  submits(1);
  submits(2, 1);
  begins(1);
  logs(WDDM_DEVICE_PACKET_END, 2, 1);
  ends(1);
  EXPECT_TRUE(holds());
}

TEST_F(Preempt012, WhatWasReportedIsBehindUs) {
  submits(1);
  completed(1);
  submits(2);
  ends(2);
  begins(1);
  EXPECT_TRUE(holds());
  EXPECT_EQ(reached(), 0u);
}

}  // namespace
}  // namespace wddm::preempt_012
