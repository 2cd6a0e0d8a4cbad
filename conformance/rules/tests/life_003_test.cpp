// When notifications must be silent, what must be let go by then, and that nothing is mapped anew.
#include <ntddk.h>

#include "conformance/rules/tests/trace_test.h"

namespace wddm::life_003 {
namespace {

class Life003 : public TraceTest {
 protected:
  void entered(DdiId ddi) { add(ev::DdiEntered{.ddi = static_cast<std::uint32_t>(ddi)}); }
  void returned(DdiId ddi) { add(ev::DdiReturned{.ddi = static_cast<std::uint32_t>(ddi)}); }
  void passes(DdiId ddi) {
    entered(ddi);
    returned(ddi);
  }
  void notified(CallPlace place) {
    add(ev::CallbackCalled{.callback = static_cast<std::uint32_t>(CallbackId::NotifyDpc),
                           .place = static_cast<std::uint32_t>(place)});
  }
  void called(CallbackId callback) {
    add(ev::CallbackCalled{.callback = static_cast<std::uint32_t>(callback)});
  }
  /// AddDevice, and a StartDevice that maps and fails.
  void fails_to_start() {
    returned(DdiId::AddDevice);
    entered(DdiId::StartDevice);
    called(CallbackId::MapMemory);
    add(ev::DdiReturned{.ddi = static_cast<std::uint32_t>(DdiId::StartDevice),
                        .status = static_cast<std::uint32_t>(STATUS_NO_MEMORY)});
  }
  bool holds() { return TraceTest::holds("LIFE-003"); }
};

TEST_F(Life003, AStartThatFailedLeavesNothingMappedBehindRemoveDevice) {
  fails_to_start();
  EXPECT_TRUE(holds()) << "somebody may yet let go";
  returned(DdiId::RemoveDevice);
  EXPECT_FALSE(holds());
}

TEST_F(Life003, RemoveDeviceMayLetGoOfIt) {
  fails_to_start();
  entered(DdiId::RemoveDevice);
  called(CallbackId::UnmapMemory);
  returned(DdiId::RemoveDevice);
  EXPECT_TRUE(holds());
  EXPECT_EQ(times_reached("LIFE-003"), 1u);
}

TEST_F(Life003, SoMayTheStopOfALaterStart) {
  fails_to_start();
  passes(DdiId::StartDevice);
  called(CallbackId::UnmapMemory);
  returned(DdiId::StopDevice);
  returned(DdiId::RemoveDevice);
  EXPECT_TRUE(holds());
}

// What was mapped since tells nothing of it.
TEST_F(Life003, WithoutAStartThatFailedStopDeviceIsJudgedAlone) {
  returned(DdiId::AddDevice);
  called(CallbackId::MapMemory);
  returned(DdiId::StartDevice);
  returned(DdiId::RemoveDevice);
  EXPECT_TRUE(holds());
  EXPECT_EQ(times_reached("LIFE-003"), 0u);
}

TEST_F(Life003, InALinkTheLastRemoveDeviceMustHaveLetGo) {
  returned(DdiId::AddDevice);
  fails_to_start();
  returned(DdiId::RemoveDevice);
  EXPECT_TRUE(holds());
  returned(DdiId::RemoveDevice);
  EXPECT_FALSE(holds());
}

TEST_F(Life003, StartDeviceMayNotifyWhereverItsCodeRuns) {
  entered(DdiId::StartDevice);
  notified(CallPlace::Isr);
  notified(CallPlace::Dpc);
  notified(CallPlace::Thread);
  returned(DdiId::StartDevice);
  EXPECT_TRUE(holds());
}

TEST_F(Life003, NothingNotifiesBehindStopDevice) {
  passes(DdiId::StopDevice);
  notified(CallPlace::Dpc);
  EXPECT_FALSE(holds());
}

TEST_F(Life003, RemoveDeviceDoesNotNotify) {
  returned(DdiId::StopDevice);
  entered(DdiId::RemoveDevice);
  notified(CallPlace::Ddi);
  EXPECT_FALSE(holds());
}

TEST_F(Life003, NothingIsMappedBehindStopDevice) {
  entered(DdiId::StartDevice);
  called(CallbackId::MapMemory);
  returned(DdiId::StartDevice);
  entered(DdiId::StopDevice);
  called(CallbackId::UnmapMemory);
  returned(DdiId::StopDevice);
  EXPECT_TRUE(holds());
  entered(DdiId::RemoveDevice);
  called(CallbackId::MapMemory);
  EXPECT_FALSE(holds());
}

TEST_F(Life003, WhatIsNotMappedIsNoMapping) {
  returned(DdiId::StopDevice);
  add(ev::CallbackCalled{.callback = static_cast<std::uint32_t>(CallbackId::MapMemory),
                         .result = static_cast<std::uint32_t>(STATUS_INVALID_PARAMETER)});
  EXPECT_TRUE(holds());
}

TEST_F(Life003, BehindAStartThatFailedNobodySaysWhenResourcesGo) {
  fails_to_start();
  called(CallbackId::MapMemory);
  called(CallbackId::UnmapMemory);
  called(CallbackId::UnmapMemory);
  returned(DdiId::RemoveDevice);
  EXPECT_TRUE(holds());
}

TEST_F(Life003, OtherCallbacksMayBeCalledBehindStopDevice) {
  returned(DdiId::StopDevice);
  called(CallbackId::SynchronizeExecution);
  called(CallbackId::UnmapMemory);
  called(CallbackId::ReadDeviceSpace);
  EXPECT_TRUE(holds());
}

TEST_F(Life003, InALinkTheOthersMayMapUntilTheyStop) {
  passes(DdiId::StartDevice);
  passes(DdiId::StartDevice);
  passes(DdiId::StopDevice);
  called(CallbackId::MapMemory);
  EXPECT_TRUE(holds());
}

TEST_F(Life003, StopDeviceItselfMayNotify) {
  entered(DdiId::StopDevice);
  notified(CallPlace::Ddi);
  returned(DdiId::StopDevice);
  EXPECT_TRUE(holds());
}

TEST_F(Life003, NothingNotifiesBehindAStartThatFailed) {
  entered(DdiId::StartDevice);
  add(ev::DdiReturned{.ddi = static_cast<std::uint32_t>(DdiId::StartDevice),
                      .status = static_cast<std::uint32_t>(STATUS_NO_MEMORY)});
  notified(CallPlace::Thread);
  EXPECT_FALSE(holds());
}

TEST_F(Life003, InALinkTheOthersMayNotifyUntilTheyStop) {
  passes(DdiId::StartDevice);
  passes(DdiId::StartDevice);
  passes(DdiId::StopDevice);
  notified(CallPlace::Dpc);
  passes(DdiId::StopDevice);
  EXPECT_TRUE(holds());
  notified(CallPlace::Dpc);
  EXPECT_FALSE(holds());
}

TEST_F(Life003, AnotherStartDeviceMayNotifyAgain) {
  returned(DdiId::StopDevice);
  entered(DdiId::StartDevice);
  notified(CallPlace::Dpc);
  EXPECT_TRUE(holds());
}

}  // namespace
}  // namespace wddm::life_003
