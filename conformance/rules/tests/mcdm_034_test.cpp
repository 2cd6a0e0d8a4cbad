// Changes of F-states: their statuses, who completes them, and packets after them.
#include <d3dkmddi.h>

#include "conformance/rules/tests/trace_test.h"
#include "reference/trace/ddi.h"

namespace wddm::mcdm_034 {
namespace {

class Mcdm034 : public TraceTest {
 protected:
  static std::uint32_t completing() {
    DXGK_POWER_COMPONENT_FLAGS flags{};
    flags.DriverCompletesFStateTransition = 1;
    return flags.Value;
  }
  void set(std::uint32_t state, NTSTATUS status = STATUS_SUCCESS, bool valid = true) {
    add(ev::FStateSet{
        .state = state, .status = static_cast<std::uint32_t>(status), .valid = valid});
  }
  void awaited(std::uint32_t completed, std::uint32_t flags = 0) {
    add(ev::FStateAwaited{.flags = flags, .completed = completed});
  }
  void called(CallbackId callback, std::uint32_t inside, std::int32_t active) {
    add(ev::ComponentCalled{
        .callback = static_cast<std::uint32_t>(callback), .inside = inside, .active = active});
  }
  void ends(std::uint32_t packet, PacketFate fate) {
    add(ev::PacketEnded{.packet = packet, .fate = static_cast<std::uint32_t>(fate)});
  }
  void works_before() {
    add(ev::Submitted{.packet = 1});
    ends(1, PacketFate::Completed);
  }
  bool holds() { return TraceTest::holds("MCDM-034"); }
};

class Mcdm034Components : public Mcdm034 {
 protected:
  void stopped() { add(ev::PowerManagementTold{.stage = 2}); }
  void is_of(DXGK_POWER_COMPONENT_TYPE type) {
    std::vector<DXGK_POWER_RUNTIME_COMPONENT> component(1);
    component[0].ComponentMapping.ComponentType = type;
    add(ev::PowerComponentAnswered{.component = 0, .count = 1}, component);
  }
};

TEST_F(Mcdm034Components, ThatIsHeldWhenManagementIsStopped) {
  called(CallbackId::SetPowerComponentActive, kNone, 1);
  stopped();
  EXPECT_EQ(seen_by("MCDM-034"), "component 0: 1 more of the latter");
}

TEST_F(Mcdm034Components, OfALinkAreIdleWhenTheLastIsTold) {
  platform_.linked_adapters = 2;
  called(CallbackId::SetPowerComponentActive, kNone, 1);
  stopped();
  called(CallbackId::SetPowerComponentIdle, kNone, 0);
  add(ev::PowerManagementTold{.stage = 2, .physical_adapter = 1});
  EXPECT_TRUE(holds());
}

TEST_F(Mcdm034Components, AreHeldByTheStartAtHandAlone) {
  called(CallbackId::SetPowerComponentActive, kNone, 1);
  add(ev::PowerManagementTold{.stage = 0});
  stopped();
  EXPECT_TRUE(holds());
}

TEST_F(Mcdm034Components, ThatIsIdleWhenManagementIsStopped) {
  called(CallbackId::SetPowerComponentActive, kNone, 1);
  called(CallbackId::SetPowerComponentIdle, kNone, 0);
  stopped();
  EXPECT_TRUE(holds());
}

TEST_F(Mcdm034Components, OfADeviceThatIsGoneMayBeHeld) {
  called(CallbackId::SetPowerComponentActive, kNone, 1);
  add(ev::SurpriseRemoved{});
  stopped();
  EXPECT_TRUE(holds());
}

TEST_F(Mcdm034Components, LatencyOfAnEngineIsTheSystemsToSet) {
  called(CallbackId::SetPowerComponentLatency, kNone, 0);
  is_of(DXGK_POWER_COMPONENT_ENGINE);
  EXPECT_FALSE(holds());
}

TEST_F(Mcdm034Components, ResidencyOfAnotherComponentIsTheDriversToSet) {
  called(CallbackId::SetPowerComponentResidency, kNone, 0);
  is_of(DXGK_POWER_COMPONENT_OTHER);
  EXPECT_TRUE(holds());
}

TEST_F(Mcdm034, ThereAndBack) {
  set(1);
  awaited(0);
  set(0);
  awaited(0);
  EXPECT_TRUE(holds());
  EXPECT_EQ(times_reached("MCDM-034"), 4u);
}

TEST_F(Mcdm034, AStateThatIsRefused) {
  set(1, STATUS_UNSUCCESSFUL);
  EXPECT_FALSE(holds());
}

TEST_F(Mcdm034, ForWantOfMemoryInAScenarioThatTakesIt) {
  op(OpKind::FailPool);
  set(1, STATUS_NO_MEMORY);
  EXPECT_TRUE(holds());
}

TEST_F(Mcdm034, WhatIsNotThereIsRefused) {
  set(9, STATUS_INVALID_PARAMETER, false);
  EXPECT_TRUE(holds());
  EXPECT_EQ(times_reached("MCDM-034"), 0u);
  set(9, STATUS_SUCCESS, false);
  EXPECT_FALSE(holds());
}

TEST_F(Mcdm034, CompletedOnceByWhoSaidSo) {
  set(1);
  awaited(1, completing());
  EXPECT_TRUE(holds());
}

TEST_F(Mcdm034, NeverCompleted) {
  set(1);
  awaited(0, completing());
  EXPECT_FALSE(holds());
}

TEST_F(Mcdm034, TheStateThatItWasStoppedIn) {
  set(2);
  awaited(1, completing());
  add(ev::MappingBalance{});
  set(2);
  awaited(1, completing());
  EXPECT_TRUE(holds());
  EXPECT_EQ(times_reached("MCDM-034"), 4u);
}

TEST_F(Mcdm034, TheStateThatItWasStoppedInIsNotCompleted) {
  set(2);
  awaited(1, completing());
  add(ev::MappingBalance{});
  set(2);
  awaited(0, completing());
  EXPECT_FALSE(holds());
}

TEST_F(Mcdm034, CompletedTwice) {
  set(1);
  awaited(2, completing());
  EXPECT_FALSE(holds());
}

TEST_F(Mcdm034, CompletedWithoutTheFlag) {
  set(1);
  awaited(1);
  EXPECT_FALSE(holds());
}

TEST_F(Mcdm034, ActiveInside) {
  called(CallbackId::SetPowerComponentActive, kNone, 1);
  called(CallbackId::SetPowerComponentIdle, 0, 0);
  EXPECT_TRUE(holds());
  called(CallbackId::SetPowerComponentActive, 0, 1);
  EXPECT_FALSE(holds());
}

TEST_F(Mcdm034, IdleMoreOftenThanActive) {
  called(CallbackId::SetPowerComponentIdle, kNone, -1);
  EXPECT_FALSE(holds());
}

TEST_F(Mcdm034, APacketThatNeverEndsInF0) {
  works_before();
  set(1);
  set(0);
  add(ev::Submitted{.packet = 2});
  add(ev::Stuck{});
  ends(2, PacketFate::Lost);
  EXPECT_FALSE(holds());
}

TEST_F(Mcdm034, OneThatNeverEndsInADeeperStateIsNoMatterOfThis) {
  works_before();
  set(1);
  add(ev::Submitted{.packet = 2});
  add(ev::Stuck{});
  ends(2, PacketFate::Lost);
  EXPECT_TRUE(holds());
}

TEST_F(Mcdm034, ADriverThatNeverWorked) {
  set(1);
  set(0);
  add(ev::Submitted{.packet = 2});
  add(ev::Stuck{});
  ends(2, PacketFate::Lost);
  EXPECT_TRUE(holds());
}

TEST_F(Mcdm034, OneThatTheScenarioHoldsUp) {
  works_before();
  set(1);
  set(0);
  add(ev::Submitted{.packet = 2});
  add(ev::Stuck{.excused = 1});
  ends(2, PacketFate::Lost);
  EXPECT_TRUE(holds());
}

TEST_F(Mcdm034, AStartBringsItUpInItsOwnWay) {
  works_before();
  set(1);
  set(0);
  add(ev::MappingBalance{});
  add(ev::Submitted{.packet = 2});
  add(ev::Stuck{});
  ends(2, PacketFate::Lost);
  EXPECT_TRUE(holds());
}

TEST_F(Mcdm034, AppliesToDevicesThatDrawToo) {
  platform_.has_caps = true;
  platform_.runtime_power = true;
  EXPECT_EQ(find_rule("MCDM-034")->applies(platform_), nullptr);
  platform_.runtime_power = false;
  EXPECT_NE(find_rule("MCDM-034")->applies(platform_), nullptr);
}

}  // namespace
}  // namespace wddm::mcdm_034
