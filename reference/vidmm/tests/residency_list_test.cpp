// MakeResident and Evict: counted, all or nothing, and binding for submissions.
#include "reference/vidmm/residency_list.h"

#include <gtest/gtest.h>

#include <vector>

#include "reference/vidmm/tests/small_world.h"

namespace wddm::vidmm {
namespace {

using testing::add_memory;
using testing::bring_in;
using testing::create;

constexpr AllocationId kA{1};
constexpr AllocationId kB{2};
constexpr AllocationId kC{3};

struct Fixture {
  Fixture() {
    add_memory(vidmm, 4);
    create(vidmm, 1, 2);
    create(vidmm, 2, 2);
    create(vidmm, 3, 1);
  }

  MakeResidentResult make(std::vector<AllocationId> ids) {
    const MakeResidentResult result = list.make_resident(vidmm, ids, steps);
    vidmm.validate();
    return result;
  }

  VidMm vidmm;
  ResidencyList list;
  PagingSteps steps;
};

TEST(ResidencyList, CountsEveryRequest) {  // RES-004
  Fixture world;
  ASSERT_TRUE(world.make({kA}).made);
  ASSERT_TRUE(world.make({kA}).made);
  EXPECT_EQ(world.list.count(kA), 2u);
  EXPECT_EQ(world.steps.size(), 1u);
  ASSERT_TRUE(world.list.evict(world.vidmm, kA));
  EXPECT_EQ(world.vidmm.allocation(kA).pins, 1u);
  ASSERT_TRUE(world.list.evict(world.vidmm, kA));
  EXPECT_EQ(world.vidmm.allocation(kA).pins, 0u);
  EXPECT_TRUE(world.vidmm.allocation(kA).resident());
  EXPECT_FALSE(world.list.evict(world.vidmm, kA));
}

TEST(ResidencyList, AFailedRequestChangesNothing) {  // RES-005
  Fixture world;
  ASSERT_TRUE(world.make({kA}).made);
  ASSERT_TRUE(bring_in(world.vidmm, kC));
  world.steps.clear();
  EXPECT_EQ(world.make({kC, kA, kB}), (MakeResidentResult{false, 2 * kPageSize}));
  EXPECT_EQ(world.list.count(kA), 1u);
  EXPECT_EQ(world.list.count(kB), 0u);
  EXPECT_EQ(world.list.count(kC), 0u);
  EXPECT_EQ(world.vidmm.allocation(kC).pins, 0u);
  EXPECT_TRUE(world.steps.empty());
}

TEST(ResidencyList, NoneOfTheRequestMakesRoomForAnother) {
  Fixture world;
  ASSERT_TRUE(bring_in(world.vidmm, kC));
  ASSERT_TRUE(world.make({kA, kC}).made);
  EXPECT_TRUE(world.vidmm.allocation(kC).resident());
}

TEST(ResidencyList, AnAllocationListedTwiceCountsTwice) {
  Fixture world;
  ASSERT_TRUE(world.make({kA, kA}).made);
  EXPECT_EQ(world.list.count(kA), 2u);
  EXPECT_EQ(world.vidmm.allocation(kA).pins, 1u);
}

TEST(ResidencyList, ASubmissionMayNameOnlyWhatIsRequired) {  // RES-001
  Fixture world;
  ASSERT_TRUE(world.make({kA}).made);
  ASSERT_TRUE(bring_in(world.vidmm, kC));  // resident, but nobody asked for it
  const AllocationEntry entries[] = {{}, {kA, true}, {kC, false}};
  EXPECT_EQ(world.list.first_not_required(entries), 2u);
  EXPECT_EQ(world.list.first_not_required(std::span(entries).first(2)), 2u);
}

TEST(ResidencyList, WhatIsRequiredIsNotEvicted) {  // RES-003
  Fixture world;
  ASSERT_TRUE(world.make({kA, kB}).made);
  EXPECT_FALSE(bring_in(world.vidmm, kC));
  ASSERT_TRUE(world.list.evict(world.vidmm, kA));
  EXPECT_TRUE(bring_in(world.vidmm, kC));
  EXPECT_FALSE(world.vidmm.allocation(kA).resident());
}

}  // namespace
}  // namespace wddm::vidmm
