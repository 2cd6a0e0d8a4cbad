// What is submitted and when, one rule per test; comments name the clause where one is meant.
#include "reference/vidsch/scheduler.h"
#include "reference/vidsch/tests/scheduler_test.h"

namespace wddm::vidsch {
namespace {

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

// Portions come one after the other where paging has to go between them.
TEST_F(Windows7SchedulerTest, APortionThatComesLaterGoesOnWithItsCommand) {
  host.context(1);
  host.context(2);
  const std::uint32_t first[] = {64}, rest[] = {128, 192};
  const auto enqueue = [this](std::uint32_t begin, std::span<const std::uint32_t> ends) {
    return TestHost::only<Enqueued>(host.step(EnqueueRender{ContextId{1}, 7, begin, ends}))[0];
  };
  const std::uint32_t fence = host.submit(enqueue(0, first).packet).fence.value;
  host.completed(fence);
  const PacketId second = enqueue(64, rest).packet;
  host.render(2);
  host.submit(second);
  host.preempted(host.preempt(), fence);
  EXPECT_EQ(host.next(), Packets{second});
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

TEST_F(SchedulerDeathTest, RejectingAPacketThatIsNotTheLatest) {
  host.context(1);
  const Packets packets = {host.render(1)[0], host.render(1)[0]};
  for (const PacketId packet : packets) host.submit(packet);
  EXPECT_EXIT(static_cast<void>(host.scheduler.step(Reject{packets[0]})),
              ::testing::ExitedWithCode(4), "HARNESS:");
}

}  // namespace
}  // namespace wddm::vidsch
