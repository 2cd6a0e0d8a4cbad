// What ends contexts, devices and engines, one rule per test; comments name the clause where one is
// meant.
#include "reference/vidsch/scheduler.h"
#include "reference/vidsch/tests/scheduler_test.h"

namespace wddm::vidsch {
namespace {

// -------------------------------------------------------------------------- contexts and devices

TEST_F(SchedulerTest, ADestroyedContextGoesWhenTheDriverHasNothingOfIt) {
  host.context(1);
  host.render(1);
  host.render(1);
  host.submit_next(1);
  const auto decisions = host.step(DestroyContext{ContextId{1}});
  EXPECT_EQ(TestHost::only<Retired>(decisions).at(0).ending, Ending::Cancelled);
  EXPECT_TRUE(TestHost::only<ContextGone>(decisions).empty());
  EXPECT_FALSE(host.scheduler.accepts(ContextId{1}));
  EXPECT_EQ(TestHost::only<ContextGone>(host.completed(10)).size(), 1u);
  EXPECT_FALSE(host.scheduler.exists(ContextId{1}));
}

TEST_F(SchedulerTest, AContextWithOnlyQueuedPacketsGoesAtOnce) {
  host.context(1);
  host.render(1, 2);
  const auto decisions = host.step(DestroyContext{ContextId{1}});
  EXPECT_EQ(TestHost::only<Retired>(decisions).size(), 2u);
  EXPECT_EQ(TestHost::only<ContextGone>(decisions).size(), 1u);
  host.context(1);  // the id can be used again
  EXPECT_TRUE(host.scheduler.accepts(ContextId{1}));
}

TEST_F(SchedulerTest, APreemptedPacketOfADestroyedContextIsCancelled) {  // SCHED-008
  host.context(1);
  host.render(1);
  host.submit_next(1);
  static_cast<void>(host.step(DestroyContext{ContextId{1}}));
  const auto decisions = host.preempted(host.preempt(), 0);
  EXPECT_TRUE(TestHost::only<Requeued>(decisions).empty());
  EXPECT_EQ(TestHost::only<Retired>(decisions).at(0).ending, Ending::Cancelled);
  EXPECT_EQ(TestHost::only<ContextGone>(decisions).size(), 1u);
}

TEST_F(SchedulerTest, AFailedDeviceGetsNothingSubmitted) {  // SUBMIT-011
  host.context(1, 0, 5);
  host.context(2, 0, 6);
  host.render(1);
  const PacketId healthy = host.render(2)[0];
  EXPECT_EQ(TestHost::only<Retired>(host.step(FailDevice{DeviceId{5}})).size(), 1u);
  EXPECT_EQ(host.next(), Packets{healthy});
  EXPECT_FALSE(host.scheduler.accepts(ContextId{1}));
  EXPECT_TRUE(host.scheduler.exists(ContextId{1}));
}

TEST_F(SchedulerTest, WhatTheDriverHasOfAFailedDeviceMayStillComplete) {
  host.context(1, 0, 5);
  host.render(1);
  host.submit_next(1);
  EXPECT_TRUE(TestHost::only<Retired>(host.step(FailDevice{DeviceId{5}})).empty());
  EXPECT_TRUE(TestHost::only<Retired>(host.step(FailDevice{DeviceId{5}})).empty());
  EXPECT_EQ(TestHost::only<Retired>(host.completed(10)).at(0).ending, Ending::Completed);
  EXPECT_TRUE(host.scheduler.idle());
}

TEST_F(SchedulerTest, APreemptedPacketOfAFailedDeviceIsCancelled) {
  host.context(1, 0, 5);
  host.render(1);
  host.submit_next(1);
  static_cast<void>(host.step(FailDevice{DeviceId{5}}));
  const auto decisions = host.preempted(host.preempt(), 0);
  EXPECT_TRUE(TestHost::only<Requeued>(decisions).empty());
  EXPECT_EQ(TestHost::only<Retired>(decisions).at(0).ending, Ending::Cancelled);
}

TEST_F(SchedulerTest, APacketRejectedOnAnIdleEngineEndsAtOnce) {
  host.context(1);
  const PacketId bad = host.render(1)[0];
  host.submit(bad);
  const auto retired = TestHost::only<Retired>(host.step(Reject{bad}));
  ASSERT_EQ(retired.size(), 1u);
  EXPECT_EQ(retired[0].ending, Ending::Rejected);
  EXPECT_FALSE(host.scheduler.accepts(ContextId{1}));
}

TEST_F(SchedulerTest, ARejectedPacketEndsWithWhatPrecedesItAndFailsItsDevice) {  // SUBMIT-008
  host.context(1, 0, 5);
  host.context(2, 0, 6);
  host.render(2);
  host.submit_next(1);
  host.render(1);
  host.render(1);
  const PacketId bad = host.next()[0];
  host.submit(bad);
  const auto now = TestHost::only<Retired>(host.step(Reject{bad}));
  ASSERT_EQ(now.size(), 1u);
  EXPECT_EQ(now[0].ending, Ending::Cancelled);
  const auto then = TestHost::only<Retired>(host.completed(10));
  ASSERT_EQ(then.size(), 2u);
  EXPECT_EQ(then[1].packet.id, bad);
  EXPECT_EQ(then[1].ending, Ending::Rejected);
  EXPECT_EQ(host.scheduler.ledger(TestHost::engine(0)).last_completed(), FenceId{11});
}

TEST_F(SchedulerTest, ARejectedPacketIsNotPreempted) {
  host.context(1);
  host.context(2, 0, 6);
  host.render(1);
  host.submit_next(1);
  const PacketId bad = host.render(2)[0];
  host.submit(bad);
  static_cast<void>(host.step(Reject{bad}));
  const auto decisions = host.preempted(host.preempt(), 0);
  EXPECT_EQ(TestHost::only<Requeued>(decisions).size(), 1u);
  EXPECT_EQ(TestHost::only<Retired>(decisions).at(0).ending, Ending::Rejected);
}

// --------------------------------------------------------------------------------------- resets

TEST_F(SchedulerTest, AnEngineResetEndsTheAbortedPacketAndItsDevice) {  // ENGRST-003, ENGRST-009
  host.context(1, 0, 5);
  host.context(2, 0, 6);
  host.render(1);
  host.render(1);
  const PacketId innocent = host.render(2)[0];
  const PacketId paging = host.paging();
  for (const PacketId each : {host.next()[1], paging, innocent}) host.submit(each);
  const auto decisions = host.step(ReportEngineReset{TestHost::engine(0), FenceId{10}});
  const auto retired = TestHost::only<Retired>(decisions);
  ASSERT_EQ(retired.size(), 2u);
  EXPECT_EQ(retired[0].ending, Ending::Aborted);
  EXPECT_EQ(retired[1].ending, Ending::Cancelled);
  EXPECT_FALSE(host.scheduler.accepts(ContextId{1}));
  EXPECT_EQ(host.next(), Packets{paging});
  EXPECT_EQ(host.submit(paging).fence, FenceId{11});
  const SubmitPacket again = host.submit(innocent);
  EXPECT_EQ(again.fence, FenceId{13});
  EXPECT_FALSE(again.resubmission);
}

TEST_F(SchedulerTest, AnEngineResetCancelsThePreemptionRequest) {  // PREEMPT-005
  host.paging();
  host.submit_next(1);
  const FenceId request = host.preempt();
  static_cast<void>(host.step(ReportEngineReset{TestHost::engine(0), FenceId{0}}));
  EXPECT_TRUE(host.scheduler.may_preempt(TestHost::engine(0)));
  EXPECT_EQ(outcome_of(host.preempted(request, 0)), ReportOutcome::WasReset);
}

TEST_F(SchedulerTest, AnEngineResetThatHitsPagingNeedsAnAdapterReset) {  // ENGRST-005
  host.paging();
  host.submit_next(1);
  const auto decisions = host.step(ReportEngineReset{TestHost::engine(0), FenceId{10}});
  EXPECT_EQ(TestHost::only<AdapterResetNeeded>(decisions).size(), 1u);
}

TEST_F(SchedulerTest, AnImpossibleAbortedFenceChangesNothing) {  // ENGRST-002
  host.paging();
  host.paging();
  host.submit_next(2);
  host.completed(10);
  const auto decisions = host.step(ReportEngineReset{TestHost::engine(0), FenceId{77}});
  EXPECT_EQ(outcome_of(decisions), ReportOutcome::AbortedOutOfRange);
  EXPECT_EQ(host.scheduler.ledger(TestHost::engine(0)).outstanding_count(), 1u);
}

TEST_F(SchedulerTest, AnAdapterResetEndsEverything) {  // TDR-002
  host.context(1, 0, 5, 0);
  host.context(2, 0, 6, 1);
  for (int i = 0; i < 2; ++i) {
    host.render(1);
    host.render(2);
    host.paging(1);
  }
  host.submit_next(1, 0);
  host.submit_next(1, 1);  // leaves a paging packet in its queue
  host.preempt(1);
  const auto decisions = host.step(ResetAdapter{});
  EXPECT_EQ(TestHost::only<Retired>(decisions).size(), 6u);
  EXPECT_TRUE(host.scheduler.idle());
  EXPECT_TRUE(host.scheduler.may_preempt(TestHost::engine(1)));
  EXPECT_FALSE(host.scheduler.accepts(ContextId{2}));
  EXPECT_EQ(host.scheduler.ledger(TestHost::engine(0)).last_completed(), FenceId{10});
}

TEST_F(SchedulerTest, PortionsBehindAnAbortedOneAreCancelled) {
  host.context(1);
  const Packets parts = host.render(1, 3);
  host.submit(parts[0]);
  host.submit(parts[1]);
  const auto decisions = host.step(ReportEngineReset{TestHost::engine(0), FenceId{10}});
  EXPECT_EQ(TestHost::only<Retired>(decisions).size(), 3u);
  EXPECT_TRUE(host.scheduler.idle());
}

}  // namespace
}  // namespace wddm::vidsch
