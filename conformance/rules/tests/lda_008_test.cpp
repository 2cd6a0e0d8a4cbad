// Reports of two GPUs in a link.
#include <d3dkmddi.h>

#include "conformance/rules/tests/trace_test.h"

namespace wddm::lda_008 {
namespace {

class Lda008 : public TraceTest {
 protected:
  Lda008() { platform_.linked_adapters = 2; }
  void submits(std::uint32_t packet, std::uint32_t fence, std::uint32_t engine,
               std::uint32_t node = 0) {
    add(ev::Submitted{.packet = packet, .node = node, .fence = fence, .engine = engine});
  }
  void completes(std::uint32_t fence, std::uint32_t engine, std::uint32_t node = 0) {
    add(ev::Notified{
        .type = DXGK_INTERRUPT_DMA_COMPLETED, .fence = fence, .node = node, .engine = engine});
  }
  bool holds() { return TraceTest::holds("LDA-008"); }
};

TEST_F(Lda008, EachForItself) {
  submits(1, 7, 0);
  submits(2, 9, 1);
  completes(9, 1);
  completes(7, 0);
  EXPECT_TRUE(holds());
  EXPECT_EQ(times_reached("LDA-008"), 1u);
}

TEST_F(Lda008, TheLeadForTheOther) {
  submits(2, 9, 1);
  completes(9, 0);
  EXPECT_FALSE(holds());
}

TEST_F(Lda008, TheOtherForTheLead) {
  submits(1, 7, 0);
  completes(7, 1);
  EXPECT_FALSE(holds());
}

TEST_F(Lda008, OneNumberOnBoth) {
  submits(1, 7, 0);
  submits(2, 7, 1);
  completes(7, 0);
  EXPECT_TRUE(holds());
}

TEST_F(Lda008, TheLastOneAgainIsFence003) {
  submits(1, 7, 0);
  completes(7, 0);
  add(ev::PacketEnded{.packet = 1, .fence = 7, .engine = 0});
  submits(2, 7, 1);
  completes(7, 0);
  EXPECT_TRUE(holds());
}

TEST_F(Lda008, UnlessThePacketIsNeverNamed) {
  submits(1, 7, 0);
  completes(7, 0);
  add(ev::PacketEnded{.packet = 1, .fence = 7, .engine = 0});
  submits(2, 7, 1);
  completes(7, 0);
  add(ev::Stuck{.packets = 1});
  EXPECT_FALSE(holds());
}

TEST_F(Lda008, AnotherNodeIsAnotherMatter) {
  submits(2, 9, 1, 1);
  completes(9, 0, 0);
  EXPECT_TRUE(holds());
}

TEST_F(Lda008, WhatHasEndedIsFence003) {
  submits(2, 9, 1);
  completes(9, 1);
  add(ev::PacketEnded{.packet = 2, .fence = 9, .engine = 1});
  completes(9, 0);
  EXPECT_TRUE(holds());
}

TEST_F(Lda008, FaultsNameTheirGpuToo) {
  submits(2, 9, 1);
  add(ev::Notified{.type = DXGK_INTERRUPT_DMA_PAGE_FAULTED, .fence = 9, .engine = 0});
  EXPECT_FALSE(holds());
}

}  // namespace
}  // namespace wddm::lda_008
