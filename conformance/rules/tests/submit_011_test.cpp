// Which packets are cancelled, and when.
#include "conformance/rules/tests/trace_test.h"

namespace wddm::submit_011 {
namespace {

class Submit011 : public TraceTest {
 protected:
  Submit011() { platform_.scheduling.value = 16; }
  void fails(std::uint32_t device) { add(ev::DeviceInError{.device = device}); }
  void submits() { add(ev::Submitted{.packet = 3, .fence = 7}); }
  void ends(PacketFate fate) {
    add(ev::PacketEnded{.packet = 3, .fence = 7, .fate = static_cast<std::uint32_t>(fate)});
  }
  void cancels() { add(ev::CommandCancelled{.packet = 3, .device = 1}); }
  bool holds() { return TraceTest::holds("SUBMIT-011"); }
};

TEST_F(Submit011, WhatWasNeverSubmitted) {
  fails(1);
  cancels();
  EXPECT_TRUE(holds());
  EXPECT_EQ(times_reached("SUBMIT-011"), 1u);
}

TEST_F(Submit011, WhatWasPreempted) {
  submits();
  ends(PacketFate::Preempted);
  fails(1);
  cancels();
  EXPECT_TRUE(holds());
}

TEST_F(Submit011, WhatTheHardwareHas) {
  submits();
  fails(1);
  cancels();
  EXPECT_FALSE(holds());
}

TEST_F(Submit011, OfADeviceThatIsWell) {
  fails(2);
  cancels();
  EXPECT_FALSE(holds());
}

TEST_F(Submit011, ADeviceOfTheSameSlotIsAnother) {
  fails(1);
  add(ev::DeviceCreated{.device = 1});
  cancels();
  EXPECT_FALSE(holds());
}

TEST_F(Submit011, WithoutTheCapability) {
  platform_.scheduling.value = 0;
  fails(1);
  cancels();
  EXPECT_FALSE(holds());
}

TEST_F(Submit011, WithoutTheCapabilityNobodyIsTold) {
  platform_.scheduling.value = 0;
  fails(1);
  ends(PacketFate::Lost);
  EXPECT_TRUE(holds());
  EXPECT_EQ(times_reached("SUBMIT-011"), 1u);
}

TEST_F(Submit011, AtDispatchLevel) {
  fails(1);
  irql_ = 2;
  cancels();
  EXPECT_FALSE(holds());
}

TEST_F(Submit011, Twice) {
  fails(1);
  cancels();
  cancels();
  EXPECT_FALSE(holds());
}

TEST_F(Submit011, SubmittedAfterwards) {
  fails(1);
  cancels();
  submits();
  EXPECT_FALSE(holds());
}

}  // namespace
}  // namespace wddm::submit_011
