#include "conformance/host/gpuva/tables/address_spaces.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "conformance/host/boundary/ddi_call.h"
#include "conformance/host/boundary/decision_seat.h"
#include "conformance/host/gpuva/own_addresses.h"
#include "conformance/host/gpuva/tables/drivers_own.h"
#include "conformance/host/gpuva/tables/linked_tables.h"
#include "conformance/host/gpuva/tables/paging_layout.h"
#include "conformance/host/gpuva/tables/root_sizes.h"
#include "reference/harness_assert.h"

namespace wddm::host {
namespace {

constexpr const char* kUnseenTables =
    "no CPU reaches the memory that the driver wants the paging process's page tables in";
constexpr const char* kLargeTables =
    "updates by GPU virtual address are played for page tables of at most 64 KB";
constexpr const char* kBesideIoMmu =
    "memory segments are not played with an IOMMU alone, which reaches system memory";

bool has_memory_segments(const Adapter& adapter) {
  return std::any_of(adapter.segments().begin(), adapter.segments().end(),
                     [](const SegmentDescription& segment) { return !segment.flags.Aperture; });
}

}  // namespace

const char* AddressSpaces::open(ProcessId process) {
  if (!processes_.live(process)) return "there is no such process";
  if (!adapter_.gpummu() || !adapter_.gpummu()->geometry) {
    return "no address space can be made of the page tables that the driver reports";
  }
  if (!has_tables() && has_memory_segments(adapter_)) return kBesideIoMmu;
  const gpummu::Geometry& geometry = *adapter_.gpummu()->geometry;
  if (ShownTables::are_needed(geometry) && !ShownTables::fit(geometry)) return kLargeTables;
  const char* const unlinked = has_tables() ? cannot_link(adapter_, geometry) : nullptr;
  if (unlinked != nullptr) return unlinked;
  if (process == kSystemProcess && !reaches_own_tables()) return kUnseenTables;
  const auto owner =
      process == kSystemProcess ? gpummu::Owner::PagingProcess : gpummu::Owner::Client;
  auto made = std::make_unique<Space>(process, geometry, adapter_.physical_adapters(), owner);
  gpummu::RootPageTableSize size;
  if (geometry.root_is_resizable()) {
    if (!may_call(DdiId::GetRootPageTableSize)) {
      return ddi_info(DdiId::GetRootPageTableSize).absence;
    }
    if (process == kSystemProcess) ask_for_root_sizes(adapter_, geometry);
    const std::uint32_t entries = root_entries_at_first();
    size = root_size(adapter_, entries);
    if (gpummu::check_root_size(entries, size, kPageSize)) {
      return "the driver's answer to GetRootPageTableSize is of no use";
    }
    if (size.bytes > most_root_bytes(process)) return kLargeTables;
  }
  spaces_[process] = std::move(made);
  if (step(process, gpummu::Open{size})) return nullptr;
  close(process);  // some of its tables may have a place
  return "there is no memory for the root page table";
}

// Its first updates are the CPU's.
bool AddressSpaces::reaches_own_tables() const {
  const gpummu::Geometry& geometry = *adapter_.gpummu()->geometry;
  for (std::uint32_t level = 0; level < geometry.levels(); ++level) {
    if (!places_.reaches(geometry.level(level).paging_process_page_table_segment_id)) return false;
  }
  return true;
}

gpummu::VaRange AddressSpaces::windows() const {
  return ShownTables::are_needed(*adapter_.gpummu()->geometry) ? kWindows : kFewWindows;
}

bool AddressSpaces::keep_windows() {
  large_windows_.reset();
  crossed_leaves_.reset();
  shown_.begin({});
  return step(kSystemProcess, gpummu::KeepTables{windows()}) && keep_large_windows() &&
         keep_crossed_leaves() && keep_large_root_place();
}

bool AddressSpaces::keep_large_windows() {
  const auto large = large_windows_of(*adapter_.gpummu()->geometry);
  if (!large || !adapter_.has_64kb_pages(~0u) || !has_room_for(large->range)) return true;
  gpummu::KeepTables keep{large->range};
  keep.page_size = gpummu::PageTablePageSize::Page64K;
  if (!step(kSystemProcess, keep)) return false;
  large_windows_ = large;
  return true;
}

// Without memory for more leaf tables all is as it is without them, here and below.
bool AddressSpaces::keep_crossed_leaves() {
  if (!queue_.pages_across_leaves() || !has_tables()) return true;
  const gpummu::Geometry& geometry = *adapter_.gpummu()->geometry;
  const auto crossed = crossed_leaves_of(geometry);
  if (!crossed || !has_room_for(crossed->range)) return true;
  if (!has_room_for_leaves(crossed->range)) return true;
  if (!step(kSystemProcess, gpummu::KeepTables{crossed->range})) return false;
  crossed_leaves_ = crossed;
  return true;
}

bool AddressSpaces::keep_large_root_place() {
  const gpummu::Geometry& geometry = *adapter_.gpummu()->geometry;
  const auto place = large_root_place_of(geometry);
  if (!ShownTables::are_needed(geometry) || !place) return true;
  if (!has_room_for(*place) || !has_room_for_leaves(*place)) return true;
  const std::uint64_t most = root_size(adapter_, geometry.entries(geometry.root_level())).bytes;
  if (ShownTables::fits(most)) return true;
  if (!step(kSystemProcess, gpummu::KeepTables{*place})) return false;
  shown_.begin(place);
  return true;
}

// What the driver has reserved in the space leaves no room, and so does a root that ends before.
bool AddressSpaces::has_room_for(const gpummu::VaRange& windows) const {
  const Space& space = *spaces_.at(kSystemProcess);
  const gpummu::Geometry& geometry = space.tables.geometry();
  if (space.tables.root_entries_for(windows) > space.tables.root_entries()) return false;
  for (const gpummu::VaRange& range : processes_.reserved(kSystemProcess)) {
    if (range.first.value < windows.end() && windows.first.value < range.end()) {
      return false;
    }
  }
  const std::uint64_t leaf = geometry.table_bytes(0);
  const std::uint64_t leaves = (windows.bytes + leaf - 1) / leaf;
  return !ShownTables::are_needed(geometry) ||
         space.places.size() + leaves + geometry.levels() - 2 <= kOwnTables;
}

bool AddressSpaces::has_room_for_leaves(const gpummu::VaRange& windows) const {
  const gpummu::Geometry& geometry = *adapter_.gpummu()->geometry;
  const gpummu::PageTableLevelDesc& leaf = geometry.level(0);
  const std::uint64_t bytes = geometry.table_bytes(0);
  const auto leaves = static_cast<std::uint32_t>((windows.bytes + bytes - 1) / bytes);
  const TableShape all{
      .segment = leaf.paging_process_page_table_segment_id,
      .pages = leaves * static_cast<std::uint32_t>(pages_of(leaf.page_table_size_in_bytes)),
      .alignment = leaf.page_table_alignment_in_bytes};
  return places_.has_room(all);
}

std::uint32_t AddressSpaces::page_bytes(const gpummu::VaRange& range,
                                        std::uint32_t physical_adapter) const {
  const gpummu::AddressSpace& space = this->space(kSystemProcess);
  const gpummu::PhysicalAdapterIndex gpu{static_cast<std::uint16_t>(physical_adapter)};
  std::uint64_t all = 0;
  for (std::uint64_t at = range.first.value / kPageSize * kPageSize; at < range.end();) {
    const gpummu::Translation found = space.translate({at}, gpummu::Access::Read, gpu);
    if (found.outcome != gpummu::Outcome::Memory) return 0;
    if (all != 0 && found.run_bytes != all) return 0;
    all = found.run_bytes;
    at += all;
  }
  return static_cast<std::uint32_t>(all);
}

const char* AddressSpaces::map_own_tables() {
  Space& space = *spaces_.at(kSystemProcess);
  if (!ShownTables::are_needed(space.tables.geometry())) return nullptr;
  if (space.places.size() > kOwnTables) {
    return "the paging process has more page tables than are mapped for updates";
  }
  for (const auto& [table, place] : space.places) {
    const auto at = ShownTables::own(static_cast<std::uint32_t>(space.own.size()));
    space.own[table] = at;
    if (!show(at, place, 0, place.pages)) return "the paging process cannot map its page tables";
  }
  return nullptr;
}

// Of what is only forgotten the driver hears nothing.
void AddressSpaces::end(ProcessId process) {
  const Space& space = *spaces_.at(process);
  if (!space.tables.geometry().caps().explicit_page_table_invalidation) return;
  if (space.tables.root() != gpummu::kNoTable) static_cast<void>(step(process, gpummu::Close{}));
}

void AddressSpaces::close(ProcessId process) {
  const auto found = spaces_.find(process);
  if (found == spaces_.end()) return;
  for (const auto& [table, watched] : found->second->watched) {
    for (const auto& instance : watched) instance->gone();
  }
  for (const auto& [table, place] : found->second->places) {
    left(*found->second, place);
    places_.give_back(place);
  }
  for (const Space::Leaving& each : found->second->leaving) places_.give_back(each.from);
  spaces_.erase(found);
}

void AddressSpaces::close_all() {
  while (!spaces_.empty()) close(spaces_.begin()->first);
}

std::uint64_t AddressSpaces::lose_memory() {
  std::uint64_t lost = 0;
  for (const auto& [process, space] : spaces_) lost += space->lose_memory(places_);
  return lost;
}

// Between two steps; what updates are still to write is left out.
void AddressSpaces::compare_instances(ProcessId process) const {
  const auto found = spaces_.find(process);
  if (found == spaces_.end()) return;
  const Space& space = *found->second;
  if (space.stepping) return;
  for (const auto& [table, instances] : space.watched) {
    const TablePlace& place = space.place_of(table);
    for (std::uint32_t gpu = 1; gpu < instances.size(); ++gpu) {
      const WatchedTable::Likeness seen = instances[gpu]->beside(*instances[0]);
      session().tap(ev::InstanceCompared{.place = place.address_on(gpu).offset,
                                         .first_place = place.address.offset,
                                         .process = process.value,
                                         .level = place.level,
                                         .physical_adapter = gpu,
                                         .segment = place.address.segment.value,
                                         .entries = seen.read,
                                         .unlike = seen.unlike,
                                         .root = table == space.tables.root()});
    }
  }
}

void AddressSpaces::write_paging_process_again() {
  const auto found = spaces_.find(kSystemProcess);
  if (found == spaces_.end()) return;
  found->second->starting = true;
  static_cast<void>(step(kSystemProcess, gpummu::RewriteTables{}));
  found->second->starting = false;
}

bool AddressSpaces::step(ProcessId process, const gpummu::Input& input, const Mapped& mapped) {
  Space& space = *spaces_.at(process);
  if (space.broken) return false;
  const std::vector<gpummu::Decision> all = decisions().tables(space.tables.step(input));
  space.changed = 0;
  space.stepping = true;
  for (const gpummu::Decision& decision : all) {
    const auto* const update = std::get_if<gpummu::UpdateEntries>(&decision);
    if (update != nullptr && !update->initial) space.changed += update->count;
  }
  for (std::size_t i = 0; i < all.size();) {
    if (std::holds_alternative<gpummu::Refused>(all[i])) {
      space.stepping = false;
      return false;
    }
    // Of an IOMMU alone the page tables are the CPU's: the driver has no part in them.
    if (!has_tables()) {
      ++i;
      continue;
    }
    if (!std::holds_alternative<gpummu::UpdateEntries>(all[i]) &&
        !std::holds_alternative<gpummu::FlushTlb>(all[i])) {
      flush_now();
    }
    const std::span<const gpummu::Decision> left = std::span(all).subspan(i);
    const std::size_t copied = copy_entries(space, left);
    i += std::max<std::size_t>(copied, 1);
    if (copied == 0) {
      std::visit([&](const auto& decided) { carry_out(space, decided, mapped); }, left.front());
    }
    // Half of a change is carried out, and the oracle knows the whole of it.
    if (waits_.abandoned()) space.broken = space.abandoned = true;
    if (space.broken) return false;
  }
  overwrite_former(space);
  space.stepping = false;
  return true;
}

void AddressSpaces::watch(Space& space, gpummu::TableId table) const {
  space.watch(table, scene_.objects, places_);
  for (const EntryRange& own : drivers_own(space, table, processes_.reserved(space.process))) {
    for (const auto& instance : space.watched[table]) instance->leave_to_driver(own);
  }
}

// -- places of tables

bool AddressSpaces::give_place(Space& space, gpummu::TableId table, const TableShape& shape) {
  const bool is_root = shape.level == space.tables.geometry().root_level();
  auto place =
      places_.take(shape, is_root ? std::exchange(space.root_left, std::nullopt) : std::nullopt);
  if (!place) return false;
  appeared(space, *place);
  // Memory that was used before: entries that no update has written may look valid.
  for (std::uint32_t gpu = 0; gpu < adapter_.physical_adapters(); ++gpu) {
    const std::shared_ptr<TableView> view = places_.view(*place, gpu);
    std::uint8_t* const bytes = view->for_the_cpu();
    if (bytes == nullptr) continue;
    std::memset(bytes, 0xFF, place->pages * kPageSize);
    view->written();
  }
  space.places.emplace(table, std::move(*place));
  watch(space, table);
  leave_old_entries(space, table);
  return true;
}

// Where such bytes say nothing to this GPU, what another table of that level leads to does.
void AddressSpaces::leave_old_entries(Space& space, gpummu::TableId table) const {
  const TablePlace& place = space.place_of(table);
  for (const auto& instance : space.watched[table]) {
    if (!instance->readable() || !instance->valid_entry().empty()) continue;
    const std::vector<std::uint8_t> entry = some_valid_entry(place.level, place.page_size);
    instance->fill_with(entry);
  }
}

std::vector<std::uint8_t> AddressSpaces::some_valid_entry(
    std::uint32_t level, gpummu::PageTablePageSize page_size) const {
  for (const auto& [process, space] : spaces_) {
    for (const auto& [table, instances] : space->watched) {
      const TablePlace& place = space->place_of(table);
      if (place.level != level || place.page_size != page_size) continue;
      const std::span<const std::uint8_t> found = instances.front()->valid_entry();
      if (!found.empty()) return {found.begin(), found.end()};
    }
  }
  return {};
}

void AddressSpaces::let_go(Space& space, gpummu::TableId table, TableGone how) {
  waits_.for_work_of(scene_.objects, space.process);
  const auto found = space.places.find(table);
  HARNESS_ASSERT(found != space.places.end());
  left(space, found->second);
  space.watch_no_more(table);
  space.leaving.push_back({std::move(found->second), 0, how});
  space.places.erase(found);
}

// Whatever leads there by now is a driver's or a GPU's mistake. Where a root was replaced, its
// contexts know the new one.
void AddressSpaces::overwrite_former(Space& space) {
  if (space.leaving.empty()) return;
  waits_.for_work_of(scene_.objects, space.process);
  for (Space::Leaving& each : space.leaving) {
    const auto root = space.places.find(space.tables.root());
    const bool gone = each.gone != TableGone::No;
    const bool replaced = gone && root != space.places.end() &&
                          each.from.level == space.tables.geometry().root_level();
    if (replaced) each.to = root->second.address.offset;
    places_.give_back(each.from);
    if (gone) {
      TablePlace to;
      to.address.offset = each.to;
      tell_moved(space, each.from, to, replaced ? TableGone::No : each.gone);
    }
    if (each.from.address.segment == kNoSegment) space.former.push_back(std::move(each.from));
  }
  space.leaving.clear();
}

bool AddressSpaces::show(ProcessId space, gpummu::GpuVirtualAddress window, const TablePlace& place,
                         std::uint32_t first, std::uint32_t pages) {
  gpummu::PageRun run{.first = place.address, .bytes = pages * kPageSize};
  run.first.offset += first * kPageSize;
  gpummu::Map map{.range = {window, run.bytes}, .pages = {&run, 1}, .protection = {}};
  if (instances_of(adapter_, place) == 1) return step(space, map);
  // Each GPU of a link sees its own table.
  for (std::uint16_t gpu = 0; gpu < adapter_.physical_adapters(); ++gpu) {
    run.first = place.address_on(gpu);
    run.first.offset += first * kPageSize;
    if (place.instances == 1) run.first.adapter = gpummu::PhysicalAdapterIndex{gpu};
    map.adapters = gpummu::AdapterSet{1} << gpu;
    if (!step(space, map)) return false;
  }
  return true;
}

std::uint32_t AddressSpaces::root_entries_at_first() const {
  const gpummu::Geometry& geometry = *adapter_.gpummu()->geometry;
  const std::uint64_t end = own_addresses(geometry, adapter_.caps()).commands.end();
  return geometry.index(geometry.root_level(), {end - 1}) + 1;
}

std::optional<gpummu::RootPageTableSize> AddressSpaces::root_for(ProcessId process,
                                                                 std::uint32_t entries) const {
  const Space& space = *spaces_.at(process);
  const auto evicted = space.released.find(space.tables.root());
  const TableShape& root =
      evicted != space.released.end() ? evicted->second : space.place_of(space.tables.root());
  return usable_root(adapter_, places_, root, entries, most_root_bytes(process));
}

std::uint64_t AddressSpaces::most_root_bytes(ProcessId process) const {
  if (!ShownTables::are_needed(*adapter_.gpummu()->geometry)) return ~std::uint64_t{0};
  return process == kSystemProcess ? kTableBytes : shown_.most_bytes();
}

bool AddressSpaces::has_room_for(ProcessId process, gpummu::TableId table) const {
  const Space& space = *spaces_.at(process);
  const auto released = space.released.find(table);
  if (released != space.released.end()) return places_.has_room(released->second);
  return places_.has_room(space.place_of(table));
}

bool AddressSpaces::has_equal_entries(ProcessId process) const {
  std::uint32_t bytes = 0;  // of the first that is known
  for (const auto& [table, instances] : spaces_.at(process)->watched) {
    const std::uint32_t own = instances.front()->entry_bytes();
    if (own == 0) continue;
    if (bytes != 0 && own != bytes) return false;
    bytes = own;
  }
  return true;
}

// An aperture of another GPU of the link nobody says how to lead into.
bool AddressSpaces::leads_into_apertures(ProcessId process, std::uint32_t physical_adapter) const {
  const auto& watched = spaces_.at(process)->watched;
  return std::all_of(watched.begin(), watched.end(), [physical_adapter](const auto& table) {
    return table.second[physical_adapter]->takes_doubtful();
  });
}

}  // namespace wddm::host
