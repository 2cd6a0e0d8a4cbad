#include "conformance/host/gpuva/address_spaces.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "conformance/host/boundary/ddi_call.h"
#include "conformance/host/boundary/decision_seat.h"
#include "conformance/host/gpuva/table_update.h"
#include "reference/harness_assert.h"

namespace wddm::host {

// DxgkDdiGetRootPageTableSize is for two levels alone (ROOT-001).
gpummu::RootPageTableSize AddressSpaces::root_size(std::uint32_t entries) const {
  DXGKARG_GETROOTPAGETABLESIZE args{};
  args.NumberOfPte = entries;
  const auto bytes = call_ddi<DdiId::GetRootPageTableSize>(kNone, adapter_.miniport(), &args);
  session().tap(ev::RootSizeReported{.bytes = bytes,
                                     .physical_adapter = args.PhysicalAdapterIndex,
                                     .asked = entries,
                                     .answered = args.NumberOfPte});
  return {.bytes = bytes, .number_of_pte = args.NumberOfPte};
}

// What Windows asks as a process grows, from one entry to all there can be. Rules judge the answers.
void AddressSpaces::ask_for_root_sizes(const gpummu::Geometry& geometry) const {
  const std::uint32_t most = geometry.entries(geometry.root_level());
  const std::uint32_t fits_one = root_size(1).number_of_pte;
  if (fits_one > 1) static_cast<void>(root_size(std::min(fits_one, most)));
  if (fits_one < most) static_cast<void>(root_size(fits_one + 1));
  static_cast<void>(root_size(most));
  static_cast<void>(root_size(1));
}

const char* AddressSpaces::open(ProcessId process) {
  if (!processes_.live(process)) return "there is no such process";
  if (!adapter_.gpummu() || !adapter_.gpummu()->geometry) {
    return "no address space can be made of the page tables that the driver reports";
  }
  const gpummu::Geometry& geometry = *adapter_.gpummu()->geometry;
  if (geometry.caps().page_table_update_mode == gpummu::PageTableUpdateMode::GpuVirtual) {
    return "the host does not play updates by GPU virtual address";
  }
  gpummu::RootPageTableSize size;
  if (geometry.root_is_resizable()) {
    if (!may_call(DdiId::GetRootPageTableSize)) {
      return ddi_info(DdiId::GetRootPageTableSize).absence;
    }
    if (process == kSystemProcess) ask_for_root_sizes(geometry);
    const std::uint32_t entries = std::min(kRootEntries, geometry.entries(geometry.root_level()));
    size = root_size(entries);
    if (gpummu::check_root_size(entries, size, kPageSize)) {
      return "the driver's answer to GetRootPageTableSize is of no use";
    }
  }
  const auto owner =
      process == kSystemProcess ? gpummu::Owner::PagingProcess : gpummu::Owner::Client;
  spaces_[process] = std::make_unique<Space>(process, geometry, owner);
  if (step(process, gpummu::Open{size})) return nullptr;
  spaces_.erase(process);
  return "there is no memory for the root page table";
}

void AddressSpaces::close(ProcessId process) {
  const auto found = spaces_.find(process);
  if (found == spaces_.end()) return;
  for (const auto& [table, watched] : found->second->watched) watched->gone();
  for (const auto& [table, place] : found->second->places) places_.give_back(place);
  spaces_.erase(found);
}

void AddressSpaces::close_all() {
  while (!spaces_.empty()) close(spaces_.begin()->first);
}

bool AddressSpaces::step(ProcessId process, const gpummu::Input& input, const Mapped& mapped) {
  Space& space = *spaces_.at(process);
  if (space.broken) return false;
  for (const gpummu::Decision& decision : decisions().tables(space.tables.step(input))) {
    if (std::holds_alternative<gpummu::Refused>(decision)) return false;
    std::visit([&](const auto& decided) { carry_out(space, decided, mapped); }, decision);
    if (space.broken || waits_.abandoned()) return false;
  }
  return true;
}

gpummu::PageTableUpdateMode AddressSpaces::mode_of(const Space& space) const {
  if (space.starting) return gpummu::PageTableUpdateMode::CpuVirtual;
  return space.tables.geometry().caps().page_table_update_mode;
}

const TablePlace& AddressSpaces::place_of(const Space& space, gpummu::TableId table) const {
  const auto found = space.places.find(table);
  HARNESS_ASSERT(found != space.places.end());
  return found->second;
}

gpummu::Entry AddressSpaces::with_place(const Space& space, const gpummu::Entry& entry,
                                        gpummu::TableId table) const {
  if (table == gpummu::kNoTable) return entry;
  return gpummu::pointer_entry(place_of(space, table).address, entry.page_table_page_size);
}

EntryRecord AddressSpaces::wanted(const gpummu::Entry& entry, std::uint64_t protection) const {
  using namespace entry_flag;
  EntryRecord record;
  if (!entry.valid) return record;
  const auto flag = [&record](bool on, std::uint32_t bit) { record.flags |= on ? bit : 0; };
  flag(true, kValid);
  flag(entry.zero, kZero);
  if (entry.zero) return record;
  flag(entry.segment == kNoSegment, kSystem);
  flag(entry.cache_coherent, kCacheCoherent);
  flag(entry.read_only, kReadOnly);
  flag(entry.no_execute, kNoExecute);
  flag(entry.large_page, kLargePage);
  flag(entry.page_table_page_size == gpummu::PageTablePageSize::Page64K, kLeaf64K);
  record.address = entry.address;
  if (entry.segment != kNoSegment) record.address += adapter_.segment(entry.segment).base;
  record.driver_protection = protection;
  record.adapter = entry.adapter.value;
  return record;
}

void AddressSpaces::watch(Space& space, const gpummu::CreateTable& table,
                          const TablePlace& place) const {
  std::uint8_t* const bytes = places_.cpu_address(place);
  // Memory that was used before: entries that no update has written may look valid.
  if (bytes != nullptr) std::memset(bytes, 0xFF, table.bytes);
  space.watched[table.table] = std::make_shared<WatchedTable>(
      scene_.objects, space.tables.geometry(), table,
      std::span(bytes, bytes == nullptr ? 0 : table.bytes));
}

// -- decisions

void AddressSpaces::carry_out(Space&, const gpummu::SuspendContexts&, const Mapped&) {
  waits_.for_earlier_work();
}

// They run when the next buffer comes.
void AddressSpaces::carry_out(Space&, const gpummu::ResumeContexts&, const Mapped&) {}

void AddressSpaces::carry_out(Space& space, const gpummu::CreateTable& create, const Mapped&) {
  auto place = places_.take(create.segment, create.bytes, create.alignment);
  space.broken = !place;
  if (!place) return;
  watch(space, create, *place);
  space.places.emplace(create.table, std::move(*place));
}

void AddressSpaces::carry_out(Space& space, const gpummu::UpdateEntries& update,
                              const Mapped& mapped) {
  const TablePlace& place = place_of(space, update.table);
  std::vector<gpummu::Entry> entries, entries_64kb;
  std::vector<WantedEntry> wanted_entries;
  const bool dual = space.tables.geometry().dual_pte() && update.level == 1;
  for (const gpummu::Written& written : space.tables.elements(update)) {
    entries.push_back(with_place(space, written.entry, written.table));
    if (dual) entries_64kb.push_back(with_place(space, {}, written.table_64kb));
    wanted_entries.push_back({wanted(entries.back(), update.driver_protection), std::nullopt});
    if (dual) wanted_entries.back().second = wanted(entries_64kb.back(), 0);
  }
  const gpummu::PageTableUpdateMode mode = mode_of(space);
  const PagingOperationPtr operation = table_update_of(scene_, processes_.driver(space.process),
                                                       {place.address, places_.cpu_address(place)},
                                                       update, mode, entries, entries_64kb, mapped);
  operation->update = std::make_shared<TableUpdate>(
      space.watched.at(update.table),
      TableUpdate::Named{space.process, mapped.allocation, mode, place.address}, update,
      std::move(wanted_entries), updates_built_);
  if (space.starting) return queue_.carry_out_without_buffer(operation);
  queue_.queue(operation);
}

void AddressSpaces::carry_out(Space& space, const gpummu::CopyEntries&, const Mapped&) {
  space.broken = true;
}

void AddressSpaces::carry_out(Space& space, const gpummu::SetRoot& set, const Mapped&) {
  waits_.for_earlier_work();
  if (waits_.abandoned() || !may_call(DdiId::SetRootPageTable)) return;
  DXGKARG_SETROOTPAGETABLE args{};
  args.hContext = scene_.objects.context(set.context).driver;
  args.Address = physical(place_of(space, set.root).address);
  args.NumEntries = set.entries;
  call_ddi<DdiId::SetRootPageTable>(set.context, adapter_.miniport(), &args);
  session().tap(ev::RootSet{.place = args.Address.SegmentOffset,
                            .context = set.context.value,
                            .process = space.process.value,
                            .segment = args.Address.SegmentId,
                            .entries = args.NumEntries});
}

void AddressSpaces::carry_out(Space& space, const gpummu::FlushTlb& flush, const Mapped&) {
  if (space.starting) return;  // no GPU has seen the space yet
  queue_.queue(tlb_flush_of(processes_.driver(space.process),
                            place_of(space, space.tables.root()).address, flush.range));
}

void AddressSpaces::carry_out(Space& space, const gpummu::RelocateTable&, const Mapped&) {
  space.broken = true;
}

void AddressSpaces::carry_out(Space& space, const gpummu::ReleaseTable&, const Mapped&) {
  space.broken = true;
}

void AddressSpaces::carry_out(Space& space, const gpummu::CommitTable&, const Mapped&) {
  space.broken = true;
}

void AddressSpaces::carry_out(Space& space, const gpummu::DestroyTable& destroy, const Mapped&) {
  waits_.for_earlier_work();
  const auto found = space.places.find(destroy.table);
  HARNESS_ASSERT(found != space.places.end());
  space.watched.at(destroy.table)->gone();
  space.watched.erase(destroy.table);
  places_.give_back(found->second);
  space.places.erase(found);
}

// Nothing was done; step() has said so.
void AddressSpaces::carry_out(Space&, const gpummu::Refused&, const Mapped&) {}

}  // namespace wddm::host
