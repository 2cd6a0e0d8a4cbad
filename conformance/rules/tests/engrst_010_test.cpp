// Reports of an engine between the snapshot and its reset.
#include "conformance/rules/tests/trace_test.h"

namespace wddm::engrst_010 {
namespace {

class Engrst010 : public TraceTest {
 protected:
  void gives_up(std::uint32_t outstanding = 1) {
    op(OpKind::TimeOut);
    add(ev::EngineAsked{.outstanding = outstanding});
  }
  void ends(PacketFate fate) { add(ev::PacketEnded{.fate = static_cast<std::uint32_t>(fate)}); }
  bool holds() { return TraceTest::holds("ENGRST-010"); }
};

TEST_F(Engrst010, TheyAreIgnored) {
  gives_up();
  add(ev::ReportIgnored{});
  add(ev::EngineReset{.outstanding = 1});
  ends(PacketFate::Preempted);
  EXPECT_TRUE(holds());
  EXPECT_EQ(times_reached("ENGRST-010"), 1u);
}

TEST_F(Engrst010, OneIsFollowed) {
  gives_up();
  ends(PacketFate::Preempted);
  EXPECT_FALSE(holds());
}

TEST_F(Engrst010, WhatIsCancelledWasNotReported) {
  gives_up();
  ends(PacketFate::Lost);
  EXPECT_TRUE(holds());
}

TEST_F(Engrst010, OfAnotherEngine) {
  gives_up();
  add(ev::PacketEnded{.node = 1});
  EXPECT_TRUE(holds());
}

TEST_F(Engrst010, AnEmptyEngineIsNotReset) {
  gives_up(0);
  add(ev::EngineReset{.outstanding = 0, .cause = 1});
  EXPECT_FALSE(holds());
}

TEST_F(Engrst010, ADependentOwesItsAnswerAlsoWhenItIsEmpty) {
  gives_up();
  add(ev::EngineReset{.node = 1, .outstanding = 0, .cause = 1});
  EXPECT_TRUE(holds());
}

TEST_F(Engrst010, AFaultMayLeaveTheEngineEmpty) {
  add(ev::EngineReset{.outstanding = 0, .cause = 0});
  EXPECT_TRUE(holds());
}

TEST_F(Engrst010, TheNextOpIsAnotherMatter) {
  gives_up();
  op(OpKind::Idle);
  ends(PacketFate::Completed);
  EXPECT_TRUE(holds());
}

}  // namespace
}  // namespace wddm::engrst_010
