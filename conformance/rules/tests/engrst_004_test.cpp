// What ResetEngine says of an engine that has emptied since the snapshot.
#include <d3dkmddi.h>

#include "conformance/rules/tests/trace_test.h"

namespace wddm::engrst_004 {
namespace {

class Engrst004 : public TraceTest {
 protected:
  Engrst004() {
    submits(4);
    add(ev::Notified{.type = DXGK_INTERRUPT_DMA_COMPLETED, .fence = 4});
    submits(5);
  }
  void submits(std::uint32_t fence) { add(ev::Submitted{.packet = fence, .fence = fence}); }
  void completes(std::uint32_t fence) {
    add(ev::ReportIgnored{.type = DXGK_INTERRUPT_DMA_COMPLETED, .fence = fence});
  }
  void answers() {
    add(ev::ReportIgnored{.type = DXGK_INTERRUPT_DMA_PREEMPTED, .fence = 9, .last_completed = 4});
  }
  void resets(std::uint32_t aborted, std::uint32_t status = 0) {
    add(ev::EngineReset{.status = status, .aborted = aborted});
  }
  bool holds() { return TraceTest::holds("ENGRST-004"); }
  std::uint32_t reached() { return times_reached("ENGRST-004"); }
};

TEST_F(Engrst004, ThePacketThatHasEnded) {
  completes(5);
  resets(5);
  EXPECT_TRUE(holds());
  EXPECT_EQ(reached(), 1u);
}

TEST_F(Engrst004, TheOneBeforeIt) {
  completes(5);
  resets(4);
  EXPECT_FALSE(holds());
}

TEST_F(Engrst004, ItFails) {
  resets(5);
  submits(6);
  completes(6);
  resets(6, 0xC0000001);
  EXPECT_FALSE(holds());
}

TEST_F(Engrst004, HardwareThatWasNeverResetMayNotBe) {
  completes(5);
  resets(5, 0xC0000001);
  EXPECT_TRUE(holds());
  EXPECT_EQ(reached(), 0u);
}

TEST_F(Engrst004, ALateAnswerEmptiesItToo) {
  answers();
  resets(4);
  EXPECT_TRUE(holds());
  EXPECT_EQ(reached(), 1u);
}

TEST_F(Engrst004, WhatWasStoppedIsNotThereAnyMore) {
  answers();
  resets(5);
  EXPECT_FALSE(holds());
}

TEST_F(Engrst004, WhatTheResetItselfBringsIsNoLateAnswer) {
  add(ev::DdiEntered{.ddi = static_cast<std::uint32_t>(DdiId::ResetEngine), .object = 0});
  answers();
  resets(5);
  EXPECT_TRUE(holds());
  EXPECT_EQ(reached(), 0u);
}

TEST_F(Engrst004, PacketsAreLeft) {
  submits(6);
  completes(5);
  resets(6);
  EXPECT_TRUE(holds());
  EXPECT_EQ(reached(), 0u);
}

}  // namespace
}  // namespace wddm::engrst_004
