// Later portions that never complete: stopped by the engine, or only not reported.
#include "conformance/rules/tests/trace_test.h"
#include "conformance/sdk/device.h"

namespace wddm::split_006 {
namespace {

class Split006Stalls : public TraceTest {
 protected:
  void submitted(std::uint32_t start = 64) {
    add(ev::Submitted{.packet = 3, .fence = 8, .start = start, .end = 96});
  }
  void logs(std::uint32_t kind) { add(ev::DeviceLogged{.kind = kind, .tag = 8}); }
  void stuck(std::uint32_t excused = 0) {
    add(ev::Stuck{.excused = excused});
    add(ev::PacketEnded{
        .packet = 3, .fence = 8, .fate = static_cast<std::uint32_t>(PacketFate::Lost)});
    add(ev::Ended{});
  }
  bool holds() { return TraceTest::holds("SPLIT-006"); }
};

TEST_F(Split006Stalls, APortionThatStopsTheEngine) {
  submitted();
  logs(WDDM_DEVICE_PACKET_BEGIN);
  stuck();
  EXPECT_FALSE(holds());
}

TEST_F(Split006Stalls, WithoutALogNobodyKnowsBetter) {
  submitted();
  stuck();
  EXPECT_FALSE(holds());
}

TEST_F(Split006Stalls, APortionThatEndedAndWasNotReported) {
  submitted();
  logs(WDDM_DEVICE_PACKET_BEGIN);
  logs(WDDM_DEVICE_PACKET_END);
  stuck();
  EXPECT_TRUE(holds()) << "FENCE-001";
}

TEST_F(Split006Stalls, TheFirstPortionIsAnothersMatter) {
  submitted(0);
  stuck();
  EXPECT_TRUE(holds());
}

TEST_F(Split006Stalls, TheScenarioMayHoldItUp) {
  submitted();
  stuck(1);
  EXPECT_TRUE(holds());
}

}  // namespace
}  // namespace wddm::split_006
