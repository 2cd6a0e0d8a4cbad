// The flag of packets that come again, and their fences.
#include <d3dkmddi.h>

#include "conformance/rules/tests/trace_test.h"
#include "reference/trace/ddi.h"

namespace wddm::preempt_016 {
namespace {

constexpr std::uint32_t kAgain = 0x80;

class Resubmissions : public TraceTest {
 protected:
  Resubmissions() {
    platform_.interface_version = static_cast<std::uint32_t>(InterfaceVersion::Wddm2_0);
  }
  void submits(std::uint32_t fence, std::uint32_t flags, std::uint32_t paging = 0) {
    add(ev::DdiEntered{.ddi = static_cast<std::uint32_t>(DdiId::SubmitCommand), .object = 1},
        std::vector{ddi_arguments::SubmitCommand{.fence = fence, .flags = flags}});
    add(ev::Submitted{.packet = 1, .fence = fence, .paging = paging});
  }
  void answers(std::uint32_t fence) {
    add(ev::ReportJudged{.fence = fence, .type = DXGK_INTERRUPT_DMA_PREEMPTED});
  }
  void comes_back(std::uint32_t paging = 0) {
    answers(20);
    returns(paging);
  }
  void returns(std::uint32_t paging = 0) {
    add(ev::PacketEnded{
        .packet = 1, .fate = static_cast<std::uint32_t>(PacketFate::Preempted), .paging = paging});
  }
  void completes() {
    add(ev::PacketEnded{.packet = 1, .fate = static_cast<std::uint32_t>(PacketFate::Completed)});
  }
};

using Preempt016 = Resubmissions;

TEST_F(Preempt016, ItIsTold) {
  submits(10, 0);
  comes_back();
  submits(21, kAgain);
  EXPECT_TRUE(holds("PREEMPT-016"));
  EXPECT_EQ(times_reached("PREEMPT-016"), 1u);
}

TEST_F(Preempt016, ItIsNotTold) {
  submits(10, 0);
  comes_back();
  submits(21, 0);
  EXPECT_FALSE(holds("PREEMPT-016"));
}

TEST_F(Preempt016, TheFirstTime) {
  submits(10, kAgain);
  EXPECT_FALSE(holds("PREEMPT-016"));
}

TEST_F(Preempt016, OlderDriversAreNotTold) {
  platform_.interface_version = static_cast<std::uint32_t>(InterfaceVersion::Wddm1_3);
  submits(10, 0);
  comes_back();
  submits(21, 0);
  EXPECT_TRUE(holds("PREEMPT-016"));
  comes_back();
  submits(22, kAgain);
  EXPECT_FALSE(holds("PREEMPT-016"));
}

TEST_F(Preempt016, WhatAResetSendsBackWasNotPreempted) {
  submits(10, 0);
  add(ev::EngineReset{});
  returns();
  submits(21, 0);
  EXPECT_TRUE(holds("PREEMPT-016"));
  EXPECT_EQ(times_reached("PREEMPT-016"), 0u);
}

using Preempt018 = Resubmissions;

TEST_F(Preempt018, PagingKeepsItsFence) {
  submits(10, 1, 1);
  comes_back(1);
  submits(10, 1 | kAgain, 1);
  EXPECT_TRUE(holds("PREEMPT-018"));
  EXPECT_EQ(times_reached("PREEMPT-018"), 1u);
}

TEST_F(Preempt018, PagingGetsANewOne) {
  submits(10, 1, 1);
  comes_back(1);
  submits(21, 1 | kAgain, 1);
  EXPECT_FALSE(holds("PREEMPT-018"));
}

TEST_F(Preempt018, RenderingHasNewOnes) {
  submits(10, 0);
  comes_back();
  submits(21, kAgain);
  EXPECT_TRUE(holds("PREEMPT-018"));
  EXPECT_EQ(times_reached("PREEMPT-018"), 0u);
}

using Preempt020 = Resubmissions;

TEST_F(Preempt020, RenderingGetsANewFence) {
  submits(10, 0);
  comes_back();
  submits(21, kAgain);
  EXPECT_TRUE(holds("PREEMPT-020"));
  EXPECT_EQ(times_reached("PREEMPT-020"), 1u);
}

TEST_F(Preempt020, RenderingKeepsItsFence) {
  submits(10, 0);
  comes_back();
  submits(10, kAgain);
  EXPECT_FALSE(holds("PREEMPT-020"));
}

TEST_F(Preempt020, AFenceBeforeTheRequest) {
  submits(10, 0);
  comes_back();
  submits(15, kAgain);
  EXPECT_FALSE(holds("PREEMPT-020"));
}

TEST_F(Preempt020, NumbersMayWrap) {
  submits(0xfffffff0, 0);
  answers(0xffffffff);
  returns();
  submits(1, kAgain);
  EXPECT_TRUE(holds("PREEMPT-020"));
}

TEST_F(Preempt020, AFenceThatAnotherPacketHad) {
  submits(21, 0);
  completes();
  submits(10, 0);
  comes_back();
  submits(21, kAgain);
  EXPECT_FALSE(holds("PREEMPT-020"));
}

TEST_F(Preempt020, AnotherStartCountsAnew) {
  submits(21, 0);
  completes();
  add(ev::DeviceStarted{});
  submits(10, 0);
  comes_back();
  submits(21, kAgain);
  EXPECT_TRUE(holds("PREEMPT-020"));
}

TEST_F(Preempt020, PagingKeepsIts) {
  submits(10, 1, 1);
  comes_back(1);
  submits(10, 1 | kAgain, 1);
  EXPECT_TRUE(holds("PREEMPT-020"));
}

}  // namespace
}  // namespace wddm::preempt_016
