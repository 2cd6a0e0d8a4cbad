// Prepatch addresses and the duty to patch.
#include "reference/vidmm/patch_duty.h"

#include <gtest/gtest.h>

#include <vector>

#include "reference/vidmm/tests/world.h"

namespace wddm::vidmm {
namespace {

using testing::add_memory;
using testing::bring_in;
using testing::create;
using testing::kFirst;
using testing::kUnbind;
using testing::ListBuilder;

constexpr AllocationId kA{1};
constexpr Outcome kMust{Duty::Required, 1};
constexpr Outcome kMay{Duty::Allowed, 2};

struct Fixture {
  Fixture() {
    add_memory(vidmm, 4);
    create(vidmm, 1, 1);
    create(vidmm, 2, 1);
  }

  std::vector<EntryAddress> told(PrepatchChoice choice = PrepatchChoice::WhenKnown) const {
    std::vector<EntryAddress> result;
    for (const AllocationEntry& entry : list.list().allocations) {
      result.push_back(prepatch_address(vidmm, entry.allocation, choice));
    }
    return result;
  }

  Portion plan() {
    SplitPlanner planner(4);
    Plan result;
    EXPECT_EQ(plan_buffer(planner, vidmm, list.list(), {}, result), ListError{});
    return result.portions.at(0);
  }

  VidMm vidmm;
  ListBuilder list{2, 256, {{0, 0, 1}, {64, 1, kUnbind}}};
};

TEST(PatchDuty, AnEvictedAllocationHasNoPrepatchAddress) {
  Fixture world;
  EXPECT_EQ(prepatch_address(world.vidmm, kA, PrepatchChoice::WhenKnown), EntryAddress{});
  ASSERT_TRUE(bring_in(world.vidmm, kA));
  EXPECT_EQ(prepatch_address(world.vidmm, kA, PrepatchChoice::WhenKnown),
            (EntryAddress{kFirst, world.vidmm.gpu_address(kA)}));
  EXPECT_EQ(prepatch_address(world.vidmm, kA, PrepatchChoice::Never), EntryAddress{});
}

TEST(PatchDuty, WhatIsStillTrueNeedNotBePatched) {
  Fixture world;
  ASSERT_TRUE(bring_in(world.vidmm, kA));
  const auto told = world.told();
  EXPECT_EQ(patch_duty(world.vidmm, world.list.list(), world.plan(), told), kMay);
}

TEST(PatchDuty, WhatWasNeverToldMustBePatched) {
  Fixture world;
  const auto told = world.told();
  EXPECT_EQ(patch_duty(world.vidmm, world.list.list(), world.plan(), told), kMust);
}

TEST(PatchDuty, WhatHasMovedMustBePatched) {
  Fixture world;
  ASSERT_TRUE(bring_in(world.vidmm, kA));
  const auto told = world.told();
  PagingSteps steps;
  ASSERT_TRUE(world.vidmm.relocate(kA, steps));
  EXPECT_EQ(patch_duty(world.vidmm, world.list.list(), world.plan(), told), kMust);
}

TEST(PatchDuty, APortionWithoutAllocationsNeedsNoPatch) {
  Fixture world;
  const auto told = world.told();
  Portion unbind_only;
  unbind_only.first_element = 1;
  unbind_only.element_count = 1;
  EXPECT_EQ(patch_duty(world.vidmm, world.list.list(), unbind_only, told), kMay);
}

}  // namespace
}  // namespace wddm::vidmm
