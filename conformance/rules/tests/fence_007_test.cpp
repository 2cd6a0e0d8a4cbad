// What a driver names as the last completed fence of an engine at rest, before and after calls that
// complete nothing.
#include <d3dkmddi.h>

#include "conformance/rules/tests/trace_test.h"
#include "conformance/sdk/device.h"
#include "reference/trace/ddi.h"

namespace wddm::fence_007 {
namespace {

class Fence007 : public TraceTest {
 protected:
  void submits(std::uint32_t fence, std::uint32_t status = 0) {
    add(ev::Submitted{.fence = fence, .status = status});
  }
  void completes(std::uint32_t fence) {
    add(ev::Notified{.type = DXGK_INTERRUPT_DMA_COMPLETED, .fence = fence});
  }
  void runs(std::uint32_t fence) {
    submits(fence);
    completes(fence);
  }
  void is_preempted(std::uint32_t last_completed) {
    add(ev::Notified{.type = DXGK_INTERRUPT_DMA_PREEMPTED, .last_completed = last_completed});
  }
  void asks_for_preemption(std::uint32_t fence) {
    add(ev::DdiEntered{.ddi = static_cast<std::uint32_t>(DdiId::PreemptCommand)},
        std::vector{ddi_arguments::PreemptCommand{.fence = fence}});
  }
  void stops() { add(ev::MappingBalance{}); }
  void says(std::uint32_t fence) { add(ev::FenceQueried{.fence = fence}); }
  bool holds() { return TraceTest::holds("FENCE-007"); }
  std::uint32_t reached() { return times_reached("FENCE-007"); }
};

TEST_F(Fence007, APreemptionMovesIt) {
  runs(5);
  is_preempted(5);
  says(6);
  EXPECT_FALSE(holds());
}

// The driver found its answer before the engine told of more.
TEST_F(Fence007, AReportComesWhileItIsAsked) {
  runs(4);
  submits(5);
  add(ev::DdiEntered{.ddi = static_cast<std::uint32_t>(DdiId::QueryCurrentFence)});
  is_preempted(5);
  says(4);
  EXPECT_TRUE(holds());
}

TEST_F(Fence007, AReportComesBeforeItIsAsked) {
  runs(4);
  submits(5);
  is_preempted(5);
  add(ev::DdiEntered{.ddi = static_cast<std::uint32_t>(DdiId::QueryCurrentFence)});
  says(4);
  EXPECT_FALSE(holds());
}

TEST_F(Fence007, TheNextPreemptionNamesAnother) {
  runs(5);
  is_preempted(5);
  is_preempted(4);
  EXPECT_FALSE(holds());
}

TEST_F(Fence007, PowerMovesIt) {
  runs(5);
  add(ev::PowerChanged{.state = 4});
  add(ev::PowerChanged{.state = 1});
  says(0);
  EXPECT_FALSE(holds());
}

TEST_F(Fence007, ItStays) {
  runs(5);
  is_preempted(5);
  is_preempted(5);
  add(ev::PowerChanged{.state = 1});
  says(5);
  EXPECT_TRUE(holds());
  EXPECT_EQ(reached(), 2u);
}

TEST_F(Fence007, APacketThatCompletesMovesIt) {
  runs(5);
  is_preempted(5);
  runs(7);
  is_preempted(7);
  says(7);
  EXPECT_TRUE(holds());
}

TEST_F(Fence007, OneThatRunsMayCompleteAtAnyTime) {
  runs(5);
  is_preempted(5);
  submits(7);
  says(7);
  EXPECT_TRUE(holds());
}

TEST_F(Fence007, APreemptionTellsWhatHasCompleted) {
  runs(5);
  submits(7);
  submits(8);
  is_preempted(7);
  says(7);
  EXPECT_TRUE(holds());
  says(5);
  EXPECT_FALSE(holds());
}

TEST_F(Fence007, ARefusedPacketCompletesByItself) {
  runs(5);
  is_preempted(5);
  submits(7, 0xC000000D);
  says(7);
  is_preempted(7);
  says(5);
  EXPECT_TRUE(holds());
}

TEST_F(Fence007, BeforeTheFirstNobodySays) {
  is_preempted(0);
  is_preempted(77);
  says(3);
  EXPECT_TRUE(holds());
  EXPECT_EQ(reached(), 0u);
}

TEST_F(Fence007, AResetIsAnotherMatter) {
  runs(5);
  is_preempted(5);
  add(ev::EngineReset{});
  says(7);
  EXPECT_TRUE(holds());
}

// -- over StopDevice and StartDevice

TEST_F(Fence007, ThePreemptionOfAnotherLifeNamesTheOldFence) {
  runs(50);
  stops();
  asks_for_preemption(3);
  is_preempted(50);
  EXPECT_FALSE(holds());
}

TEST_F(Fence007, AQueryOfAnotherLifeNamesTheOldFence) {
  runs(50);
  stops();
  submits(3);
  says(50);
  EXPECT_FALSE(holds());
}

TEST_F(Fence007, AResetOfAnotherLifeNamesTheOldFence) {
  runs(50);
  stops();
  submits(3);
  add(ev::EngineReset{.aborted = 50});
  EXPECT_FALSE(holds());
}

TEST_F(Fence007, WhatTheResetOfAnEngineHasLeftEndsWithItsLife) {
  runs(500);
  submits(501);
  add(ev::EngineReset{.aborted = 501});
  stops();
  asks_for_preemption(7);
  is_preempted(501);
  EXPECT_FALSE(holds());
}

TEST_F(Fence007, WhatTheResetOfTheAdapterHasLeftEndsWithItsLife) {
  runs(500);
  submits(501);
  add(ev::AdapterReset{.stage = 0, .cause = 1});
  add(ev::AdapterReset{.stage = 1, .cause = 1});
  stops();
  asks_for_preemption(7);
  says(501);
  EXPECT_FALSE(holds());
}

TEST_F(Fence007, WhatAResetHasLeftIsNotJudgedInItsLife) {
  runs(500);
  submits(501);
  add(ev::EngineReset{.aborted = 501});
  is_preempted(501);
  says(500);
  EXPECT_TRUE(holds());
}

TEST_F(Fence007, WorkThatWasStuckLeavesNothingKnown) {
  runs(500);
  submits(501);
  add(ev::AdapterReset{.stage = 0, .cause = 2});
  stops();
  asks_for_preemption(7);
  says(501);
  EXPECT_TRUE(holds());
}

TEST_F(Fence007, AnotherLifeBeginsWithAnyOtherFence) {
  runs(50);
  stops();
  asks_for_preemption(3);
  is_preempted(0);
  says(49);
  add(ev::EngineReset{.aborted = 3});
  EXPECT_TRUE(holds());
  EXPECT_EQ(reached(), 3u);
}

TEST_F(Fence007, NumbersThatGoOnLeaveTheOldFenceBehind) {
  runs(50);
  stops();
  asks_for_preemption(51);
  is_preempted(50);
  says(50);
  EXPECT_TRUE(holds());
  EXPECT_EQ(reached(), 0u);
}

TEST_F(Fence007, WhatIsSubmittedAgainTakesNoNumberBack) {
  runs(50);
  stops();
  submits(49);
  submits(50);
  asks_for_preemption(51);
  submits(49);
  says(50);
  EXPECT_TRUE(holds());
  EXPECT_EQ(reached(), 0u);
}

TEST_F(Fence007, BeforeAnyNumberWasGivenNobodyKnowsWhereTheyBegin) {
  runs(50);
  stops();
  says(50);
  EXPECT_TRUE(holds());
  EXPECT_EQ(reached(), 0u);
}

TEST_F(Fence007, APacketOfThisLifeMayHaveEndedBeforeItIsReported) {
  runs(50);
  stops();
  submits(3);
  add(ev::DeviceLogged{.kind = WDDM_DEVICE_PACKET_END, .tag = 3});
  says(3);
  says(50);
  EXPECT_TRUE(holds());
  EXPECT_EQ(reached(), 0u);
}

}  // namespace
}  // namespace wddm::fence_007
