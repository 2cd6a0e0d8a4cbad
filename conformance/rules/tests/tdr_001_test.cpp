// What engines do after the adapter was reset, by the device's log.
#include "conformance/rules/tests/trace_test.h"
#include "conformance/sdk/device.h"

namespace wddm::tdr_001 {
namespace {

class Tdr001 : public TraceTest {
 protected:
  void submitted(std::uint32_t fence, std::uint32_t node = 0) {
    add(ev::Submitted{.packet = fence, .node = node, .fence = fence});
  }
  void begins(std::uint32_t fence, std::uint32_t node = 0) {
    add(ev::DeviceLogged{.kind = WDDM_DEVICE_PACKET_BEGIN, .node = node, .tag = fence});
  }
  void reset(std::uint32_t status = 0, std::uint32_t cause = 1) {
    add(ev::AdapterReset{.status = status, .cause = cause});
  }
  bool holds() { return TraceTest::holds("TDR-001"); }
};

TEST_F(Tdr001, WhatIsGivenAfterwardsRuns) {
  submitted(2);
  reset();
  submitted(3);
  begins(3);
  EXPECT_TRUE(holds());
  EXPECT_EQ(times_reached("TDR-001"), 1u);
}

TEST_F(Tdr001, WhatWasThereGoesOn) {
  submitted(2, 1);
  reset();
  begins(2, 1);
  EXPECT_FALSE(holds());
}

TEST_F(Tdr001, WhatWasThereGoesOnBehindNewWork) {
  submitted(2);
  reset();
  submitted(3);
  begins(2);
  EXPECT_FALSE(holds());
}

TEST_F(Tdr001, TheSameNumberOfAnotherEngineIsAnotherPacket) {
  submitted(2, 1);
  reset();
  submitted(2);
  begins(2, 1);
  EXPECT_FALSE(holds());
}

TEST_F(Tdr001, APacketMayBeginInsideOfItsCall) {
  reset();
  enters(3);
  begins(3);
  submitted(3);
  EXPECT_TRUE(holds());
}

TEST_F(Tdr001, TheDriverMayHaveWorkOfItsOwn) {
  submitted(2);
  reset();
  begins(0);
  begins(3);  // by which it is preempted
  begins(2, 1);
  EXPECT_TRUE(holds());
}

TEST_F(Tdr001, TheCallSucceeds) {
  reset(0xC0000001);
  EXPECT_FALSE(holds());
}

TEST_F(Tdr001, ADriverThatIsStuckIsInNoStateToJudge) {
  submitted(2);
  reset(0, 2);
  begins(2);
  EXPECT_TRUE(holds());
}

TEST_F(Tdr001, ADeviceThatWasStoppedIsNoLongerJudged) {
  submitted(2);
  reset();
  add(ev::MappingBalance{});
  begins(2);
  EXPECT_TRUE(holds());
}

}  // namespace
}  // namespace wddm::tdr_001
