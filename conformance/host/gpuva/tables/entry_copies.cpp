#include "conformance/host/gpuva/tables/entry_copies.h"

#include "conformance/host/boundary/session.h"
#include "conformance/host/gpuva/tables/paging_layout.h"
#include "reference/trace/copied_entries.h"

namespace wddm::host {
namespace {

// A leaf table of 4 KB pages that is in memory.
std::optional<gpummu::TableId> leaf_at(const SpaceInMemory& space, gpummu::GpuVirtualAddress va) {
  const gpummu::PageTables& tables = space.tables.tables();
  const gpummu::Geometry& geometry = space.tables.geometry();
  gpummu::TableId table = space.tables.root();
  for (std::uint32_t level = geometry.root_level(); level > 0; --level) {
    const std::uint32_t index = geometry.index(level, va);
    if (index >= tables[table].entries) return std::nullopt;
    table = gpummu::PageTables::pointee(tables.entry(table, 0, index));
    if (table == gpummu::kNoTable) return std::nullopt;
  }
  const bool small = tables[table].page_size == gpummu::PageTablePageSize::Page4K;
  return small && tables[table].resident ? std::optional(table) : std::nullopt;
}

}  // namespace

std::optional<EntriesAt> copyable(const SpaceInMemory& space, gpummu::GpuVirtualAddress va,
                                  const gpummu::UpdateEntries& update,
                                  std::span<const gpummu::Written> elements) {
  const bool plain = update.level == 0 && update.driver_protection == 0 &&
                     !update.notify_eviction &&
                     update.page_size == gpummu::PageTablePageSize::Page4K;
  const std::optional<gpummu::TableId> leaf = plain ? leaf_at(space, va) : std::nullopt;
  if (!leaf || space.place_of(*leaf).pages > kWindow) return std::nullopt;
  const gpummu::PageTables& tables = space.tables.tables();
  const std::uint32_t first = space.tables.geometry().index(0, va);
  if (first + update.count > tables[*leaf].entries) return std::nullopt;
  for (std::uint32_t i = 0; i < update.count; ++i) {
    const gpummu::Entry& wanted = elements[update.repeat ? 0 : i].entry;
    if (!wanted.valid || tables.entry(*leaf, 0, first + i) != wanted) return std::nullopt;
  }
  return EntriesAt{&space, *leaf, first, va};
}

void tell_copied(const EntriesAt& from, const EntriesAt& to, std::uint32_t count,
                 std::uint32_t late, gpummu::PhysicalAdapterIndex adapter) {
  const WatchedTable::Copied copied =
      to.space->watched_on(adapter, to.table)
          ->copied(*from.space->watched_on(adapter, from.table), from.first, {to.first, count});
  const CopiedFrom where{.source_va = from.va.value,
                         .first_va = to.va.value,
                         .source_process = from.space->process.value};
  session().tap(ev::EntriesCopied{.process = to.space->process.value,
                                  .level = to.space->place_of(to.table).level,
                                  .from_first = from.first,
                                  .to_first = to.first,
                                  .count = count,
                                  .read = copied.read,
                                  .unlike = copied.unlike,
                                  .outside = copied.outside,
                                  .late = late,
                                  .physical_adapter = adapter.value},
                &where, sizeof(where));
}

}  // namespace wddm::host
