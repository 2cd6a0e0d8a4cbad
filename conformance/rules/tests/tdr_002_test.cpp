// Fences that nodes name after the adapter was reset.
#include <d3dkmddi.h>

#include "conformance/rules/tests/trace_test.h"

namespace wddm::tdr_002 {
namespace {

class Tdr002 : public TraceTest {
 protected:
  void submitted(std::uint32_t fence, std::uint32_t node = 0, std::uint32_t status = 0) {
    add(ev::Submitted{.packet = fence, .node = node, .fence = fence, .status = status});
  }
  void refused(std::uint32_t fence, std::uint32_t node = 0) {
    constexpr std::uint32_t kInvalidParameter = 0xC000000D;
    submitted(fence, node, kInvalidParameter);
  }
  void reset(std::uint32_t stage = 0, std::uint32_t status = 0) {
    add(ev::AdapterReset{.stage = stage, .status = status});
  }
  void preempted(std::uint32_t last_completed, std::uint32_t node = 0) {
    add(ev::Notified{
        .type = DXGK_INTERRUPT_DMA_PREEMPTED, .last_completed = last_completed, .node = node});
  }
  void queried(std::uint32_t fence, std::uint32_t status = 0) {
    add(ev::FenceQueried{.fence = fence, .status = status});
  }
  bool holds() { return TraceTest::holds("TDR-002"); }
};

TEST_F(Tdr002, ThePacketSubmittedLastOfEachNode) {
  submitted(7);
  submitted(8);
  submitted(3, 1);
  reset();
  queried(8);
  preempted(3, 1);
  EXPECT_TRUE(holds());
  EXPECT_EQ(times_reached("TDR-002"), 2u);
}

TEST_F(Tdr002, AnOlderOneIsNotSettled) {
  submitted(7);
  submitted(8);
  reset();
  queried(7);
  EXPECT_FALSE(holds());
}

TEST_F(Tdr002, ANodeThatWasPreemptedMayStayWhereItStood) {
  submitted(7);
  submitted(8);
  preempted(7);
  reset();
  queried(7);
  EXPECT_TRUE(holds());
}

TEST_F(Tdr002, ThoughDxgkrnlHadNoUseForTheReport) {
  submitted(7);
  submitted(8);
  add(ev::ReportIgnored{.type = DXGK_INTERRUPT_DMA_PREEMPTED, .fence = 9, .last_completed = 7});
  reset();
  queried(7);
  EXPECT_TRUE(holds());
}

TEST_F(Tdr002, NotOnceItHasAPacketAgain) {
  submitted(7);
  submitted(8);
  preempted(7);
  submitted(9);
  reset();
  queried(7);
  EXPECT_FALSE(holds());
}

TEST_F(Tdr002, NorIsItInAReport) {
  submitted(7);
  submitted(8);
  reset();
  preempted(7);
  EXPECT_FALSE(holds());
}

TEST_F(Tdr002, APacketOfAnotherNodeIsNotOfThis) {
  submitted(7);
  submitted(9, 1);
  reset();
  queried(9);
  EXPECT_FALSE(holds());
}

TEST_F(Tdr002, OneThatIsSubmittedSince) {
  submitted(7);
  reset();
  submitted(8);
  queried(8);
  EXPECT_TRUE(holds());
}

TEST_F(Tdr002, ANodeThatNeverHadOneIsNotJudged) {
  reset();
  queried(7);
  EXPECT_TRUE(holds());
  EXPECT_EQ(times_reached("TDR-002"), 0u);
}

TEST_F(Tdr002, CallsThatFailAndRestartsSayNothing) {
  submitted(7);
  reset(0, 0xC0000001);
  reset(1);
  queried(6);
  reset();
  queried(6, 0xC0000001);
  EXPECT_TRUE(holds());
  EXPECT_EQ(times_reached("TDR-002"), 0u);
}

TEST_F(Tdr002, NumbersOfAnEarlierStartAreForgotten) {
  submitted(7);
  reset();
  add(ev::MappingBalance{});
  queried(1);
  EXPECT_TRUE(holds());
}

// All before it are over.
TEST_F(Tdr002, ARefusedPacketIsTheLast) {
  submitted(7);
  submitted(8);
  refused(9);
  reset();
  queried(9);
  EXPECT_TRUE(holds());
  EXPECT_EQ(times_reached("TDR-002"), 1u);
}

TEST_F(Tdr002, TheOneBeforeItIsOld) {
  submitted(7);
  submitted(8);
  refused(9);
  reset();
  queried(8);
  EXPECT_FALSE(holds());
}

TEST_F(Tdr002, NorIsItTheLastInAReport) {
  submitted(8, 1);
  refused(9, 1);
  reset();
  preempted(8, 1);
  EXPECT_FALSE(holds());
}

TEST_F(Tdr002, OfSeveralTheLast) {
  submitted(8);
  refused(9);
  refused(10);
  reset();
  queried(9);
  EXPECT_FALSE(holds());
}

TEST_F(Tdr002, ANodeThatHasRefusedAll) {
  refused(9);
  reset();
  queried(9);
  EXPECT_TRUE(holds());
  EXPECT_EQ(times_reached("TDR-002"), 1u);
  reset();
  queried(0);
  EXPECT_FALSE(holds());
}

// What was thrown out ahead of it might have come back.
TEST_F(Tdr002, BehindWhatWasPreemptedItMayBeForgotten) {
  for (const std::uint32_t stands_at : {7u, 8u, 9u}) {
    submitted(8);
    preempted(7);
    refused(9);
    reset();
    queried(stands_at);
  }
  EXPECT_TRUE(holds());
  EXPECT_EQ(times_reached("TDR-002"), 3u);
}

TEST_F(Tdr002, BehindWhatAResetHasAbortedToo) {
  submitted(7);
  submitted(8);
  refused(9);
  add(ev::EngineReset{.aborted = 7});
  reset();
  queried(7);
  EXPECT_TRUE(holds());
}

TEST_F(Tdr002, NothingWasThrownOutAheadOfIt) {
  submitted(8);
  refused(9);
  preempted(9);
  reset();
  queried(8);
  EXPECT_FALSE(holds());
}

TEST_F(Tdr002, ARefusedPacketBeforeATakenOneIsOld) {
  refused(7);
  submitted(8);
  reset();
  queried(7);
  EXPECT_FALSE(holds());
}

}  // namespace
}  // namespace wddm::tdr_002
