// The split planner against the obvious one and against the clauses, on random worlds and lists.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "reference/vidmm/split_planner.h"
#include "reference/vidmm/tests/naive_planner.h"
#include "reference/vidmm/tests/plan_checker.h"
#include "reference/splitmix.h"
#include "reference/vidmm/tests/small_world.h"

namespace wddm::vidmm {
namespace {

using testing::ListBuilder;
using testing::NaiveWorld;
using testing::WorldSpec;

constexpr std::uint32_t kRows = 6;

/// Two segments of few pages (the second often an aperture) and a dozen allocations.
WorldSpec random_world(SplitMix& random) {
  WorldSpec spec;
  spec.segments.push_back({SegmentKind::Memory, 2 + random.below(12)});
  if (random.below(2) == 0) {
    spec.segments.push_back(
        {random.below(3) == 0 ? SegmentKind::Memory : SegmentKind::Aperture, 1 + random.below(8)});
  }
  const std::uint32_t count = 2 + random.below(10);
  for (std::uint32_t i = 0; i < count; ++i) {
    AllocationTraits traits;
    traits.supported_segments = 1 + random.below((1u << spec.segments.size()) - 1);
    if ((traits.supported_segments & 2) != 0 && random.below(2) == 0) {
      traits.preferred[0] = SegmentId{2};
    }
    std::uint32_t limit = 0;
    for (std::uint32_t s = 0; s < spec.segments.size(); ++s) {
      if ((traits.supported_segments >> s & 1) != 0) {
        limit = std::max(limit, spec.segments[s].pages);
      }
    }
    traits.size_bytes = (1 + random.below(limit)) * kPageSize - random.below(4096);
    traits.alignment_bytes = random.below(3) == 0 ? 8192 : 0;
    if (spec.segments.size() == 2 && spec.segments[1].kind == SegmentKind::Aperture &&
        random.below(2) == 0) {
      traits.eviction_segments = 2;
    }
    traits.permanent_system_memory = random.below(3) == 0;
    spec.allocations.push_back(traits);
  }
  return spec;
}

ListBuilder random_list(SplitMix& random, std::uint32_t allocations) {
  ListBuilder list(allocations, 0, {});
  const std::uint32_t elements = random.below(25);
  std::uint32_t split = random.below(2) * 64;
  for (std::uint32_t i = 0; i < elements; ++i) {
    list.add({split, random.below(kRows), random.below(allocations + 1)});
    if (random.below(3) != 0) split += 64;
  }
  for (auto& entry : list.entries()) entry.write = random.below(2) == 0;
  list.set_bytes(split + random.below(2) * 64);
  return list;
}

/// None, all, or some of the split points of random_list, and some that it does not have.
std::vector<std::uint32_t> random_taken(SplitMix& random) {
  std::vector<std::uint32_t> offsets;
  const std::uint32_t mode = random.below(3);
  for (std::uint32_t i = 0; i < 40; ++i) {
    if (mode == 1 || (mode == 2 && random.below(2) == 0)) offsets.push_back(i * 64);
  }
  return offsets;
}

/// Several buffers in a row over one world; answers what differs or breaks.
std::string run_buffers(std::uint64_t seed, std::uint32_t buffers) {
  SplitMix random(seed);
  const WorldSpec spec = random_world(random);
  VidMm vidmm = testing::make_vidmm(spec);
  NaiveWorld naive(spec);
  SplitPlanner planner(kRows);
  Plan plan;
  const auto count = static_cast<std::uint32_t>(spec.allocations.size());
  for (std::uint32_t buffer = 0; buffer < buffers; ++buffer) {
    // Between buffers, others page, pin, unpin and give up content.
    for (std::uint32_t i = random.below(4); i > 0; --i) {
      const std::uint32_t id = 1 + random.below(count);
      PagingSteps steps;
      PagingSteps naive_steps;
      const Allocation& state = vidmm.allocation(AllocationId{id});
      switch (random.below(4)) {
        case 0: {
          if (state.resident()) break;
          if (vidmm.page_in(AllocationId{id}, steps) != naive.page_in(id, naive_steps)) {
            return "page_in differs";
          }
          break;
        }
        case 1:
          if (!state.resident() || state.pins != 0) break;
          if (random.below(4) == 0) {
            vidmm.pin(AllocationId{id});
            naive.pin(id);
          } else {
            vidmm.evict(AllocationId{id}, steps);
            naive.evict(id, naive_steps);
          }
          break;
        case 2:
          if (state.pins == 0) break;
          vidmm.unpin(AllocationId{id});
          naive.unpin(id);
          break;
        default:
          vidmm.mark_discardable(AllocationId{id});
          naive.mutable_at(id).discardable = true;
      }
      if (steps != naive_steps) return "steps between buffers differ";
      vidmm.validate();
    }
    const ListBuilder list = random_list(random, count);
    const std::vector<std::uint32_t> taken = random_taken(random);
    const VidMm before = vidmm;

    if (plan_buffer(planner, vidmm, list.list(), taken, plan) != ListError{}) {
      return "a well-formed list was refused";
    }

    vidmm.validate();
    planner.validate();
    const std::string broken = testing::breach(before, list.list(), plan);
    if (!broken.empty()) return broken;
    const Plan expected = testing::naive_plan(naive, list.list(), taken);
    if (plan.status != expected.status) return "status differs";
    if (plan.portions != expected.portions) return "portions differ";
    if (plan.steps != expected.steps) return "steps differ";
    if (plan.failing_element != expected.failing_element) return "failing element differs";
    if (const char* what = testing::difference(vidmm, naive)) return what;
  }
  return {};
}

TEST(SplitPlannerProperty, AgreesWithTheObviousPlanner) {
  for (std::uint64_t seed = 1; seed <= 5'000; ++seed) {
    ASSERT_EQ(run_buffers(seed, 6), "") << "seed " << seed;
  }
}

RC_GTEST_PROP(SplitPlannerProperty, AgreesWithTheObviousPlannerOnFreshSeeds, (std::uint64_t seed)) {
  RC_ASSERT(run_buffers(seed, 6) == std::string());
}

/// Any bytes at all: either refused with an error that is true, or planned without complaint.
RC_GTEST_PROP(SplitPlannerProperty, HostileListsAreRefusedOrPlanned, (std::uint64_t seed)) {
  SplitMix random(seed);
  const WorldSpec spec = random_world(random);
  VidMm vidmm = testing::make_vidmm(spec);
  ListBuilder list = random_list(random, static_cast<std::uint32_t>(spec.allocations.size()));
  const auto wild = [&](std::uint32_t usual) {
    return random.below(12) != 0 ? usual : static_cast<std::uint32_t>(random.next());
  };
  for (PatchElement& element : list.elements()) {
    element.allocation_index = wild(element.allocation_index);
    element.slot = wild(element.slot);
    element.split_offset = wild(element.split_offset);
    element.patch_offset = wild(element.patch_offset);
    element.allocation_offset = wild(element.allocation_offset);
  }
  const auto fault_of = [&](std::uint32_t i) {
    const PatchElement& element = list.elements()[i];
    if (element.allocation_index >= list.entries().size()) {
      return ListFault::AllocationIndexOutOfRange;
    }
    if (element.slot >= kRows) return ListFault::SlotOutOfRange;
    if (i > 0 && element.split_offset < list.elements()[i - 1].split_offset) {
      return ListFault::SplitOffsetDecreases;
    }
    if (element.split_offset > list.list().bytes) return ListFault::SplitOffsetBeyondEnd;
    return ListFault::None;
  };
  ListError expected;
  for (std::uint32_t i = 0; i < list.elements().size(); ++i) {
    if (fault_of(i) == ListFault::None) continue;
    expected = {fault_of(i), i};
    break;
  }
  SplitPlanner planner(kRows);
  Plan plan;
  const ListError error = plan_buffer(planner, vidmm, list.list(), {}, plan);
  RC_ASSERT(error == expected);
  RC_ASSERT(!planner.active());
  vidmm.validate();
}

/// Two buffers in flight at once: neither moves what the other holds.
RC_GTEST_PROP(SplitPlannerProperty, InterleavedBuffersKeepTheirPlaces, (std::uint64_t seed)) {
  SplitMix random(seed);
  const WorldSpec spec = random_world(random);
  VidMm vidmm = testing::make_vidmm(spec);
  const auto count = static_cast<std::uint32_t>(spec.allocations.size());
  const ListBuilder lists[] = {random_list(random, count), random_list(random, count)};
  const std::vector<std::uint32_t> taken[] = {random_taken(random), random_taken(random)};
  SplitPlanner planners[] = {SplitPlanner(kRows), SplitPlanner(kRows)};
  PagingSteps steps;
  for (int i = 0; i < 2; ++i) {
    RC_ASSERT(planners[i].begin(vidmm, lists[i].list(), taken[i]) == ListError{});
  }
  for (int turn = 0; turn < 60; ++turn) {
    const std::uint32_t mover = random.below(2);
    SplitPlanner& resting = planners[1 - mover];
    std::vector<std::pair<AllocationId, std::uint64_t>> held;
    if (resting.active()) {
      resting.table().for_each_bound(
          [&](SlotId, AllocationId bound) { held.emplace_back(bound, vidmm.gpu_address(bound)); });
    }
    Portion portion;
    if (!planners[mover].active()) continue;
    if (planners[mover].next(portion, steps) != PlanStatus::Portion && random.below(3) == 0) {
      planners[mover].finish();
    }
    for (const auto& [bound, address] : held) RC_ASSERT(vidmm.gpu_address(bound) == address);
    vidmm.validate();
    planners[mover].validate();
  }
  for (SplitPlanner& planner : planners) {
    if (planner.active()) planner.finish();
  }
  vidmm.validate();
  for (std::uint32_t id = 1; id <= count; ++id) {
    RC_ASSERT(vidmm.allocation(AllocationId{id}).pins == 0u);
  }
}

}  // namespace
}  // namespace wddm::vidmm
