// Packets that engines begin, by the device's log.
#include "conformance/rules/tests/trace_test.h"
#include "conformance/sdk/device.h"

namespace wddm::submit_016 {
namespace {

class Submit016 : public TraceTest {
 protected:
  void submitted(std::uint32_t fence) { add(ev::Submitted{.packet = fence, .fence = fence}); }
  void begins(std::uint32_t fence, std::uint32_t node = 0, std::uint32_t engine = 0) {
    add(ev::DeviceLogged{
        .kind = WDDM_DEVICE_PACKET_BEGIN, .node = node, .tag = fence, .engine = engine});
  }
  void ends(std::uint32_t fence) {
    add(ev::DeviceLogged{.kind = WDDM_DEVICE_PACKET_END, .tag = fence});
  }
  bool holds() { return TraceTest::holds("SUBMIT-016"); }
};

TEST_F(Submit016, WhatWasSubmittedRunsOnce) {
  submitted(2);
  begins(2);
  ends(2);
  EXPECT_TRUE(holds());
  EXPECT_EQ(times_reached("SUBMIT-016"), 1u);
}

TEST_F(Submit016, WhatHasEndedBeginsAgain) {
  submitted(2);
  begins(2);
  ends(2);
  begins(2);
  EXPECT_FALSE(holds());
}

TEST_F(Submit016, WhatHasEndedIsSubmittedAgain) {
  submitted(2);
  begins(2);
  ends(2);
  submitted(2);
  begins(2);
  EXPECT_TRUE(holds());
}

TEST_F(Submit016, WhatWasStoppedGoesOn) {
  submitted(2);
  begins(2);
  add(ev::DeviceLogged{.kind = WDDM_DEVICE_PACKET_STOPPED, .tag = 2});
  begins(2);
  EXPECT_TRUE(holds());
}

TEST_F(Submit016, NobodySubmittedIt) {
  begins(2);
  EXPECT_FALSE(holds());
}

TEST_F(Submit016, ItWasSubmittedToAnotherNodeOrAdapter) {
  submitted(2);
  begins(2, 1);
  begins(2, 0, 1);
  EXPECT_EQ(failures("SUBMIT-016"), 2u);
}

TEST_F(Submit016, APacketMayBeginAndEndInsideOfItsCall) {
  enters(2);
  begins(2);
  ends(2);
  submitted(2);
  EXPECT_TRUE(holds());
}

TEST_F(Submit016, TheDriverMayHaveWorkOfItsOwn) {
  begins(0);
  begins(0);
  EXPECT_TRUE(holds());
  EXPECT_EQ(times_reached("SUBMIT-016"), 0u);
}

TEST_F(Submit016, NothingOutlivesStopDevice) {
  submitted(2);
  add(ev::DdiReturned{.ddi = static_cast<std::uint32_t>(DdiId::StopDevice)});
  begins(2);
  EXPECT_FALSE(holds());
}

}  // namespace
}  // namespace wddm::submit_016
