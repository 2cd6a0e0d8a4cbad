// Every sequence of four operations on tiny spaces, against a flat array; and every sequence of
// three carried out on memory (small_host.h). Levels have two index bits; leaves of 64 KB pages
// need five to have two of them.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <vector>

#include "reference/gpummu/address_space.h"
#include "reference/gpummu/tests/small_host.h"
#include "reference/gpummu/tests/worlds.h"

namespace wddm::gpummu {
namespace {

using testing::at;
using testing::pages;
using testing::Report;
using testing::report;
using testing::SmallHost;

enum class Kind : std::uint8_t { Map, MapLarge, Map64K, Zero, Unmap };

/// Pages first .. first + count - 1. What is mapped is page 64 and the following ones, shifted by
/// `first`, so that address and page agree in their low bits.
struct Operation {
  Kind kind{};
  std::uint32_t first = 0;
  std::uint32_t count = 0;

  [[nodiscard]] std::uint64_t place() const {
    const std::uint64_t distance = kind == Kind::Map ? 65 : kind == Kind::Map64K ? 128 : 256;
    return first + distance;
  }
  /// Calls `use(input)`.
  template <class Use>
  void with_input(Use&& use) const {
    const PageRun run{at(place()), count * kPageSize};
    switch (kind) {
      case Kind::Map:
      case Kind::MapLarge:
      case Kind::Map64K: {
        Map map;
        map.range = pages(first, count);
        map.pages = {&run, 1};
        map.use_large_pages = kind == Kind::MapLarge;
        map.use_64kb_pages = kind == Kind::Map64K;
        return use(map);
      }
      case Kind::Zero:
        return use(MapZero{pages(first, count)});
      case Kind::Unmap:
        return use(Unmap{pages(first, count)});
    }
  }
};

/// The obvious model: 0 = nothing, 1 = zero, else 2 + the page.
using Flat = std::array<std::uint16_t, 128>;

void apply(Flat& flat, const Operation& operation) {
  for (std::uint32_t i = 0; i < operation.count; ++i) {
    const bool maps = operation.kind != Kind::Zero && operation.kind != Kind::Unmap;
    flat[operation.first + i] =
        maps ? static_cast<std::uint16_t>(operation.place() + i + 2) : operation.kind == Kind::Zero;
  }
}

bool agrees(const Translation& got, std::uint16_t expected) {
  if (expected == 0) return got.outcome == Outcome::Fault;
  if (expected == 1) return got.outcome == Outcome::Zero;
  return got.outcome == Outcome::Memory && got.place.offset == (expected - 2u) * kPageSize;
}

struct World {
  const char* name;
  std::vector<std::uint32_t> index_bits;
  Report& (Report::*feature)();
  std::vector<Operation> alphabet;
};

/// Ranges on, across and inside borders of leaves (4 pages) and of tables above (16 pages).
std::vector<Operation> plain_alphabet() {
  std::vector<Operation> all;
  const std::pair<std::uint32_t, std::uint32_t> ranges[] = {{0, 1},  {3, 2},   {0, 4},   {5, 6},
                                                            {0, 16}, {15, 18}, {16, 32}, {0, 64}};
  for (const auto& [first, count] : ranges) {
    for (const Kind kind : {Kind::Map, Kind::Zero, Kind::Unmap})
      all.push_back({kind, first, count});
    if (count >= 16) all.push_back({Kind::MapLarge, first, count});
  }
  return all;
}

/// Leaves of 32 pages: two of 64 KB each.
std::vector<Operation> alphabet_64kb() {
  std::vector<Operation> all;
  const std::pair<std::uint32_t, std::uint32_t> ranges[] = {{0, 1},   {14, 4},  {0, 16},
                                                            {16, 16}, {16, 32}, {0, 64}};
  for (const auto& [first, count] : ranges) {
    for (const Kind kind : {Kind::Map, Kind::Zero, Kind::Unmap})
      all.push_back({kind, first, count});
    if (count >= 16) all.push_back({Kind::Map64K, first, count});
  }
  return all;
}

class Exhaustive : public ::testing::TestWithParam<World> {
 protected:
  [[nodiscard]] Geometry geometry() const {
    Report report = testing::report(GetParam().index_bits);
    return (report.*GetParam().feature)().geometry();
  }

  /// All continuations of a state by `depth` operations; what fails, by numbers of the alphabet.
  void continue_from(const AddressSpace& space, const Flat& flat, std::uint32_t depth,
                     std::string& failed) {
    for (const Operation& operation : GetParam().alphabet) {
      AddressSpace next = space;
      Flat expected = flat;
      operation.with_input([&next](const Input& input) { static_cast<void>(next.step(input)); });
      apply(expected, operation);
      ++cases_;
      const std::uint64_t all = next.geometry().space_bytes() / kPageSize;
      for (std::uint64_t page = 0; page < all; ++page) {
        const Translation got = next.translate(testing::page(page), Access::Read);
        if (!agrees(got, expected[page])) failed += std::to_string(page) + " ";
      }
      if (depth > 1) {
        next.validate();
        continue_from(next, expected, depth - 1, failed);
      }
      if (failed.empty()) continue;
      failed += "after " + std::to_string(&operation - GetParam().alphabet.data()) + "\n";
      return;
    }
  }

  std::uint64_t cases_ = 0;
};

TEST_P(Exhaustive, FourOperationsGiveWhatAFlatArraySays) {
  AddressSpace space(geometry());
  static_cast<void>(space.step(Open{{kPageSize, 4}}));
  std::string failed;
  continue_from(space, Flat{}, 4, failed);
  EXPECT_EQ(failed, std::string());
  const std::uint64_t n = GetParam().alphabet.size();
  EXPECT_EQ(cases_, n + n * n + n * n * n + n * n * n * n);
}

TEST_P(Exhaustive, TwoOperationsKeepTheOrderOfTheClausesOnMemory) {
  const auto& alphabet = GetParam().alphabet;
  for (std::size_t first = 0; first < alphabet.size(); ++first) {
    for (std::size_t second = 0; second < alphabet.size(); ++second) {
      SmallHost host(geometry());
      for (const std::size_t each : {first, second}) {
        alphabet[each].with_input([&host](const Input& input) { host.ask(input); });
      }
      ASSERT_EQ(host.errors(), std::string()) << first << " " << second;
      for (std::uint64_t page = 0; page < host.space().geometry().space_bytes() / kPageSize;
           ++page) {
        const GpuVirtualAddress va = testing::page(page);
        ASSERT_EQ(host.access(va), host.space().translate(va, Access::Read))
            << first << " " << second;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    Worlds, Exhaustive,
    ::testing::Values(World{"LargePages", {2, 2, 2}, &Report::large_pages, plain_alphabet()},
                      World{"Leaves64K", {5, 2}, &Report::leaves_64kb, alphabet_64kb()},
                      World{"DualPte", {5, 2}, &Report::dual_pte, alphabet_64kb()}),
    [](const auto& world) { return std::string(world.param.name); });

}  // namespace
}  // namespace wddm::gpummu
