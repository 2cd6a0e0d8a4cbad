// The fence ledger, one rule per test; test names carry the clause where one is meant.
#include "reference/vidsch/fence_ledger.h"

#include <gtest/gtest.h>

#include <array>
#include <initializer_list>
#include <set>
#include <string>
#include <vector>

#include "reference/vidsch/fence_sequence.h"

namespace wddm::vidsch {
namespace {

class FenceLedgerTest : public ::testing::Test {
 protected:
  ~FenceLedgerTest() override { ledger_.validate(); }

  void submit(std::initializer_list<std::uint32_t> fences, PacketKind kind = PacketKind::Render) {
    for (const std::uint32_t fence : fences)
      ASSERT_EQ(ledger_.submitted(FenceId{fence}, kind), SubmitOutcome::Accepted);
  }
  void request(std::uint32_t fence) {
    ASSERT_EQ(ledger_.preempt_requested(FenceId{fence}), SubmitOutcome::Accepted);
  }
  ReportOutcome completed(std::uint32_t fence) { return ledger_.completed(FenceId{fence}); }
  ReportOutcome preempted(std::uint32_t id, std::uint32_t last_completed) {
    return ledger_.preempted(FenceId{id}, FenceId{last_completed});
  }
  std::vector<std::uint32_t> outstanding() {
    std::array<FenceId, 16> fences{};
    std::vector<std::uint32_t> result;
    const std::size_t count = ledger_.outstanding(fences);
    for (std::size_t i = 0; i < count; ++i) result.push_back(fences[i].value);
    return result;
  }
  std::uint32_t last_completed() { return ledger_.last_completed().value_or(FenceId{}).value; }

