// What an empty packet with ContextSwitch comes to.
#include "conformance/rules/tests/trace_test.h"

namespace wddm::ctx_001 {
namespace {

class Ctx001 : public TraceTest {
 protected:
  void submits(std::uint32_t packet, bool switches, std::uint32_t node = 0,
               std::uint32_t status = 0) {
    add(ev::Submitted{.packet = packet,
                      .node = node,
                      .paging = switches,
                      .status = status,
                      .switches = switches});
  }
  void ends(std::uint32_t packet, PacketFate fate = PacketFate::Completed) {
    add(ev::PacketEnded{.packet = packet, .fate = static_cast<std::uint32_t>(fate)});
  }
};

TEST_F(Ctx001, ItCompletes) {
  submits(1, true);
  ends(1);
  EXPECT_TRUE(holds("CTX-001"));
  EXPECT_EQ(times_reached("CTX-001"), 1u);
}

TEST_F(Ctx001, ItCompletesWhileItIsTaken) {
  ends(1);
  submits(1, true);
  EXPECT_TRUE(holds("CTX-001"));
  EXPECT_EQ(times_reached("CTX-001"), 1u);
}

TEST_F(Ctx001, ItIsRefused) {
  submits(1, true, 0, 0xC000000D);
  EXPECT_FALSE(holds("CTX-001"));
}

TEST_F(Ctx001, ItsFenceNeverComes) {
  submits(1, true);
  add(ev::Stuck{.packets = 1});
  EXPECT_FALSE(holds("CTX-001"));
}

TEST_F(Ctx001, OneBeforeItHoldsItUp) {
  submits(1, false);
  submits(2, true);
  add(ev::Stuck{.packets = 2});
  EXPECT_TRUE(holds("CTX-001"));
}

TEST_F(Ctx001, WhatWasSubmittedFirstHoldsItUpWhateverItsNumber) {
  submits(9, false);
  submits(7, true);
  add(ev::Stuck{.packets = 2});
  EXPECT_TRUE(holds("CTX-001"));
}

TEST_F(Ctx001, OneOfAnotherEngineDoesNot) {
  submits(1, false, 1);
  submits(2, true, 0);
  add(ev::Stuck{.packets = 2});
  EXPECT_FALSE(holds("CTX-001"));
}

TEST_F(Ctx001, WhatTheScenarioHoldsUpSaysNothing) {
  submits(1, true);
  add(ev::Stuck{.packets = 1, .excused = 1});
  EXPECT_TRUE(holds("CTX-001"));
}

TEST_F(Ctx001, PreemptedItIsStillToCome) {
  submits(1, true);
  ends(1, PacketFate::Preempted);
  EXPECT_TRUE(holds("CTX-001"));
  EXPECT_EQ(times_reached("CTX-001"), 0u);
}

TEST_F(Ctx001, OtherPacketsAreOfOtherClauses) {
  submits(1, false);
  add(ev::Stuck{.packets = 1});
  EXPECT_TRUE(holds("CTX-001"));
}

}  // namespace
}  // namespace wddm::ctx_001
