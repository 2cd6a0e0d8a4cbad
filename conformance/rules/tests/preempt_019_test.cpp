// What is submitted while paging is to come again.
#include <d3dkmddi.h>

#include "conformance/rules/tests/trace_test.h"

namespace wddm::preempt_019 {
namespace {

class Preempt019 : public TraceTest {
 protected:
  void submits(std::uint32_t packet, std::uint32_t paging = 1, std::uint32_t node = 0) {
    add(ev::Submitted{.packet = packet, .node = node, .fence = packet, .paging = paging});
  }
  void ends(std::uint32_t packet, PacketFate fate, std::uint32_t paging = 1) {
    add(ev::PacketEnded{.packet = packet,
                        .fence = packet,
                        .fate = static_cast<std::uint32_t>(fate),
                        .paging = paging});
  }
  /// Paging 1 and 2 and what renders, 3, come back.
  void preempts() {
    for (const std::uint32_t packet : {1u, 2u}) submits(packet);
    submits(3, 0);
    add(ev::Notified{.type = DXGK_INTERRUPT_DMA_PREEMPTED, .fence = 9});
    for (const std::uint32_t packet : {1u, 2u}) ends(packet, PacketFate::Preempted);
    ends(3, PacketFate::Preempted, 0);
  }
  bool holds() { return TraceTest::holds("PREEMPT-019"); }
};

TEST_F(Preempt019, InTheirOrder) {
  preempts();
  submits(1);
  submits(2);
  submits(3, 0);
  EXPECT_TRUE(holds());
  EXPECT_EQ(times_reached("PREEMPT-019"), 2u);
}

TEST_F(Preempt019, WhatRendersGoesFirst) {
  preempts();
  submits(3, 0);
  EXPECT_FALSE(holds());
}

TEST_F(Preempt019, WhatRendersGoesBetween) {
  preempts();
  submits(1);
  submits(3, 0);
  EXPECT_FALSE(holds());
}

TEST_F(Preempt019, NewPagingGoesFirst) {
  preempts();
  submits(4);
  EXPECT_FALSE(holds());
}

TEST_F(Preempt019, InAnotherOrder) {
  preempts();
  submits(2);
  EXPECT_FALSE(holds());
}

TEST_F(Preempt019, WhatComesBackTwiceStaysBeforeWhatWaits) {
  preempts();
  submits(1);
  add(ev::Notified{.type = DXGK_INTERRUPT_DMA_PREEMPTED, .fence = 10});
  ends(1, PacketFate::Preempted);
  submits(1);
  submits(2);
  EXPECT_TRUE(holds());
}

TEST_F(Preempt019, WhatWaitsOvertakesWhatComesBackTwice) {
  preempts();
  submits(1);
  add(ev::Notified{.type = DXGK_INTERRUPT_DMA_PREEMPTED, .fence = 10});
  ends(1, PacketFate::Preempted);
  submits(2);
  EXPECT_FALSE(holds());
}

TEST_F(Preempt019, OtherEnginesGoOn) {
  preempts();
  submits(4, 0, 1);
  EXPECT_TRUE(holds());
}

TEST_F(Preempt019, WhatIsLostIsNotWaitedFor) {
  preempts();
  ends(1, PacketFate::Lost);
  submits(2);
  EXPECT_TRUE(holds());
}

TEST_F(Preempt019, AfterAResetItIsEngrst009) {
  submits(1);
  add(ev::EngineReset{});
  ends(1, PacketFate::Preempted);
  submits(3, 0);
  EXPECT_TRUE(holds());
  EXPECT_EQ(times_reached("PREEMPT-019"), 0u);
}

}  // namespace
}  // namespace wddm::preempt_019
