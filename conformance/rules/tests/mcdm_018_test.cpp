// Packets that begin although their engine was asked to stop.
#include <d3dkmddi.h>

#include "conformance/rules/tests/trace_test.h"
#include "conformance/sdk/device.h"

namespace wddm {
namespace {

class Mcdm018 : public TraceTest {
 protected:
  void submits(std::uint32_t fences) {
    for (std::uint32_t fence = 1; fence <= fences; ++fence) add(ev::Submitted{.fence = fence});
  }
  void begins(std::uint32_t fence) {
    add(ev::DeviceLogged{.kind = WDDM_DEVICE_PACKET_BEGIN, .tag = fence});
  }
  void asks(std::uint32_t outstanding = 3) {
    add(ev::PreemptAsked{.fence = 9, .outstanding = outstanding});
  }
  void answers() { add(ev::Notified{.type = DXGK_INTERRUPT_DMA_PREEMPTED, .fence = 9}); }
  bool holds() { return TraceTest::holds("MCDM-018"); }
  std::uint32_t reached() { return times_reached("MCDM-018"); }
};

TEST_F(Mcdm018, TwoBegin) {
  submits(3);
  begins(1);
  asks();
  begins(2);
  begins(3);
  EXPECT_FALSE(holds());
}

TEST_F(Mcdm018, OneMayWhileTheRequestIsOnItsWay) {
  submits(3);
  begins(1);
  asks();
  begins(2);
  answers();
  EXPECT_TRUE(holds());
  EXPECT_EQ(reached(), 1u);
}

TEST_F(Mcdm018, WhatHadBegunMayGoOn) {
  submits(3);
  begins(1);
  asks();
  begins(1);
  begins(2);
  EXPECT_TRUE(holds());
}

TEST_F(Mcdm018, BeforeTheCallReturnsAnythingMayBegin) {
  submits(3);
  begins(1);
  begins(2);
  begins(3);
  asks();
  answers();
  EXPECT_TRUE(holds());
  EXPECT_EQ(reached(), 0u);
}

TEST_F(Mcdm018, AfterTheAnswerItIsPreempt009) {
  submits(3);
  begins(1);
  asks();
  answers();
  begins(2);
  begins(3);
  EXPECT_TRUE(holds());
}

TEST_F(Mcdm018, ARequestMayBeAnsweredBeforeItsCallReturns) {
  submits(3);
  begins(1);
  answers();
  asks();
  submits(3);
  begins(2);
  begins(3);
  EXPECT_TRUE(holds());
}

TEST_F(Mcdm018, OneThatWaitsIsNotJudged) {
  submits(2);
  begins(1);
  asks(2);
  answers();
  EXPECT_TRUE(holds());
  EXPECT_EQ(reached(), 0u);
}

TEST_F(Mcdm018, AResetEndsTheRequest) {
  submits(3);
  begins(1);
  asks();
  add(ev::EngineReset{});
  submits(3);
  begins(2);
  begins(3);
  EXPECT_TRUE(holds());
}

}  // namespace
}  // namespace wddm
