#include "conformance/host/gpuva/space_in_memory.h"

#include <cstring>

#include "reference/harness_assert.h"

namespace wddm::host {

gpummu::PageTableUpdateMode SpaceInMemory::mode() const {
  if (starting) return gpummu::PageTableUpdateMode::CpuVirtual;
  return tables.geometry().caps().page_table_update_mode;
}

const TablePlace& SpaceInMemory::place_of(gpummu::TableId table) const {
  const auto found = places.find(table);
  HARNESS_ASSERT(found != places.end());
  return found->second;
}

gpummu::Entry SpaceInMemory::with_place(const gpummu::Entry& entry, gpummu::TableId table) const {
  if (table == gpummu::kNoTable) return entry;
  return gpummu::pointer_entry(place_of(table).address, entry.page_table_page_size);
}

SeenTable SpaceInMemory::seen(const TablePlace& place, const Residency& residency) const {
  SeenTable table{.first = place.address.offset,
                  .bytes = place.pages * kPageSize,
                  .system = place.address.segment == kNoSegment,
                  .process = process,
                  .level = place.level,
                  .entries = place.entries,
                  .page_size = place.page_size};
  if (!table.system) {
    const auto page = static_cast<std::uint32_t>(place.address.offset / kPageSize);
    table.first = residency.gpu_address({place.address.segment, page});
  }
  return table;
}

void SpaceInMemory::watch(gpummu::TableId table, const Objects& objects, std::uint8_t* bytes) {
  const TablePlace& place = place_of(table);
  const std::uint64_t size = place.pages * kPageSize;
  watched[table] = std::make_shared<WatchedTable>(objects, tables.geometry(),
                                                  gpummu::CreateTable{.table = table,
                                                                      .level = place.level,
                                                                      .page_size = place.page_size,
                                                                      .entries = place.entries,
                                                                      .bytes = size},
                                                  std::span(bytes, bytes == nullptr ? 0 : size));
}

std::uint64_t SpaceInMemory::lose_memory(const TablePlaces& memory) const {
  std::uint64_t lost = 0;
  for (const auto& [table, place] : places) {
    std::uint8_t* const bytes = memory.cpu_address(place);
    if (place.address.segment == kNoSegment || bytes == nullptr) continue;
    std::memset(bytes, 0xFF, place.pages * kPageSize);
    lost += place.pages * kPageSize;
  }
  return lost;
}

void SpaceInMemory::watch_no_more(gpummu::TableId table) {
  const auto found = watched.find(table);
  HARNESS_ASSERT(found != watched.end());
  found->second->gone();
  watched.erase(found);
}

}  // namespace wddm::host
