// Every sequence of four operations on tiny spaces, against a flat array; and every sequence of two
// carried out on memory (small_host.h). Levels have two index bits; leaves of 64 KB pages need five
// to have two of them.
//
// Between the operations tables may be moved, evicted and brought back, and the root of two levels
// grow and shrink: every sequence of four again, and of three on memory, on spaces of 8 or 16 pages
// with fewer ranges.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <variant>
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

enum class Kind : std::uint8_t { Map, MapLarge, Map64K, Zero, Unmap, Resize, Move, Evict, Return };

/// Pages first .. first + count - 1. What is mapped is page 64 and the following ones, shifted by
/// `first`, so that address and page agree in their low bits. Of what is no mapping `first` is the
/// number of a table, or of entries that the root is to have.
struct Operation {
  Kind kind{};
  std::uint32_t first = 0;
  std::uint32_t count = 0;

  [[nodiscard]] bool of_a_table() const {
    return kind == Kind::Move || kind == Kind::Evict || kind == Kind::Return;
  }
  /// Whether it says anything: a table that there is not can be asked for by nobody.
  [[nodiscard]] bool means_something(const AddressSpace& space) const {
    if (!of_a_table()) return true;
    return first < space.tables().most_ids() && space.tables().exists(TableId{first});
  }
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
      case Kind::Resize:
        return use(ResizeRoot{{kPageSize, first}});
      case Kind::Move:
        return use(MoveTable{TableId{first}});
      case Kind::Evict:
        return use(EvictTable{TableId{first}});
      case Kind::Return:
        return use(MakeTableResident{TableId{first}});
    }
  }
};

/// The obvious model: 0 = nothing, 1 = zero, else 2 + the page.
using Flat = std::array<std::uint16_t, 128>;

