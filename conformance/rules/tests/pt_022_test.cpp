// Who may run while entries change: for drivers that need an idle address space.
#include "conformance/rules/tests/trace_test.h"

namespace wddm::pt_022 {
namespace {

class Pt022 : public TraceTest {
 protected:
  Pt022() {
    add(ev::RootSet{.context = 1, .process = 0});
    add(ev::RootSet{.context = 2, .process = 1});
  }
  void submits(std::uint32_t packet, std::uint32_t context) {
    add(ev::Submitted{.packet = packet, .context = context});
  }
  void ends(std::uint32_t packet) { add(ev::PacketEnded{.packet = packet}); }
};

TEST_F(Pt022, AFlushBesideAPacketOfTheProcess) {
  submits(1, 1);
  add(ev::TlbFlushBuilt{.process = 0});
  EXPECT_FALSE(holds("PT-022"));
}

TEST_F(Pt022, ACopyOfEntriesBesideAPacketOfTheProcess) {
  submits(1, 1);
  add(ev::EntriesCopied{.process = 1});
  EXPECT_TRUE(holds("PT-022"));
  add(ev::EntriesCopied{.process = 0});
  EXPECT_FALSE(holds("PT-022"));
}

TEST_F(Pt022, PacketsOfOthersMayRun) {
  submits(1, 2);
  add(ev::TlbFlushBuilt{.process = 0});
  add(ev::TableUpdated{.process = 0});
  add(ev::TableCompared{.process = 0});
  EXPECT_TRUE(holds("PT-022"));
}

TEST_F(Pt022, APacketThatDoesNotWaitForAnUpdate) {
  add(ev::TableUpdated{.process = 0});
  submits(1, 1);
  EXPECT_FALSE(holds("PT-022"));
}

TEST_F(Pt022, OneThatDoes) {
  submits(1, 1);
  ends(1);
  add(ev::TableUpdated{.process = 0});
  add(ev::TableCompared{.process = 0});
  submits(2, 1);
  EXPECT_TRUE(holds("PT-022"));
}

TEST_F(Pt022, AnUpdateThatTheDriverRefusedIsNotOnItsWay) {
  add(ev::TableUpdated{.process = 0, .status = 0xC000000D});
  submits(1, 1);
  EXPECT_TRUE(holds("PT-022"));
  EXPECT_EQ(times_reached("PT-022"), 2u);
}

TEST_F(Pt022, NorIsOneOfAnEarlierStart) {
  add(ev::TableUpdated{.process = 0});
  add(ev::SurpriseRemoved{});
  add(ev::DeviceStarted{});
  add(ev::TableUpdated{.process = 0});
  add(ev::TableCompared{.process = 0});
  submits(1, 1);
  EXPECT_TRUE(holds("PT-022"));
  ends(1);
  add(ev::TableUpdated{.process = 0});
  submits(2, 1);
  EXPECT_FALSE(holds("PT-022"));
}

}  // namespace
}  // namespace wddm::pt_022
