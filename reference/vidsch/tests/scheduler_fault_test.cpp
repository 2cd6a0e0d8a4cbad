// What a page fault does to packets and fences, one rule per test.
#include "reference/vidsch/scheduler.h"
#include "reference/vidsch/tests/scheduler_test.h"

namespace wddm::vidsch {
namespace {

class SchedulerFaultTest : public SchedulerTest {
 protected:
  std::vector<Decision> faulted(std::uint32_t fence, std::uint32_t node = 0) {
    return host.step(ReportFaulted{TestHost::engine(node), FenceId{fence}});
  }
  FenceId last_completed() const {
    return host.scheduler.ledger(TestHost::engine(0)).last_completed().value();
  }
};

TEST_F(SchedulerFaultTest, TheFaultedPacketIsOverAndThoseBeforeItAreDone) {  // MMU-014
  host.context(1);
  for (int i = 0; i < 3; ++i) host.render(1);
  host.submit_next(3);
  const auto decisions = faulted(11);
  EXPECT_EQ(outcome_of(decisions), ReportOutcome::Accepted);
  const auto retired = TestHost::only<Retired>(decisions);
  ASSERT_EQ(retired.size(), 2u);
  EXPECT_EQ(retired[0].ending, Ending::Completed);
  EXPECT_EQ(retired[1].ending, Ending::Faulted);
  EXPECT_EQ(last_completed(), FenceId{11});
  EXPECT_TRUE(host.scheduler.accepts(ContextId{1})) << "who is to blame is decided elsewhere";
}

TEST_F(SchedulerFaultTest, AFaultThatNamesNoOutstandingFenceChangesNothing) {
  host.context(1);
  host.render(1);
  host.render(1);
  host.submit_next(2);
  host.completed(10);
  EXPECT_EQ(outcome_of(faulted(10)), ReportOutcome::AlreadyReported);
  EXPECT_EQ(outcome_of(faulted(77)), ReportOutcome::UnknownFence);
  EXPECT_EQ(outcome_of(faulted(11, 1)), ReportOutcome::UnknownFence);
  EXPECT_EQ(host.scheduler.ledger(TestHost::engine(0)).outstanding_count(), 1u);
  faulted(11);
  EXPECT_EQ(outcome_of(faulted(11)), ReportOutcome::AlreadyReported);
}

TEST_F(SchedulerFaultTest, AFaultedFenceIsTheLastCompletedOne) {  // MMU-014
  host.context(1);
  for (int i = 0; i < 3; ++i) host.render(1);
  host.submit_next(3);
  host.completed(10);
  faulted(11);
  const FenceId request = host.preempt();
  EXPECT_EQ(outcome_of(host.preempted(request, 10)), ReportOutcome::LastCompletedTooOld);
  EXPECT_EQ(outcome_of(host.preempted(request, 11)), ReportOutcome::Accepted);
}

TEST_F(SchedulerFaultTest, AnEngineResetAfterItSendsTheInnocentBack) {  // MMU-015
  host.context(1, 0, 5);
  host.context(2, 0, 6);
  host.render(1);
  host.render(1);
  const PacketId innocent = host.render(2)[0];
  host.submit_next(3);
  faulted(10);
  EXPECT_TRUE(TestHost::only<Retired>(host.step(FailDevice{DeviceId{5}})).empty());
  const auto decisions = host.step(ReportEngineReset{TestHost::engine(0), FenceId{10}});
  EXPECT_EQ(outcome_of(decisions), ReportOutcome::Accepted);
  const auto retired = TestHost::only<Retired>(decisions);
  ASSERT_EQ(retired.size(), 1u);
  EXPECT_EQ(retired[0].ending, Ending::Cancelled) << "the next of the device at fault";
  EXPECT_FALSE(host.scheduler.accepts(ContextId{1}));
  EXPECT_TRUE(host.scheduler.accepts(ContextId{2}));
  EXPECT_EQ(host.next(), Packets{innocent});
}

TEST_F(SchedulerFaultTest, PagingCanFaultToo) {
  host.paging();
  host.submit_next(1);
  EXPECT_EQ(TestHost::only<Retired>(faulted(10)).at(0).ending, Ending::Faulted);
  EXPECT_TRUE(host.scheduler.idle());
}

TEST_F(Windows7SchedulerTest, PortionsBehindAFaultedOneGoWithTheirDevice) {
  host.context(1, 0, 5);
  host.render(1, 3);
  host.submit_next(1);
  static_cast<void>(host.step(ReportFaulted{TestHost::engine(0), FenceId{10}}));
  EXPECT_EQ(TestHost::only<Retired>(host.step(FailDevice{DeviceId{5}})).size(), 2u);
  EXPECT_TRUE(host.scheduler.idle());
}

}  // namespace
}  // namespace wddm::vidsch
