// The split planner beside one pass over the same list.
//
// The lists: "fits" (everything resident after the first buffer, no cut), "groups" (the same with
// four elements per split point), "cuts" (a working set twice the segment, so that a portion is cut
// about every 64 elements and each cut pages); "many fit" and "many cut" are the same with as many
// allocations as page tables make. One pass validates every element: the least that any reader of
// the list does.
#include <benchmark/benchmark.h>

#include <cstdint>
#include <vector>

#include "reference/vidmm/split_planner.h"
#include "reference/splitmix.h"
#include "reference/vidmm/tests/small_world.h"

namespace {

using namespace wddm::vidmm;  // NOLINT: a benchmark of this one namespace
using wddm::AllocationId;
using wddm::kPageSize;

constexpr std::uint32_t kRows = 64;

struct Case {
  std::uint32_t allocations;
  std::uint32_t segment_pages;
  std::uint32_t group;
};
constexpr Case kCases[] = {{128, 128 * 16, 1},
                           {128, 128 * 16, 4},
                           {256, 128 * 16, 1},
                           {10'000, 10'000 * 16, 1},
                           {20'000, 10'000 * 16, 1}};
constexpr const char* kNames[] = {"fits", "groups", "cuts", "many fit", "many cut"};

class World {
 public:
  World(const Case& shape, std::uint32_t elements) : list_(shape.allocations, 0, {}) {
    testing::add_memory(vidmm_, shape.segment_pages);
    for (std::uint32_t i = 1; i <= shape.allocations; ++i) testing::create(vidmm_, i, 16);
    SplitMix random(elements);
    for (std::uint32_t i = 0; i < elements; ++i) {
      list_.add({i / shape.group * 8, random.below(kRows), 1 + random.below(shape.allocations)});
    }
    list_.set_bytes(elements * 8);
  }

  PatchList list() const { return list_.list(); }

  std::size_t plan() {
    if (plan_buffer(planner_, vidmm_, list(), {}, plan_) != ListError{}) std::abort();
    if (plan_.status != PlanStatus::Done) std::abort();
    return plan_.portions.size();
  }
  std::size_t steps() const { return plan_.steps.size(); }

 private:
  VidMm vidmm_;
  testing::ListBuilder list_;
  SplitPlanner planner_{kRows};
  Plan plan_;
};

void BM_OnePass(benchmark::State& state) {
  const World world(kCases[0], static_cast<std::uint32_t>(state.range(0)));
  const PatchList list = world.list();
  for (auto _ : state) {
    const ListError error = check_list(list, kRows);
    benchmark::DoNotOptimize(error);
  }
  state.SetItemsProcessed(state.iterations() * state.range(0));
}
BENCHMARK(BM_OnePass)->RangeMultiplier(10)->Range(1'000, 1'000'000);

void BM_SplitPlanner(benchmark::State& state) {
  World world(kCases[state.range(1)], static_cast<std::uint32_t>(state.range(0)));
  state.SetLabel(kNames[state.range(1)]);
  world.plan();
  std::size_t portions = 0;
  for (auto _ : state) portions = world.plan();
  state.counters["portions"] = static_cast<double>(portions);
  state.counters["steps"] = static_cast<double>(world.steps());
  state.SetItemsProcessed(state.iterations() * state.range(0));
}
BENCHMARK(BM_SplitPlanner)
    ->ArgNames({"elements", "list"})
    ->ArgsProduct({{1'000, 10'000, 100'000, 1'000'000}, {0, 1, 2, 3, 4}});

}  // namespace
