// Cost of mapping, unmapping and walking, beside a flat array and std::unordered_map of one run.
#include <benchmark/benchmark.h>

#include <chrono>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "reference/gpummu/address_space.h"
#include "reference/splitmix.h"

namespace {

using namespace wddm;
using namespace wddm::gpummu;

/// 48 bits, four levels; 64 KB leaves, so that pages of both sizes have a leaf of their own.
Geometry geometry() {
  GpuMmuCaps caps;
  caps.zero_in_pte_supported = true;
  caps.page_table_update_mode = PageTableUpdateMode::GpuPhysical;
  caps.virtual_address_bit_count = 48;
  caps.leaf_page_table_size_for_64kb_pages_in_bytes = 4096;
  caps.page_table_level_count = 4;
  const std::vector<PageTableLevelDesc> levels(4, {9, SegmentId{1}, SegmentId{1}, 4096, 0});
  const ReportedSegment segment{.use_64kb_pages = true};
  return *check_geometry(caps, levels, {&segment, 1}).geometry;
}

AddressSpace opened() {
  AddressSpace space(geometry());
  benchmark::DoNotOptimize(space.step(Open{}).data());
  return space;
}

/// Pages `first` ... of an address space, at `page_bytes` each, mapped to the same offsets.
void map(AddressSpace& space, std::uint64_t first, std::uint64_t count, std::uint64_t page_bytes) {
  const PageRun run{{first * page_bytes, SegmentId{1}, {}}, count * page_bytes};
  Map input;
  input.range = {{first * page_bytes}, count * page_bytes};
  input.pages = {&run, 1};
  input.use_64kb_pages = page_bytes == kPageSize64K;
  benchmark::DoNotOptimize(space.step(input).data());
}

void unmap(AddressSpace& space, std::uint64_t first, std::uint64_t count,
           std::uint64_t page_bytes) {
  benchmark::DoNotOptimize(space.step(Unmap{{{first * page_bytes}, count * page_bytes}}).data());
}

std::vector<std::uint64_t> random_addresses(std::uint64_t pages, std::uint64_t page_bytes) {
  SplitMix random(1);
  std::vector<std::uint64_t> addresses(1 << 14);
  for (auto& each : addresses) {
    each = random.below(static_cast<std::uint32_t>(pages)) * page_bytes + random.below(4096);
  }
  return addresses;
}

void pages_and_sizes(benchmark::internal::Benchmark* bench) {
  bench->ArgNames({"pages", "page_bytes"})
      ->ArgsProduct({{1'000, 10'000, 100'000, 1'000'000}, {4096, 65536}});
}

/// Independent walks; 1'024 pages of 64 KB are a space as fuzzers make them, 1'048'576 are 64 GiB.
void BM_Walk(benchmark::State& state) {
  const auto pages = static_cast<std::uint64_t>(state.range(0));
  const auto page_bytes = static_cast<std::uint64_t>(state.range(1));
  AddressSpace space = opened();
  map(space, 0, pages, page_bytes);
  const auto addresses = random_addresses(pages, page_bytes);
  const PageTables::View view = space.view({});
  const Geometry shape = space.geometry();
  for (auto _ : state) {
    std::uint64_t sum = 0;
    for (const std::uint64_t va : addresses)
      sum += walk(shape, view, {va}, Access::Read).place.offset;
    benchmark::DoNotOptimize(sum);
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(addresses.size()));
}
BENCHMARK(BM_Walk)->Apply(pages_and_sizes)->Args({1 << 10, 65536})->Args({1 << 20, 65536});

/// The same one at a time, as the suite asks: between two steps.
void BM_Translate(benchmark::State& state) {
  AddressSpace space = opened();
  map(space, 0, 1'000, 4096);
  const auto addresses = random_addresses(1'000, 4096);
  for (auto _ : state) {
    std::uint64_t sum = 0;
    for (const std::uint64_t va : addresses)
      sum += space.translate({va}, Access::Read).place.offset;
    benchmark::DoNotOptimize(sum);
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(addresses.size()));
}
BENCHMARK(BM_Translate);

void BM_WalkFlatArray(benchmark::State& state) {
  const auto pages = static_cast<std::uint64_t>(state.range(0));
  const auto page_bytes = static_cast<std::uint64_t>(state.range(1));
  std::vector<std::uint64_t> flat(pages);
  for (std::uint64_t i = 0; i < pages; ++i) flat[i] = i * page_bytes;
  const auto addresses = random_addresses(pages, page_bytes);
  const int shift = page_bytes == 4096 ? 12 : 16;
  for (auto _ : state) {
    std::uint64_t sum = 0;
    for (const std::uint64_t va : addresses) sum += flat[va >> shift] + (va & (page_bytes - 1));
    benchmark::DoNotOptimize(sum);
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(addresses.size()));
}
BENCHMARK(BM_WalkFlatArray)->Apply(pages_and_sizes)->Args({1 << 10, 65536})->Args({1 << 20, 65536});

void BM_WalkUnorderedMap(benchmark::State& state) {
  const auto pages = static_cast<std::uint64_t>(state.range(0));
  const auto page_bytes = static_cast<std::uint64_t>(state.range(1));
  std::unordered_map<std::uint64_t, std::uint64_t> flat;
  for (std::uint64_t i = 0; i < pages; ++i) flat[i] = i * page_bytes;
  const auto addresses = random_addresses(pages, page_bytes);
  const int shift = page_bytes == 4096 ? 12 : 16;
  for (auto _ : state) {
    std::uint64_t sum = 0;
    for (const std::uint64_t va : addresses) {
      sum += flat.find(va >> shift)->second + (va & (page_bytes - 1));
    }
    benchmark::DoNotOptimize(sum);
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(addresses.size()));
}
BENCHMARK(BM_WalkUnorderedMap)->Apply(pages_and_sizes);

/// Times `timed` alone; `rest` makes ready for the next time. Items are pages.
template <class Timed, class Rest>
void time_first(benchmark::State& state, Timed timed, Rest rest) {
  using Clock = std::chrono::steady_clock;
  for (auto _ : state) {
    const auto start = Clock::now();
    timed();
    state.SetIterationTime(std::chrono::duration<double>(Clock::now() - start).count());
    rest();
  }
  state.SetItemsProcessed(state.iterations() * state.range(0));
}

/// Maps all pages in one step, tables included.
void BM_Map(benchmark::State& state) {
  const auto pages = static_cast<std::uint64_t>(state.range(0));
  const auto page_bytes = static_cast<std::uint64_t>(state.range(1));
  AddressSpace space = opened();
  time_first(
      state, [&] { map(space, 0, pages, page_bytes); },
      [&] { unmap(space, 0, pages, page_bytes); });
}
BENCHMARK(BM_Map)->Apply(pages_and_sizes)->UseManualTime();

/// Unmaps all pages in one step, tables included.
void BM_Unmap(benchmark::State& state) {
  const auto pages = static_cast<std::uint64_t>(state.range(0));
  const auto page_bytes = static_cast<std::uint64_t>(state.range(1));
  AddressSpace space = opened();
  map(space, 0, pages, page_bytes);
  time_first(
      state, [&] { unmap(space, 0, pages, page_bytes); },
      [&] { map(space, 0, pages, page_bytes); });
}
BENCHMARK(BM_Unmap)->Apply(pages_and_sizes)->UseManualTime();

/// One page mapped and unmapped beside others, a step each.
void BM_MapUnmapOnePage(benchmark::State& state) {
  AddressSpace space = opened();
  map(space, 0, 100, 4096);
  for (auto _ : state) {
    map(space, 200, 1, 4096);
    unmap(space, 200, 1, 4096);
  }
}
BENCHMARK(BM_MapUnmapOnePage);

// Of the peers a page is an element, whatever its size. The array is written again and again: a
// look at the clock would take longer than a thousand elements.

void four_sizes(benchmark::internal::Benchmark* bench) {
  bench->ArgName("pages")->Arg(1'000)->Arg(10'000)->Arg(100'000)->Arg(1'000'000);
}

void BM_MapFlatArray(benchmark::State& state) {
  std::vector<std::uint64_t> flat(static_cast<std::size_t>(state.range(0)));
  for (auto _ : state) {
    for (std::size_t i = 0; i < flat.size(); ++i) flat[i] = i << 12 | 1;
    benchmark::DoNotOptimize(flat.data());
    benchmark::ClobberMemory();
  }
  state.SetItemsProcessed(state.iterations() * state.range(0));
}
BENCHMARK(BM_MapFlatArray)->Apply(four_sizes);

void BM_UnmapFlatArray(benchmark::State& state) {
  std::vector<std::uint64_t> flat(static_cast<std::size_t>(state.range(0)), 1);
  for (auto _ : state) {
    for (auto& each : flat) each = 0;
    benchmark::DoNotOptimize(flat.data());
    benchmark::ClobberMemory();
  }
  state.SetItemsProcessed(state.iterations() * state.range(0));
}
BENCHMARK(BM_UnmapFlatArray)->Apply(four_sizes);

using Hashed = std::unordered_map<std::uint64_t, std::uint64_t>;

void insert_all(Hashed& pages, std::uint64_t count) {
  for (std::uint64_t i = 0; i < count; ++i) pages[i] = i << 12 | 1;
}
void erase_all(Hashed& pages, std::uint64_t count) {
  for (std::uint64_t i = 0; i < count; ++i) pages.erase(i);
}

void BM_MapUnorderedMap(benchmark::State& state) {
  const auto count = static_cast<std::uint64_t>(state.range(0));
  Hashed pages;
  time_first(
      state, [&] { insert_all(pages, count); }, [&] { erase_all(pages, count); });
}
BENCHMARK(BM_MapUnorderedMap)->Apply(four_sizes)->UseManualTime();

void BM_UnmapUnorderedMap(benchmark::State& state) {
  const auto count = static_cast<std::uint64_t>(state.range(0));
  Hashed pages;
  insert_all(pages, count);
  time_first(
      state, [&] { erase_all(pages, count); }, [&] { insert_all(pages, count); });
}
BENCHMARK(BM_UnmapUnorderedMap)->Apply(four_sizes)->UseManualTime();

/// What one test or one fuzz input pays for a space.
void BM_BuildMap16Drop(benchmark::State& state) {
  const Geometry shape = geometry();
  for (auto _ : state) {
    AddressSpace space(shape);
    benchmark::DoNotOptimize(space.step(Open{}).data());
    map(space, 0, 16, 4096);
  }
}
BENCHMARK(BM_BuildMap16Drop);

}  // namespace
