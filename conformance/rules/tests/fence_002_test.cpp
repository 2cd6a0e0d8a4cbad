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

TEST_F(Fence002, AnEarlierSubmissionThatWasStoppedDoesNotCount) {
  logs(WDDM_DEVICE_PACKET_BEGIN);
  logs(WDDM_DEVICE_PACKET_STOPPED);
  submitted();
  completed();
  EXPECT_TRUE(holds());
}

}  // namespace
}  // namespace wddm
