// What is said of engines that stand still.
#include "conformance/rules/tests/trace_test.h"

namespace wddm {
namespace {

class Engrst008 : public TraceTest {
 protected:
  Engrst008() { platform_.has_device_log = true; }
  void advanced(std::uint32_t used) { add(ev::GpuAdvanced{.units = 20, .used = used}); }
  void asked(std::uint32_t value, std::uint32_t outstanding = 1, std::uint32_t status = 0) {
    add(ev::EngineAsked{.status = status, .value = value, .outstanding = outstanding});
  }
  bool holds() { return TraceTest::holds("ENGRST-008"); }
};

TEST_F(Engrst008, AnEngineWithPacketsThatDoesNothingIsNotResponsive) {
  advanced(0);
  asked(1);
  EXPECT_FALSE(holds());
}

TEST_F(Engrst008, ThatItIsNotIsTrue) {
  advanced(0);
  asked(0);
  EXPECT_TRUE(holds());
  EXPECT_EQ(times_reached("ENGRST-008"), 1u);
}

TEST_F(Engrst008, AnEngineThatWorksIsJudgedNeitherWay) {
  advanced(20);
  asked(1);
  asked(0);
  EXPECT_TRUE(holds());
}

TEST_F(Engrst008, AnEngineWithoutPacketsMayStandStill) {
  advanced(0);
  asked(1, 0);
  EXPECT_TRUE(holds());
}

TEST_F(Engrst008, WhatCameSinceMayYetRun) {
  advanced(0);
  add(ev::Submitted{});
  asked(1);
  EXPECT_TRUE(holds());
}

TEST_F(Engrst008, ADeviceThatWasGivenNoTimeShowsNothing) {
  add(ev::GpuAdvanced{});
  asked(1);
  EXPECT_TRUE(holds());
}

TEST_F(Engrst008, WithoutADeviceNobodyCountsWork) {
  platform_.has_device_log = false;
  advanced(0);
  asked(1);
  EXPECT_TRUE(holds());
}

TEST_F(Engrst008, ReservedBitsAreZero) {
  asked(2);
  EXPECT_FALSE(holds());
}

TEST_F(Engrst008, TheCallSucceeds) {
  asked(0, 1, 0xC000000D);
  EXPECT_FALSE(holds());
}

}  // namespace
}  // namespace wddm
