// Moves of tables beside packets.
#include "conformance/rules/tests/trace_test.h"

namespace wddm::pt_006 {
namespace {

class Pt006 : public TraceTest {
 protected:
  Pt006() {
    add(ev::RootSet{.context = 1, .process = 3});
    add(ev::RootSet{.context = 2, .process = 4});
  }
  void submitted(std::uint32_t packet, std::uint32_t context) {
    add(ev::Submitted{.packet = packet, .context = context});
  }
  void ended(std::uint32_t packet) { add(ev::PacketEnded{.packet = packet}); }
  void moved(std::uint32_t gone = 0) { add(ev::TableMoved{.process = 3, .gone = gone}); }
  bool holds() { return TraceTest::holds("PT-006"); }
};

TEST_F(Pt006, WhileTheProcessIsIdle) {
  submitted(1, 1);
  ended(1);
  moved();
  EXPECT_TRUE(holds());
  EXPECT_EQ(times_reached("PT-006"), 1u);
}

TEST_F(Pt006, WhileItRuns) {
  submitted(1, 1);
  moved();
  EXPECT_FALSE(holds());
}

TEST_F(Pt006, ATableThatGoes) {
  submitted(1, 1);
  moved(1);
  EXPECT_FALSE(holds());
}

TEST_F(Pt006, OtherProcessesMayRun) {
  submitted(1, 2);
  moved();
  EXPECT_TRUE(holds());
}

TEST_F(Pt006, SoMayPaging) {
  add(ev::Submitted{.packet = 1, .context = kNone, .paging = 1});
  moved();
  EXPECT_TRUE(holds());
}

TEST_F(Pt006, APacketMayBeReportedWhileItIsTaken) {
  ended(1);
  submitted(1, 1);
  moved();
  EXPECT_TRUE(holds());
}

}  // namespace
}  // namespace wddm::pt_006