/// Where tables lie, and how large the root is, changes nothing of what is mapped.
void apply(Flat& flat, const Operation& operation) {
  if (operation.of_a_table() || operation.kind == Kind::Resize) return;
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

bool is_refused(std::span<const Decision> decisions) {
  return !decisions.empty() && std::holds_alternative<Refused>(decisions.front());
}

/// Without its root a process does not run, and nothing can be said of its addresses.
bool has_root(const AddressSpace& space) {
  return space.tables()[space.root()].resident;
}

struct World {
  const char* name;
  std::vector<std::uint32_t> index_bits;
  Report& (Report::*feature)();  // or null
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

using Ranges = std::vector<std::pair<std::uint32_t, std::uint32_t>>;

/// These ranges, and what may happen to the first three tables; the root is one of them, and every
/// other that is made after it.
std::vector<Operation> alphabet_of_tables(const Ranges& ranges) {
  std::vector<Operation> all;
  for (const auto& [first, count] : ranges) {
    for (const Kind kind : {Kind::Map, Kind::Zero, Kind::Unmap})
      all.push_back({kind, first, count});
  }
  for (std::uint32_t table = 0; table < 3; ++table) {
    for (const Kind kind : {Kind::Move, Kind::Evict, Kind::Return}) all.push_back({kind, table});
  }
  return all;
}

/// Leaves of 4 pages below a root that has 4 entries, and may have fewer.
std::vector<Operation> alphabet_of_roots() {
  std::vector<Operation> all = alphabet_of_tables({{0, 1}, {3, 2}, {0, 16}});
  for (const std::uint32_t entries : {1, 2, 4}) all.push_back({Kind::Resize, entries});
  return all;
}

/// Three levels of 2 entries each, with large pages of 2 and of 4 pages.
std::vector<Operation> alphabet_of_directories() {
  std::vector<Operation> all = alphabet_of_tables({{0, 1}, {1, 2}, {0, 8}});
  all.push_back({Kind::MapLarge, 2, 2});
  all.push_back({Kind::MapLarge, 0, 8});
  return all;
}

class Exhaustive : public ::testing::TestWithParam<World> {
 protected:
  [[nodiscard]] Geometry geometry() const {
    Report report = testing::report(GetParam().index_bits);
    if (GetParam().feature == nullptr) return report.geometry();
    return (report.*GetParam().feature)().geometry();
  }

  /// Pages that are not as the array says. What an evicted table would lead to faults.
  static std::string differing(const AddressSpace& space, const Flat& expected) {
    std::string pages;
    if (!has_root(space)) return pages;
    const std::uint64_t all = space.geometry().space_bytes() / kPageSize;
    for (std::uint64_t page = 0; page < all; ++page) {
      const Translation got = space.translate(testing::page(page), Access::Read);
      const bool away = !space.is_resident() && got.outcome == Outcome::Fault;
      if (!away && !agrees(got, expected[page])) pages += std::to_string(page) + " ";
    }
    return pages;
  }

  /// All continuations of a state by `depth` operations; what fails, by numbers of the alphabet.
  void continue_from(const AddressSpace& space, const Flat& flat, std::uint32_t depth,
                     std::string& failed) {
    for (const Operation& operation : GetParam().alphabet) {
      if (!operation.means_something(space)) continue;
      AddressSpace next = space;
      Flat expected = flat;
      bool refused = false;
      operation.with_input([&](const Input& input) { refused = is_refused(next.step(input)); });
      if (!refused) apply(expected, operation);
      ++cases_;
      failed += differing(next, expected);
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

class TableLife : public Exhaustive {
 protected:
  /// What is wrong with a host when it has carried a step out.
  static std::string wrong_with(SmallHost& host) {
    if (!host.errors().empty()) return host.errors();
    if (host.suspended() == host.space().is_resident()) return "contexts run, or do not\n";
    if (!has_root(host.space())) return {};
    const std::uint64_t all = host.space().geometry().space_bytes() / kPageSize;
    for (std::uint64_t page = 0; page < all; ++page) {
      const GpuVirtualAddress va = testing::page(page);
      if (host.access(va) != host.space().translate(va, Access::Read)) {
        return "memory differs at " + std::to_string(page) + "\n";
      }
    }
    return {};
  }

  void carry_out_from(SmallHost& host, std::uint32_t depth, std::string& failed) {
    for (const Operation& operation : GetParam().alphabet) {
      if (!operation.means_something(host.space())) continue;
      SmallHost next = host;
      operation.with_input([&next](const Input& input) { next.ask(input); });
      ++cases_;
      failed += wrong_with(next);
      if (depth > 1) carry_out_from(next, depth - 1, failed);
      if (failed.empty()) continue;
      failed += "after " + std::to_string(&operation - GetParam().alphabet.data()) + "\n";
      return;
    }
  }

  /// If there were none of the three tables.
  [[nodiscard]] std::uint64_t least_cases(std::uint32_t depth) const {
    std::uint64_t cases = 1;
    while (depth-- > 0) cases *= GetParam().alphabet.size() - 9;
    return cases;
  }
};

TEST_P(TableLife, FourOperationsGiveWhatAFlatArraySays) {
  AddressSpace space(geometry());
  static_cast<void>(space.step(Open{{kPageSize, 4}}));
  std::string failed;
  continue_from(space, Flat{}, 4, failed);
  EXPECT_EQ(failed, std::string());
  EXPECT_GE(cases_, least_cases(4));
}

TEST_P(TableLife, ThreeOperationsKeepTheOrderOfTheClausesOnMemory) {
  std::string failed;
  SmallHost host(geometry());
  carry_out_from(host, 3, failed);
  EXPECT_EQ(failed, std::string());
  EXPECT_GE(cases_, least_cases(3));
}

INSTANTIATE_TEST_SUITE_P(
    Worlds, Exhaustive,
    ::testing::Values(World{"LargePages", {2, 2, 2}, &Report::large_pages, plain_alphabet()},
                      World{"Leaves64K", {5, 2}, &Report::leaves_64kb, alphabet_64kb()},
                      World{"DualPte", {5, 2}, &Report::dual_pte, alphabet_64kb()}),
    [](const auto& world) { return std::string(world.param.name); });

INSTANTIATE_TEST_SUITE_P(Worlds, TableLife,
                         ::testing::Values(World{"Roots", {2, 2}, nullptr, alphabet_of_roots()},
                                           World{"Directories",
                                                 {1, 1, 1},
                                                 &Report::large_pages,
                                                 alphabet_of_directories()}),
                         [](const auto& world) { return std::string(world.param.name); });

}  // namespace
}  // namespace wddm::gpummu
