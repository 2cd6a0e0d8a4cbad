// What is said of engines that stand still.
#include "conformance/rules/tests/trace_test.h"
#include "conformance/sdk/device.h"

namespace wddm::engrst_008 {
namespace {

class Engrst008 : public TraceTest {
 protected:
  Engrst008() { platform_.has_device_log = true; }
  void advanced(std::uint32_t used) { add(ev::GpuAdvanced{.units = 20, .used = used}); }
  void logs(std::uint32_t kind, std::uint32_t fence, std::uint32_t node = 0) {
    add(ev::DeviceLogged{.kind = kind, .node = node, .tag = fence});
  }
  void logs_end(std::uint32_t fence, std::uint32_t node = 0) {
    logs(WDDM_DEVICE_PACKET_END, fence, node);
  }
  void asked_once(std::uint32_t value, std::uint32_t outstanding = 1, std::uint32_t status = 0) {
    add(ev::EngineAsked{.status = status, .value = value, .outstanding = outstanding});
  }
  void asked(std::uint32_t value, std::uint32_t outstanding = 1, std::uint32_t status = 0) {
    for (int time = 0; time < 2; ++time) asked_once(value, outstanding, status);
  }
  bool holds() { return TraceTest::holds("ENGRST-008"); }
};

TEST_F(Engrst008, AnEngineWithPacketsThatDoesNothingIsNotResponsive) {
  advanced(0);
  asked(1);
  EXPECT_FALSE(holds());
}

// It may have come on since the question before, which was of another time.
TEST_F(Engrst008, TheFirstAnswerMayLookBack) {
  advanced(0);
  asked_once(1);
  asked_once(0);
  EXPECT_TRUE(holds());
  EXPECT_EQ(times_reached("ENGRST-008"), 1u);
  advanced(20);
  advanced(0);
  asked_once(1);
  EXPECT_TRUE(holds()) << "it has worked in between";
  asked_once(1);
  EXPECT_FALSE(holds());
}

TEST_F(Engrst008, ThatItIsNotIsTrue) {
  advanced(0);
  asked(0);
  EXPECT_TRUE(holds());
  EXPECT_EQ(times_reached("ENGRST-008"), 1u);
}

// The packet has not come to the engine yet.
TEST_F(Engrst008, TimeInsideOfTheSubmissionSaysNothing) {
  enters(2);
  advanced(0);
  add(ev::Submitted{.packet = 2, .fence = 2});
  asked(1);
  EXPECT_TRUE(holds());
  EXPECT_EQ(times_reached("ENGRST-008"), 0u);
}

TEST_F(Engrst008, AnEngineThatWorksIsJudgedNeitherWay) {
  advanced(20);
  asked(1);
  asked(0);
  EXPECT_TRUE(holds());
  EXPECT_EQ(times_reached("ENGRST-008"), 0u) << "a driver may say so of any engine";
}

TEST_F(Engrst008, WhatEndedOnAnotherGpuOfALinkSaysNothing) {
  add(ev::Submitted{.fence = 5});
  add(ev::Submitted{.fence = 5, .engine = 1});
  logs_end(5);
  advanced(0);
  for (int time = 0; time < 2; ++time) {
    add(ev::EngineAsked{.engine = 1, .value = 1, .outstanding = 1});
  }
  EXPECT_FALSE(holds());
}

TEST_F(Engrst008, WhileInterruptsWaitItMayHaveBeenEmptied) {
  op(OpKind::HoldInterrupts);
  op(OpKind::TimeOut);
  advanced(0);
  asked(1);
  EXPECT_TRUE(holds());
}

// Nobody has been told of the fault, and the packet has not left the engine.
TEST_F(Engrst008, AFaultStopsAnEngineWhileInterruptsWait) {
  add(ev::Submitted{.fence = 5});
  op(OpKind::HoldInterrupts);
  logs(WDDM_DEVICE_PAGE_FAULT, 5);
  advanced(0);
  op(OpKind::TimeOut);
  asked(1);
  EXPECT_FALSE(holds());
}

TEST_F(Engrst008, APacketThatLeftBehindItsFaultStopsNoEngine) {
  add(ev::Submitted{.fence = 5});
  op(OpKind::HoldInterrupts);
  logs(WDDM_DEVICE_PAGE_FAULT, 5);
  logs(WDDM_DEVICE_PACKET_STOPPED, 5);
  advanced(0);
  op(OpKind::TimeOut);
  asked(1);
  EXPECT_TRUE(holds());
}

TEST_F(Engrst008, TheFaultOfAnEarlierPacketSaysNothingOfTheNext) {
  add(ev::Submitted{.fence = 5});
  op(OpKind::HoldInterrupts);
  logs(WDDM_DEVICE_PAGE_FAULT, 5);
  add(ev::Submitted{.packet = 1, .fence = 6});
  advanced(0);
  op(OpKind::TimeOut);
  asked(1);
  EXPECT_TRUE(holds());
}

TEST_F(Engrst008, TimeOfTheGpuLetsNoInterruptGo) {
  op(OpKind::HoldInterrupts);
  op(OpKind::Advance);
  advanced(0);
  op(OpKind::TimeOut);
  asked(1);
  EXPECT_TRUE(holds());
}

TEST_F(Engrst008, AnInterruptThatComesHasBeenLetGo) {
  op(OpKind::HoldInterrupts);
  add(ev::IsrEntered{});
  op(OpKind::TimeOut);
  advanced(0);
  asked(1);
  EXPECT_FALSE(holds());
}

TEST_F(Engrst008, TheNextPacketMayWaitForADpc) {
  op(OpKind::HoldDpcs);
  op(OpKind::Advance);
  advanced(0);
  op(OpKind::TimeOut);
  asked(1);
  EXPECT_TRUE(holds());
}

TEST_F(Engrst008, NoDpcIsHeldUpOnceTimeIsUp) {
  op(OpKind::HoldDpcs);
  op(OpKind::TimeOut);
  advanced(0);
  asked(1);
  EXPECT_FALSE(holds());
}

TEST_F(Engrst008, DpcsThatWereLetGoHoldUpNothing) {
  op(OpKind::HoldDpcs);
  op(OpKind::Idle);
  advanced(0);
  op(OpKind::TimeOut);
  asked(1);
  EXPECT_FALSE(holds());
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

TEST_F(Engrst008, AnEngineWhosePacketsHaveEndedHasNothingToDo) {
  add(ev::Submitted{.fence = 4});
  add(ev::Submitted{.fence = 5});
  logs_end(4);
  logs_end(5);
  advanced(0);
  asked(1, 2);
  EXPECT_TRUE(holds());
}

TEST_F(Engrst008, ARefusedPacketNeedNotComeToTheDevice) {
  add(ev::Submitted{.fence = 4});
  add(ev::Submitted{.fence = 5, .status = 0xC000000D});
  logs_end(4);
  advanced(0);
  asked(1, 2);
  EXPECT_TRUE(holds());
}

TEST_F(Engrst008, AnEngineThatMayWaitIsJudgedNeitherWay) {
  op(OpKind::Wait);
  advanced(0);
  asked(1);
  EXPECT_TRUE(holds());
}

TEST_F(Engrst008, AReportThatNobodyHeardCountsUntilTheNextTimeout) {
  op(OpKind::TimeOut);
  add(ev::ReportIgnored{});
  advanced(0);
  op(OpKind::Idle);  // the driver waits in CollectDbgInfo
  asked(1);
  EXPECT_TRUE(holds());
  op(OpKind::TimeOut);
  asked(1);
  EXPECT_FALSE(holds());
}

TEST_F(Engrst008, AWaitThatIsOverIsAnotherMatter) {
  op(OpKind::Wait);
  op(OpKind::Idle);
  advanced(0);
  asked(1);
  EXPECT_FALSE(holds());
}

TEST_F(Engrst008, OneOfItsPacketsHasNotEnded) {
  add(ev::Submitted{.fence = 4});
  add(ev::Submitted{.fence = 5});
  logs_end(4);
  advanced(0);
  asked(1, 2);
  EXPECT_FALSE(holds());
}

TEST_F(Engrst008, AnotherEngineHasEndedItsOwn) {
  add(ev::Submitted{.fence = 4});
  add(ev::Submitted{.node = 1, .fence = 4});
  logs_end(4, 1);
  advanced(0);
  asked(1);
  EXPECT_FALSE(holds());
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
}  // namespace wddm::engrst_008
