// GPU virtual address ranges: cost of a free and a map in steady state, beside std::map.
//
// The space is filled at chosen addresses and then thinned out, so that one in eight ranges is a
// gap. "free and map" puts a random range back where it was (a base); "free and choose" lets the
// allocator find the lowest place. std::map does the same with its bare bookkeeping: no rules, no
// entries, no state, and the lowest place found by walking, which is why it is asked for up to 10^4
// ranges only.
#include <benchmark/benchmark.h>

#include <cstdint>
#include <cstdlib>
#include <map>
#include <vector>

#include "reference/gpuva/va_ranges.h"
#include "reference/splitmix.h"

namespace {

using namespace wddm::gpuva;  // NOLINT: a benchmark of this one namespace
using wddm::kPageSize;
using wddm::SplitMix;

constexpr std::uint64_t kPages = 16;  // of a range
constexpr AllocationRef kAllocation{{1}, kPages, true};

std::uint64_t random_of(SplitMix& random, std::uint64_t end) {
  return random.below(static_cast<std::uint32_t>(end));
}

/// Where range `i` is, if all are there.
GpuVirtualAddress place(std::uint64_t i) {
  return address_of((i + 1) * kPages);
}

void expect(bool right) {
  if (!right) std::abort();
}

class Space {
 public:
  explicit Space(std::uint64_t ranges) {
    for (std::uint64_t i = 0; i < ranges; ++i) map(place(i));
    for (std::uint64_t i = 7; i < ranges; i += 8) free(place(i));
  }
  void map(GpuVirtualAddress base) {
    const auto decisions = ranges_.step(
        MapGpuVirtualAddress{.base = base, .allocation = kAllocation, .size_pages = kPages});
    expect(std::holds_alternative<Placed>(decisions[0]));
  }
  void free(GpuVirtualAddress base) {
    const auto decisions = ranges_.step(FreeGpuVirtualAddress{base, kPages * kPageSize});
    expect(std::holds_alternative<IgnoreQueued>(decisions[0]));
  }

 private:
  VaRanges ranges_{VaConfig{}};
};

class Map {
 public:
  explicit Map(std::uint64_t ranges) {
    for (std::uint64_t i = 0; i < ranges; ++i) map(place(i));
    for (std::uint64_t i = 7; i < ranges; i += 8) free(place(i));
  }
  void map(GpuVirtualAddress base) {
    if (base.value == 0) {
      std::uint64_t page = kPages;
      for (const auto& [first, pages] : pieces_) {
        if (first >= page + kPages) break;
        page = first + pages;
      }
      base = address_of(page);
    }
    const auto next = pieces_.upper_bound(page_of(base));
    expect(next == pieces_.begin() || std::prev(next)->first + kPages <= page_of(base));
    expect(next == pieces_.end() || page_of(base) + kPages <= next->first);
    pieces_.emplace_hint(next, page_of(base), kPages);
  }
  void free(GpuVirtualAddress base) { expect(pieces_.erase(page_of(base)) == 1); }

 private:
  std::map<std::uint64_t, std::uint64_t> pieces_;
};

template <class Subject>
void free_and_map(benchmark::State& state) {
  const auto ranges = static_cast<std::uint64_t>(state.range(0));
  Subject subject(ranges);
  SplitMix random(1);
  for (auto _ : state) {
    const std::uint64_t i = random_of(random, ranges / 8) * 8;
    subject.free(place(i));
    subject.map(place(i));
  }
}
BENCHMARK(free_and_map<Space>)->RangeMultiplier(10)->Range(1'000, 1'000'000);
BENCHMARK(free_and_map<Map>)->RangeMultiplier(10)->Range(1'000, 1'000'000);

/// The gaps are filled first, so that only the freed range has room, anywhere in the space.
template <class Subject>
void free_and_choose(benchmark::State& state) {
  const auto ranges = static_cast<std::uint64_t>(state.range(0));
  Subject subject(ranges);
  for (std::uint64_t i = 7; i < ranges; i += 8) subject.map({});
  SplitMix random(1);
  for (auto _ : state) {
    subject.free(place(random_of(random, ranges)));
    subject.map({});
  }
}
BENCHMARK(free_and_choose<Space>)->RangeMultiplier(10)->Range(1'000, 1'000'000);
BENCHMARK(free_and_choose<Map>)->RangeMultiplier(10)->Range(1'000, 10'000);

/// Tiles of one reservation, mapped again one by one.
void update_tile(benchmark::State& state) {
  const auto tiles = static_cast<std::uint64_t>(state.range(0));
  VaRanges ranges{VaConfig{}};
  const GpuVirtualAddress base{std::uint64_t{1} << 32};
  (void)ranges.step(ReserveGpuVirtualAddress{.base = base, .size = tiles * kPageSize64K});
  const auto update = [&](std::uint64_t tile, std::uint64_t page) {
    const UpdateOperation operation = UpdateMap{.base = {base.value + tile * kPageSize64K},
                                                .size = kPageSize64K,
                                                .allocation = {{1}, 64, true},
                                                .allocation_offset = page * kPageSize};
    const auto decisions = ranges.step(UpdateGpuVirtualAddress{{&operation, 1}});
    expect(std::holds_alternative<SetEntries>(decisions[0]));
  };
  for (std::uint64_t i = 0; i < tiles; ++i) update(i, i % 2 * 16);
  SplitMix random(1);
  for (auto _ : state) update(random_of(random, tiles), random_of(random, 3) * 16);
}
BENCHMARK(update_tile)->RangeMultiplier(10)->Range(1'000, 1'000'000);

}  // namespace
