// Completions that come before the end that the device's log tells of.
#include <d3dkmddi.h>

#include "conformance/rules/tests/trace_test.h"
#include "conformance/sdk/device.h"

namespace wddm::fence_002 {
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
  void at_end(std::uint32_t runs, PacketFate fate = PacketFate::Completed) {
    add(ev::PacketEnded{.packet = 1, .fence = 5, .fate = static_cast<std::uint32_t>(fate)});
    add(ev::MarkerRead{.packet = 1,
                       .fence = 5,
                       .runs = runs,
                       .expected = 1,
                       .reason = static_cast<std::uint32_t>(MarkerReason::AtEnd)});
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

TEST_F(Fence002, AMarkerThatIsBroughtInLateIsReadLate) {
  completed();
  at_end(0);
  EXPECT_TRUE(holds()) << "without a log it may have been written elsewhere";
  platform_.has_device_log = true;
  EXPECT_FALSE(holds());
}

TEST_F(Fence002, ThePacketThatTheDeviceTellsOfHasRun) {
  platform_.has_device_log = true;
  logs(WDDM_DEVICE_PACKET_END);
  completed();
  at_end(0);
  EXPECT_TRUE(holds());
}

TEST_F(Fence002, WhatIsLostNeedNotHaveRun) {
  platform_.has_device_log = true;
  at_end(0, PacketFate::Lost);
  EXPECT_TRUE(holds());
  completed();
  at_end(1);
  EXPECT_TRUE(holds());
}

TEST_F(Fence002, APacketThatWasNeverBegunIsNotReported) {
  completed();
  EXPECT_TRUE(holds()) << "the log may leave out what begins";
  add(ev::DeviceLogged{.kind = WDDM_DEVICE_PACKET_BEGIN, .node = 1, .tag = 4});
  EXPECT_FALSE(holds());
}

TEST_F(Fence002, NorIsOneBeforeIt) {
  add(ev::Submitted{.address = 0x8000, .packet = 2, .fence = 6, .end = 64});
  logs(WDDM_DEVICE_PACKET_BEGIN);
  add(ev::Submitted{.address = 0x9000, .packet = 3, .fence = 7, .end = 64});
  add(ev::DeviceLogged{.kind = WDDM_DEVICE_PACKET_BEGIN, .tag = 7});
  add(ev::Notified{.type = DXGK_INTERRUPT_DMA_COMPLETED, .fence = 7});
  EXPECT_EQ(failures("FENCE-002"), 1u);
}

TEST_F(Fence002, HardwareMayTakeSeveralInOneGo) {
  add(ev::Submitted{.address = 0x8000, .packet = 2, .fence = 6, .end = 64});
  add(ev::DeviceLogged{.kind = WDDM_DEVICE_PACKET_BEGIN, .tag = 6});
  add(ev::DeviceLogged{.address = 16, .kind = WDDM_DEVICE_FETCH, .tag = 6});
  add(ev::Notified{.type = DXGK_INTERRUPT_DMA_COMPLETED, .fence = 6});
  EXPECT_TRUE(holds());
}

TEST_F(Fence002, PagingMayHaveNothingForTheGpuToDo) {
  logs(WDDM_DEVICE_PACKET_BEGIN);
  add(ev::Submitted{.address = 0x8000, .packet = 2, .fence = 6, .end = 64, .paging = 1});
  add(ev::Notified{.type = DXGK_INTERRUPT_DMA_COMPLETED, .fence = 6});
  EXPECT_TRUE(holds());
}

TEST_F(Fence002, WhatAResetTakesAlongNeedNotHaveBegun) {
  add(ev::DeviceLogged{.kind = WDDM_DEVICE_PACKET_BEGIN, .tag = 4});
  add(ev::DdiEntered{.ddi = static_cast<std::uint32_t>(DdiId::ResetEngine)});
  completed();
  EXPECT_TRUE(holds());
}

TEST_F(Fence002, AnEarlierSubmissionThatWasStoppedDoesNotCount) {
  logs(WDDM_DEVICE_PACKET_BEGIN);
  logs(WDDM_DEVICE_PACKET_STOPPED);
  submitted();
  completed();
  EXPECT_TRUE(holds());
}

}  // namespace
}  // namespace wddm::fence_002
