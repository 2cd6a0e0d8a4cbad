// Random worlds and random inputs: memory after the decisions, the oracle's own tables and a flat
// map say the same of every page, and no decision breaks the order of the clauses (small_host.h).
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <string>
#include <vector>

#include "reference/gpummu/tests/small_host.h"
#include "reference/gpummu/tests/worlds.h"
#include "reference/splitmix.h"

namespace wddm::gpummu {
namespace {

using testing::FlatMap;
using testing::Report;
using testing::report;
using testing::SmallHost;

Report random_report(SplitMix& random) {
  static const std::vector<std::vector<std::uint32_t>> kShapes = {
      {2, 3},    {5, 3},       {2, 2, 2},       {5, 2, 2},
      {6, 1, 2}, {2, 1, 1, 2}, {5, 1, 1, 1, 1}, {4, 1, 1, 1, 1, 1}};
  const auto& shape = kShapes[random.below(static_cast<std::uint32_t>(kShapes.size()))];
  Report world = report(shape);
  if (shape[0] >= 4) {
    switch (random.below(3)) {
      case 0:
        break;
      case 1:
        world.leaves_64kb();
        break;
      case 2:
        world.dual_pte();
        break;
    }
  }
  if (random.below(2) == 0) world.large_pages();
  world.caps.allow_non_aligned_large_page_address = random.below(2) == 0;
  world.caps.explicit_page_table_invalidation = random.below(2) == 0;
  world.caps.page_table_update_require_address_space_idle = random.below(2) == 0;
  world.caps.invalid_tlb_entries_not_cached = random.below(2) == 0;
  if (random.below(4) == 0) {
    world.caps.page_table_update_mode = PageTableUpdateMode::CpuVirtual;
  }
  return world;
}

/// One world, its flat map, and what is done to both.
class World {
 public:
  explicit World(SplitMix& random)
      : random_(random),
        geometry_(random_report(random).geometry()),
        gpus_(static_cast<std::uint16_t>(1 + random.below(4) / 3)),
        host_(geometry_, gpus_, geometry_.entries(geometry_.root_level())) {}

  void step() {
    switch (random_.below(12)) {
      case 0:
      case 1:
      case 2:
      case 3:
        return map();
      case 4:
        return zero();
      case 5:
      case 6:
      case 7:
        return unmap();
      case 8:
        if (random_.below(8) == 0) host_.ask(KeepTables{range(kPageSize)});
        return;
      case 9:
        return resize();
      default:
        return table();
    }
  }

  [[nodiscard]] std::string differences() {
    std::string text = host_.errors();
    host_.space().validate();
    for (std::uint16_t gpu = 0; gpu < gpus_; ++gpu) {
      for (std::uint64_t va = 0; va < geometry_.space_bytes(); va += kPageSize) {
        const GpuVirtualAddress at{va + random_.below(kPageSize)};
        const Access access = random_.below(2) == 0 ? Access::Read : Access::Write;
        const Translation mine = host_.space().translate(at, access, PhysicalAdapterIndex{gpu});
        if (host_.space().tables()[host_.space().root()].resident &&
            host_.access(at, access, gpu) != mine) {
          text += "memory differs at " + std::to_string(va / kPageSize) + "\n";
        }
        if (host_.space().is_resident() && !flat_.agrees(at, access, gpu, mine)) {
          text += "flat map differs at " + std::to_string(va / kPageSize) + "\n";
        }
      }
    }
    if (host_.space().is_resident() == host_.suspended()) text += "suspended or not\n";
    if (host_.space().tables().count() < host_.tables()) text += "a table was not destroyed\n";
    return text;
  }

 private:
  [[nodiscard]] VaRange range(std::uint64_t unit) {
    const auto units = static_cast<std::uint32_t>(geometry_.space_bytes() / unit);
    const std::uint32_t first = random_.below(units);
    const std::uint32_t most = random_.below(4) == 0 ? units : 20;
    const std::uint32_t count = 1 + random_.below(std::min(most, units - first));
    return {{first * unit}, count * unit};
  }
  [[nodiscard]] AdapterSet adapters() {
    return random_.below(3) != 0 ? kAllAdapters : AdapterSet{1} << random_.below(gpus_);
  }
  [[nodiscard]] std::uint64_t unit() {
    const std::uint32_t roll = random_.below(3);
    const std::uint64_t unit = roll == 0   ? kPageSize
                               : roll == 1 ? kPageSize64K
                                           : geometry_.entry_bytes(geometry_.root_level());
    return std::min(unit, geometry_.space_bytes() / 2);
  }

  void map() {
    Map input;
    const std::uint64_t unit = this->unit();
    input.range = range(unit);
    const bool in_64kb = unit % kPageSize64K == 0;
    std::vector<PageRun> runs;
    for (std::uint64_t left = input.range.bytes; left != 0;) {
      const auto units = static_cast<std::uint32_t>(left / unit);
      const std::uint64_t bytes = (1 + random_.below(units)) * unit;
      PageRun run;
      run.bytes = bytes;
      run.first = {random_.below(64) * unit, SegmentId{random_.below(3)},
                   PhysicalAdapterIndex{static_cast<std::uint16_t>(random_.below(gpus_))}};
      runs.push_back(run);
      left -= bytes;
    }
    input.pages = runs;
    input.protection.read_only = random_.below(4) == 0;
    input.driver_protection = random_.below(4) == 0 ? 1 + random_.below(3) : 0;
    input.adapters = adapters();
    input.use_64kb_pages = in_64kb && random_.below(4) != 0;
    input.use_large_pages = random_.below(2) == 0;
    if (!refused(host_.ask(input))) flat_.map(input, gpus_);
  }
  void zero() {
    const MapZero input{range(unit()), adapters()};
    if (!refused(host_.ask(input))) flat_.zero(input, gpus_);
  }
  void unmap() {
    const Unmap input{range(unit()), adapters()};
    if (!refused(host_.ask(input))) flat_.unmap(input, gpus_);
  }
  void resize() {
    if (!geometry_.root_is_resizable()) return;
    const std::uint32_t entries = 1 + random_.below(geometry_.entries(1));
    static_cast<void>(host_.ask(ResizeRoot{{kPageSize, entries}}));
  }
  void table() {
    const TableId id{random_.below(host_.space().tables().most_ids())};
    if (!host_.space().tables().exists(id)) return;
    switch (random_.below(4)) {
      case 0:
        host_.ask(EvictTable{id});
        return;
      case 1:
        host_.ask(MoveTable{id});
        return;
      default:
        for (std::uint32_t i = 0; i < host_.space().tables().most_ids(); ++i) {
          if (host_.space().tables().exists(TableId{i})) host_.ask(MakeTableResident{TableId{i}});
        }
        return;
    }
  }
  static bool refused(const std::vector<Decision>& decisions) {
    return !decisions.empty() && std::holds_alternative<Refused>(decisions.front());
  }

  SplitMix& random_;
  Geometry geometry_;
  std::uint16_t gpus_;
  SmallHost host_;
  FlatMap flat_;
};

RC_GTEST_PROP(AddressSpaceProperty, MemoryTablesAndAFlatMapAgree, (std::uint64_t seed)) {
  SplitMix random(seed);
  World world(random);
  for (int step = 0; step < 40; ++step) {
    world.step();
    const std::string differences = world.differences();
    RC_ASSERT(differences == std::string());
  }
}

}  // namespace
}  // namespace wddm::gpummu
