// How long an engine goes on when it is to be preempted.
#include <d3dkmddi.h>

#include "conformance/rules/tests/trace_test.h"

namespace wddm::preempt_013 {
namespace {

class Preempt013 : public TraceTest {
 protected:
  void runs(OpKind command) {
    op(OpKind::Render);
    op(command);
    add(ev::RenderCalled{.render = 0});
    add(ev::Submitted{.packet = 0, .render = 0, .fence = 5});
  }
  void asks() { add(ev::PreemptAsked{.fence = 9, .outstanding = 1}); }
  void works(std::uint32_t units) { add(ev::GpuAdvanced{.units = units, .used = units}); }
  void answers(std::uint32_t last_completed) {
    add(ev::Notified{
        .type = DXGK_INTERRUPT_DMA_PREEMPTED, .fence = 9, .last_completed = last_completed});
  }
  void is_of_type(std::uint32_t node, std::uint32_t type) {
    add(ev::NodeAnswered{.ordinal = node, .type = type, .nodes = 2});
  }
  // Both work, the first stops, and the second does not.
  void second_goes_on() {
    runs(OpKind::Spin);
    op(OpKind::Render);
    op(OpKind::Spin);
    add(ev::RenderCalled{.render = 1});
    add(ev::Submitted{.packet = 1, .render = 1, .node = 1, .fence = 5});
    asks();
    answers(4);
    add(ev::PacketEnded{.packet = 0, .fate = static_cast<std::uint32_t>(PacketFate::Preempted)});
    add(ev::PreemptAsked{.node = 1, .fence = 9, .outstanding = 1});
    works(400);
  }
  bool holds() { return TraceTest::holds("PREEMPT-013"); }
  std::uint32_t reached() { return times_reached("PREEMPT-013"); }
};

TEST_F(Preempt013, ItStops) {
  runs(OpKind::Spin);
  asks();
  works(40);
  answers(4);
  works(400);
  EXPECT_TRUE(holds());
  EXPECT_EQ(reached(), 1u);
}

TEST_F(Preempt013, ItGoesOnAndOn) {
  runs(OpKind::Spin);
  asks();
  works(200);
  works(200);
  answers(5);
  EXPECT_FALSE(holds());
}

// With GPU virtual addresses there is no Render.
TEST_F(Preempt013, WhatUserModeBuiltGoesOnAndOn) {
  op(OpKind::Render);
  op(OpKind::Spin);
  add(ev::BufferBuilt{.render = 0});
  add(ev::Submitted{.packet = 0, .render = 0, .fence = 5});
  asks();
  works(400);
  EXPECT_FALSE(holds());
}

TEST_F(Preempt013, OneEngineOfSeveral) {
  is_of_type(1, DXGK_ENGINE_TYPE_3D);
  second_goes_on();
  EXPECT_FALSE(holds());
}

TEST_F(Preempt013, AnEngineThatOnlyCopiesMayGoOn) {
  is_of_type(1, DXGK_ENGINE_TYPE_COPY);
  second_goes_on();
  EXPECT_TRUE(holds());
}

TEST_F(Preempt013, SoMayOneOfWhichNobodyKnows) {
  second_goes_on();
  EXPECT_TRUE(holds());
}

TEST_F(Preempt013, AnyOtherEngineOfADeviceThatOnlyComputes) {
  is_of_type(1, DXGK_ENGINE_TYPE_OTHER);
  second_goes_on();
  EXPECT_TRUE(holds());
  platform_.compute_only = true;
  EXPECT_FALSE(holds());
}

TEST_F(Preempt013, TheFirstMayBeOneThatOnlyCopies) {
  is_of_type(0, DXGK_ENGINE_TYPE_COPY);
  runs(OpKind::Spin);
  asks();
  works(400);
  EXPECT_TRUE(holds());
}

TEST_F(Preempt013, WhatAnotherEngineWorksIsNotItsTime) {
  runs(OpKind::Spin);
  op(OpKind::Render);
  op(OpKind::Spin);
  add(ev::RenderCalled{.render = 1});
  add(ev::Submitted{.packet = 1, .render = 1, .node = 1, .fence = 5});
  asks();
  works(400);
  EXPECT_TRUE(holds());
}

TEST_F(Preempt013, AnAnswerThatNobodyHears) {
  runs(OpKind::Spin);
  asks();
  add(ev::ReportIgnored{.type = DXGK_INTERRUPT_DMA_PREEMPTED, .fence = 9});
  works(400);
  EXPECT_TRUE(holds());
}

TEST_F(Preempt013, TheOneBehindItIsAnotherMatter) {
  runs(OpKind::Spin);
  op(OpKind::Render);
  op(OpKind::Spin);
  add(ev::RenderCalled{.render = 1});
  add(ev::Submitted{.packet = 1, .render = 1, .fence = 6});
  asks();
  answers(5);
  EXPECT_EQ(reached(), 0u);
}

TEST_F(Preempt013, ItEndsByItself) {
  runs(OpKind::Spin);
  asks();
  works(40);
  answers(5);
  EXPECT_TRUE(holds());
  EXPECT_EQ(reached(), 0u);
}

TEST_F(Preempt013, TheAnswerMayComeBeforeTheCallReturns) {
  runs(OpKind::Spin);
  answers(4);
  asks();
  works(400);
  EXPECT_TRUE(holds());
}

TEST_F(Preempt013, OneCommandMayTakeAsLong) {
  runs(OpKind::Fill);
  asks();
  works(400);
  EXPECT_TRUE(holds());
}

TEST_F(Preempt013, WhatHasEndedIsNotAskedAfter) {
  runs(OpKind::Spin);
  add(ev::PacketEnded{.packet = 0});
  asks();
  works(400);
  EXPECT_TRUE(holds());
}

TEST_F(Preempt013, AResetIsAnEndToo) {
  runs(OpKind::Spin);
  asks();
  works(100);
  add(ev::EngineReset{});
  works(400);
  EXPECT_TRUE(holds());
}

}  // namespace
}  // namespace wddm::preempt_013
