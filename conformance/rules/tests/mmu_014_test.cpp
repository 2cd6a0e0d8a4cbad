// Fences of page faults, by order of submission and not by number.
#include <d3dkmddi.h>

#include "conformance/rules/tests/trace_test.h"
#include "reference/trace/ddi.h"

namespace wddm::mmu_014 {
namespace {

class Mmu014 : public TraceTest {
 protected:
  Mmu014() {
    for (std::uint32_t packet = 1; packet <= 3; ++packet) {
      add(ev::Submitted{.packet = packet, .fence = 20 - packet});  // 19, 18, 17
    }
  }
  void faulted(std::uint32_t fence, std::uint32_t flags = 0, std::uint32_t packet = 2) {
    add(ev::PageFaultReported{.address = 0x1000, .fence = fence, .flags = flags, .packet = packet});
  }
  void completed(std::uint32_t fence) {
    add(ev::Notified{.type = DXGK_INTERRUPT_DMA_COMPLETED, .fence = fence});
  }
  void preempted(std::uint32_t last) {
    add(ev::Notified{.type = DXGK_INTERRUPT_DMA_PREEMPTED, .fence = 50, .last_completed = last});
  }
  std::size_t failures() { return TraceTest::failures("MMU-014"); }
};

TEST_F(Mmu014, LaterPacketsComplete) {
  completed(19);
  faulted(18);
  completed(17);
  EXPECT_EQ(failures(), 0u);
}

TEST_F(Mmu014, TheFenceIsNotCompletedAgain) {
  faulted(18);
  completed(18);
  EXPECT_EQ(failures(), 1u);
}

TEST_F(Mmu014, NorDoesItFaultAgain) {
  faulted(18);
  faulted(18);
  EXPECT_EQ(failures(), 1u);
}

TEST_F(Mmu014, WhatHasCompletedDoesNotFault) {
  completed(18);
  faulted(18);
  EXPECT_EQ(failures(), 1u);
  faulted(17, 0, 3);
  EXPECT_EQ(failures(), 1u) << "it was behind";
}

TEST_F(Mmu014, NorDoesWhatAnAnswerHasGivenBack) {
  add(ev::PreemptAsked{.fence = 50});
  preempted(19);
  faulted(18);
  EXPECT_EQ(failures(), 1u);
}

TEST_F(Mmu014, WhatAnAnswerNamesAsCompletedMay) {
  add(ev::PreemptAsked{.fence = 50});
  preempted(18);
  faulted(18);
  EXPECT_EQ(failures(), 0u);
}

TEST_F(Mmu014, WhatComesAgainOrLaterThanTheRequestMay) {
  add(ev::PreemptAsked{.fence = 50});
  add(ev::Submitted{.packet = 4, .fence = 16});
  preempted(19);
  faulted(16, 0, 4);
  add(ev::Submitted{.packet = 2, .fence = 18, .again = 1});
  faulted(18);
  EXPECT_EQ(failures(), 0u);
}

TEST_F(Mmu014, LastCompletedFenceIdIsNotOlder) {
  faulted(18);
  preempted(18);
  preempted(17);
  EXPECT_EQ(failures(), 0u);
  preempted(19);
  EXPECT_EQ(failures(), 1u);
}

TEST_F(Mmu014, NorIsTheCurrentFence) {
  faulted(18);
  add(ev::FenceQueried{.fence = 18});
  EXPECT_EQ(failures(), 0u);
  add(ev::FenceQueried{.fence = 19});
  EXPECT_EQ(failures(), 1u);
}

TEST_F(Mmu014, WhatIsReportedInsideOfTheQueryMayBeBehindItsAnswer) {
  add(ev::DdiEntered{.ddi = static_cast<std::uint32_t>(DdiId::QueryCurrentFence)});
  faulted(18);
  add(ev::FenceQueried{.fence = 0});
  EXPECT_EQ(failures(), 0u);
  add(ev::DdiEntered{.ddi = static_cast<std::uint32_t>(DdiId::QueryCurrentFence)});
  add(ev::FenceQueried{.fence = 0});
  EXPECT_EQ(failures(), 1u);
}

TEST_F(Mmu014, AFenceOfNoPacketIsNone) {
  faulted(77, 0, kNone);
  EXPECT_EQ(failures(), 1u);
}

TEST_F(Mmu014, WithoutAPacketThereIsNoFenceAndAReset) {
  faulted(0, DXGK_PAGE_FAULT_FENCE_INVALID | DXGK_PAGE_FAULT_ENGINE_RESET_REQUIRED, kNone);
  faulted(0, DXGK_PAGE_FAULT_FENCE_INVALID | DXGK_PAGE_FAULT_FATAL_HARDWARE_ERROR, kNone);
  EXPECT_EQ(failures(), 0u);
  faulted(0, DXGK_PAGE_FAULT_FENCE_INVALID, kNone);
  EXPECT_EQ(failures(), 1u);
  faulted(18, DXGK_PAGE_FAULT_FENCE_INVALID | DXGK_PAGE_FAULT_ADAPTER_RESET_REQUIRED);
  EXPECT_EQ(failures(), 2u);
}

TEST_F(Mmu014, AnotherStartBeginsAnew) {
  faulted(18);
  add(ev::Running{.start = 2});
  add(ev::FenceQueried{.fence = 0});
  EXPECT_EQ(failures(), 0u);
}

}  // namespace
}  // namespace wddm::mmu_014
