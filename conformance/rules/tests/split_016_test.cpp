// Paging of a portion, and when the portion is submitted.
#include <d3dkmddi.h>

#include "conformance/rules/tests/trace_test.h"
#include "reference/vidmm/paging_step.h"

namespace wddm::split_016 {
namespace {

constexpr std::uint32_t kPaging = 2, kPortion = 9;

class Split016 : public TraceTest {
 protected:
  void planned() {
    add(ev::PortionPlanned{.render = 7},
        std::vector<PagingStepRecord>{
            {.kind = static_cast<std::uint32_t>(vidmm::StepKind::Fill), .allocation = 3}});
  }
  void built() { add(ev::PagingBuilt{.operation = DXGK_OPERATION_FILL, .allocation = 3}); }
  void pages(std::uint32_t node) {
    add(ev::Submitted{.packet = kPaging, .node = node, .context = kNone, .paging = 1});
  }
  void paged(std::uint32_t packet = kPaging) {
    add(ev::PagingDone{.operation = DXGK_OPERATION_FILL, .allocation = 3, .packet = packet});
  }
  void draws() { add(ev::Submitted{.packet = kPortion, .render = 7, .context = 1}); }
  bool holds() { return TraceTest::holds("SPLIT-016"); }
  std::uint32_t reached() { return times_reached("SPLIT-016"); }
};

TEST_F(Split016, ItHasEnded) {
  planned();
  pages(1);
  paged();
  draws();
  EXPECT_TRUE(holds());
  EXPECT_EQ(reached(), 1u);
}

TEST_F(Split016, ItIsOnItsWay) {
  planned();
  pages(1);
  draws();
  paged();
  EXPECT_FALSE(holds());
}

TEST_F(Split016, ItStandsBeforeThePortionOnTheSameEngine) {
  planned();
  pages(0);
  draws();
  paged();
  EXPECT_TRUE(holds());
}

TEST_F(Split016, ItIsBroughtBehindThePortion) {
  planned();
  draws();
  pages(0);
  paged();
  EXPECT_FALSE(holds());
}

// What ends later belongs to another operation.
TEST_F(Split016, AnOperationWithoutAPacketIsOverBeforeThePlan) {
  op(OpKind::Render);
  built();
  paged(kNone);
  planned();
  draws();
  pages(1);
  paged();
  EXPECT_TRUE(holds());
  EXPECT_EQ(reached(), 0u);
}

TEST_F(Split016, ItHasEndedBeforeThePlan) {
  op(OpKind::Render);
  built();
  pages(1);
  paged();
  planned();
  draws();
  EXPECT_TRUE(holds());
  EXPECT_EQ(reached(), 1u);
}

// A request before has paged the same allocation.
TEST_F(Split016, WhatEndedBeforeItWasBuiltIsOfAnotherOperation) {
  op(OpKind::MakeResident);
  built();
  pages(1);
  paged();
  op(OpKind::Render);
  built();
  planned();
  draws();
  paged();
  EXPECT_FALSE(holds());
}

TEST_F(Split016, AResetLosesIt) {
  planned();
  draws();
  add(ev::AdapterReset{});
  pages(1);
  paged();
  EXPECT_TRUE(holds());
  EXPECT_EQ(reached(), 0u);
}

TEST_F(Split016, SoDoesAResetOfItsEngine) {
  planned();
  draws();
  add(ev::EngineReset{});
  pages(1);
  paged();
  EXPECT_TRUE(holds());
  EXPECT_EQ(reached(), 0u);
}

TEST_F(Split016, SoDoesTheEndOfStuckWork) {
  planned();
  draws();
  add(ev::Stuck{});
  pages(1);
  paged();
  EXPECT_TRUE(holds());
  EXPECT_EQ(reached(), 0u);
}

TEST_F(Split016, SoDoesSurpriseRemoval) {
  planned();
  draws();
  add(ev::SurpriseRemoved{});
  pages(1);
  paged();
  EXPECT_TRUE(holds());
  EXPECT_EQ(reached(), 0u);
}

}  // namespace
}  // namespace wddm::split_016
