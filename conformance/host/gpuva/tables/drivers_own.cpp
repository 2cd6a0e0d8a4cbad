#include "conformance/host/gpuva/tables/drivers_own.h"

#include <algorithm>

namespace wddm::host {

std::vector<EntryRange> drivers_own(const SpaceInMemory& space, gpummu::TableId table,
                                    std::span<const gpummu::VaRange> reserved) {
  std::vector<EntryRange> own;
  const TablePlace& place = space.place_of(table);
  if (place.level != 1) return own;
  const std::uint64_t unit = space.tables.geometry().entry_bytes(1);
  const std::uint64_t start = space.tables.tables()[table].start.value;
  const std::uint64_t end = start + place.entries * unit;
  for (const gpummu::VaRange& range : reserved) {
    const std::uint64_t first = std::max(start, (range.first.value + unit - 1) / unit * unit);
    const std::uint64_t last = std::min(end, range.end() / unit * unit);
    if (first >= last) continue;
    own.push_back({static_cast<std::uint32_t>((first - start) / unit),
                   static_cast<std::uint32_t>((last - first) / unit)});
  }
  return own;
}

gpummu::UpdateEntries reset_of(const SpaceInMemory& space, gpummu::TableId table,
                               const EntryRange& entries) {
  const std::uint64_t unit = space.tables.geometry().entry_bytes(1);
  gpummu::UpdateEntries update{.table = table, .level = 1};
  update.first = entries.first;
  update.count = entries.count;
  update.first_va = {space.tables.tables()[table].start.value + entries.first * unit};
  return update;
}

}  // namespace wddm::host
