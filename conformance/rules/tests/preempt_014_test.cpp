// Packets that begin although their engine was to be preempted.
#include <d3dkmddi.h>

#include "conformance/rules/tests/trace_test.h"
#include "conformance/sdk/device.h"

namespace wddm::preempt_014 {
namespace {

class Preempt014 : public TraceTest {
 protected:
  void submits(std::uint32_t fences) {
    for (std::uint32_t fence = 1; fence <= fences; ++fence) {
      add(ev::Submitted{.packet = fence, .fence = fence});
    }
  }
  void begins(std::uint32_t fence) {
    add(ev::DeviceLogged{.kind = WDDM_DEVICE_PACKET_BEGIN, .tag = fence});
  }
  void asks(std::uint32_t outstanding = 4) {
    add(ev::PreemptAsked{.fence = 9, .outstanding = outstanding});
  }
  void answers() { add(ev::Notified{.type = DXGK_INTERRUPT_DMA_PREEMPTED, .fence = 9}); }
  void asks_while_the_first_runs() {
    submits(4);
    begins(1);
    asks();
  }
  bool holds() { return TraceTest::holds("PREEMPT-014"); }
  std::uint32_t reached() { return times_reached("PREEMPT-014"); }
};

TEST_F(Preempt014, NoneBegins) {
  asks_while_the_first_runs();
  answers();
  EXPECT_TRUE(holds());
  EXPECT_EQ(reached(), 1u);
}

TEST_F(Preempt014, AnEngineThatOnlyCopiesMayDrain) {
  add(ev::NodeAnswered{.ordinal = 0, .type = DXGK_ENGINE_TYPE_COPY, .nodes = 1});
  asks_while_the_first_runs();
  begins(2);
  begins(3);
  answers();
  EXPECT_TRUE(holds());
  EXPECT_EQ(reached(), 0u);
  platform_.compute_only = true;
  EXPECT_FALSE(holds());
}

TEST_F(Preempt014, ADeviceThatLogsNoBeginsSaysNothing) {
  submits(4);
  asks();
  answers();
  EXPECT_TRUE(holds());
  EXPECT_EQ(reached(), 0u);
}

TEST_F(Preempt014, AReportCoversWhatWasSubmittedBefore) {
  submits(4);
  begins(1);
  add(ev::Notified{.type = DXGK_INTERRUPT_DMA_COMPLETED, .fence = 3});
  asks();
  answers();
  EXPECT_EQ(reached(), 0u);
}

TEST_F(Preempt014, OneMayWhileTheRequestIsOnItsWay) {
  asks_while_the_first_runs();
  begins(2);
  answers();
  EXPECT_TRUE(holds());
}

TEST_F(Preempt014, TheQueueGoesOn) {
  asks_while_the_first_runs();
  begins(2);
  begins(3);
  EXPECT_FALSE(holds());
}

TEST_F(Preempt014, WhatHadBegunMayGoOn) {
  asks_while_the_first_runs();
  begins(1);
  begins(2);
  EXPECT_TRUE(holds());
}

TEST_F(Preempt014, BeforeTheCallReturnsAnythingMayBegin) {
  submits(3);
  begins(1);
  begins(2);
  begins(3);
  asks();
  answers();
  EXPECT_TRUE(holds());
  EXPECT_EQ(reached(), 0u);
}

TEST_F(Preempt014, AfterTheAnswerItIsPreempt009) {
  asks_while_the_first_runs();
  answers();
  begins(2);
  begins(3);
  EXPECT_TRUE(holds());
}

TEST_F(Preempt014, ARequestMayBeAnsweredBeforeItsCallReturns) {
  submits(3);
  begins(1);
  answers();
  asks();
  submits(3);
  begins(2);
  begins(3);
  EXPECT_TRUE(holds());
}

TEST_F(Preempt014, WhatComesAgainMayBegin) {
  asks_while_the_first_runs();
  answers();
  add(ev::Submitted{.packet = 2, .fence = 10});
  add(ev::Submitted{.packet = 3, .fence = 11});
  begins(10);
  begins(11);
  EXPECT_TRUE(holds());
}

TEST_F(Preempt014, OneThatWaitsIsNotJudged) {
  submits(2);
  begins(1);
  asks(2);
  answers();
  EXPECT_TRUE(holds());
  EXPECT_EQ(reached(), 0u);
}

TEST_F(Preempt014, AResetEndsTheRequest) {
  asks_while_the_first_runs();
  add(ev::EngineReset{});
  submits(3);
  begins(2);
  begins(3);
  EXPECT_TRUE(holds());
}

TEST_F(Preempt014, GranularitiesCountWhereSomebodyDraws) {
  const auto applies = [this] { return find_rule("MCDM-018")->applies(platform_) == nullptr; };
  platform_.started = platform_.has_caps = true;
  platform_.has_client = platform_.has_device_log = true;
  platform_.patch_list_model = true;
  platform_.scheduling.value = 1;  // MultiEngineAware
  EXPECT_FALSE(applies());
  platform_.compute_only = true;
  EXPECT_TRUE(applies());
}

}  // namespace
}  // namespace wddm::preempt_014
