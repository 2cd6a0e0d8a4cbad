// Fences that nodes name after the adapter was reset.
#include <d3dkmddi.h>

#include "conformance/rules/tests/trace_test.h"

namespace wddm {
namespace {

class Tdr002 : public TraceTest {
 protected:
  void submitted(std::uint32_t fence, std::uint32_t node = 0, std::uint32_t status = 0) {
    add(ev::Submitted{.packet = fence, .node = node, .fence = fence, .status = status});
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

// The hardware never had it, and to Dxgkrnl it is completed.
TEST_F(Tdr002, BehindARefusedPacketEither) {
  constexpr std::uint32_t kInvalidParameter = 0xC000000D;
  submitted(7);
  submitted(8);
  submitted(9, 0, kInvalidParameter);
  reset();
  queried(8);
  EXPECT_TRUE(holds());
  reset();
  queried(9);
  EXPECT_TRUE(holds());
  EXPECT_EQ(times_reached("TDR-002"), 2u);
  reset();
  queried(7);
  EXPECT_FALSE(holds());
}

TEST_F(Tdr002, ARefusedPacketBeforeATakenOneIsOld) {
  submitted(7, 0, 0xC000000D);
  submitted(8);
  reset();
  queried(7);
  EXPECT_FALSE(holds());
}

}  // namespace
}  // namespace wddm
