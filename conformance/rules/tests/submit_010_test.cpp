// What CancelCommand returns, and what happens inside of it.
#include <d3dkmddi.h>

#include "conformance/rules/tests/trace_test.h"
#include "conformance/sdk/device.h"

namespace wddm::submit_010 {
namespace {

class Submit010 : public TraceTest {
 protected:
  void enters_cancel() {
    add(ev::DdiEntered{.ddi = static_cast<std::uint32_t>(DdiId::CancelCommand), .object = 3});
  }
  void returns(std::uint32_t status = 0) {
    add(ev::CommandCancelled{.packet = 3, .status = status});
  }
  void notifies(CallPlace place) {
    add(ev::Notified{.type = DXGK_INTERRUPT_DMA_COMPLETED,
                     .fence = 7,
                     .place = static_cast<std::uint32_t>(place)});
  }
  void logs(std::uint32_t kind) { add(ev::DeviceLogged{.kind = kind, .tag = 7}); }
  bool holds() { return TraceTest::holds("SUBMIT-010"); }
};

TEST_F(Submit010, ItSucceeds) {
  enters_cancel();
  returns();
  EXPECT_TRUE(holds());
  EXPECT_EQ(times_reached("SUBMIT-010"), 1u);
}

TEST_F(Submit010, ItFails) {
  enters_cancel();
  returns(0xC0000225);
  EXPECT_FALSE(holds());
}

TEST_F(Submit010, ItReportsAFence) {
  enters_cancel();
  notifies(CallPlace::Synchronize);
  returns();
  EXPECT_FALSE(holds());
}

TEST_F(Submit010, AnInterruptMayComeIn) {
  enters_cancel();
  notifies(CallPlace::Isr);
  returns();
  EXPECT_TRUE(holds());
}

TEST_F(Submit010, AnotherThreadMayReport) {
  enters_cancel();
  thread_ = 5;
  notifies(CallPlace::Synchronize);
  thread_ = 0;
  returns();
  EXPECT_TRUE(holds());
}

TEST_F(Submit010, ItStopsWhatRuns) {
  enters_cancel();
  logs(WDDM_DEVICE_PACKET_STOPPED);
  returns();
  EXPECT_FALSE(holds());
}

TEST_F(Submit010, EnginesGoOnWhereTheyHaveTime) {
  enters_cancel();
  logs(WDDM_DEVICE_PACKET_BEGIN);
  add(ev::GpuAdvanced{.units = 4, .used = 4});
  returns();
  EXPECT_TRUE(holds());
}

TEST_F(Submit010, WhatHappensOutsideIsNotItsDoing) {
  enters_cancel();
  returns();
  notifies(CallPlace::Ddi);
  logs(WDDM_DEVICE_PACKET_STOPPED);
  EXPECT_TRUE(holds());
}

}  // namespace
}  // namespace wddm::submit_010
