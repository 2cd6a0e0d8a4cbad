// Placement: cost of a free+allocate pair in steady state, at about 70 % occupancy.
#include <benchmark/benchmark.h>

#include <cstdint>
#include <vector>

#include "reference/splitmix.h"
#include "reference/vidmm/placement.h"

namespace {

using wddm::SplitMix;
using wddm::vidmm::Placement;

void BM_PlacementFreeAllocatePair(benchmark::State& state) {
  const auto blocks = static_cast<std::uint32_t>(state.range(0));
  const auto alignment = static_cast<std::uint32_t>(state.range(1));
  constexpr std::uint32_t kMaxPages = 64;
  // 4 GiB-like: mean block 32.5 pages; the space is sized so that 70 % of it is taken.
  const std::uint32_t mean = alignment == 1 ? kMaxPages / 2 + 1 : kMaxPages / 2 + alignment / 2;
  Placement placement(static_cast<std::uint32_t>(std::uint64_t{blocks} * mean * 10 / 7));
  SplitMix random(1);
  std::vector<std::uint32_t> live;
  while (live.size() < blocks) {
    live.push_back(placement.allocate(1 + random.below(kMaxPages), alignment).value());
  }
  std::vector<std::uint64_t> rolls(1 << 16);
  for (auto& roll : rolls) roll = random.next();
  std::size_t roll_at = 0;
  std::uint64_t failed = 0;
  const auto pair = [&] {
    const std::uint64_t roll = rolls[roll_at++ & (rolls.size() - 1)];
    std::uint32_t& victim = live[(roll >> 32) * blocks >> 32];
    placement.free(victim);
    auto page =
        placement.allocate(1 + static_cast<std::uint32_t>(roll & (kMaxPages - 1)), alignment);
    if (!page) {
      ++failed;
      page = placement.allocate(1, 1);
    }
    victim = *page;
  };
  for (std::uint32_t i = 0; i < 10 * blocks; ++i) pair();
  for (auto _ : state) pair();
  state.counters["failed"] = static_cast<double>(failed);
}
BENCHMARK(BM_PlacementFreeAllocatePair)
    ->ArgNames({"blocks", "alignment"})
    ->ArgsProduct({{100, 1'000, 10'000, 100'000}, {1, 16}});

}  // namespace
