// The scheduler, one rule per test; comments name the clause where one is meant.
#include "reference/vidsch/scheduler.h"

#include <gtest/gtest.h>

#include <vector>

#include "reference/vidsch/tests/test_host.h"

namespace wddm::vidsch {
namespace {

using Packets = std::vector<PacketId>;
using Fences = std::vector<std::uint32_t>;

Config small(bool preemption_aware = true) {
  Config config;
  config.nodes = 2;
  config.preemption_aware = preemption_aware;
  config.contexts = 8;
  config.packets = 32;
  config.first_fence = 10;
  return config;
}

class SchedulerTest : public ::testing::Test {
 protected:
  TestHost host{small()};
};

class Windows7SchedulerTest : public ::testing::Test {
 protected:
  TestHost host{small(false)};
};

// ------------------------------------------------------------------------------------- choices

TEST_F(SchedulerTest, AnIdleSchedulerOffersNothing) {
  EXPECT_TRUE(host.next().empty());
  EXPECT_TRUE(host.scheduler.idle());
}

TEST_F(SchedulerTest, OffersPagingThenPriorityThenAge) {
  host.context(1, 0);
  host.context(2, 5);
  host.context(3, 0);
  const PacketId old = host.render(3)[0];
  const PacketId young = host.render(1)[0];
  const PacketId urgent = host.render(2)[0];
  const PacketId paging = host.paging();
  EXPECT_EQ(host.next(), (Packets{paging, urgent, old, young}));
}

TEST_F(SchedulerTest, OffersOnlyTheHeadOfEachContext) {
  host.context(1);
  const Packets first = host.render(1);
  host.render(1);
  EXPECT_EQ(host.next(), first);
}

TEST_F(SchedulerTest, KeepsToTheMostChoicesAndKeepsTheBest) {
  Config config = small();
  config.contexts = 20;
  TestHost many{config};
  for (std::uint32_t i = 0; i < 20; ++i) {
    many.context(i, static_cast<int>(i));
    many.render(i);
  }
  const Packets next = many.next();
  ASSERT_EQ(next.size(), Choices::kMost);
  EXPECT_EQ(many.scheduler.packet(next.front())->context.value, 19u);
  EXPECT_EQ(many.scheduler.packet(next.back())->context.value, 4u);
}

TEST_F(SchedulerTest, TheHardwareQueueIsNeverFuller) {  // SCHED-009
  Config config = small();
  config.hardware_queue_cap = 2;
  TestHost capped{config};
  capped.context(1);
  for (int i = 0; i < 3; ++i) capped.render(1);
  const Fences fences = capped.submit_next(2);
  EXPECT_TRUE(capped.next().empty());
  capped.completed(fences[0]);
  EXPECT_EQ(capped.next().size(), 1u);
}

TEST_F(SchedulerTest, TheAdapterLimitCountsAllEngines) {  // SCHED-009
  Config config = small();
  config.adapter_queue_cap = 1;
  TestHost capped{config};
  capped.paging(0);
  const PacketId other = capped.paging(1);
  capped.submit_next(1, 0);
  EXPECT_TRUE(capped.next(1).empty());
  EXPECT_FALSE(capped.scheduler.may_submit(other));
  capped.completed(10);
  EXPECT_EQ(capped.next(1), Packets{other});
}

TEST_F(SchedulerTest, EnginesHaveTheirOwnFencesAndQueues) {
  host.paging(0);
  host.paging(1);
  EXPECT_EQ(host.submit_next(1, 0), Fences{10});
  EXPECT_EQ(host.submit_next(1, 1), Fences{10});
  EXPECT_EQ(outcome_of(host.completed(10, 1)), ReportOutcome::Accepted);
  EXPECT_EQ(host.scheduler.ledger(TestHost::engine(0)).outstanding_count(), 1u);
}

TEST_F(SchedulerTest, LinkedAdaptersHaveTheirOwnEngines) {
  Config config = small();
  config.physical_adapters = 2;
  TestHost linked{config};
  const EngineId second{NodeId{1}, 1};
  static_cast<void>(linked.step(EnqueuePaging{second, 1, {}, {}}));
  EXPECT_TRUE(linked.next(1).empty());
  EXPECT_EQ(linked.scheduler.legal_next(second).size(), 1u);
}

// ------------------------------------------------------------------------------------- portions

TEST_F(SchedulerTest, PortionsTileTheCommandInOrder) {  // SCHED-004
  host.context(1);
  const std::vector<std::uint32_t> ends{256, 512, 1000};
  const auto queued = TestHost::only<Enqueued>(host.step(EnqueueRender{ContextId{1}, 3, 64, ends}));
  ASSERT_EQ(queued.size(), 3u);
  const Packet* middle = host.scheduler.packet(queued[1].packet);
  EXPECT_EQ(middle->begin, 256u);
  EXPECT_EQ(middle->end, 512u);
  EXPECT_EQ(host.scheduler.packet(queued[0].packet)->begin, 64u);
  EXPECT_TRUE(host.scheduler.packet(queued[2].packet)->last);
  EXPECT_EQ(host.next(), Packets{queued[0].packet});
}

TEST_F(SchedulerTest, ASplitPacketBecomesTwoPortions) {
  host.context(1);
  const PacketId whole = host.render(1)[0];
  const PacketId later = host.render(1)[0];
  const PacketId rest = TestHost::only<Enqueued>(host.step(Split{whole, 100})).at(0).packet;
  EXPECT_EQ(host.scheduler.packet(whole)->end, 100u);
  EXPECT_EQ(host.scheduler.packet(rest)->begin, 100u);
  EXPECT_EQ(host.scheduler.packet(rest)->end, 256u);
  host.submit(whole);
  EXPECT_EQ(host.next(), Packets{rest});
  host.submit(rest);
  EXPECT_EQ(host.next(), Packets{later});
}

TEST_F(SchedulerTest, OtherContextsMayRunBetweenPortions) {  // PREEMPT-022
  host.context(1);
  host.context(2);
  const Packets parts = host.render(1, 2);
  const PacketId other = host.render(2)[0];
  host.submit(parts[0]);
  EXPECT_EQ(host.next(), (Packets{parts[1], other}));
}

TEST_F(Windows7SchedulerTest, OnlyPagingMayRunBetweenPortions) {  // SCHED-001, SCHED-002
  host.context(1);
  host.context(2, 9);
  const Packets parts = host.render(1, 3);
  host.submit(parts[0]);
  const PacketId other = host.render(2)[0];
  const PacketId paging = host.paging();
  EXPECT_EQ(host.next(), (Packets{paging, parts[1]}));
  EXPECT_FALSE(host.scheduler.may_submit(other));
  host.submit(parts[1]);
  host.submit(parts[2]);
  EXPECT_EQ(host.next(), (Packets{paging, other}));
}

TEST_F(Windows7SchedulerTest, ACompletedFirstPortionStillHoldsTheEngine) {  // SCHED-001
  host.context(1);
  host.context(2);
  const Packets parts = host.render(1, 2);
  host.render(2);
  host.completed(host.submit(parts[0]).fence.value);
  EXPECT_EQ(host.next(), Packets{parts[1]});
}

TEST_F(Windows7SchedulerTest, ACommandThatCameBackWholeHoldsNothing) {
  host.context(1);
  host.context(2);
  const Packets parts = host.render(1, 2);
  const PacketId other = host.render(2)[0];
  host.submit(parts[0]);
  host.preempted(host.preempt(), 0);
  EXPECT_EQ(host.next(), (Packets{parts[0], other}));
}

TEST_F(Windows7SchedulerTest, ANewPortionHoldsTheEngineUntilItsPagingIsThere) {  // SCHED-003
  host.context(1);
  host.context(2);
  const Packets parts = host.render(1, 2);
  host.render(2);
  const PacketId paging = host.paging(0, parts[0], parts[1]);
  EXPECT_FALSE(host.scheduler.may_submit(paging));
  host.submit(parts[0]);
  EXPECT_EQ(host.next(), Packets{paging});
  host.submit(paging);
  EXPECT_EQ(host.next(), Packets{parts[1]});
}

// --------------------------------------------------------------------------------- dependencies

TEST_F(SchedulerTest, PagingBetweenPortionsOnOneEngineGoesBetweenThem) {  // SPLIT-016, SCHED-003
  host.context(1);
  const Packets parts = host.render(1, 2);
  const PacketId paging = host.paging(0, parts[0], parts[1]);
  EXPECT_EQ(host.next(), Packets{parts[0]});
  host.submit(parts[0]);
  EXPECT_EQ(host.next(), Packets{paging});
  host.submit(paging);
  EXPECT_EQ(host.next(), Packets{parts[1]});
}

TEST_F(SchedulerTest, PagingOnAnotherEngineWaitsForCompletionBothWays) {  // SPLIT-016
  host.context(1);
  const Packets parts = host.render(1, 2);
  const PacketId paging = host.paging(1, parts[0], parts[1]);
  const std::uint32_t first = host.submit(parts[0]).fence.value;
  EXPECT_TRUE(host.next(1).empty());
  host.completed(first, 0);
  EXPECT_EQ(host.next(1), Packets{paging});
  EXPECT_TRUE(host.next(0).empty());
  const std::uint32_t fence = host.submit(paging).fence.value;
  EXPECT_TRUE(host.next(0).empty());
  host.completed(fence, 1);
  EXPECT_EQ(host.next(0), Packets{parts[1]});
}

TEST_F(SchedulerTest, APreemptedPortionNoLongerHoldsItsPagingBack) {  // PREEMPT-019
  host.context(1);
  const Packets parts = host.render(1, 2);
  const PacketId paging = host.paging(1, parts[0], parts[1]);
  host.submit(parts[0]);
  host.preempted(host.preempt(), 0);
  EXPECT_EQ(host.next(1), Packets{paging});
}

TEST_F(SchedulerTest, APreemptedPagingPacketIsNeededAgain) {
  host.context(1);
  const PacketId packet = host.render(1)[0];
  const PacketId paging = host.paging(0, {}, packet);
  host.submit(paging);
  EXPECT_EQ(host.next(), Packets{packet});
  host.preempted(host.preempt(), 0);
  EXPECT_FALSE(host.scheduler.may_submit(packet));
  EXPECT_EQ(host.next(), Packets{paging});
}

// ----------------------------------------------------------------------------------- completion

TEST_F(SchedulerTest, ACumulativeReportRetiresEverythingUpToIt) {  // FENCE-002
  host.context(1);
  Packets packets;
  for (int i = 0; i < 3; ++i) packets.push_back(host.render(1)[0]);
  host.submit_next(3);
  const auto retired = TestHost::only<Retired>(host.completed(11));
  ASSERT_EQ(retired.size(), 2u);
  EXPECT_EQ(retired[0].packet.id, packets[0]);
  EXPECT_EQ(retired[1].packet.fence, FenceId{11});
  EXPECT_EQ(retired[1].ending, Ending::Completed);
  EXPECT_EQ(host.scheduler.packet(packets[0]), nullptr);
  EXPECT_NE(host.scheduler.packet(packets[2]), nullptr);
}

TEST_F(SchedulerTest, AnIllegalReportIsJudgedAndChangesNothing) {  // FENCE-003
  host.paging();
  host.submit_next(1);
  const auto decisions = host.completed(99);
  EXPECT_EQ(decisions.size(), 1u);
  EXPECT_EQ(outcome_of(decisions), ReportOutcome::UnknownFence);
  EXPECT_FALSE(host.scheduler.idle());
}

// ----------------------------------------------------------------------------------- preemption

TEST_F(SchedulerTest, NothingIsSubmittedBehindAPreemptionRequest) {
  host.context(1);
  host.render(1);
  const PacketId waiting = host.render(1)[0];
  host.submit_next(1);
  host.preempt();
  EXPECT_TRUE(host.next().empty());
  EXPECT_FALSE(host.scheduler.may_submit(waiting));
  EXPECT_FALSE(host.scheduler.may_preempt(TestHost::engine(0)));  // PREEMPT-027
  EXPECT_TRUE(host.scheduler.may_preempt(TestHost::engine(1)));   // PREEMPT-023
}

TEST_F(SchedulerTest, ThePreemptionFenceIsOfTheSameSequence) {  // PREEMPT-008, note
  host.paging();
  host.paging();
  EXPECT_EQ(host.submit_next(1), Fences{10});
  const FenceId request = host.preempt();
  EXPECT_EQ(request, FenceId{11});
  host.preempted(request, 10);
  EXPECT_EQ(host.submit_next(1), Fences{12});
}

TEST_F(SchedulerTest, PreemptedRenderPacketsGetNewFences) {  // PREEMPT-020, SCHED-008
  host.context(1);
  for (int i = 0; i < 3; ++i) host.render(1);
  host.submit_next(3);
  const auto back = TestHost::only<Requeued>(host.preempted(host.preempt(), 10));
  ASSERT_EQ(back.size(), 2u);
  EXPECT_EQ(back[0].fence, FenceId{11});
  EXPECT_EQ(back[1].fence, FenceId{12});
  EXPECT_EQ(host.next(), Packets{back[0].packet});
  EXPECT_EQ(host.submit_next(2), (Fences{14, 15}));
}

TEST_F(SchedulerTest, PreemptedPagingPacketsKeepTheirFencesAndOrder) {  // PREEMPT-018
  host.context(1);
  host.paging();
  host.paging();
  host.submit_next(2);
  host.preempted(host.preempt(), 0);
  EXPECT_EQ(host.submit_next(2), (Fences{10, 11}));
  EXPECT_EQ(outcome_of(host.completed(10)), ReportOutcome::Accepted);
}

TEST_F(SchedulerTest, PreemptedPagingPacketsComeFirst) {  // PREEMPT-019
  host.context(1, 0);
  host.context(2, 9);
  const PacketId low = host.render(1)[0];
  host.submit(low);
  const PacketId paging = host.paging();
  host.submit(paging);
  const PacketId new_paging = host.paging();
  const PacketId urgent = host.render(2)[0];
  host.preempted(host.preempt(), 0);
  EXPECT_EQ(host.next(), Packets{paging});
  EXPECT_FALSE(host.scheduler.may_submit(urgent));
  EXPECT_FALSE(host.scheduler.may_submit(new_paging));
  host.submit(paging);
  EXPECT_EQ(host.next(), (Packets{new_paging, urgent, low}));
}

TEST_F(SchedulerTest, OnlyPreemptedPacketsAreResubmissions) {  // PREEMPT-016
  host.context(1);
  const PacketId packet = host.render(1)[0];
  EXPECT_FALSE(host.submit(packet).resubmission);
  host.preempted(host.preempt(), 0);
  EXPECT_TRUE(host.submit(packet).resubmission);
}

TEST_F(SchedulerTest, AFinishedPacketDoesNotComeBack) {  // SCHED-008, PREEMPT-007
  host.context(1);
  host.render(1);
  host.submit_next(1);
  const auto decisions = host.preempted(host.preempt(), 10);
  EXPECT_TRUE(TestHost::only<Requeued>(decisions).empty());
  EXPECT_EQ(TestHost::only<Retired>(decisions).at(0).ending, Ending::Completed);
  EXPECT_TRUE(host.scheduler.idle());
}

TEST_F(SchedulerTest, AnIdleEngineCanBePreempted) {  // PREEMPT-010
  EXPECT_EQ(outcome_of(host.preempted(host.preempt(), 0)), ReportOutcome::Accepted);
  EXPECT_TRUE(host.scheduler.may_preempt(TestHost::engine(0)));
}

TEST_F(SchedulerTest, AWrongAnswerIsNoAnswer) {  // PREEMPT-005
  const FenceId request = host.preempt();
  EXPECT_EQ(outcome_of(host.preempted(FenceId{request.value + 1}, 0)),
            ReportOutcome::PreemptionIdMismatch);
  EXPECT_FALSE(host.scheduler.may_preempt(TestHost::engine(0)));
}

TEST_F(SchedulerTest, UrgentWorkBehindLessUrgentWorkCallsForPreemption) {  // PREEMPT-001
  host.context(1, 0);
  host.context(2, 1);
  host.context(3, 0);
  host.render(1);
  host.submit_next(1);
  host.render(3);
  EXPECT_FALSE(host.scheduler.wants_preempt(TestHost::engine(0)));
  host.render(2);
  EXPECT_TRUE(host.scheduler.wants_preempt(TestHost::engine(0)));
  host.preempt();
  EXPECT_FALSE(host.scheduler.wants_preempt(TestHost::engine(0)));
}

TEST_F(Windows7SchedulerTest, TheWindows7ModelDoesNotCallForPreemption) {  // PREEMPT-003
  host.context(1, 0);
  host.context(2, 1);
  host.render(1);
  host.submit_next(1);
  host.render(2);
  EXPECT_FALSE(host.scheduler.wants_preempt(TestHost::engine(0)));
  EXPECT_TRUE(host.scheduler.may_preempt(TestHost::engine(0)));
}

TEST_F(SchedulerTest, FencesGoOverTheWrap) {
  Config config = small();
  config.first_fence = 0xFFFFFFFE;
  TestHost wrapping{config};
  wrapping.context(1);
  for (int i = 0; i < 3; ++i) wrapping.render(1);
  EXPECT_EQ(wrapping.submit_next(3), (Fences{0xFFFFFFFE, 0xFFFFFFFF, 1}));
  EXPECT_EQ(TestHost::only<Retired>(wrapping.completed(1)).size(), 3u);
}

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

// -------------------------------------------------------------------------------- defects of ours

using SchedulerDeathTest = SchedulerTest;

TEST_F(SchedulerDeathTest, TakingAPacketThatIsNotLegal) {
  host.context(1);
  const Packets parts = host.render(1, 2);
  EXPECT_EXIT(static_cast<void>(host.scheduler.step(Submit{parts[1]})),
              ::testing::ExitedWithCode(4), "HARNESS:");
}

TEST_F(SchedulerDeathTest, ASecondPreemptionRequest) {  // PREEMPT-027
  host.preempt();
  EXPECT_EXIT(static_cast<void>(host.scheduler.step(RequestPreempt{TestHost::engine(0)})),
              ::testing::ExitedWithCode(4), "HARNESS:");
}

TEST_F(SchedulerDeathTest, SplittingAPacketThatWasOnTheHardware) {
  host.context(1);
  const PacketId packet = host.render(1)[0];
  host.submit(packet);
  host.preempted(host.preempt(), 0);
  EXPECT_EXIT(static_cast<void>(host.scheduler.step(Split{packet, 100})),
              ::testing::ExitedWithCode(4), "HARNESS:");
}

}  // namespace
}  // namespace wddm::vidsch
