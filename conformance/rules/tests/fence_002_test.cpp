// Completions that come before the end that the device's log tells of.
#include <d3dkmddi.h>

#include "conformance/sdk/device.h"
#include "conformance/rules/tests/trace_test.h"

namespace wddm {
namespace {

class Fence002 : public TraceTest {
 protected:
  Fence002() { submitted(); }
  void submitted() { add(ev::Submitted{.packet = 1, .fence = 5, .end = 64}); }
  void logs(std::uint32_t kind) { add(ev::DeviceLogged{.kind = kind, .tag = 5}); }
  void completed() { add(ev::Notified{.type = DXGK_INTERRUPT_DMA_COMPLETED, .fence = 5}); }
  void marker(std::uint32_t packet, std::uint32_t runs) {
    add(ev::MarkerRead{.packet = packet,
                       .runs = runs,
                       .expected = 1,
                       .reason = static_cast<std::uint32_t>(MarkerReason::AtCompleted)});
  }
  void faults(std::uint32_t packet) {
    add(ev::Notified{.type = DXGK_INTERRUPT_DMA_PAGE_FAULTED, .fence = 5});
    add(ev::PageFaultReported{.fence = 5, .packet = packet});
  }
  bool holds() { return TraceTest::holds("FENCE-002"); }
};

TEST_F(Fence002, APacketThatHasEndedIsReported) {
  logs(WDDM_DEVICE_PACKET_BEGIN);
  logs(WDDM_DEVICE_PACKET_END);
  completed();
  EXPECT_TRUE(holds());
}

TEST_F(Fence002, APacketThatHasOnlyBegunIsNotReported) {
  logs(WDDM_DEVICE_PACKET_BEGIN);
  completed();
  logs(WDDM_DEVICE_PACKET_END);
  EXPECT_FALSE(holds());
}

TEST_F(Fence002, ALogWithoutEndsSaysNothingOfThem) {
  logs(WDDM_DEVICE_PACKET_BEGIN);
  completed();
  EXPECT_TRUE(holds());
}

TEST_F(Fence002, WhatIsCoveredHasRun) {
  completed();
  marker(1, 1);
  EXPECT_TRUE(holds());
  marker(1, 0);
  EXPECT_FALSE(holds());
}

TEST_F(Fence002, OneThatFaultedIsCoveredBeforeTheDpc) {
  faults(1);
  completed();
  marker(1, 0);
  EXPECT_TRUE(holds());
}

TEST_F(Fence002, TheFaultOfAnotherIsNoExcuse) {
  faults(2);
  completed();
  marker(1, 0);
  EXPECT_FALSE(holds());
}

TEST_F(Fence002, AnEarlierSubmissionThatWasStoppedDoesNotCount) {
  logs(WDDM_DEVICE_PACKET_BEGIN);
  logs(WDDM_DEVICE_PACKET_STOPPED);
  submitted();
  completed();
  EXPECT_TRUE(holds());
}

}  // namespace
}  // namespace wddm
