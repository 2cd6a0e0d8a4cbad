// What Presents leave in memory.
#include <d3dkmddi.h>

#include "conformance/rules/tests/trace_test.h"

namespace wddm::present_001 {
namespace {

class Present001 : public TraceTest {
 protected:
  void asked(std::uint32_t source = kNone) {
    add(ev::PresentAsked{.render = 3, .destination = 1, .source = source, .rects = 2});
  }
  void listed(std::uint32_t entry) {
    add(ev::Rendered{.render = 3, .dma_used = 64},
        std::vector<PatchRecord>{{.allocation_index = entry}});
  }
  void runs(std::uint32_t start = 0) {
    add(ev::Submitted{.packet = 5, .render = 3, .start = start});
    add(ev::PacketEnded{.packet = 5, .fate = static_cast<std::uint32_t>(PacketFate::Completed)});
  }
  void compared(std::uint32_t differences) {
    add(ev::MemoryChecked{.cause = static_cast<std::uint32_t>(MemoryCause::Render),
                          .object = 5,
                          .operation = kNone,
                          .differences = differences});
    if (differences == 0) return;
    add(ev::MemoryDiffers{.length = 4,
                          .cause = static_cast<std::uint32_t>(MemoryCause::Render),
                          .cause_object = 5,
                          .operation = kNone});
  }
  bool holds() { return TraceTest::holds("PRESENT-001"); }
  std::uint32_t reached() { return times_reached("PRESENT-001"); }
};

TEST_F(Present001, MemoryAsItWasToBe) {
  asked();
  listed(DXGK_PRESENT_DESTINATION_INDEX);
  runs();
  compared(0);
  EXPECT_TRUE(holds());
  EXPECT_EQ(reached(), 1u);
}

TEST_F(Present001, OtherBytes) {
  asked(2);
  listed(DXGK_PRESENT_DESTINATION_INDEX);
  runs();
  compared(1);
  EXPECT_FALSE(holds());
}

TEST_F(Present001, WhoListsNoDestinationMayTakeAFillForNothingToDo) {
  asked();
  listed(DXGK_PRESENT_SOURCE_INDEX);
  runs();
  compared(1);
  EXPECT_TRUE(holds());
  EXPECT_EQ(reached(), 0u);
}

TEST_F(Present001, ButACopyThatSucceedsIsOne) {
  asked(2);
  runs();
  compared(1);
  EXPECT_FALSE(holds());
}

TEST_F(Present001, WhatRenderMadeIsAnotherMatter) {
  runs();
  compared(1);
  EXPECT_TRUE(holds());
  EXPECT_EQ(reached(), 0u);
}

TEST_F(Present001, SoIsWhatWasCut) {
  asked();
  listed(DXGK_PRESENT_DESTINATION_INDEX);
  runs(64);
  compared(1);
  EXPECT_TRUE(holds());
}

TEST_F(Present001, AndWhatStandsBehindAPreemption) {
  asked();
  listed(DXGK_PRESENT_DESTINATION_INDEX);
  add(ev::Notified{.type = DXGK_INTERRUPT_DMA_PREEMPTED});
  runs();
  compared(1);
  EXPECT_TRUE(holds());
}

}  // namespace
}  // namespace wddm::present_001
