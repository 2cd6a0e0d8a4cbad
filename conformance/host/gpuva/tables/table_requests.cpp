#include "conformance/host/gpuva/tables/table_requests.h"

#include <algorithm>
#include <vector>

#include "conformance/host/gpuva/tables/paging_layout.h"

namespace wddm::host {
namespace {

constexpr const char* kTablesOfTheCpu = "the page tables are the CPU's: an IOMMU translates";
constexpr const char* kNoRoot =
    "the driver gives no size for a larger root, or one larger than is played, or there is no "
    "memory for it";
constexpr const char* kNotDone = "the page tables of the process can be changed no more";

std::vector<gpummu::TableId> tables_of(const gpummu::PageTables& tables, bool resident) {
  std::vector<gpummu::TableId> found;
  for (std::uint32_t i = 0; i < tables.most_ids(); ++i) {
    const gpummu::TableId id{i};
    if (tables.exists(id) && tables[id].resident == resident) found.push_back(id);
  }
  std::stable_sort(found.begin(), found.end(), [&](gpummu::TableId a, gpummu::TableId b) {
    return tables[a].level < tables[b].level;
  });
  return found;
}

bool is_root_evicted(const gpummu::AddressSpace& space) {
  return !space.tables()[space.root()].resident;
}

}  // namespace

// -- the root

// One that is evicted does not come back to be replaced: the larger one is begun where it lay.
const char* TableRequests::cover(ProcessId process, const gpummu::VaRange& range) {
  if (spaces_.is_broken(process)) return kNotDone;
  const gpummu::AddressSpace& space = spaces_.space(process);
  if (!space.geometry().contains(range)) return "the address space ends before";
  const std::uint32_t entries = space.root_entries_for(range);
  if (entries <= space.root_entries()) return nullptr;
  const bool evicted = is_root_evicted(space);
  if (!evicted) {
    if (const char* const why = bring_back(process)) return why;
  }
  const auto size = spaces_.root_for(process, entries);
  if (!size) return kNoRoot;
  if (!spaces_.step(process, gpummu::ResizeRoot{*size})) return kNotDone;
  return evicted ? bring_back(process) : nullptr;
}

// What is evicted is written anew, whatever its size is to be: nothing is copied then, and the rest
// of the tables may stay away. A copy of entries goes through windows of the paging process, and
// of which level they are no operation says: not how long an entry is, where that is not one.
void TableRequests::fit_root(ProcessId process) {
  const gpummu::AddressSpace& space = spaces_.space(process);
  const gpummu::Geometry& geometry = space.geometry();
  if (spaces_.is_broken(process) || !geometry.root_is_resizable()) return;
  const bool evicted = is_root_evicted(space);
  if (!evicted && !space.is_resident()) return;
  std::uint32_t entries = std::max(space.root_entries_in_use(), spaces_.root_entries_at_first());
  // Entries of the driver's are none that the oracle knows of.
  for (const gpummu::VaRange& range : spaces_.reserved_by_driver(process)) {
    entries = std::max(entries, geometry.index(geometry.root_level(), {range.end() - 1}) + 1);
  }
  if (entries >= space.root_entries()) return;
  const bool copies =
      !evicted && geometry.caps().page_table_update_mode != gpummu::PageTableUpdateMode::CpuVirtual;
  if (copies && (geometry.dual_pte() || !spaces_.has_equal_entries(process))) return;
  if (copies && spaces_.bytes_of(process, space.root()) > kWindowBytes) return;
  const auto size = spaces_.root_for(process, entries);
  if (!size || size->number_of_pte >= space.root_entries()) return;
  if (copies && size->bytes > kWindowBytes) return;
  static_cast<void>(spaces_.step(process, gpummu::ResizeRoot{*size}));
}

const char* TableRequests::keep_for_driver(ProcessId process) {
  for (const gpummu::VaRange& range : spaces_.reserved_by_driver(process)) {
    if (const char* const why = cover(process, range)) return why;
    if (!spaces_.step(process, gpummu::KeepTables{.range = range, .lowest = 1})) {
      return "there is no memory for the page tables of what the driver reserved";
    }
  }
  return nullptr;
}

// -- places

// With pairs the way goes through the table of 4 KB pages where there is one.
std::optional<gpummu::TableId> TableRequests::table_at(ProcessId process, std::uint32_t level,
                                                       gpummu::GpuVirtualAddress va) const {
  const gpummu::AddressSpace& space = spaces_.space(process);
  const gpummu::PageTables& tables = space.tables();
  gpummu::TableId table = space.root();
  for (std::uint32_t at = space.geometry().root_level(); at > level; --at) {
    const std::uint32_t index = space.geometry().index(at, va);
    if (index >= tables[table].entries) return std::nullopt;
    gpummu::TableId below = gpummu::PageTables::pointee(tables.entry(table, 0, index));
    if (below == gpummu::kNoTable) {
      below = gpummu::PageTables::pointee(tables.second(table, index));
    }
    if (below == gpummu::kNoTable) return std::nullopt;
    table = below;
  }
  return table;
}

const char* TableRequests::move(ProcessId process, std::uint32_t level,
                                gpummu::GpuVirtualAddress va) {
  if (!spaces_.has_tables()) return kTablesOfTheCpu;
  if (const char* const why = bring_back(process)) return why;
  const std::uint32_t root_level = spaces_.space(process).geometry().root_level();
  const auto table = table_at(process, std::min(level, root_level), va);
  if (!table) return "no page table of that level leads to its address";
  if (!spaces_.has_room_for(process, *table)) return "there is no other place for the table";
  return spaces_.step(process, gpummu::MoveTable{*table}) ? nullptr : kNotDone;
}

const char* TableRequests::evict(ProcessId process) {
  if (!spaces_.has_tables()) return kTablesOfTheCpu;
  if (spaces_.is_broken(process)) return kNotDone;
  const std::vector<gpummu::TableId> tables = tables_of(spaces_.space(process).tables(), true);
  if (tables.empty()) return "its page tables are evicted already";
  for (const gpummu::TableId table : tables) {
    if (!spaces_.step(process, gpummu::EvictTable{table})) return kNotDone;
  }
  return nullptr;
}

void TableRequests::evict_all() {
  for (std::uint32_t id = 0; id < kProcesses; ++id) {
    for (const ProcessId space : {ProcessId{id}, privileged_space_of(ProcessId{id})}) {
      if (spaces_.has(space)) static_cast<void>(evict(space));
    }
  }
}

const char* TableRequests::bring_back(ProcessId process) {
  if (spaces_.is_broken(process)) return kNotDone;
  if (spaces_.space(process).is_resident()) return nullptr;
  std::vector<gpummu::TableId> tables = tables_of(spaces_.space(process).tables(), false);
  std::reverse(tables.begin(), tables.end());
  for (const gpummu::TableId table : tables) {
    if (!spaces_.has_room_for(process, table)) return spaces_.why_not(process);
    if (!spaces_.step(process, gpummu::MakeTableResident{table})) return kNotDone;
  }
  return nullptr;
}

bool TableRequests::are_sure_to_return(ProcessId process) const {
  if (!spaces_.has_tables() || spaces_.is_broken(process)) return false;
  const gpummu::AddressSpace& space = spaces_.space(process);
  const std::vector<gpummu::TableId> tables = tables_of(space.tables(), true);
  const auto alignment = [&](gpummu::TableId table) {
    return space.geometry().level(space.tables()[table].level).page_table_alignment_in_bytes;
  };
  return std::all_of(tables.begin(), tables.end(), [&](gpummu::TableId table) {
    return spaces_.bytes_of(process, table) == spaces_.bytes_of(process, tables.front()) &&
           alignment(table) == alignment(tables.front());
  });
}

}  // namespace wddm::host
