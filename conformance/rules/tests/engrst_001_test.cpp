// What engines do after they were reset, by the device's log.
#include <d3dkmddi.h>

#include "conformance/rules/tests/trace_test.h"
#include "conformance/sdk/device.h"

namespace wddm::engrst_001 {
namespace {

constexpr std::uint32_t kRefused = 0xC000000D;

class Engrst001 : public TraceTest {
 protected:
  void submitted(std::uint32_t fence, std::uint32_t node = 0) {
    add(ev::Submitted{.packet = fence, .node = node, .fence = fence});
  }
  void logs(std::uint32_t kind, std::uint32_t fence, std::uint32_t node = 0) {
    add(ev::DeviceLogged{.kind = kind, .node = node, .tag = fence});
  }
  void reset(std::uint32_t status = 0) { add(ev::EngineReset{.status = status}); }
  bool holds() { return TraceTest::holds("ENGRST-001"); }
};

TEST_F(Engrst001, WhatIsGivenAfterwardsRuns) {
  submitted(2);
  logs(WDDM_DEVICE_PACKET_BEGIN, 2);
  reset();
  submitted(3);
  logs(WDDM_DEVICE_PACKET_BEGIN, 3);
  logs(WDDM_DEVICE_PACKET_END, 3);
  EXPECT_TRUE(holds());
  EXPECT_EQ(times_reached("ENGRST-001"), 1u);
}

TEST_F(Engrst001, ALogThatSaysNothingOfPacketsShowsNothing) {
  submitted(2);
  logs(WDDM_DEVICE_FAULT, 2);
  logs(WDDM_DEVICE_PACKET_BEGIN, 9);  // the driver's own
  reset();
  EXPECT_TRUE(holds());
  EXPECT_EQ(times_reached("ENGRST-001"), 0u);
}

TEST_F(Engrst001, WhatWasThereGoesOn) {
  for (const std::uint32_t kind : {WDDM_DEVICE_PACKET_BEGIN, WDDM_DEVICE_PACKET_END,
                                   WDDM_DEVICE_PACKET_STOPPED, WDDM_DEVICE_FETCH}) {
    submitted(2);
    reset();
    logs(kind, 2);
  }
  EXPECT_EQ(failures("ENGRST-001"), 4u);
}

TEST_F(Engrst001, WhatWasThereGoesOnBehindNewWork) {
  submitted(2);
  reset();
  submitted(3);
  logs(WDDM_DEVICE_PACKET_BEGIN, 2);
  EXPECT_FALSE(holds());
}

TEST_F(Engrst001, WhatWasThereIsGivenAgain) {
  submitted(2);
  reset();
  submitted(2);
  logs(WDDM_DEVICE_PACKET_BEGIN, 2);
  EXPECT_TRUE(holds());
}

TEST_F(Engrst001, APacketMayBeginInsideOfItsCall) {
  submitted(2);
  reset();
  enters(3);
  logs(WDDM_DEVICE_PACKET_BEGIN, 3);
  submitted(3);
  EXPECT_TRUE(holds());
}

TEST_F(Engrst001, OtherEnginesGoOn) {
  submitted(2, 1);
  reset();
  logs(WDDM_DEVICE_PACKET_END, 2, 1);
  EXPECT_TRUE(holds());
}

TEST_F(Engrst001, TheDriverMayHaveWorkOfItsOwn) {
  submitted(2);
  reset();
  logs(WDDM_DEVICE_PACKET_BEGIN, 0);
  logs(WDDM_DEVICE_PACKET_END, 3);  // by which it is preempted
  EXPECT_TRUE(holds());
}

TEST_F(Engrst001, AResetThatFailedPromisesNothing) {
  submitted(2);
  reset(kRefused);
  logs(WDDM_DEVICE_PACKET_END, 2);
  EXPECT_TRUE(holds());
  EXPECT_EQ(times_reached("ENGRST-001"), 0u);
}

TEST_F(Engrst001, NothingIsKnownOnceTheAdapterWasReset) {
  submitted(2);
  reset();
  add(ev::AdapterReset{});
  logs(WDDM_DEVICE_PACKET_END, 2);
  EXPECT_TRUE(holds());
}

}  // namespace
}  // namespace wddm::engrst_001
