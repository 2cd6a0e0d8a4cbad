// Each seeded fault alters the decision it is named for, and the faultless seat none.
#include "conformance/host/boundary/decision_seat.h"

#include <gtest/gtest.h>

namespace wddm::host {
namespace {

class DecisionSeatTest : public testing::Test {
 protected:
  ~DecisionSeatTest() override { seat_decision_fault(OracleFault::None); }

  /// Two portions; steps of 3, 2 and 1 pages come in before the second.
  static vidmm::Plan two_portions() {
    vidmm::Plan plan;
    for (std::uint32_t pages = 3; pages != 0; --pages) {
      vidmm::PagingStep step;
      step.kind = vidmm::StepKind::TransferIn;
      step.allocation = AllocationId{pages};
      step.pages = pages;
      plan.steps.push_back(step);
    }
    plan.portions.resize(2);
    plan.portions[0].end_offset = plan.portions[1].start_offset = 32;
    plan.portions[0].element_count = 1;
    plan.portions[1].end_offset = 64;
    plan.portions[1].first_element = 1;
    plan.portions[1].element_count = 1;
    plan.portions[1].step_count = 3;
    return plan;
  }
  vidmm::Plan planned() {
    vidmm::Plan plan = two_portions();
    decisions().plan(plan, list_);
    return plan;
  }
  static std::vector<std::uint32_t> pages_of(const vidmm::Plan& plan) {
    std::vector<std::uint32_t> all;
    for (const vidmm::PagingStep& step : plan.steps) all.push_back(step.pages);
    return all;
  }
  vidmm::PatchList list_;
};

TEST_F(DecisionSeatTest, WithoutAFaultDecisionsPass) {
  const vidsch::EnqueuePaging paging{
      .engine = {}, .command = 0, .after = vidsch::PacketId{4}, .before = vidsch::PacketId{5}};
  vidsch::Config config;

  EXPECT_EQ(planned().portions, two_portions().portions);
  EXPECT_EQ(planned().steps, two_portions().steps);
  EXPECT_EQ(decisions().order(paging).before, paging.before);
  EXPECT_FALSE(decisions().interleaves(false));
  EXPECT_FALSE(decisions().judges_leaks(false));
  decisions().configure(config);
  EXPECT_EQ(config.preemption_aware, vidsch::Config{}.preemption_aware);
}

TEST_F(DecisionSeatTest, SortPageInsBySize) {
  seat_decision_fault(OracleFault::SortPageInsBySize);
  EXPECT_EQ(pages_of(planned()), (std::vector<std::uint32_t>{1, 2, 3}));
}

TEST_F(DecisionSeatTest, CutAtPatchOffset) {
  vidmm::PatchElement elements[2];
  elements[1].patch_offset = 40;
  list_.elements = elements;
  seat_decision_fault(OracleFault::CutAtPatchOffset);

  const vidmm::Plan plan = planned();

  EXPECT_EQ(plan.portions[0].end_offset, 40u);
  EXPECT_EQ(plan.portions[1].start_offset, 40u);
}

TEST_F(DecisionSeatTest, RelocateBoundAllocationsSendsTheLastOutAndInAgain) {
  seat_decision_fault(OracleFault::RelocateBoundAllocations);

  const vidmm::Plan plan = planned();

  EXPECT_EQ(pages_of(plan), (std::vector<std::uint32_t>{3, 2, 1, 1, 1}));
  EXPECT_EQ(plan.steps[3].kind, vidmm::StepKind::TransferOut);
  EXPECT_EQ(plan.steps[4].kind, vidmm::StepKind::TransferIn);
  EXPECT_EQ(plan.portions[1].step_count, 5u);
}

TEST_F(DecisionSeatTest, RestartAfterSecondSplitNeedsAThirdPortion) {
  seat_decision_fault(OracleFault::RestartAfterSecondSplit);
  EXPECT_EQ(planned().portions, two_portions().portions);

  vidmm::Plan plan = two_portions();
  plan.portions.push_back({.start_offset = 64, .end_offset = 96});
  decisions().plan(plan, list_);

  EXPECT_EQ(plan.portions[2].start_offset, 0u);
}

TEST_F(DecisionSeatTest, SubmitBeforePageInKeepsTheRestOfTheOrder) {
  seat_decision_fault(OracleFault::SubmitBeforePageIn);

  const vidsch::EnqueuePaging ordered = decisions().order(
      {.engine = {}, .command = 0, .after = vidsch::PacketId{4}, .before = vidsch::PacketId{5}});

  EXPECT_EQ(ordered.before, vidsch::PacketId{});
  EXPECT_EQ(ordered.after, vidsch::PacketId{4});
}

TEST_F(DecisionSeatTest, InterleavePortionsAsksNobody) {
  seat_decision_fault(OracleFault::InterleavePortions);
  vidsch::Config config;
  config.preemption_aware = false;

  decisions().configure(config);

  EXPECT_TRUE(config.preemption_aware);
  EXPECT_TRUE(decisions().interleaves(false));
}

TEST_F(DecisionSeatTest, LeakCheckIgnoresCap) {
  seat_decision_fault(OracleFault::LeakCheckIgnoresCap);
  EXPECT_TRUE(decisions().judges_leaks(false));
}

// What the rows held after the buffer before is held for the next one, where it is resident.
TEST_F(DecisionSeatTest, KeepSlotTableHoldsWhatTheBufferBeforeLeft) {
  vidmm::VidMm vidmm;
  ASSERT_EQ(vidmm.add_segment({.kind = vidmm::SegmentKind::Memory,
                               .base_address = 0x10000,
                               .size_bytes = 16 * kPageSize,
                               .cpu_visible = false,
                               .cache_coherent = false}),
            vidmm::SegmentRefusal::None);
  seat_decision_fault(OracleFault::KeepSlotTableAcrossBuffers);

  // Nothing is resident, so nothing is held, whatever the rows name.
  EXPECT_TRUE(decisions().held_while_planning(list_, vidmm).empty());
  EXPECT_TRUE(decisions().held_while_planning(list_, vidmm).empty());
}

}  // namespace
}  // namespace wddm::host
