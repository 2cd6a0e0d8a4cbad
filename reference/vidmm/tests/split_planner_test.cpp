// The split planner, one rule per test; the scenarios are those of clauses SPLIT-010..015.
#include "reference/vidmm/split_planner.h"

#include <gtest/gtest.h>

#include <vector>

#include "reference/vidmm/tests/heap_counter.h"
#include "reference/vidmm/tests/small_world.h"

namespace wddm::vidmm {
namespace {

using testing::add_memory;
using testing::Bind;
using testing::bring_in;
using testing::create;
using testing::kFirst;
using testing::kUnbind;
using testing::ListBuilder;

constexpr std::uint32_t kRows = 4;
constexpr std::uint32_t kBytes = 1024;

struct Range {
  std::uint32_t start, end, first, count;
  friend bool operator==(const Range&, const Range&) = default;
};

std::vector<Range> ranges(const Plan& plan) {
  std::vector<Range> result;
  for (const Portion& one : plan.portions) {
    result.push_back({one.start_offset, one.end_offset, one.first_element, one.element_count});
  }
  return result;
}

/// Kinds and allocations of the steps before a portion.
std::vector<std::pair<StepKind, std::uint32_t>> steps_before(const Plan& plan,
                                                             std::size_t portion) {
  std::vector<std::pair<StepKind, std::uint32_t>> result;
  const Portion& one = plan.portions[portion];
  for (std::uint32_t i = 0; i < one.step_count; ++i) {
    const PagingStep& step = plan.steps[one.first_step + i];
    result.emplace_back(step.kind, step.allocation.value);
  }
  return result;
}

/// A segment of `pages` pages and allocations 1, 2, ... of the given sizes.
struct Fixture {
  Fixture(std::uint32_t pages, std::initializer_list<std::uint32_t> sizes) {
    add_memory(vidmm, pages);
    std::uint32_t id = 1;
    for (const std::uint32_t size : sizes) create(vidmm, id++, size);
  }

  Plan plan(const ListBuilder& list, std::vector<std::uint32_t> taken = {}) {
    Plan result;
    EXPECT_EQ(plan_buffer(planner, vidmm, list.list(), taken, result), ListError{});
    planner.validate();
    vidmm.validate();
    return result;
  }