  FenceLedger ledger_{32};
};

using Fences = std::vector<std::uint32_t>;

TEST_F(FenceLedgerTest, ACompletionIsCumulative) {  // FENCE-002
  submit({10, 11, 12});
  EXPECT_EQ(completed(11), ReportOutcome::Accepted);
  EXPECT_EQ(outstanding(), (Fences{12}));
  EXPECT_EQ(last_completed(), 11u);
}

TEST_F(FenceLedgerTest, AReportCoversWhatIsOutstandingUpToIt) {
  submit({10, 11, 12, 13});
  ledger_.rejected(FenceId{12});
  EXPECT_EQ(ledger_.covered_by(FenceId{11}), 2u);
  EXPECT_EQ(ledger_.covered_by(FenceId{12}), 2u);  // whatever was refused, not what is before it
  EXPECT_EQ(ledger_.covered_by(FenceId{13}), 3u);
  EXPECT_EQ(ledger_.covered_by(FenceId{14}), 0u);
  EXPECT_EQ(completed(11), ReportOutcome::Accepted);
  EXPECT_EQ(ledger_.covered_by(FenceId{11}), 0u);
  EXPECT_EQ(ledger_.covered_by(FenceId{13}), 1u);
}

TEST_F(FenceLedgerTest, AnUnknownFenceIsRefused) {  // FENCE-003
  submit({10});
  EXPECT_EQ(completed(11), ReportOutcome::UnknownFence);
  EXPECT_EQ(outstanding(), (Fences{10}));
}

TEST_F(FenceLedgerTest, AnImpliedFenceMayNotFollow) {  // FENCE-002
  submit({10, 11});
  EXPECT_EQ(completed(11), ReportOutcome::Accepted);
  EXPECT_EQ(completed(10), ReportOutcome::OutOfOrder);
}

TEST_F(FenceLedgerTest, AReportedFenceMayNotComeBackAfterALaterOne) {  // FENCE-002
  submit({10, 11});
  EXPECT_EQ(completed(10), ReportOutcome::Accepted);
  EXPECT_EQ(completed(11), ReportOutcome::Accepted);
  EXPECT_EQ(completed(10), ReportOutcome::AlreadyReported);
}

TEST_F(FenceLedgerTest, ThePlainRepeatOfTheLastFenceIsTolerated) {  // FENCE-003, note
  submit({10, 11});
  EXPECT_EQ(completed(10), ReportOutcome::Accepted);
  EXPECT_EQ(completed(10), ReportOutcome::Repeated);
  EXPECT_EQ(outstanding(), (Fences{11}));
}

TEST_F(FenceLedgerTest, OrderIsThatOfSubmissionAcrossTheWrap) {
  submit({0xFFFFFFFE, 0xFFFFFFFF, 1});
  EXPECT_EQ(completed(0xFFFFFFFF), ReportOutcome::Accepted);
  EXPECT_EQ(outstanding(), (Fences{1}));
  EXPECT_EQ(completed(1), ReportOutcome::Accepted);
  EXPECT_EQ(completed(0xFFFFFFFE), ReportOutcome::OutOfOrder);
}

TEST_F(FenceLedgerTest, APreemptionFenceCompletesNothing) {  // PREEMPT-008
  submit({10});
  request(11);
  EXPECT_EQ(completed(11), ReportOutcome::PreemptionFence);
  EXPECT_EQ(preempted(11, 11), ReportOutcome::LastCompletedIsPreemption);
  EXPECT_EQ(preempted(11, 10), ReportOutcome::Accepted);
  EXPECT_EQ(completed(11), ReportOutcome::PreemptionFence);
}

TEST_F(FenceLedgerTest, PreemptionSendsBackWhatLiesBehindTheLastCompleted) {
  submit({10, 11, 12});
  request(13);
  EXPECT_EQ(preempted(13, 10), ReportOutcome::Accepted);
  EXPECT_EQ(last_completed(), 10u);
  EXPECT_EQ(outstanding(), Fences{});
  EXPECT_EQ(ledger_.state_of(FenceId{11}), FenceState::Preempted);
  EXPECT_EQ(ledger_.pending_preemption(), std::nullopt);
}

TEST_F(FenceLedgerTest, APreemptedFenceMayNotCompleteLate) {  // PREEMPT-011
  submit({10, 11});
  request(12);
  EXPECT_EQ(preempted(12, 10), ReportOutcome::Accepted);
  EXPECT_EQ(completed(11), ReportOutcome::WasPreempted);
  EXPECT_EQ(completed(10), ReportOutcome::Repeated);
}

TEST_F(FenceLedgerTest, CompletionsBetweenRequestAndAnswerCount) {
  submit({10, 11});
  request(12);
  EXPECT_EQ(completed(10), ReportOutcome::Accepted);
  EXPECT_EQ(preempted(12, 10), ReportOutcome::Accepted);
  EXPECT_EQ(ledger_.state_of(FenceId{11}), FenceState::Preempted);
}

TEST_F(FenceLedgerTest, EachRequestIsAnsweredOnce) {  // PREEMPT-005
  submit({10});
  request(11);
  EXPECT_EQ(preempted(11, 0), ReportOutcome::Accepted);
  EXPECT_EQ(preempted(11, 0), ReportOutcome::AlreadyAnswered);
  EXPECT_EQ(preempted(99, 0), ReportOutcome::UnexpectedPreempted);
}

TEST_F(FenceLedgerTest, TheAnswerCarriesTheIdOfTheRequest) {  // PREEMPT-005
  submit({10});
  request(50);
  EXPECT_EQ(preempted(51, 10), ReportOutcome::PreemptionIdMismatch);
  EXPECT_EQ(ledger_.pending_preemption(), FenceId{50});
  EXPECT_EQ(outstanding(), (Fences{10}));
}

TEST_F(FenceLedgerTest, LastCompletedMayNotMoveBack) {  // PREEMPT-007
  submit({10, 11, 12});
  EXPECT_EQ(completed(11), ReportOutcome::Accepted);
  request(13);
  EXPECT_EQ(preempted(13, 10), ReportOutcome::LastCompletedTooOld);
  EXPECT_EQ(preempted(13, 77), ReportOutcome::LastCompletedUnknown);
  EXPECT_EQ(preempted(13, 11), ReportOutcome::Accepted);
}

TEST_F(FenceLedgerTest, BeforeTheFirstCompletionAnyValueStandsForNothing) {  // FENCE-007, note
  submit({10});
  request(11);
  EXPECT_EQ(preempted(11, 9), ReportOutcome::Accepted);
  EXPECT_EQ(ledger_.last_completed(), std::nullopt);
  EXPECT_EQ(ledger_.state_of(FenceId{10}), FenceState::Preempted);
}

TEST_F(FenceLedgerTest, LastCompletedMayNotNameAPacketOfAnEarlierPreemption) {  // PREEMPT-006
  submit({10, 11});
  request(12);
  EXPECT_EQ(preempted(12, 10), ReportOutcome::Accepted);
  request(13);
  EXPECT_EQ(preempted(13, 11), ReportOutcome::LastCompletedWasPreempted);
}

TEST_F(FenceLedgerTest, AnIdlePreemptionLeavesLastCompletedAlone) {  // FENCE-007
  submit({10});
  EXPECT_EQ(completed(10), ReportOutcome::Accepted);
  request(11);
  EXPECT_EQ(preempted(11, 10), ReportOutcome::Accepted);
  request(12);
  EXPECT_EQ(preempted(12, 11), ReportOutcome::LastCompletedIsPreemption);
  EXPECT_EQ(preempted(12, 10), ReportOutcome::Accepted);
}

TEST_F(FenceLedgerTest, PacketsSubmittedAfterTheRequestAreNotPreempted) {
  submit({10});
  request(11);
  submit({12});
  EXPECT_EQ(preempted(11, 12), ReportOutcome::LastCompletedAfterRequest);
  EXPECT_EQ(preempted(11, 0), ReportOutcome::Accepted);
  EXPECT_EQ(outstanding(), (Fences{12}));
}

TEST_F(FenceLedgerTest, APreemptedPagingFenceIsReused) {  // PREEMPT-018
  submit({10}, PacketKind::Paging);
  submit({11});
  request(12);
  EXPECT_EQ(preempted(12, 0), ReportOutcome::Accepted);
  submit({10}, PacketKind::Paging);
  submit({13});
  EXPECT_EQ(outstanding(), (Fences{10, 13}));
  EXPECT_EQ(completed(10), ReportOutcome::Accepted);
  EXPECT_EQ(last_completed(), 10u);
}

TEST_F(FenceLedgerTest, ARenderFenceIsNot) {  // PREEMPT-020
  submit({10});
  request(11);
  EXPECT_EQ(preempted(11, 0), ReportOutcome::Accepted);
  EXPECT_EQ(ledger_.submitted(FenceId{10}, PacketKind::Render), SubmitOutcome::RenderFenceReused);
  EXPECT_EQ(ledger_.submitted(FenceId{10}, PacketKind::Paging), SubmitOutcome::FenceUsed);
}

TEST_F(FenceLedgerTest, FencesInUseAndUsedFencesAreRefused) {
  submit({10, 11});
  EXPECT_EQ(ledger_.submitted(FenceId{10}, PacketKind::Paging), SubmitOutcome::FenceOutstanding);
  EXPECT_EQ(completed(10), ReportOutcome::Accepted);
  EXPECT_EQ(ledger_.submitted(FenceId{10}, PacketKind::Paging), SubmitOutcome::FenceUsed);
  EXPECT_EQ(ledger_.preempt_requested(FenceId{10}), SubmitOutcome::FenceUsed);
  EXPECT_EQ(ledger_.preempt_requested(FenceId{11}), SubmitOutcome::FenceOutstanding);
}

TEST_F(FenceLedgerTest, OneRequestAtATime) {  // PREEMPT-027
  request(11);
  EXPECT_EQ(ledger_.preempt_requested(FenceId{12}), SubmitOutcome::RequestOutstanding);
  EXPECT_EQ(ledger_.submitted(FenceId{11}, PacketKind::Render), SubmitOutcome::FenceOutstanding);
}

TEST_F(FenceLedgerTest, ARejectedFenceCompletesWithWhatPrecedesIt) {  // SUBMIT-008
  submit({20, 21});
  ledger_.rejected(FenceId{21});
  EXPECT_EQ(outstanding(), (Fences{20}));
  EXPECT_EQ(completed(20), ReportOutcome::Accepted);
  EXPECT_EQ(last_completed(), 21u);
  request(22);
  EXPECT_EQ(preempted(22, 20), ReportOutcome::LastCompletedTooOld);
  EXPECT_EQ(preempted(22, 21), ReportOutcome::Accepted);
}

TEST_F(FenceLedgerTest, ARejectedFenceMustBeCountedInTheAnswerItself) {  // SUBMIT-008
  submit({20, 21, 22});
  ledger_.rejected(FenceId{21});
  request(23);
  EXPECT_EQ(preempted(23, 20), ReportOutcome::LastCompletedTooOld);
  EXPECT_EQ(preempted(23, 21), ReportOutcome::Accepted);
  EXPECT_EQ(ledger_.state_of(FenceId{22}), FenceState::Preempted);
}

TEST_F(FenceLedgerTest, ARejectedFenceBehindAPreemptedOneNeverCompletes) {
  submit({19, 20, 21});
  ledger_.rejected(FenceId{21});
  request(22);
  EXPECT_EQ(preempted(22, 19), ReportOutcome::Accepted);
  EXPECT_EQ(ledger_.state_of(FenceId{21}), FenceState::Dropped);
  EXPECT_EQ(last_completed(), 19u);
}

TEST_F(FenceLedgerTest, ARejectedFenceOnAnIdleEngineCompletesAtOnce) {
  submit({20});
  ledger_.rejected(FenceId{20});
  EXPECT_EQ(last_completed(), 20u);
  EXPECT_EQ(completed(20), ReportOutcome::Repeated);
}

TEST_F(FenceLedgerTest, EngineResetMovesLastCompletedToTheAbortedPacket) {  // ENGRST-003
  submit({10, 11, 12});
  request(13);
  EXPECT_EQ(ledger_.engine_reset(FenceId{11}), ReportOutcome::Accepted);
  EXPECT_EQ(last_completed(), 11u);
  EXPECT_EQ(ledger_.state_of(FenceId{10}), FenceState::Completed);
  EXPECT_EQ(ledger_.state_of(FenceId{11}), FenceState::Aborted);
  EXPECT_EQ(ledger_.state_of(FenceId{12}), FenceState::Preempted);
  EXPECT_EQ(ledger_.pending_preemption(), std::nullopt);
  EXPECT_EQ(preempted(13, 11), ReportOutcome::WasReset);
  EXPECT_EQ(completed(11), ReportOutcome::WasReset);
}

TEST_F(FenceLedgerTest, EngineResetMayNameTheLastCompletedPacketAndNoneOutsideTheRange) {
  submit({9, 10, 11});  // ENGRST-002, ENGRST-004
  EXPECT_EQ(completed(10), ReportOutcome::Accepted);
  request(12);
  EXPECT_EQ(ledger_.engine_reset(FenceId{9}), ReportOutcome::AbortedOutOfRange);
  EXPECT_EQ(ledger_.engine_reset(FenceId{12}), ReportOutcome::AbortedOutOfRange);
  EXPECT_EQ(ledger_.engine_reset(FenceId{13}), ReportOutcome::AbortedOutOfRange);
  EXPECT_EQ(ledger_.engine_reset(FenceId{10}), ReportOutcome::Accepted);
  EXPECT_EQ(ledger_.state_of(FenceId{11}), FenceState::Preempted);
}

TEST_F(FenceLedgerTest, AfterAnEngineResetTheAnswerNamesTheAbortedFence) {  // ENGRST-003
  submit({10, 11});
  EXPECT_EQ(ledger_.engine_reset(FenceId{11}), ReportOutcome::Accepted);
  request(12);
  EXPECT_EQ(preempted(12, 10), ReportOutcome::LastCompletedTooOld);
  EXPECT_EQ(preempted(12, 11), ReportOutcome::Accepted);
}

TEST_F(FenceLedgerTest, AdapterResetSettlesEverything) {  // TDR-002
  submit({10, 11, 12});
  EXPECT_EQ(completed(10), ReportOutcome::Accepted);
  request(13);
  ledger_.adapter_reset();
  EXPECT_EQ(last_completed(), 12u);
  EXPECT_EQ(outstanding(), Fences{});
  EXPECT_EQ(completed(11), ReportOutcome::WasReset);
  EXPECT_EQ(completed(10), ReportOutcome::WasReset);
  EXPECT_EQ(preempted(13, 12), ReportOutcome::WasReset);
  submit({14});
  EXPECT_EQ(completed(14), ReportOutcome::Accepted);
}

TEST_F(FenceLedgerTest, AfterAnAdapterResetOlderFencesAreTooOld) {  // FENCE-007
  submit({10, 11, 12});
  EXPECT_EQ(completed(10), ReportOutcome::Accepted);
  ledger_.adapter_reset();
  request(13);
  EXPECT_EQ(preempted(13, 10), ReportOutcome::LastCompletedTooOld);
  EXPECT_EQ(preempted(13, 11), ReportOutcome::LastCompletedWasReset);
  EXPECT_EQ(preempted(13, 12), ReportOutcome::Accepted);
}

TEST_F(FenceLedgerTest, AResetOfANeverUsedEngineInventsNoFence) {
  ledger_.adapter_reset();
  EXPECT_EQ(ledger_.last_completed(), std::nullopt);
}

TEST_F(FenceLedgerTest, OldIdentifiersAreForgottenAndTheLastCompletedIsNot) {
  for (std::uint32_t fence = 1; fence <= 40; ++fence) {
    submit({fence});
    ASSERT_EQ(completed(fence), ReportOutcome::Accepted);
  }
  EXPECT_EQ(completed(8), ReportOutcome::UnknownFence);
  EXPECT_EQ(completed(9), ReportOutcome::AlreadyReported);
  for (std::uint32_t id = 50; id < 90; ++id) {
    request(id);
    ASSERT_EQ(preempted(id, 40), ReportOutcome::Accepted);
  }
  EXPECT_EQ(last_completed(), 40u);
}

TEST_F(FenceLedgerTest, ClearedIsNew) {
  submit({10});
  request(11);
  ledger_.clear();
  EXPECT_EQ(completed(10), ReportOutcome::UnknownFence);
  EXPECT_EQ(ledger_.last_submitted(), std::nullopt);
  submit({10});
}

TEST(FenceLedgerDeathTest, MoreOutstandingThanItsCapacityIsADefectOfOurs) {
  FenceLedger ledger(2);
  static_cast<void>(ledger.submitted(FenceId{1}, PacketKind::Render));
  static_cast<void>(ledger.submitted(FenceId{2}, PacketKind::Render));
  EXPECT_EXIT(static_cast<void>(ledger.submitted(FenceId{3}, PacketKind::Render)),
              ::testing::ExitedWithCode(4), "HARNESS:");
}

TEST(FenceNames, EveryOutcomeHasItsOwnWord) {
  std::set<std::string> words;
  for (int i = 0; i <= static_cast<int>(ReportOutcome::AbortedOutOfRange); ++i)
    words.insert(name(static_cast<ReportOutcome>(i)));
  EXPECT_EQ(words.size(), 1u + static_cast<std::size_t>(ReportOutcome::AbortedOutOfRange));
  EXPECT_FALSE(words.count("?"));
}

TEST(FenceSequence, SkipsZeroAtTheWrap) {
  FenceSequence sequence(0xFFFFFFFF);
  EXPECT_EQ(sequence.next().value, 0xFFFFFFFFu);
  EXPECT_EQ(sequence.next().value, 1u);
  EXPECT_EQ(sequence.issued(), 2u);
  EXPECT_EQ(FenceSequence(0).next().value, 1u);
}

}  // namespace
}  // namespace wddm::vidsch
