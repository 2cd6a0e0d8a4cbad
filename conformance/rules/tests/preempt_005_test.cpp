// Requests that nobody answers, with and without a reset.
#include <d3dkmddi.h>

#include "conformance/rules/tests/trace_test.h"

namespace wddm::preempt_005 {
namespace {

class Preempt005 : public TraceTest {
 protected:
  void asked() { add(ev::PreemptAsked{.fence = 9}); }
  void answered() { add(ev::Notified{.type = DXGK_INTERRUPT_DMA_PREEMPTED, .fence = 9}); }
  void stuck(std::uint32_t excused) { add(ev::Stuck{.excused = excused}); }
  bool holds() {
    add(ev::Ended{});
    return TraceTest::holds("PREEMPT-005");
  }
};

TEST_F(Preempt005, ARequestIsAnswered) {
  asked();
  EXPECT_FALSE(holds());
}

TEST_F(Preempt005, AResetOfWorkThatNeedNotEndCancelsARequest) {
  asked();
  stuck(1);
  EXPECT_TRUE(holds());
}

TEST_F(Preempt005, AResetCancelsNoLaterRequest) {
  stuck(1);
  asked();
  EXPECT_FALSE(holds());
}

TEST_F(Preempt005, AResetThatTheMissingAnswerMadeNecessaryIsNoExcuse) {
  asked();
  stuck(0);
  EXPECT_FALSE(holds());
}

TEST_F(Preempt005, AResetOfTheEngineCancelsARequest) {
  asked();
  add(ev::EngineReset{});
  EXPECT_TRUE(holds());
}

TEST_F(Preempt005, AResetOfAnotherEngineDoesNot) {
  asked();
  add(ev::EngineReset{.node = 1});
  add(ev::EngineReset{.engine = 1});
  EXPECT_FALSE(holds());
}

TEST_F(Preempt005, BehindTheResetNothingIsAnswered) {
  asked();
  add(ev::EngineReset{});
  answered();
  EXPECT_FALSE(holds());
}

TEST_F(Preempt005, BehindTheResetOfTheAdapterNeither) {
  asked();
  add(ev::AdapterReset{.cause = 1});
  answered();
  EXPECT_FALSE(holds());
}

TEST_F(Preempt005, WhileTheEngineIsResetItMayAnswer) {
  asked();
  answered();
  add(ev::EngineReset{});
  EXPECT_TRUE(holds());
}

TEST_F(Preempt005, ResetsOfOthersAndThoseThatFailedEndNoRequest) {
  asked();
  add(ev::EngineReset{.node = 1});
  add(ev::EngineReset{.engine = 1});
  add(ev::EngineReset{.status = static_cast<std::uint32_t>(STATUS_UNSUCCESSFUL)});
  add(ev::AdapterReset{.stage = 1, .cause = 1});
  answered();
  EXPECT_TRUE(holds());
}

TEST_F(Preempt005, NorDoThoseBeforeIt) {
  add(ev::EngineReset{});
  answered();
  asked();
  EXPECT_TRUE(holds());
}

TEST_F(Preempt005, ADriverWhoseWorkWasStuckIsNotJudgedByIt) {
  asked();
  stuck(1);
  add(ev::AdapterReset{.cause = 2});
  answered();
  EXPECT_TRUE(holds());
}

TEST_F(Preempt005, AnAnswerThatComesWithTheResetIsNone) {
  asked();
  stuck(0);
  answered();
  add(ev::AdapterReset{.cause = 2});
  EXPECT_FALSE(holds());
}

TEST_F(Preempt005, ADeviceThatIsGoneAnswersNothing) {
  asked();
  add(ev::SurpriseRemoved{.outstanding = 1});
  EXPECT_TRUE(holds());
}

TEST_F(Preempt005, TheRemovalInAnotherStartIsNoExcuse) {
  asked();
  stuck(0);
  add(ev::MappingBalance{});
  add(ev::SurpriseRemoved{});
  EXPECT_FALSE(holds());
}

TEST_F(Preempt005, NorAreResetsInAnotherStart) {
  asked();
  stuck(0);
  add(ev::MappingBalance{});
  add(ev::EngineReset{});
  add(ev::AdapterReset{.cause = 1});
  add(ev::DeviceInError{.cause = 1});
  EXPECT_FALSE(holds());
}

TEST_F(Preempt005, ResetsOfTheAdapterInTheSameStartAre) {
  add(ev::MappingBalance{});
  asked();
  add(ev::AdapterReset{.cause = 1});
  EXPECT_TRUE(holds());
}

TEST_F(Preempt005, ARequestAfterTheRemovalOfADeviceIsAnswered) {
  add(ev::SurpriseRemoved{});
  add(ev::MappingBalance{});
  asked();
  EXPECT_FALSE(holds());
}

TEST_F(Preempt005, OneAnswerIsEnough) {
  asked();
  answered();
  answered();
  EXPECT_FALSE(holds());
}

TEST_F(Preempt005, AnotherStartMayUseTheNumberAgain) {
  asked();
  answered();
  add(ev::MappingBalance{});
  answered();
  asked();
  EXPECT_TRUE(holds());
}

TEST_F(Preempt005, OnlyTheNextResetCancelsARequest) {
  asked();
  stuck(0);
  stuck(1);
  EXPECT_FALSE(holds());
}

}  // namespace
}  // namespace wddm::preempt_005
