// What the oracle decides about an address space, carried out on the driver.
#include <algorithm>
#include <cstring>
#include <utility>

#include "conformance/host/boundary/ddi_call.h"
#include "conformance/host/gpuva/tables/address_spaces.h"
#include "conformance/host/gpuva/tables/drivers_own.h"
#include "conformance/host/gpuva/tables/entry_copies.h"
#include "conformance/host/gpuva/tables/entry_record.h"
#include "conformance/host/gpuva/tables/linked_tables.h"
#include "conformance/host/gpuva/tables/paging_layout.h"
#include "conformance/host/gpuva/tables/table_update.h"
#include "reference/harness_assert.h"

namespace wddm::host {
namespace {

// One flush for all then: Windows may always flush more.
constexpr std::uint64_t kMostChangedInRange = 32;

gpummu::VaRange addresses_of(const gpummu::UpdateEntries& update,
                             const gpummu::Geometry& geometry) {
  const bool in_64kb_pages = update.page_size == gpummu::PageTablePageSize::Page64K;
  const std::uint64_t each =
      in_64kb_pages ? gpummu::kPageSize64K : geometry.entry_bytes(update.level);
  return {update.first_va, update.count * each};
}

bool is_root(const SpaceInMemory& space, const TableShape& shape) {
  return shape.level == space.tables.geometry().root_level();
}

// A page table has no handle: what leads to one names no allocation (PT-001).
bool leads_to_tables(const gpummu::Written& written) {
  return written.table != gpummu::kNoTable || written.table_64kb != gpummu::kNoTable;
}

}  // namespace

void AddressSpaces::carry_out(Space& space, const gpummu::SuspendContexts&, const Mapped&) {
  waits_.for_work_of(scene_.objects, space.process);
}

// They run when the next buffer comes.
void AddressSpaces::carry_out(Space& space, const gpummu::ResumeContexts&, const Mapped&) {
  if (space.tables.geometry().caps().page_table_update_require_address_space_idle) {
    waits_.for_paging();
  }
}

void AddressSpaces::carry_out(Space& space, const gpummu::CreateTable& create, const Mapped&) {
  TableShape shape{.segment = create.segment,
                   .pages = static_cast<std::uint32_t>(pages_of(create.bytes)),
                   .alignment = create.alignment,
                   .level = create.level,
                   .entries = create.entries,
                   .page_size = create.page_size};
  shape.instances = instances_in_system(adapter_, shape);
  space.broken = !give_place(space, create.table, shape);
}

// In which order the GPU comes to it is that of the queue.
gpummu::GpuVirtualAddress AddressSpaces::shown(Space& space, gpummu::TableId table, bool late) {
  if (late) {
    const TablePlace& place = space.place_of(table);
    const ProcessId privileged = privileged_space_of(space.process);
    space.broken |= !show(privileged, kDestination, place, 0, place.pages);
    waits_.for_paging();
    return kDestination;
  }
  const auto own = space.own.find(table);
  if (own != space.own.end()) return own->second;
  const TablePlace& place = space.place_of(table);
  const ShownTables::Place shown = shown_.of(place);
  if (shown.is_new) static_cast<void>(show(shown.at, place, 0, place.pages));
  return shown.at;
}

void AddressSpaces::carry_out(Space& space, const gpummu::UpdateEntries& update,
                              const Mapped& mapped) {
  this->update(space, update, space.tables.elements(update), mapped);
}

void AddressSpaces::update(Space& space, const gpummu::UpdateEntries& update,
                           std::span<const gpummu::Written> elements, const Mapped& mapped) {
  const bool late = is_on_companion(space, update.adapter) && !update.initial;
  if (late) {
    waits_.for_paging();
    if (waits_.abandoned()) return;
  }
  const TablePlace& place = space.place_of(update.table);
  std::vector<gpummu::Entry> entries, entries_64kb;
  std::vector<WantedEntry> wanted_entries;
  const bool dual = space.tables.geometry().dual_pte() && update.level == 1;
  for (const gpummu::Written& written : elements) {
    entries.push_back(space.with_place(written.entry, written.table, update.adapter));
    if (dual) entries_64kb.push_back(space.with_place({}, written.table_64kb, update.adapter));
    wanted_entries.push_back(
        {entry_record(adapter_, entries.back(), update.driver_protection), std::nullopt});
    wanted_entries.back().doubtful = update.level == 0 && entries.back().valid &&
                                     scene_.residency.is_aperture(entries.back().segment);
    if (dual) wanted_entries.back().second = entry_record(adapter_, entries_64kb.back(), 0);
  }
  const gpummu::PageTableUpdateMode mode = space.mode();
  const std::shared_ptr<WatchedTable>& table = space.watched_on(update.adapter, update.table);
  NamedTable named{.address = place.address_on(update.adapter.value)};
  if (mode == gpummu::PageTableUpdateMode::CpuVirtual) {
    named.cpu = table->for_the_cpu();
    // Its window to the CPU found no room.
    if (named.cpu == nullptr) {
      space.broken = true;
      return;
    }
  }
  if (mode == gpummu::PageTableUpdateMode::GpuVirtual) {
    named.gpu = shown(space, update.table, late);
    if (waits_.abandoned() || space.broken) return;
  }
  const bool to_tables = std::any_of(elements.begin(), elements.end(), leads_to_tables);
  const Mapped part =
      to_tables ? Mapped{} : mapped.of(addresses_of(update, space.tables.geometry()));
  const PagingOperationPtr operation = table_update_of(
      scene_, processes_.driver(space.process), named, update, mode, entries, entries_64kb, part);
  // Who waits for paging of an allocation waits for all that its step does.
  operation->allocation = operation->blame.allocation = mapped.allocation;
  operation->physical_adapter = update.adapter.value;
  const bool of_64kb = update.page_size == gpummu::PageTablePageSize::Page64K;
  const std::uint32_t walked = of_64kb ? 0 : walks_.entry_bytes(update.level);
  operation->update = std::make_shared<TableUpdate>(
      space.watched.at(update.table),
      TableUpdate::Named{space.process, part.allocation, mode, named.address, walked}, update,
      std::move(wanted_entries), updates_built_);
  if (late) operation->runs_in = companion_->context;
  if (space.starting) {
    queue_.carry_out_without_buffer(operation);
  } else {
    queue_.queue(operation);
  }
  // What the tables hold nobody knows: no GPU is to see them.
  if (!waits_.abandoned() && !NT_SUCCESS(static_cast<NTSTATUS>(operation->status))) {
    space.broken = true;
  }
}

// An entry says nothing for a while, and what it is to say just before the copy: who looks at the
// source too early copies the wrong thing. No context of the process runs meanwhile.
std::optional<std::uint32_t> AddressSpaces::change_late(Space& space,
                                                        const gpummu::CopyEntries& copy) {
  const std::uint32_t level = space.place_of(copy.from).level;
  for (std::uint32_t i = 0; i < copy.count; ++i) {
    const gpummu::Written entry = space.tables.tables().written(copy.to, 0, copy.to_first + i);
    if (!entry.entry.valid) continue;
    gpummu::UpdateEntries update{.table = copy.from, .level = level};
    update.adapter = copy.adapter;
    update.first = copy.from_first + i;
    update.count = 1;
    update.first_va = {update.first * space.tables.geometry().entry_bytes(level)};
    const gpummu::Written nothing;
    this->update(space, update, {&nothing, 1}, {});
    waits_.for_paging();
    if (waits_.abandoned()) return std::nullopt;
    this->update(space, update, {&entry, 1}, {});
    return update.first;
  }
  return std::nullopt;
}

void AddressSpaces::carry_out(Space& space, const gpummu::CopyEntries& copy, const Mapped&) {
  waits_.for_paging();
  CopyCall call;
  const CopiedRange all{.from = {&space, copy.from, copy.from_first},
                        .to = {&space, copy.to, copy.to_first},
                        .count = copy.count};
  if (!call.take({&all, 1})) return;
  call.complete();
  if (!show(kSystemProcess, call)) return;
  const std::optional<std::uint32_t> changed = change_late(space, copy);
  if (waits_.abandoned()) return;
  const PagingOperationPtr operation = call.operation();
  operation->physical_adapter = copy.adapter.value;
  queue_.queue(operation);
  if (changed && space.watched_on(copy.adapter, copy.from)->any_pending()) call.set_late(*changed);
  waits_.for_paging();
  if (!waits_.abandoned()) call.tell(copy.adapter, walks_);
}

bool AddressSpaces::show(ProcessId in, const CopyCall& call) {
  for (const auto& side : {call.sources(), call.destinations()}) {
    for (const CopyCall::Shown& shown : side) {
      const TablePlace& place = shown.space->place_of(shown.table);
      if (!show(in, shown.at, place, 0, place.pages)) return false;
    }
  }
  return true;
}

// A table that is empty then is gone for the oracle: it is written entry by entry, as it goes.
std::vector<CopiedRange> AddressSpaces::source_of(const Space& space, const Space& privileged,
                                                  const gpummu::UpdateEntries& update) const {
  if (!space.tables.tables().exists(update.table)) return {};
  const EntriesAt to{&space, update.table, update.first, update.first_va};
  const std::span<const gpummu::Written> elements = space.tables.elements(update);
  std::vector<CopiedRange> ranges;
  if (companion_->to_source) {
    const gpummu::GpuVirtualAddress va{update.first_va.value + *companion_->to_source};
    ranges = copyable(space, va, to, update, elements);
  }
  if (ranges.empty()) ranges = source_in_pool(privileged, to, update, elements);
  return ranges;
}

// Pages that repeat lie in the pool once: each turn of them is a range of its own, which begins
// anew in the source where the destination goes on.
std::vector<CopiedRange> AddressSpaces::source_in_pool(
    const Space& privileged, const EntriesAt& to, const gpummu::UpdateEntries& update,
    std::span<const gpummu::Written> elements) const {
  if (update.level != 0 || update.page_size != gpummu::PageTablePageSize::Page4K) return {};
  const std::uint64_t begin = update.first_va.value, end = begin + update.count * kPageSize;
  std::vector<CopiedRange> ranges;
  std::uint32_t done = 0;
  for (const Companion::InPool& turn : companion_->to_pool) {
    const std::uint64_t first = std::max(begin, turn.range.first.value);
    const std::uint64_t last = std::min(end, turn.range.end());
    if (first >= last || first != begin + done * kPageSize) continue;
    gpummu::UpdateEntries part = update;
    part.count = static_cast<std::uint32_t>((last - first) / kPageSize);
    const auto of_part =
        copyable(privileged, {first + turn.shift}, {to.space, to.table, to.first + done, {first}},
                 part, update.repeat ? elements : elements.subspan(done, part.count));
    if (of_part.empty()) return {};
    ranges.insert(ranges.end(), of_part.begin(), of_part.end());
    done += part.count;
  }
  if (done != update.count) return {};
  return ranges;
}

// Updates of leaf tables that follow each other become one call, as far as the windows have room.
std::size_t AddressSpaces::copy_entries(Space& space, std::span<const gpummu::Decision> decided) {
  if (companion_ == nullptr || (companion_->to_pool.empty() && !companion_->to_source)) return 0;
  const auto found = spaces_.find(privileged_space_of(space.process));
  if (found == spaces_.end()) return 0;
  Space& privileged = *found->second;
  CopyCall call;
  gpummu::PhysicalAdapterIndex adapter{};
  std::size_t taken = 0;
  for (; taken < decided.size(); ++taken) {
    const auto* const update = std::get_if<gpummu::UpdateEntries>(&decided[taken]);
    if (update == nullptr || update->initial || !is_on_companion(space, update->adapter)) break;
    adapter = update->adapter;
    const auto ranges = source_of(space, privileged, *update);
    if (ranges.empty() || !call.take(ranges)) break;
  }
  if (call.empty()) return 0;
  waits_.for_paging();
  if (waits_.abandoned()) return taken;
  call.complete();
  if (!show(privileged.process, call)) return 0;
  waits_.for_paging();
  if (waits_.abandoned()) return taken;
  const PagingOperationPtr operation = call.operation();
  operation->runs_in = companion_->context;
  operation->physical_adapter = adapter.value;
  queue_.queue(operation);
  waits_.for_paging();
  if (!waits_.abandoned()) call.tell(adapter, walks_);
  return taken;
}

std::optional<ContextId> AddressSpaces::setting() const {
  return nt::current_thread() == setting_thread_ ? setting_ : std::nullopt;
}

// Other processes go on, and so do other contexts of this one where the root stays.
void AddressSpaces::carry_out(Space& space, const gpummu::SetRoot& set, const Mapped&) {
  waits_.for_paging();
  if (waits_.abandoned() || !may_call(DdiId::SetRootPageTable)) return;
  const gpummu::PhysicalAddress& root = space.place_of(set.root).address;
  const ContextObject& context = scene_.objects.context(set.context);
  DXGKARG_SETROOTPAGETABLE args{};
  args.hContext = context.driver;
  args.Address = physical(root);
  args.NumEntries = set.entries;
  setting_ = set.context;
  setting_thread_ = nt::current_thread();
  call_ddi<DdiId::SetRootPageTable>(set.context, adapter_.miniport(), &args);
  setting_.reset();
  session().tap(ev::RootSet{.place = root.offset,
                            .context = set.context.value,
                            .process = space.process.value,
                            .segment = root.segment.value,
                            .entries = set.entries,
                            .physical_adapter = context.engine.physical_adapter});
}

// Without a root no GPU has used the space since it was taken.
void AddressSpaces::carry_out(Space& space, const gpummu::FlushTlb& flush, const Mapped&) {
  if (space.starting) return;  // no GPU has seen the space yet
  const bool whole = flush.range.bytes == space.tables.geometry().space_bytes() ||
                     space.changed > kMostChangedInRange;
  // Updates go through windows of the paging process, which lead elsewhere each time.
  if (flushes_wait_ && space.process != kSystemProcess) {
    return waiting_.push_back({&space, flush, whole});
  }
  this->flush(space, flush, whole);
}

void AddressSpaces::flush_now() {
  for (const WaitingFlush& each : waiting_) flush(*each.space, each.flush, each.whole);
  waiting_.clear();
}

void AddressSpaces::flush(Space& space, const gpummu::FlushTlb& flush, bool whole) {
  const auto root = space.places.find(space.tables.root());
  if (root == space.places.end()) return;
  const PagingOperationPtr operation =
      tlb_flush_of(processes_.driver(space.process), root->second.address,
                   whole ? gpummu::VaRange{} : flush.range);
  operation->physical_adapter = flush.adapter.value;
  if (is_on_companion(space, flush.adapter)) operation->runs_in = companion_->context;
  queue_.queue(operation);
  const auto& args = operation->args.FlushTlb;
  session().tap(ev::TlbFlushBuilt{.start = args.StartVirtualAddress,
                                  .end = args.EndVirtualAddress,
                                  .process = space.process.value,
                                  .status = operation->status,
                                  .physical_adapter = flush.adapter.value});
}

// TransferVirtual has no direction for what moves within system memory: the CPU copies that.
bool AddressSpaces::copy_table(const TablePlace& from, const TablePlace& to) {
  if (from.address.segment == kNoSegment) {
    std::memcpy(to.system.data(), from.system.data(), from.system.size());
    return true;
  }
  for (std::uint32_t first = 0; first < from.pages; first += kWindow) {
    const std::uint32_t pages = std::min(kWindow, from.pages - first);
    waits_.for_paging();
    if (!show(kSource, from, first, pages) || !show(kDestination, to, first, pages)) return false;
    for (std::uint32_t gpu = 0; gpu < instances_of(adapter_, from); ++gpu) {
      const PagingOperationPtr operation = virtual_transfer_of(
          scene_, {}, pages * kPageSize, kSource, kDestination, Direction::WithinLocal);
      operation->physical_adapter = gpu;
      queue_.queue(operation);
    }
    if (waits_.abandoned()) return false;
  }
  waits_.for_paging();
  return true;
}

void AddressSpaces::carry_out(Space& space, const gpummu::RelocateTable& table, const Mapped&) {
  waits_.for_paging();
  const auto found = space.places.find(table.table);
  HARNESS_ASSERT(found != space.places.end());
  const TablePlace& from = found->second;
  auto to = places_.take(from);
  space.broken = !to;
  if (!to) return;
  if (!copy_table(from, *to)) return places_.give_back(*to);
  left(space, from);
  space.watch_no_more(table.table);
  tell_moved(space, from, *to, TableGone::No);
  space.leaving.push_back({std::move(found->second), to->address.offset, TableGone::No});
  found->second = std::move(*to);
  watch(space, table.table);
  appeared(space, found->second);
  for (const EntryRange& own :
       drivers_own(space, table.table, processes_.reserved(space.process))) {
    const std::vector<gpummu::Written> nothing(own.count);
    gpummu::UpdateEntries reset = reset_of(space, table.table, own);
    for (std::uint16_t gpu = 0; gpu < instances_of(adapter_, found->second); ++gpu) {
      reset.adapter = gpummu::PhysicalAdapterIndex{gpu};
      update(space, reset, nothing, {});
    }
  }
}

void AddressSpaces::carry_out(Space& space, const gpummu::ReleaseTable& table, const Mapped&) {
  const TableShape shape = space.place_of(table.table);
  if (is_root(space, shape)) space.root_left = space.place_of(table.table).address;
  let_go(space, table.table, TableGone::Evicted);
  space.released.emplace(table.table, shape);
}

void AddressSpaces::carry_out(Space& space, const gpummu::CommitTable& table, const Mapped&) {
  const auto found = space.released.find(table.table);
  HARNESS_ASSERT(found != space.released.end());
  const TableShape shape = found->second;
  space.released.erase(found);
  if (is_root(space, shape)) space.root_left.reset();
  space.broken = !give_place(space, table.table, shape);
}

// One that was evicted has no memory.
void AddressSpaces::carry_out(Space& space, const gpummu::DestroyTable& table, const Mapped&) {
  if (space.released.erase(table.table) == 0) {
    let_go(space, table.table, TableGone::Destroyed);
  }
}

// Nothing was done; step() has said so.
void AddressSpaces::carry_out(Space&, const gpummu::Refused&, const Mapped&) {}

}  // namespace wddm::host