  VidMm vidmm;
  SplitPlanner planner{kRows};
};

TEST(SplitPlanner, RunsInOnePieceWhenEverythingFits) {
  Fixture world(4, {2, 2});
  const Plan plan = world.plan(ListBuilder(2, kBytes, {{0, 0, 1}, {256, 1, 2}}));
  EXPECT_EQ(plan.status, PlanStatus::Done);
  EXPECT_EQ(ranges(plan), (std::vector<Range>{{0, kBytes, 0, 2}}));
}

TEST(SplitPlanner, AnEmptyListIsOnePortion) {
  Fixture world(4, {1});
  const Plan plan = world.plan(ListBuilder(1, kBytes, {}));
  EXPECT_EQ(ranges(plan), (std::vector<Range>{{0, kBytes, 0, 0}}));
}

TEST(SplitPlanner, SubmitsUpToTheElementThatDoesNotFit) {  // SPLIT-012
  Fixture world(1, {1, 1});
  const Plan plan = world.plan(ListBuilder(2, kBytes, {{0, 0, 1}, {256, 0, 2}}));
  EXPECT_EQ(plan.status, PlanStatus::Done);
  EXPECT_EQ(ranges(plan), (std::vector<Range>{{0, 256, 0, 1}, {256, kBytes, 1, 1}}));
  EXPECT_EQ(plan.portions[0].cut, CutReason::LowMemory);
  EXPECT_EQ(plan.portions[0].cut_element, 1u);
  EXPECT_EQ(plan.portions[1].cut, CutReason::EndOfBuffer);
}

TEST(SplitPlanner, ElementsThatShareTheFailingSplitOffsetGoToTheNextPortion) {
  Fixture world(2, {1, 1, 1});
  const Plan plan =
      world.plan(ListBuilder(3, kBytes, {{0, 0, 1}, {256, 1, 2}, {256, 2, 3}, {256, 0, kUnbind}}));
  EXPECT_EQ(ranges(plan), (std::vector<Range>{{0, 256, 0, 1}, {256, kBytes, 1, 3}}));
  EXPECT_EQ(plan.portions[0].cut_element, 2u);
  // Nothing of the second group was brought in before the cut.
  EXPECT_EQ(steps_before(plan, 0), (decltype(steps_before(plan, 0)){{StepKind::Fill, 1}}));
}

TEST(SplitPlanner, BytesBeforeTheFirstSplitPointNeedNoAllocation) {
  Fixture world(1, {1});
  world.vidmm.pin([&] {
    create(world.vidmm, 2, 1);
    EXPECT_TRUE(bring_in(world.vidmm, AllocationId{2}));
    return AllocationId{2};
  }());
  Plan plan;
  const ListBuilder list(1, kBytes, {{512, 0, 1}});
  EXPECT_EQ(plan_buffer(world.planner, world.vidmm, list.list(), {}, plan), ListError{});
  EXPECT_EQ(ranges(plan), (std::vector<Range>{{0, 512, 0, 0}}));
  EXPECT_EQ(plan.status, PlanStatus::CannotFit);
  EXPECT_EQ(plan.failing_element, 0u);
}

TEST(SplitPlanner, SplitsAsOftenAsNeeded) {  // SPLIT-015
  Fixture world(1, {1, 1, 1});
  const Plan plan =
      world.plan(ListBuilder(3, kBytes, {{0, 0, 1}, {256, 0, 2}, {512, 0, 3}, {768, 0, 1}}));
  EXPECT_EQ(ranges(plan),
            (std::vector<Range>{
                {0, 256, 0, 1}, {256, 512, 1, 1}, {512, 768, 2, 1}, {768, kBytes, 3, 1}}));
}

TEST(SplitPlanner, BringsInInListOrder) {  // SPLIT-010
  Fixture world(8, {3, 2, 1});
  const Plan plan = world.plan(ListBuilder(3, kBytes, {{0, 0, 2}, {0, 1, 3}, {256, 2, 1}}));
  EXPECT_EQ(steps_before(plan, 0),
            (decltype(steps_before(plan, 0)){
                {StepKind::Fill, 2}, {StepKind::Fill, 3}, {StepKind::Fill, 1}}));
}

TEST(SplitPlanner, ABoundAllocationKeepsItsPlaceAcrossTheSplit) {  // SPLIT-013
  // A in slot 0 for the whole buffer; B, then C in slot 1; only two fit.
  Fixture world(2, {1, 1, 1});
  const Plan plan = world.plan(ListBuilder(3, kBytes, {{0, 0, 1}, {0, 1, 2}, {512, 1, 3}}));
  EXPECT_EQ(ranges(plan), (std::vector<Range>{{0, 512, 0, 2}, {512, kBytes, 2, 1}}));
  EXPECT_EQ(steps_before(plan, 1),
            (decltype(steps_before(plan, 1)){{StepKind::TransferOut, 2}, {StepKind::Fill, 3}}));
  EXPECT_EQ(plan.portions[1].kept_rows, 1u);
  EXPECT_EQ(world.vidmm.allocation(AllocationId{1}).page, 0u);
}

TEST(SplitPlanner, TheCutTellsKeptFromFreedSlots) {
  Fixture world(3, {1, 1, 2});
  const ListBuilder list(3, kBytes, {{0, 0, 1}, {0, 1, 2}, {0, 2, 2}, {512, 2, 1}, {512, 1, 3}});
  const Plan plan = world.plan(list);
  ASSERT_EQ(plan.portions.size(), 2u);
  const CutSlots slots = slots_at_cut(list.list(), plan.portions[1]);
  EXPECT_EQ(slots.kept, (std::vector<BoundSlot>{{SlotId{0}, AllocationId{1}}}));
  EXPECT_EQ(slots.freed,
            (std::vector<BoundSlot>{{SlotId{1}, AllocationId{2}}, {SlotId{2}, AllocationId{2}}}));
  EXPECT_EQ(plan.portions[1].kept_rows, 1u);
  EXPECT_TRUE(slots_at_cut(list.list(), plan.portions[0]).kept.empty());
}

TEST(SplitPlanner, ABoundAllocationIsNeverTheVictim) {
  Fixture world(2, {1, 1, 2});
  const Plan plan = world.plan(ListBuilder(3, kBytes, {{0, 0, 1}, {512, 1, 3}}));
  EXPECT_EQ(plan.status, PlanStatus::CannotFit);
  EXPECT_EQ(plan.failing_element, 1u);
  EXPECT_EQ(ranges(plan), (std::vector<Range>{{0, 512, 0, 1}}));
}

TEST(SplitPlanner, AReprogrammedAllocationMovesToMakeRoom) {  // SPLIT-014
  // Ten pages; T (4) at pages 3..6 in slot 0, again at the split; then a contiguous 6-page one.
  Fixture world(10, {4, 6, 3});
  ASSERT_TRUE(bring_in(world.vidmm, AllocationId{3}));
  ASSERT_TRUE(bring_in(world.vidmm, AllocationId{1}));
  ASSERT_EQ(world.vidmm.allocation(AllocationId{1}).page, 3u);
  const Plan plan = world.plan(ListBuilder(3, kBytes, {{0, 0, 1}, {512, 0, 1}, {512, 1, 2}}));
  EXPECT_EQ(plan.status, PlanStatus::Done);
  EXPECT_EQ(ranges(plan), (std::vector<Range>{{0, 512, 0, 1}, {512, kBytes, 1, 2}}));
  EXPECT_EQ(world.vidmm.allocation(AllocationId{1}).page, 0u);
  EXPECT_EQ(world.vidmm.allocation(AllocationId{2}).page, 4u);
  EXPECT_EQ(plan.portions[1].reprogrammed_count, 2u);
  EXPECT_EQ(plan.portions[1].kept_rows, 0u);
}

TEST(SplitPlanner, WithoutReprogrammingTheSameListCannotGoOn) {  // control of the one above
  Fixture world(10, {4, 6, 3});
  ASSERT_TRUE(bring_in(world.vidmm, AllocationId{3}));
  ASSERT_TRUE(bring_in(world.vidmm, AllocationId{1}));
  const Plan plan = world.plan(ListBuilder(3, kBytes, {{0, 0, 1}, {512, 1, 2}}));
  EXPECT_EQ(plan.status, PlanStatus::CannotFit);
  EXPECT_EQ(plan.failing_element, 1u);
}

TEST(SplitPlanner, ARowThatIsNotReprogrammedHoldsTheAllocationAllTheSame) {
  // T is named by slots 0 and 2; only slot 0 is reprogrammed, so T must stay.
  Fixture world(10, {4, 6, 3});
  ASSERT_TRUE(bring_in(world.vidmm, AllocationId{3}));
  ASSERT_TRUE(bring_in(world.vidmm, AllocationId{1}));
  const Plan plan =
      world.plan(ListBuilder(3, kBytes, {{0, 0, 1}, {0, 2, 1}, {512, 0, 1}, {512, 1, 2}}));
  EXPECT_EQ(plan.status, PlanStatus::CannotFit);
  EXPECT_EQ(plan.failing_element, 3u);
  EXPECT_EQ(world.vidmm.allocation(AllocationId{1}).page, 3u);
}

TEST(SplitPlanner, AnUnbindLaterInTheGroupAlreadyFreesTheRow) {
  Fixture world(2, {2, 2});
  const Plan plan = world.plan(ListBuilder(2, kBytes, {{0, 0, 1}, {512, 1, 2}, {512, 0, kUnbind}}));
  EXPECT_EQ(plan.status, PlanStatus::Done);
  EXPECT_EQ(ranges(plan), (std::vector<Range>{{0, 512, 0, 1}, {512, kBytes, 1, 2}}));
}

TEST(SplitPlanner, AnAllocationReplacedWithinThePortionStaysUntilItsEnd) {
  // B replaces A at 256, yet the bytes before 256 use A in the same submission.
  Fixture world(2, {1, 1, 1});
  const Plan plan = world.plan(ListBuilder(3, kBytes, {{0, 0, 1}, {256, 0, 2}, {512, 0, 3}}));
  EXPECT_EQ(ranges(plan), (std::vector<Range>{{0, 512, 0, 2}, {512, kBytes, 2, 1}}));
}

TEST(SplitPlanner, ATrailingGroupAtTheEndMayBecomeAnEmptyPortion) {
  Fixture world(1, {1});
  const Plan plan =
      world.plan(ListBuilder(1, kBytes, {{0, 0, 1}, {kBytes, 0, kUnbind}}), {0, kBytes});
  EXPECT_EQ(ranges(plan), (std::vector<Range>{{0, kBytes, 0, 1}, {kBytes, kBytes, 1, 1}}));
}

TEST(SplitPlanner, EverySplitPointCanBeTaken) {
  Fixture world(8, {1, 1});
  const Plan plan = world.plan(
      ListBuilder(2, kBytes, {{0, 0, 1}, {256, 0, 2}, {256, 1, 1}, {512, 0, 1}}), {0, 256, 512});
  EXPECT_EQ(ranges(plan),
            (std::vector<Range>{{0, 256, 0, 1}, {256, 512, 1, 2}, {512, kBytes, 3, 1}}));
  EXPECT_EQ(plan.portions[0].cut, CutReason::Chosen);
}

TEST(SplitPlanner, SplitPointsThatTheListDoesNotHaveAreIgnored) {
  Fixture world(8, {1, 1});
  const Plan plan =
      world.plan(ListBuilder(2, kBytes, {{0, 0, 1}, {256, 0, 2}, {512, 0, 1}}), {100, 512, 9999});
  EXPECT_EQ(ranges(plan), (std::vector<Range>{{0, 512, 0, 2}, {512, kBytes, 2, 1}}));
}

TEST(SplitPlanner, TheLeastRecentlyUsedLeavesFirst) {
  Fixture world(3, {1, 1, 1, 1});
  world.plan(ListBuilder(4, kBytes, {{0, 0, 1}, {128, 0, 2}, {256, 0, 3}, {512, 0, 1}}));
  const Plan plan = world.plan(ListBuilder(4, kBytes, {{0, 0, 4}}));
  EXPECT_EQ(steps_before(plan, 0),
            (decltype(steps_before(plan, 0)){{StepKind::TransferOut, 2}, {StepKind::Fill, 4}}));
}

TEST(SplitPlanner, NothingOfAnEarlierBufferStaysRequired) {  // SPLIT-011
  Fixture world(2, {1, 2});
  world.plan(ListBuilder(2, kBytes, {{0, 0, 1}}));
  const Plan plan = world.plan(ListBuilder(2, kBytes, {{0, 1, 2}}));
  EXPECT_EQ(plan.status, PlanStatus::Done);
  EXPECT_EQ(ranges(plan), (std::vector<Range>{{0, kBytes, 0, 1}}));
}

TEST(SplitPlanner, WhatAnotherBufferHoldsIsNotEvicted) {
  Fixture world(2, {1, 2});
  SplitPlanner other(kRows);
  const ListBuilder first(2, kBytes, {{0, 0, 1}});
  Portion portion;
  PagingSteps steps;
  ASSERT_EQ(other.begin(world.vidmm, first.list()), ListError{});
  ASSERT_EQ(other.next(portion, steps), PlanStatus::Portion);

  const ListBuilder second(2, kBytes, {{0, 0, 2}});
  ASSERT_EQ(world.planner.begin(world.vidmm, second.list()), ListError{});
  EXPECT_EQ(world.planner.next(portion, steps), PlanStatus::CannotFit);

  other.finish();
  EXPECT_EQ(world.planner.next(portion, steps), PlanStatus::Portion);
  EXPECT_EQ(world.planner.next(portion, steps), PlanStatus::Done);
  world.planner.finish();
  world.vidmm.validate();
}

TEST(SplitPlanner, AnAllocationLargerThanTheFreeRestFailsAtItsElement) {
  Fixture world(4, {2, 4});
  const Plan plan = world.plan(ListBuilder(2, kBytes, {{0, 0, 1}, {0, 1, 2}}));
  EXPECT_EQ(plan.status, PlanStatus::CannotFit);
  EXPECT_EQ(plan.failing_element, 1u);
  EXPECT_TRUE(plan.portions.empty());
  EXPECT_TRUE(plan.steps.empty());
}

TEST(SplitPlanner, AFailedBufferLeavesMemoryAsTheLastPortionDid) {
  Fixture world(2, {1, 1, 2});
  ASSERT_TRUE(bring_in(world.vidmm, AllocationId{2}));
  const Plan plan = world.plan(ListBuilder(3, kBytes, {{0, 0, 1}, {512, 1, 3}}));
  EXPECT_EQ(plan.status, PlanStatus::CannotFit);
  EXPECT_EQ(world.vidmm.allocation(AllocationId{2}).page, 0u);
  EXPECT_EQ(world.vidmm.allocation(AllocationId{1}).page, 1u);
}

TEST(SplitPlanner, AllocatesNothingOnceWarm) {
  // Cuts, evictions and vain attempts, over and over.
  Fixture world(6, {2, 3, 1, 2, 3, 1});
  ListBuilder list(6, kBytes, {});
  for (std::uint32_t i = 0; i < 60; ++i) list.add({i / 2 * 16, i % 2, 1 + i * 5 % 6});
  Plan plan;
  const auto run = [&] {
    return plan_buffer(world.planner, world.vidmm, list.list(), {}, plan) == ListError{};
  };
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(run());
  ASSERT_EQ(plan.status, PlanStatus::Done);
  ASSERT_GT(plan.portions.size(), 10u);
  const std::uint64_t before = testing::heap_allocations();
  ASSERT_TRUE(run());
  EXPECT_EQ(testing::heap_allocations(), before);
}

struct Malformed {
  const char* name;
  PatchElement element;
  ListFault fault;
};

class MalformedList : public ::testing::TestWithParam<Malformed> {};

TEST_P(MalformedList, IsRefusedAndChangesNothing) {
  Fixture world(4, {1});
  ListBuilder list(1, kBytes, {{256, 0, 1}});
  list.elements().push_back(GetParam().element);
  EXPECT_EQ(world.planner.begin(world.vidmm, list.list()), (ListError{GetParam().fault, 1}));
  EXPECT_FALSE(world.planner.active());
  EXPECT_FALSE(world.vidmm.allocation(AllocationId{1}).resident());
}

INSTANTIATE_TEST_SUITE_P(
    SplitPlanner, MalformedList,
    ::testing::Values(Malformed{"Index", {2, 0, 0, 0, 256}, ListFault::AllocationIndexOutOfRange},
                      Malformed{
                          "HugeIndex", {~0u, 0, 0, 0, 256}, ListFault::AllocationIndexOutOfRange},
                      Malformed{"Slot", {0, kRows, 0, 0, 256}, ListFault::SlotOutOfRange},
                      Malformed{"HugeSlot", {0, ~0u, 0, 0, 256}, ListFault::SlotOutOfRange},
                      Malformed{"Order", {0, 0, 0, 0, 255}, ListFault::SplitOffsetDecreases},
                      Malformed{"End", {0, 0, 0, 0, kBytes + 1}, ListFault::SplitOffsetBeyondEnd}),
    [](const auto& one) { return one.param.name; });

TEST(SplitPlanner, LimitsOfAWellFormedListAreAccepted) {
  Fixture world(4, {1});
  const Plan plan = world.plan(ListBuilder(1, kBytes, {{0, kRows - 1, 1}, {kBytes, 0, kUnbind}}));
  EXPECT_EQ(plan.status, PlanStatus::Done);
}

TEST(SplitPlanner, ATableWithoutRowsRefusesEveryElement) {
  Fixture world(4, {1});
  SplitPlanner planner(0);
  const ListBuilder list(1, kBytes, {{0, 0, 1}});
  EXPECT_EQ(planner.begin(world.vidmm, list.list()), (ListError{ListFault::SlotOutOfRange, 0}));
}

}  // namespace
}  // namespace wddm::vidmm
