#include "conformance/host/gpuva/tables/entry_copies.h"

#include <algorithm>
#include <utility>

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

// What goes with an entry of a leaf: a copy takes it along.
std::uint64_t driver_protection_of(const gpummu::PageTable& leaf, std::uint32_t gpu,
                                   std::uint32_t index) {
  const auto found = leaf.driver_protection.find(gpummu::protection_key(gpu, index));
  return found == leaf.driver_protection.end() ? 0 : found->second;
}

bool is_same(const EntriesAt& one, const EntriesAt& other) {
  return one.space == other.space && one.table == other.table;
}

bool is_shown(const EntriesAt& entries, std::span<const CopyCall::Shown> shown) {
  return std::any_of(shown.begin(), shown.end(), [&entries](const CopyCall::Shown& each) {
    return each.space == entries.space && each.table == entries.table;
  });
}

// Behind those that are there already; false if that is behind the window.
bool place(const EntriesAt& entries, gpummu::GpuVirtualAddress window,
           std::vector<CopyCall::Shown>& shown) {
  std::uint64_t next = window.value;
  if (is_shown(entries, shown)) return true;
  for (const CopyCall::Shown& each : shown) {
    const std::uint64_t bytes = each.space->place_of(each.table).pages * kPageSize;
    next = each.at.value + (bytes + kTableBytes - 1) / kTableBytes * kTableBytes;
  }
  const std::uint64_t bytes = entries.space->place_of(entries.table).pages * kPageSize;
  if (next + bytes > window.value + kWindowBytes) return false;
  shown.push_back({entries.space, entries.table, {next}});
  return true;
}

}  // namespace

std::vector<CopiedRange> copyable(const SpaceInMemory& space, gpummu::GpuVirtualAddress va,
                                  const EntriesAt& to, const gpummu::UpdateEntries& update,
                                  std::span<const gpummu::Written> elements) {
  const bool plain = update.level == 0 && !update.notify_eviction &&
                     update.page_size == gpummu::PageTablePageSize::Page4K;
  if (!plain) return {};
  const gpummu::PageTables& tables = space.tables.tables();
  const bool within = &space == to.space;
  const std::uint32_t gpu = update.adapter.value;
  std::vector<CopiedRange> ranges;
  for (std::uint32_t done = 0; done < update.count;) {
    const std::uint64_t bytes = done * kPageSize;
    CopiedRange range{.from = {&space, {}, 0, {va.value + bytes}},
                      .to = {to.space, to.table, to.first + done, {to.va.value + bytes}}};
    const std::optional<gpummu::TableId> leaf = leaf_at(space, range.from.va);
    if (!leaf) return {};
    range.from.table = *leaf;
    range.from.first = space.tables.geometry().index(0, range.from.va);
    const std::uint32_t left = tables[*leaf].entries - range.from.first;
    range.count = std::min(update.count - done, left);
    for (std::uint32_t i = 0; i < range.count; ++i) {
      const std::uint32_t index = range.from.first + i;
      const gpummu::Entry& wanted = elements[update.repeat ? 0 : done + i].entry;
      if (!wanted.valid && !within) return {};
      if (tables.entry(*leaf, gpu, index) != wanted) return {};
      if (driver_protection_of(tables[*leaf], gpu, index) != update.driver_protection) return {};
    }
    ranges.push_back(range);
    done += range.count;
  }
  return ranges;
}

bool CopyCall::take(std::span<const CopiedRange> ranges) {
  std::vector<Shown> sources = sources_, destinations = destinations_;
  for (const CopiedRange& range : ranges) {
    if (!is_shown(range.from, destinations) && !place(range.from, kSource, sources)) return false;
    if (!is_shown(range.to, sources) && !place(range.to, kDestination, destinations)) return false;
  }
  sources_ = std::move(sources);
  destinations_ = std::move(destinations);
  ranges_.insert(ranges_.end(), ranges.begin(), ranges.end());
  return true;
}

void CopyCall::complete() {
  if (ranges_.size() != 1 || ranges_[0].count < 2) return;
  const std::uint32_t first = (ranges_[0].count + 1) / 2;
  ranges_.push_back(ranges_[0]);
  ranges_[0].count = first;
  ranges_[1].count -= first;
  for (EntriesAt* const entries : {&ranges_[1].from, &ranges_[1].to}) {
    const std::uint32_t level = entries->space->place_of(entries->table).level;
    entries->first += first;
    entries->va.value += first * entries->space->tables.geometry().entry_bytes(level);
  }
}

