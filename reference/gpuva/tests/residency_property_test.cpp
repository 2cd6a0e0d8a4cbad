// Residency beside a plain recount: on random inputs, and on every list of up to five of a small
// alphabet; and that nobody waits for ever.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "reference/gpuva/tests/residency_world.h"

namespace wddm::gpuva {
namespace {

using testing::kAllocations;
using testing::kDevices;
using testing::ResidencyWorld;

/// One of the events that are possible now, if there is any.
bool go_on(ResidencyWorld& world, std::uint32_t device) {
  const DeviceId id{device};
  if (world.residency.in_flight(id)) {
    (void)world.paged(device);
    return true;
  }
  if (world.begun[device] != world.ended[device]) {
    (void)world.end(device);
    return true;
  }
  if (world.residency.may_run(id)) {
    (void)world.begin(device);
    return true;
  }
  return false;
}

std::uint32_t below(std::uint32_t end) {
  return *rc::gen::inRange<std::uint32_t>(0, end);
}

void any_input(ResidencyWorld& world, std::array<std::uint64_t, kDevices>& submitted) {
  const std::uint32_t device = below(kDevices);
  ResidencyWorld::Ids ids(below(3));
  for (AllocationId& id : ids) id = {below(kAllocations + 1)};
  switch (below(12)) {
    case 0:
    case 1:
    case 2:
      (void)world.make(device, ids, below(4) == 0);
      break;
    case 3:
    case 4:
      (void)world.evict(device, ids, below(2) == 0, below(2) == 0);
      break;
    case 5:
      (void)world.offer(device, ids);
      break;
    case 6:
      (void)world.reclaim(device, ids);
      break;
    case 7:
      (void)world.submit(device);
      ++submitted[device];
      break;
    case 8:
      if (submitted[device] != world.begun[device]) (void)world.want(device);
      break;
    case 9:
      (void)world.tell(SetBudget{{device}, 1 + below(6)});
      break;
    default:
      (void)go_on(world, device);
  }
}

/// Everything that is submitted is run, and all fences are signalled.
void finish(ResidencyWorld& world, const std::array<std::uint64_t, kDevices>& submitted) {
  for (int round = 0; round < 100; ++round) {
    bool busy = false;
    for (std::uint32_t d = 0; d < kDevices; ++d) {
      if (submitted[d] != world.begun[d] && !world.residency.in_error({d})) (void)world.want(d);
      while (go_on(world, d)) busy = true;
    }
    if (!busy) return;
  }
}

RC_GTEST_PROP(ResidencyProperty, NothingForbiddenHappensAndNobodyWaitsForEver, ()) {
  ResidencyWorld world(4);
  std::array<std::uint64_t, kDevices> submitted{};
  const std::uint32_t inputs = below(60);
  for (std::uint32_t i = 0; i < inputs; ++i) {
    any_input(world, submitted);
    RC_ASSERT(world.wrong == "");
  }
  finish(world, submitted);
  RC_ASSERT(world.wrong == "");
  for (std::uint32_t d = 0; d < kDevices; ++d) {
    RC_ASSERT(world.expected[d].empty());
    RC_ASSERT(world.begun[d] == submitted[d]);
  }
}

constexpr std::size_t kInputs = 11;

void input(ResidencyWorld& world, std::size_t which) {
  switch (which) {
    case 0:
      (void)world.make(0, {{{0}}});
      break;
    case 1:
      (void)world.make(0, {{{1}, {3}}});
      break;
    case 2:
      (void)world.make(1, {{{2}}});
      break;
    case 3:
      (void)world.evict(0, {{{0}}});
      break;
    case 4:
      (void)world.evict(1, {{{2}}}, true, true);
      break;
    case 5:
      (void)world.offer(0, {{{3}}});
      break;
    case 6:
      (void)world.reclaim(0, {{{3}}});
      break;
    case 7:
      (void)world.submit(0), (void)world.want(0);
      break;
    case 8:
      (void)world.submit(1), (void)world.want(1);
      break;
    case 9:
      (void)go_on(world, 0);
      break;
    default:
      (void)go_on(world, 1);
  }
}

std::size_t try_all(const ResidencyWorld& before, std::size_t left) {
  if (left == 0) return 1;
  std::size_t lists = 1;
  for (std::size_t which = 0; which < kInputs; ++which) {
    ResidencyWorld after = before;
    input(after, which);
    if (!after.wrong.empty()) {
      ADD_FAILURE() << after.wrong << ", by " << which << ", " << left << " before the end";
      return lists;
    }
    lists += try_all(after, left - 1);
  }
  return lists;
}

TEST(ResidencyExhaustive, EveryListOfFiveInputs) {
  EXPECT_EQ(try_all(ResidencyWorld(4), 5), 177'156u);
}

}  // namespace
}  // namespace wddm::gpuva
