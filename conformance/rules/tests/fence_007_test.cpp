// What a driver names as the last completed fence of an engine at rest, before and after calls that
// complete nothing.
#include <d3dkmddi.h>

#include "conformance/rules/tests/trace_test.h"

namespace wddm {
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

}  // namespace
}  // namespace wddm
