// What is submitted after a reset of an engine.
#include <d3dkmddi.h>

#include "conformance/rules/tests/trace_test.h"

namespace wddm::engrst_009 {
namespace {

class Engrst009 : public TraceTest {
 protected:
  void submits(std::uint32_t packet, std::uint32_t fence, std::uint32_t context) {
    add(ev::Submitted{.packet = packet, .fence = fence, .context = context});
  }
  void pages(std::uint32_t packet, std::uint32_t fence) {
    add(ev::Submitted{.packet = packet, .fence = fence, .context = kNone, .paging = 1});
  }
  void ends(std::uint32_t packet, std::uint32_t fence, PacketFate fate, std::uint32_t paging = 0) {
    add(ev::PacketEnded{.packet = packet,
                        .fence = fence,
                        .fate = static_cast<std::uint32_t>(fate),
                        .paging = paging});
  }
  /// Packet 1 of context 0 is aborted; paging 2 and 3 and packet 4 of context 1 come back.
  void resets(std::uint32_t status = 0) {
    submits(1, 10, 0);
    pages(2, 11);
    pages(3, 12);
    submits(4, 13, 1);
    add(ev::EngineReset{.status = status, .aborted = 10});
    ends(1, 10, PacketFate::Lost);
    ends(2, 11, PacketFate::Preempted, 1);
    ends(3, 12, PacketFate::Preempted, 1);
    ends(4, 13, PacketFate::Preempted);
  }
  bool holds() { return TraceTest::holds("ENGRST-009"); }
};

TEST_F(Engrst009, AllComeAgain) {
  resets();
  pages(2, 11);
  pages(3, 12);
  submits(4, 14, 1);
  EXPECT_TRUE(holds());
  EXPECT_GE(times_reached("ENGRST-009"), 3u);
}

TEST_F(Engrst009, PagingInAnotherOrder) {
  resets();
  pages(3, 12);
  EXPECT_FALSE(holds());
}

TEST_F(Engrst009, WhatIsPreemptedThenGoesAheadOfWhatStillWaits) {
  resets();
  pages(2, 11);
  add(ev::Notified{.type = DXGK_INTERRUPT_DMA_PREEMPTED});
  ends(2, 11, PacketFate::Preempted, 1);
  pages(2, 11);
  pages(3, 12);
  EXPECT_TRUE(holds());
}

TEST_F(Engrst009, PagingUnderAnotherFence) {
  resets();
  pages(2, 14);
  EXPECT_FALSE(holds());
}

TEST_F(Engrst009, WhatRendersComesFirst) {
  resets();
  submits(4, 14, 1);
  EXPECT_FALSE(holds());
}

TEST_F(Engrst009, WhatRendersKeepsItsFence) {
  resets();
  pages(2, 11);
  pages(3, 12);
  submits(4, 13, 1);
  EXPECT_FALSE(holds());
}

TEST_F(Engrst009, TheDeviceGoesOn) {
  resets();
  pages(2, 11);
  pages(3, 12);
  submits(5, 14, 0);
  EXPECT_FALSE(holds());
}

TEST_F(Engrst009, WhatIsBeforeTheOneThatIsNamedHasCompleted) {
  submits(1, 10, 0);
  submits(2, 11, 1);
  add(ev::EngineReset{.aborted = 11});
  ends(1, 10, PacketFate::Lost);
  ends(2, 11, PacketFate::Lost);
  submits(3, 14, 0);
  EXPECT_TRUE(holds());
  submits(4, 15, 1);
  EXPECT_FALSE(holds());
}

TEST_F(Engrst009, AnotherContextOfThatNumber) {
  resets();
  pages(2, 11);
  pages(3, 12);
  add(ev::ContextCreated{.context = 0});
  submits(5, 14, 0);
  EXPECT_TRUE(holds());
}

TEST_F(Engrst009, AResetOfTheAdapterIsAnotherMatter) {
  resets();
  add(ev::AdapterReset{});
  submits(5, 14, 0);
  EXPECT_TRUE(holds());
}

TEST_F(Engrst009, WhatIsLostWithoutAReset) {
  submits(1, 10, 0);
  ends(1, 10, PacketFate::Lost);
  submits(5, 14, 0);
  EXPECT_TRUE(holds());
}

}  // namespace
}  // namespace wddm::engrst_009
