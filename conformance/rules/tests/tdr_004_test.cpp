// Packets behind a restart, and what brought them to no end.
#include "conformance/rules/tests/trace_test.h"

namespace wddm::tdr_004 {
namespace {

class Tdr004 : public TraceTest {
 protected:
  void submitted(std::uint32_t packet, std::uint32_t status = 0) {
    add(ev::Submitted{.packet = packet, .fence = packet, .status = status});
  }
  void restarted(std::uint32_t status = 0) { add(ev::AdapterReset{.stage = 1, .status = status}); }
  void ended(std::uint32_t packet, PacketFate fate) {
    add(ev::PacketEnded{
        .packet = packet, .fence = packet, .fate = static_cast<std::uint32_t>(fate)});
  }
  void stuck(std::uint32_t excused = 0) { add(ev::Stuck{.excused = excused}); }
  bool holds() { return TraceTest::holds("TDR-004"); }
};

TEST_F(Tdr004, PacketsBehindItComplete) {
  restarted();
  submitted(2);
  ended(2, PacketFate::Completed);
  EXPECT_TRUE(holds());
  EXPECT_EQ(times_reached("TDR-004"), 2u);
}

TEST_F(Tdr004, OneOfThemNeverEnds) {
  restarted();
  submitted(2);
  stuck();
  ended(2, PacketFate::Lost);
  EXPECT_FALSE(holds());
}

TEST_F(Tdr004, OnlyTheResetThatFollowsTellsOfOne) {
  restarted();
  submitted(2);
  stuck();
  ended(2, PacketFate::Completed);
  EXPECT_FALSE(holds());
}

TEST_F(Tdr004, OneGoesBackToWindows) {
  restarted();
  submitted(2);
  stuck();
  ended(2, PacketFate::Preempted);
  EXPECT_TRUE(holds());
}

TEST_F(Tdr004, OnesFromBeforeAreNotOfThem) {
  submitted(2);
  restarted();
  stuck();
  ended(2, PacketFate::Lost);
  EXPECT_TRUE(holds());
}

TEST_F(Tdr004, TheScenarioMayHoldThemUp) {
  restarted();
  submitted(2);
  stuck(1);
  ended(2, PacketFate::Lost);
  EXPECT_TRUE(holds());
}

TEST_F(Tdr004, AnotherTimeoutMayTakeThem) {
  restarted();
  submitted(2);
  ended(2, PacketFate::Lost);
  EXPECT_TRUE(holds());
}

TEST_F(Tdr004, WhatWasStuckBeforeTheRestartHasNoShareInIt) {
  submitted(2);
  stuck();
  ended(2, PacketFate::Lost);
  add(ev::MappingBalance{});
  restarted();
  submitted(3);
  ended(3, PacketFate::Lost);
  EXPECT_TRUE(holds());
}

TEST_F(Tdr004, WhatTheDriverRefusedDoesNotRun) {
  restarted();
  submitted(2, 0xC000000D);
  stuck();
  ended(2, PacketFate::Lost);
  EXPECT_TRUE(holds());
}

TEST_F(Tdr004, TheCallSucceeds) {
  restarted(0xC0000001);
  EXPECT_FALSE(holds());
  EXPECT_EQ(seen_by("TDR-004"), "STATUS_UNSUCCESSFUL");
}

}  // namespace
}  // namespace wddm::tdr_004
