// What is held against a change of an aperture that met running packets.
#include "conformance/rules/tests/paging_test.h"

namespace wddm::page_016 {
namespace {

class Page016 : public PagingTest {
 protected:
  void submits(std::uint32_t packet) { add(ev::Submitted{.packet = packet}); }
  void ends(std::uint32_t packet, PacketFate fate = PacketFate::Completed) {
    add(ev::PacketEnded{.packet = packet, .fate = static_cast<std::uint32_t>(fate)});
  }
  void maps() { built(DXGK_OPERATION_MAP_APERTURE_SEGMENT); }
  void compared(std::uint32_t differences) { add(ev::MemoryChecked{.differences = differences}); }
};

TEST_F(Page016, NothingIsDisturbed) {
  submits(1);
  maps();
  ends(1);
  compared(0);
  EXPECT_TRUE(holds("PAGE-016"));
  EXPECT_EQ(times_reached("PAGE-016"), 1u);
}

TEST_F(Page016, WhatItWroteIsLost) {
  submits(1);
  maps();
  ends(1);
  compared(2);
  EXPECT_FALSE(holds("PAGE-016"));
}

TEST_F(Page016, OneLookMayBeToldInTwo) {
  submits(1);
  maps();
  ends(1);
  compared(0);
  compared(2);
  EXPECT_FALSE(holds("PAGE-016"));
}

TEST_F(Page016, UnmappingDisturbsToo) {
  submits(1);
  built(DXGK_OPERATION_UNMAP_APERTURE_SEGMENT);
  ends(1);
  compared(2);
  EXPECT_FALSE(holds("PAGE-016"));
}

TEST_F(Page016, BuffersOfCommandsAreMappedAllTheTime) {
  submits(1);
  built(DXGK_OPERATION_MAP_APERTURE_SEGMENT, {.of_buffer = 1});
  ends(1);
  compared(2);
  EXPECT_TRUE(holds("PAGE-016"));
  EXPECT_EQ(times_reached("PAGE-016"), 0u);
}

TEST_F(Page016, WhileNothingRunsItIsAnotherClauses) {
  submits(1);
  ends(1);
  maps();
  compared(2);
  EXPECT_TRUE(holds("PAGE-016"));
  EXPECT_EQ(times_reached("PAGE-016"), 0u);
}

TEST_F(Page016, SoIsWhatWasWrongBefore) {
  submits(1);
  ends(1);
  compared(2);
  submits(2);
  maps();
  ends(2);
  compared(2);
  EXPECT_TRUE(holds("PAGE-016"));
  EXPECT_EQ(times_reached("PAGE-016"), 0u);
}

TEST_F(Page016, OtherPagingIsAnotherClauses) {
  submits(1);
  built(DXGK_OPERATION_FILL);
  ends(1);
  compared(2);
  EXPECT_TRUE(holds("PAGE-016"));
}

TEST_F(Page016, APacketThatDidNotEndSaysNothing) {
  submits(1);
  maps();
  ends(1, PacketFate::Lost);
  compared(2);
  EXPECT_TRUE(holds("PAGE-016"));
  EXPECT_EQ(times_reached("PAGE-016"), 0u);
}

TEST_F(Page016, ALookInBetweenMakesAllClearAgain) {
  submits(1);
  ends(1, PacketFate::Preempted);
  submits(1);
  ends(1);
  compared(0);
  submits(2);
  maps();
  ends(2);
  compared(2);
  EXPECT_FALSE(holds("PAGE-016"));
}

TEST_F(Page016, OneThatNeverEndsIsHeldUp) {
  submits(1);
  maps();
  add(ev::Stuck{.packets = 1});
  EXPECT_FALSE(holds("PAGE-016"));
}

TEST_F(Page016, NotSoOneThatTheScenarioHoldsUp) {
  submits(1);
  maps();
  add(ev::Stuck{.packets = 1, .excused = 1});
  EXPECT_TRUE(holds("PAGE-016"));
}

TEST_F(Page016, TheNextComparisonIsOfOtherWork) {
  submits(1);
  maps();
  ends(1);
  compared(0);
  submits(2);
  ends(2);
  compared(3);
  EXPECT_TRUE(holds("PAGE-016"));
}

}  // namespace
}  // namespace wddm::page_016
