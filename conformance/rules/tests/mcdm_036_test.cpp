// What SetPowerState returns, and what becomes of packets when power is back.
#include <d3dkmddi.h>

#include "conformance/rules/tests/trace_test.h"

namespace wddm::mcdm_036 {
namespace {

class Mcdm036 : public TraceTest {
 protected:
  void power(DEVICE_POWER_STATE state, NTSTATUS status = STATUS_SUCCESS) {
    add(ev::PowerChanged{.state = static_cast<std::uint32_t>(state),
                         .status = static_cast<std::uint32_t>(status),
                         .forgetful = forgetful_ && state == PowerDeviceD3 ? 1u : 0u});
  }
  void goes_and_comes() {
    power(PowerDeviceD3);
    power(PowerDeviceD0);
  }
  void submits(std::uint32_t packet) { add(ev::Submitted{.packet = packet}); }
  void ends(std::uint32_t packet, PacketFate fate) {
    add(ev::PacketEnded{.packet = packet, .fate = static_cast<std::uint32_t>(fate)});
  }
  bool holds() { return TraceTest::holds("MCDM-036"); }
  std::uint32_t reached() { return times_reached("MCDM-036"); }
  bool forgetful_ = true;
};

TEST_F(Mcdm036, AStatusThatFails) {
  power(PowerDeviceD3, STATUS_INVALID_PARAMETER);
  EXPECT_FALSE(holds());
}

TEST_F(Mcdm036, AnyStatusThatDoesNot) {
  power(PowerDeviceD3, STATUS_PENDING);
  EXPECT_TRUE(holds());
  EXPECT_EQ(reached(), 1u);
}

// D1 takes nothing from a device; that it has lost power before is what says something.
TEST_F(Mcdm036, APacketThatNeverEndsAfterAnotherState) {
  goes_and_comes();
  power(PowerDeviceD1);
  power(PowerDeviceD0);
  submits(1);
  add(ev::Stuck{});
  ends(1, PacketFate::Lost);
  EXPECT_FALSE(holds());
}

TEST_F(Mcdm036, OneThatEndsAfterAnotherState) {
  power(PowerDeviceD2);
  power(PowerDeviceD0);
  submits(1);
  ends(1, PacketFate::Completed);
  EXPECT_TRUE(holds());
  EXPECT_EQ(reached(), 0u);
}

TEST_F(Mcdm036, APacketThatNeverEnds) {
  goes_and_comes();
  submits(1);
  add(ev::Stuck{});
  ends(1, PacketFate::Lost);
  EXPECT_FALSE(holds());
}

TEST_F(Mcdm036, OneThatTheScenarioHoldsUp) {
  goes_and_comes();
  submits(1);
  add(ev::Stuck{.excused = 1});
  ends(1, PacketFate::Lost);
  EXPECT_TRUE(holds());
}

TEST_F(Mcdm036, OneThatIsLostByTheResetOfWhatIsStuck) {
  goes_and_comes();
  submits(1);
  add(ev::Stuck{});
  add(ev::AdapterReset{.cause = 2});
  ends(1, PacketFate::Lost);
  EXPECT_FALSE(holds());
}

TEST_F(Mcdm036, OneBehindAResetThatBroughtTheDeviceUp) {
  goes_and_comes();
  add(ev::AdapterReset{.stage = 0, .cause = 1});
  add(ev::AdapterReset{.stage = 1, .cause = 1});
  submits(1);
  add(ev::Stuck{});
  ends(1, PacketFate::Lost);
  EXPECT_TRUE(holds());
}

TEST_F(Mcdm036, OneThatEnds) {
  goes_and_comes();
  submits(1);
  ends(1, PacketFate::Completed);
  EXPECT_TRUE(holds());
  EXPECT_EQ(reached(), 3u);
}

TEST_F(Mcdm036, ADeviceThatForgetsNothingShowsOnlyWhatIsWrong) {
  forgetful_ = false;
  goes_and_comes();
  submits(1);
  ends(1, PacketFate::Completed);
  EXPECT_TRUE(holds());
  EXPECT_EQ(reached(), 0u);
  submits(2);
  add(ev::Stuck{});
  ends(2, PacketFate::Lost);
  EXPECT_FALSE(holds());
  power(PowerDeviceD3, STATUS_INVALID_PARAMETER);
  EXPECT_EQ(failures("MCDM-036"), 2u);
}

TEST_F(Mcdm036, WhatIsLostBeforePowerGoesIsAnotherMatter) {
  submits(1);
  add(ev::Stuck{});
  ends(1, PacketFate::Lost);
  goes_and_comes();
  EXPECT_TRUE(holds());
}

TEST_F(Mcdm036, AStartBringsItUpInItsOwnWay) {
  goes_and_comes();
  add(ev::MappingBalance{});
  submits(1);
  add(ev::Stuck{});
  ends(1, PacketFate::Lost);
  EXPECT_TRUE(holds());
}

}  // namespace
}  // namespace wddm::mcdm_036
