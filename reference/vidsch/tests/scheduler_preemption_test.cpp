// What completes, what is preempted and what comes back, one rule per test; comments name the
// clause where one is meant.
#include "reference/vidsch/scheduler.h"
#include "reference/vidsch/tests/scheduler_test.h"

namespace wddm::vidsch {
namespace {

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

TEST(SchedulerFaults, PagingComesLastWhereItIsNotFirst) {  // PREEMPT-019
  Config config = small();
  config.paging_first = false;
  TestHost host{config};
  host.context(1);
  const PacketId paging = host.paging();
  host.submit(paging);
  const PacketId packet = host.render(1)[0];
  host.preempted(host.preempt(), 0);
  EXPECT_EQ(host.next(), (Packets{packet, paging}));
  EXPECT_TRUE(host.scheduler.may_submit(packet));
}

TEST_F(SchedulerTest, OnlyPreemptedPacketsAreResubmissions) {  // PREEMPT-016
  host.context(1);
  const PacketId packet = host.render(1)[0];
  EXPECT_FALSE(host.submit(packet).resubmission);
  host.preempted(host.preempt(), 0);
  EXPECT_TRUE(host.submit(packet).resubmission);
}

TEST_F(SchedulerTest, APreemptedRenderPacketMayBeKeptBack) {  // PREEMPT-015, PREEMPT-018
  host.context(1);
  host.context(2);
  const PacketId stopped = host.render(1)[0];
  const PacketId other = host.render(2)[0];
  EXPECT_FALSE(host.scheduler.may_keep_back(stopped)) << "it was not submitted";
  host.submit(stopped);
  EXPECT_FALSE(host.scheduler.may_keep_back(stopped)) << "the driver has it";
  host.preempted(host.preempt(), 0);
  EXPECT_TRUE(host.scheduler.may_keep_back(stopped));
  EXPECT_TRUE(host.scheduler.may_submit(other));
  const PacketId paging = host.paging();
  host.submit(paging);
  host.preempted(host.preempt(), 0);
  EXPECT_FALSE(host.scheduler.may_keep_back(paging));
}

TEST_F(Windows7SchedulerTest, TheWindows7ModelKeepsNothingBack) {
  host.context(1);
  const PacketId stopped = host.render(1)[0];
  host.submit(stopped);
  host.preempted(host.preempt(), 0);
  EXPECT_FALSE(host.scheduler.may_keep_back(stopped));
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

}  // namespace
}  // namespace wddm::vidsch
