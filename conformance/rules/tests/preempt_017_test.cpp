// Paging packets that were preempted and submitted again.
#include "conformance/rules/tests/trace_test.h"

namespace wddm::preempt_017 {
namespace {

class Preempt017 : public TraceTest {
 protected:
  void again(std::uint32_t packet, std::uint32_t paging = 1) {
    add(ev::Submitted{.packet = packet, .fence = packet, .paging = paging, .again = 1});
  }
  void ended(std::uint32_t packet, PacketFate fate) {
    add(ev::PacketEnded{
        .packet = packet, .fence = packet, .fate = static_cast<std::uint32_t>(fate), .paging = 1});
  }
  bool holds() {
    add(ev::Ended{});
    return TraceTest::holds("PREEMPT-017");
  }
};

TEST_F(Preempt017, ItCompletes) {
  again(2);
  ended(2, PacketFate::Completed);
  EXPECT_TRUE(holds());
  EXPECT_EQ(times_reached("PREEMPT-017"), 1u);
}

TEST_F(Preempt017, NobodyReportsIt) {
  again(2);
  EXPECT_FALSE(holds());
}

TEST_F(Preempt017, AFaultIsReportedUnderItsFenceToo) {
  again(2);
  ended(2, PacketFate::Faulted);
  EXPECT_TRUE(holds());
}

TEST_F(Preempt017, TheDriverStandsStill) {
  again(2);
  add(ev::Stuck{});
  ended(2, PacketFate::Lost);
  EXPECT_FALSE(holds());
}

TEST_F(Preempt017, AResetThatWasAskedForTakesIt) {
  again(2);
  add(ev::EngineReset{});
  ended(2, PacketFate::Lost);
  EXPECT_TRUE(holds());
}

TEST_F(Preempt017, TheRemovalOfTheDeviceTakesIt) {
  again(2);
  add(ev::SurpriseRemoved{.outstanding = 1});
  ended(2, PacketFate::Lost);
  EXPECT_TRUE(holds());
}

TEST_F(Preempt017, PacketsOfClientsAreJudgedElsewhere) {
  again(2, 0);
  EXPECT_TRUE(holds());
  EXPECT_EQ(times_reached("PREEMPT-017"), 0u);
}

TEST_F(Preempt017, ATraceThatBreaksOffAccusesNobody) {
  again(2);
  EXPECT_TRUE(TraceTest::holds("PREEMPT-017"));
}

}  // namespace
}  // namespace wddm::preempt_017
