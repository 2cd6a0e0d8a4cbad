// A split point behind the last command.
#include "reference/vidmm/empty_end.h"

#include <gtest/gtest.h>

#include "reference/vidmm/tests/small_world.h"

namespace wddm::vidmm {
namespace {

using testing::kUnbind;
using testing::ListBuilder;

constexpr std::uint32_t kBytes = 1024;

/// Every split point is taken; allocations 1 and 2 need a page each.
Plan plan_all_cuts(const ListBuilder& list) {
  VidMm vidmm;
  testing::add_memory(vidmm, 4);
  testing::create(vidmm, 1, 1);
  testing::create(vidmm, 2, 1);
  SplitPlanner planner(4);
  Plan plan;
  EXPECT_EQ(plan_buffer(planner, vidmm, list.list(), split_points(list.list()), plan), ListError{});
  return plan;
}

TEST(EmptyEnd, ItsElementsGoToThePortionBefore) {
  Plan plan = plan_all_cuts(ListBuilder(2, kBytes, {{0, 0, 1}, {256, 0, 2}, {kBytes, 0, kUnbind}}));
  ASSERT_EQ(plan.portions.size(), 3u);
  EXPECT_TRUE(take_off_empty_end(plan).empty());
  ASSERT_EQ(plan.portions.size(), 2u);
  EXPECT_EQ(plan.portions[1].end_offset, kBytes);
  EXPECT_EQ(plan.portions[1].element_count, 2u);
  EXPECT_EQ(plan.portions[1].cut, CutReason::EndOfBuffer);
}

TEST(EmptyEnd, ItsPagingIsReturned) {
  Plan plan = plan_all_cuts(ListBuilder(2, kBytes, {{0, 0, 1}, {kBytes, 1, 2}}));
  const PagingSteps steps = take_off_empty_end(plan);
  ASSERT_EQ(steps.size(), 1u);
  EXPECT_EQ(steps[0].allocation, AllocationId{2});
}

TEST(EmptyEnd, PortionsWithCommandsStay) {
  Plan plan = plan_all_cuts(ListBuilder(2, kBytes, {{0, 0, 1}, {256, 0, 2}}));
  EXPECT_TRUE(take_off_empty_end(plan).empty());
  EXPECT_EQ(plan.portions.size(), 2u);
}

TEST(EmptyEnd, BufferWithoutCommandsKeepsItsPortion) {
  Plan plan = plan_all_cuts(ListBuilder(2, 0, {{0, 0, 1}}));
  EXPECT_TRUE(take_off_empty_end(plan).empty());
  EXPECT_EQ(plan.portions.size(), 1u);
}

}  // namespace
}  // namespace wddm::vidmm
