// What a driver says of its power components.
#include <d3dkmddi.h>

#include "conformance/rules/tests/trace_test.h"

namespace wddm::mcdm_033 {
namespace {

class Mcdm033 : public TraceTest {
 protected:
  Mcdm033() { platform_.nodes = 2; }

  static DXGK_POWER_RUNTIME_COMPONENT engine(UINT node) {
    DXGK_POWER_RUNTIME_COMPONENT component{};
    component.StateCount = 2;
    component.States[0] = {0, 0, 1000};
    component.States[1] = {50, 500, 10};
    component.ComponentMapping.ComponentType = DXGK_POWER_COMPONENT_ENGINE;
    component.ComponentMapping.EngineDesc.NodeIndex = node;
    return component;
  }
  void answered(std::uint32_t number, const DXGK_POWER_RUNTIME_COMPONENT& component,
                std::uint32_t count = 2) {
    add(ev::PowerComponentAnswered{.component = number, .count = count}, std::vector{component});
  }
  bool holds() { return TraceTest::holds("MCDM-033"); }
};

TEST_F(Mcdm033, AnEngineEach) {
  answered(0, engine(0));
  answered(1, engine(1));
  EXPECT_TRUE(holds());
  EXPECT_EQ(times_reached("MCDM-033"), 2u);
}

TEST_F(Mcdm033, AskedTwiceIsNoSecondComponent) {
  answered(0, engine(0));
  answered(0, engine(0));
  EXPECT_TRUE(holds());
}

TEST_F(Mcdm033, TwoOfOneNode) {
  answered(0, engine(1));
  answered(1, engine(1));
  EXPECT_FALSE(holds());
}

TEST_F(Mcdm033, ANodeThatIsNotThere) {
  answered(0, engine(2));
  EXPECT_FALSE(holds());
}

TEST_F(Mcdm033, TwoOfOneSegment) {
  auto memory = engine(0);
  memory.ComponentMapping.ComponentType = DXGK_POWER_COMPONENT_MEMORY;
  memory.ComponentMapping.MemoryDesc.SegmentID = 1;
  answered(0, memory);
  EXPECT_TRUE(holds());
  answered(1, memory);
  EXPECT_FALSE(holds());
}

TEST_F(Mcdm033, ASegmentThatIsNotThere) {
  auto memory = engine(0);
  memory.ComponentMapping.ComponentType = DXGK_POWER_COMPONENT_MEMORY;
  platform_.segments.resize(2);
  for (const UINT segment : {2u, 0u, 3u}) {
    memory.ComponentMapping.MemoryDesc.SegmentID = segment;
    answered(0, memory, 1);
  }
  EXPECT_EQ(failures("MCDM-033"), 2u);
}

TEST_F(Mcdm033, ADisplayIsNoPartOfADeviceThatOnlyComputes) {
  platform_.compute_only = true;
  auto monitor = engine(0);
  monitor.ComponentMapping.ComponentType = DXGK_POWER_COMPONENT_MONITOR;
  answered(0, monitor);
  EXPECT_FALSE(holds());
}

TEST_F(Mcdm033, WhatMapsToNothing) {
  auto other = engine(0);
  other.ComponentMapping.ComponentType = DXGK_POWER_COMPONENT_OTHER;
  answered(0, other);
  answered(1, other);
  EXPECT_TRUE(holds());
}

TEST_F(Mcdm033, NumbersOfStates) {
  auto component = engine(0);
  component.StateCount = 0;
  answered(0, component);
  EXPECT_EQ(failures("MCDM-033"), 1u);
  component.StateCount = DXGK_MAX_F_STATES + 1;
  answered(0, component);
  EXPECT_EQ(failures("MCDM-033"), 2u);
  component.StateCount = 1;
  answered(0, component);
  EXPECT_EQ(failures("MCDM-033"), 2u);
}

TEST_F(Mcdm033, F0IsReachedAtOnceAndDrawsPower) {
  auto component = engine(0);
  component.States[0] = {1, 0, 1000};
  answered(0, component);
  component.States[0] = {0, 1, 1000};
  answered(0, component);
  component.States[0] = {0, 0, 0};
  answered(0, component);
  EXPECT_EQ(failures("MCDM-033"), 3u);
}

TEST_F(Mcdm033, DeeperStatesAreSlowerAndDrawLess) {
  auto component = engine(0);
  component.StateCount = 3;
  component.States[2] = {50, 500, 5};
  answered(0, component);
  component.States[2] = {60, 500, 10};
  answered(0, component);
  component.States[2] = {60, 500, 5};
  EXPECT_EQ(failures("MCDM-033"), 2u);
  answered(0, component);
  EXPECT_EQ(failures("MCDM-033"), 2u);
}

TEST_F(Mcdm033, AStateMayLeaveOutWhatItDraws) {
  constexpr auto kUnknown = 0xFFFFFFFFu;
  auto component = engine(0);
  component.StateCount = 3;
  component.States[1] = {50, 500, kUnknown};
  component.States[2] = {60, 500, 5};
  answered(0, component);
  component.States[0] = {0, 0, kUnknown};
  component.States[2] = {60, 500, kUnknown};
  answered(0, component);
  EXPECT_TRUE(holds());
}

TEST_F(Mcdm033, StatesAreComparedAcrossOneThatLeavesItOut) {
  auto component = engine(0);
  component.StateCount = 3;
  component.States[1] = {50, 500, 0xFFFFFFFF};
  component.States[2] = {60, 500, 1000};
  answered(0, component);
  EXPECT_FALSE(holds());
}

TEST_F(Mcdm033, ProvidersAreComponents) {
  auto component = engine(0);
  component.ProviderCount = 1;
  component.Providers[0] = 1;
  answered(0, component);
  EXPECT_TRUE(holds());
  component.Providers[0] = 2;
  answered(0, component);
  EXPECT_FALSE(holds());
}

TEST_F(Mcdm033, NoneProvidesForItself) {
  auto component = engine(0);
  component.ProviderCount = 1;
  component.Providers[0] = 0;
  answered(0, component);
  EXPECT_FALSE(holds());
}

TEST_F(Mcdm033, FlagsOfLaterInterfaces) {
  auto component = engine(0);
  component.Flags.ActiveInD3 = 1;
  answered(0, component);
  EXPECT_TRUE(holds());
  component.Flags.Reserved0 = 1;
  answered(0, component);
  EXPECT_FALSE(holds());
}

TEST_F(Mcdm033, TheOneBehindTheLastIsNotJudged) {
  answered(2, DXGK_POWER_RUNTIME_COMPONENT{});
  EXPECT_EQ(times_reached("MCDM-033"), 0u);
}

TEST_F(Mcdm033, OtherDevicesHaveDisplays) {
  auto monitor = engine(0);
  monitor.ComponentMapping.ComponentType = DXGK_POWER_COMPONENT_MONITOR;
  answered(0, monitor);
  EXPECT_TRUE(holds());
}

TEST_F(Mcdm033, EachGpuOfALinkHasSuchANode) {
  platform_.linked_adapters = 2;
  answered(0, engine(1));
  answered(1, engine(1));
  EXPECT_TRUE(holds());
}

TEST_F(Mcdm033, AppliesToDevicesThatDrawToo) {
  platform_.has_caps = true;
  platform_.runtime_power = true;
  EXPECT_EQ(find_rule("MCDM-033")->applies(platform_), nullptr);
  platform_.runtime_power = false;
  EXPECT_NE(find_rule("MCDM-033")->applies(platform_), nullptr);
}

}  // namespace
}  // namespace wddm::mcdm_033