void CopyCall::set_late(std::uint32_t entry) {
  for (CopiedRange& range : ranges_) range.late = entry - range.from.first < range.count ? 1 : 0;
}

bool CopyCall::names(const EntriesAt& table, std::uint32_t index) const {
  return std::any_of(ranges_.begin(), ranges_.end(), [&](const CopiedRange& range) {
    return (is_same(range.to, table) && index - range.to.first < range.count) ||
           (is_same(range.from, table) && index - range.from.first < range.count);
  });
}

std::optional<CopiedRange> CopyCall::decoy() const {
  CopiedRange decoy = ranges_.back();
  decoy.count = 1;
  const std::uint32_t entries = decoy.to.space->tables.tables()[decoy.to.table].entries;
  for (std::uint32_t i = 0; i < entries; ++i) {
    const std::uint32_t index = (ranges_.back().to.first + i) % entries;
    if (names(decoy.to, index)) continue;
    decoy.to.first = index;
    return decoy;
  }
  return std::nullopt;
}

EntriesCopy CopyCall::in_windows(const CopiedRange& range) const {
  const auto at = [this](const EntriesAt& entries) {
    for (const auto& side : {sources(), destinations()}) {
      for (const Shown& each : side) {
        if (each.space == entries.space && each.table == entries.table) return each.at;
      }
    }
    return gpummu::GpuVirtualAddress{};
  };
  return {at(range.from), at(range.to), range.from.first, range.to.first, range.count};
}

PagingOperationPtr CopyCall::operation() const {
  std::vector<EntriesCopy> copies;
  for (const CopiedRange& range : ranges_) copies.push_back(in_windows(range));
  const std::optional<CopiedRange> behind = decoy();
  return entries_copy_of(copies, behind ? in_windows(*behind) : EntriesCopy{});
}

void CopyCall::tell(gpummu::PhysicalAdapterIndex adapter, const WalkJudge& walks) const {
  const auto table_of = [adapter](const EntriesAt& entries) -> WatchedTable& {
    return *entries.space->watched_on(adapter, entries.table);
  };
  const std::optional<CopiedRange> decoy = this->decoy();
  std::optional<std::uint32_t> behind;
  if (decoy) {
    behind = table_of(decoy->to).become(table_of(decoy->from), decoy->from.first,
                                        {decoy->to.first, decoy->count});
  }
  const auto written_in = [&](const EntriesAt& table) {
    std::vector<EntryRange> written;
    for (const CopiedRange& each : ranges_) {
      if (is_same(each.to, table)) written.push_back({each.to.first, each.count});
    }
    if (decoy && is_same(decoy->to, table)) written.push_back({decoy->to.first, decoy->count});
    return written;
  };
  for (std::size_t i = 0; i < ranges_.size(); ++i) {
    const CopiedRange& range = ranges_[i];
    const std::uint32_t walked = walks.entry_bytes(range.to.space->place_of(range.to.table).level);
    WatchedTable::Copied copied =
        table_of(range.to).copied(table_of(range.from), range.from.first,
                                  {range.to.first, range.count}, written_in(range.to), walked);
    if (!is_same(range.from, range.to)) {
      copied.outside += table_of(range.from).changed_beside(written_in(range.from), walked);
    }
    const CopiedFrom where{.source_va = range.from.va.value,
                           .first_va = range.to.va.value,
                           .source_process = range.from.space->process.value};
    const bool last = i + 1 == ranges_.size();
    session().tap(ev::EntriesCopied{.process = range.to.space->process.value,
                                    .level = range.to.space->place_of(range.to.table).level,
                                    .from_first = range.from.first,
                                    .to_first = range.to.first,
                                    .count = range.count,
                                    .read = copied.read,
                                    .unlike = copied.unlike,
                                    .outside = copied.outside,
                                    .late = range.late,
                                    .physical_adapter = adapter.value,
                                    .range = static_cast<std::uint32_t>(i),
                                    .ranges = static_cast<std::uint32_t>(ranges_.size()),
                                    .decoys = last && behind ? decoy->count : 0,
                                    .behind = last ? behind.value_or(0) : 0},
                  &where, sizeof(where));
  }
}

}  // namespace wddm::host
