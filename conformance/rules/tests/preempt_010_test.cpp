// Where the answer of an idle engine comes from.
#include <d3dkmddi.h>

#include "conformance/rules/tests/trace_test.h"

namespace wddm::preempt_010 {
namespace {

constexpr std::uint32_t kRequest = 7;

class Preempt010 : public TraceTest {
 protected:
  void SetUp() override { finishes(); }
  void finishes() {
    add(ev::Submitted{.packet = 1});
    add(ev::PacketEnded{.packet = 1, .fate = static_cast<std::uint32_t>(PacketFate::Completed)});
  }
  void asks(std::uint32_t outstanding, std::uint32_t node = 0) {
    add(ev::PreemptAsked{.node = node, .fence = kRequest, .outstanding = outstanding});
  }
  void answers(CallPlace place, std::uint32_t node = 0) {
    add(ev::Notified{.type = DXGK_INTERRUPT_DMA_PREEMPTED,
                     .fence = kRequest,
                     .node = node,
                     .place = static_cast<std::uint32_t>(place)});
  }
  bool holds() { return TraceTest::holds("PREEMPT-010"); }
  std::uint32_t reached() { return times_reached("PREEMPT-010"); }
};

TEST_F(Preempt010, TheHardwareAnswers) {
  asks(0);
  answers(CallPlace::Isr);
  EXPECT_FALSE(holds());
}

TEST_F(Preempt010, ItAnswersInTheMiddleOfTheCall) {
  answers(CallPlace::Isr);
  asks(0);
  EXPECT_FALSE(holds());
}

// It may be at something of the driver's own.
TEST_F(Preempt010, AnEngineThatHasFinishedNothingYet) {
  asks(0, 1);
  answers(CallPlace::Isr, 1);
  EXPECT_TRUE(holds());
  EXPECT_EQ(reached(), 0u);
}

TEST_F(Preempt010, WhereTheHardwareIsProgrammedAnewWhatFinishedBeforeSaysNothing) {
  add(ev::AdapterReset{});
  asks(0);
  answers(CallPlace::Isr);
  finishes();
  add(ev::PowerChanged{});
  asks(0);
  answers(CallPlace::Isr);
  EXPECT_TRUE(holds());
  EXPECT_EQ(reached(), 0u);
}

TEST_F(Preempt010, TheDriverAnswers) {
  for (const CallPlace place :
       {CallPlace::Ddi, CallPlace::Synchronize, CallPlace::Dpc, CallPlace::Thread}) {
    answers(place);
  }
  asks(0);
  EXPECT_TRUE(holds());
  EXPECT_EQ(reached(), 4u);
}

TEST_F(Preempt010, ABusyEngineIsTheHardwaresAffair) {
  asks(1);
  answers(CallPlace::Isr);
  EXPECT_TRUE(holds());
  EXPECT_EQ(reached(), 0u);
}

TEST_F(Preempt010, AnotherStartMayUseTheNumberAgain) {
  asks(0);
  add(ev::MappingBalance{});
  asks(1);
  answers(CallPlace::Isr);
  EXPECT_TRUE(holds());
  EXPECT_EQ(reached(), 0u);
}

TEST_F(Preempt010, ARefusedPacketsFenceIsTheHardwaresAffair) {
  add(ev::Submitted{.packet = 0, .status = static_cast<std::uint32_t>(STATUS_INVALID_PARAMETER)});
  asks(0);
  answers(CallPlace::Isr);
  EXPECT_TRUE(holds());
  EXPECT_EQ(reached(), 0u);
}

TEST_F(Preempt010, WhatCameBackOrWasLostHasNotFinished) {
  for (const PacketFate fate : {PacketFate::Preempted, PacketFate::Lost}) {
    add(ev::Submitted{.packet = 0});
    add(ev::PacketEnded{.packet = 0, .fate = static_cast<std::uint32_t>(fate)});
    asks(0);
    answers(CallPlace::Isr);
    add(ev::MappingBalance{});
  }
  EXPECT_TRUE(holds());
  EXPECT_EQ(reached(), 0u);
}

TEST_F(Preempt010, OnceItHasComeAgainAndFinishedItCounts) {
  add(ev::Submitted{.packet = 0});
  add(ev::PacketEnded{.packet = 0, .fate = static_cast<std::uint32_t>(PacketFate::Preempted)});
  add(ev::Submitted{.packet = 0, .again = 1});
  add(ev::PacketEnded{.packet = 0, .fate = static_cast<std::uint32_t>(PacketFate::Completed)});
  asks(0);
  answers(CallPlace::Isr);
  EXPECT_FALSE(holds());
}

TEST_F(Preempt010, OfAnotherEngineItSaysNothing) {
  add(ev::Submitted{.packet = 0, .node = 1});
  add(ev::PacketEnded{
      .packet = 0, .node = 1, .fate = static_cast<std::uint32_t>(PacketFate::Preempted)});
  asks(0);
  answers(CallPlace::Isr);
  EXPECT_FALSE(holds());
}

TEST_F(Preempt010, AnotherEnginesAnswerIsAnotherMatter) {
  asks(0);
  answers(CallPlace::Isr, 1);
  EXPECT_TRUE(holds());
  EXPECT_EQ(reached(), 0u);
}

}  // namespace
}  // namespace wddm::preempt_010
