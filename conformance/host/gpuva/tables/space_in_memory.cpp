#include "conformance/host/gpuva/tables/space_in_memory.h"

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

gpummu::Entry SpaceInMemory::with_place(const gpummu::Entry& entry, gpummu::TableId table,
                                        gpummu::PhysicalAdapterIndex adapter) const {
  if (table == gpummu::kNoTable) return entry;
  return gpummu::pointer_entry(place_of(table).address_on(adapter.value),
                               entry.page_table_page_size);
}

std::vector<SeenTable> SpaceInMemory::seen(const TablePlace& place,
                                           const Residency& residency) const {
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
  std::vector<SeenTable> all;
  for (std::uint32_t gpu = 0; gpu < place.instances; ++gpu) {
    all.push_back(table);
    all.back().first += place.offset_of(gpu);
  }
  return all;
}

void SpaceInMemory::watch(gpummu::TableId table, const Objects& objects,
                          const TablePlaces& memory) {
  const TablePlace& place = place_of(table);
  const std::uint64_t size = place.pages * kPageSize;
  auto& instances = watched[table];
  instances.clear();
  for (std::uint32_t gpu = 0; gpu < tables.tables().physical_adapters(); ++gpu) {
    // In system memory it may be one for all (linked_tables.h).
    if (gpu != 0 && place.address.segment == kNoSegment && place.instances == 1) {
      instances.push_back(instances.front());
      continue;
    }
    instances.push_back(
        std::make_shared<WatchedTable>(objects, tables.geometry(),
                                       gpummu::CreateTable{.table = table,
                                                           .level = place.level,
                                                           .page_size = place.page_size,
                                                           .entries = place.entries,
                                                           .bytes = size},
                                       memory.view(place, gpu), gpu));
  }
}

std::uint64_t SpaceInMemory::lose_memory(const TablePlaces& memory) const {
  std::uint64_t lost = 0;
  for (const auto& [table, place] : places) {
    if (place.address.segment == kNoSegment) continue;
    for (std::uint32_t gpu = 0; gpu < tables.tables().physical_adapters(); ++gpu) {
      std::uint8_t* const bytes = memory.cpu_address(place, gpu);
      if (bytes == nullptr) continue;
      std::memset(bytes, 0xFF, place.pages * kPageSize);
      lost += place.pages * kPageSize;
    }
  }
  return lost;
}

void SpaceInMemory::watch_no_more(gpummu::TableId table) {
  const auto found = watched.find(table);
  HARNESS_ASSERT(found != watched.end());
  for (const auto& instance : found->second) instance->gone();
  watched.erase(found);
}

const std::shared_ptr<WatchedTable>& SpaceInMemory::watched_on(gpummu::PhysicalAdapterIndex adapter,
                                                               gpummu::TableId table) const {
  const auto found = watched.find(table);
  HARNESS_ASSERT(found != watched.end() && adapter.value < found->second.size());
  return found->second[adapter.value];
}

}  // namespace wddm::host
