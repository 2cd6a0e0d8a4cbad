// What engines name as completed after they were reset.
#include <d3dkmddi.h>

#include "conformance/rules/tests/trace_test.h"

namespace wddm::engrst_003 {
namespace {

constexpr std::uint32_t kRefused = 0xC000000D;

class Engrst003 : public TraceTest {
 protected:
  void submitted(std::uint32_t fence) { add(ev::Submitted{.packet = fence, .fence = fence}); }
  void refused(std::uint32_t fence) {
    add(ev::Submitted{.packet = fence, .fence = fence, .status = kRefused});
  }
  void reset(std::uint32_t aborted, std::uint32_t status = 0) {
    add(ev::EngineReset{.status = status, .aborted = aborted});
  }
  void preempted(std::uint32_t last_completed, std::uint32_t node = 0) {
    add(ev::Notified{
        .type = DXGK_INTERRUPT_DMA_PREEMPTED, .last_completed = last_completed, .node = node});
  }
  void queried(std::uint32_t fence, std::uint32_t status = 0) {
    add(ev::FenceQueried{.fence = fence, .status = status});
  }
  bool holds() { return TraceTest::holds("ENGRST-003"); }
};

TEST_F(Engrst003, TheFenceThatWasAborted) {
  reset(7);
  preempted(7);
  reset(9);
  queried(9);
  EXPECT_TRUE(holds());
  EXPECT_EQ(times_reached("ENGRST-003"), 2u);
}

TEST_F(Engrst003, TheFenceBeforeIsTooOld) {
  submitted(6);
  submitted(7);
  reset(7);
  preempted(6);
  EXPECT_FALSE(holds());
}

TEST_F(Engrst003, AQueryIsJudgedLikeAReport) {
  reset(7);
  queried(6);
  EXPECT_FALSE(holds());
}

TEST_F(Engrst003, AQueryThatTheResetCameIntoSaysNothing) {
  submitted(7);
  add(ev::DdiEntered{.ddi = static_cast<std::uint32_t>(DdiId::QueryCurrentFence)});
  reset(7);
  queried(6);
  EXPECT_TRUE(holds());
  preempted(6);
  EXPECT_FALSE(holds());
}

TEST_F(Engrst003, AFenceThatWasSubmittedSince) {
  reset(7);
  submitted(8);
  preempted(8);
  EXPECT_TRUE(holds());
}

TEST_F(Engrst003, AFenceThatIsReportedInsideOfItsCall) {
  reset(7);
  enters(8);
  preempted(8);
  submitted(8);
  EXPECT_TRUE(holds());
}

TEST_F(Engrst003, OnlyTheFirstAnswerIsJudged) {
  reset(7);
  preempted(7);
  preempted(6);
  EXPECT_EQ(times_reached("ENGRST-003"), 1u);
  EXPECT_TRUE(holds());
}

TEST_F(Engrst003, OtherEnginesHaveFencesOfTheirOwn) {
  reset(7);
  preempted(3, 1);
  EXPECT_TRUE(holds());
  EXPECT_EQ(times_reached("ENGRST-003"), 0u);
}

TEST_F(Engrst003, CallsThatFailSayNothing) {
  reset(7, kRefused);
  preempted(6);
  reset(9);
  queried(6, kRefused);
  EXPECT_TRUE(holds());
  EXPECT_EQ(times_reached("ENGRST-003"), 0u);
}

// All before it are over, for all that its driver knows.
TEST_F(Engrst003, APacketThatWasRefusedRightBehindIt) {
  submitted(7);
  refused(8);
  reset(7);
  queried(8);
  EXPECT_TRUE(holds());
}

TEST_F(Engrst003, ARefusedPacketBehindOneThatComesAgain) {
  submitted(7);
  submitted(8);
  refused(9);
  reset(7);
  queried(9);
  EXPECT_FALSE(holds());
}

TEST_F(Engrst003, ARefusedPacketAheadOfIt) {
  refused(6);
  submitted(7);
  reset(7);
  queried(6);
  EXPECT_FALSE(holds());
}

TEST_F(Engrst003, AResetOfTheAdapterSettlesMore) {
  reset(7);
  add(ev::AdapterReset{});
  preempted(8);
  EXPECT_TRUE(holds());
}

}  // namespace
}  // namespace wddm::engrst_003
