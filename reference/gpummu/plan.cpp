#include "reference/gpummu/plan.h"

#include <algorithm>

namespace wddm::gpummu {
namespace {

/// How far to look for a new stretch of entries that take no memory (entry_array.h).
constexpr std::uint32_t kStride = 512;

/// What most steps stay below: vectors that have grown are kept.
constexpr std::size_t kManyDecisions = 16;
constexpr std::size_t kManyElements = 32;

std::uint64_t protection_at(const PageTable& table, std::uint64_t key) {
  const auto found = table.driver_protection.find(key);
  return found == table.driver_protection.end() ? 0 : found->second;
}

/// Where entries with the driver protection of `index` end.
std::uint32_t same_protection_end(const PageTable& table, std::uint32_t gpu, std::uint32_t index,
                                  std::uint32_t end) {
  if (table.driver_protection.empty()) return end;
  const std::uint64_t value = protection_at(table, protection_key(gpu, index));
  auto next = table.driver_protection.lower_bound(protection_key(gpu, index));
  if (value == 0) {
    const bool none =
        next == table.driver_protection.end() || next->first >= protection_key(gpu, end);
    return none ? end : static_cast<std::uint32_t>(next->first);
  }
  while (index < end && protection_at(table, protection_key(gpu, index)) == value) ++index;
  return index;
}

}  // namespace

void Plan::begin(PageTables& tables) {
  tables_ = &tables;
  remembers_invalid_ = !tables.geometry().caps().invalid_tlb_entries_not_cached;
  // The first place is for SuspendContexts, which may turn out to be needed later.
  decisions_.reserve(kManyDecisions);
  decisions_.assign(1, SuspendContexts{});
  elements_.reserve(kManyElements);
  elements_.clear();
  ++step_;
  dropped_.clear();
  released_.clear();
  flushes_.assign(tables_->physical_adapters(), Stretch{});
  suspends_ = false;
}

std::span<const Decision> Plan::finish() {
  const GpuMmuCaps& caps = tables_->geometry().caps();
  for (const TableId id : released_) invalidate_all(id, Writing::BeforeEviction);
  for (std::uint16_t gpu = 0; gpu < flushes_.size(); ++gpu) {
    const Stretch& stretch = flushes_[gpu];
    if (stretch.end == 0) continue;
    const VaRange range{GpuVirtualAddress{stretch.first}, stretch.end - stretch.first};
    decide(FlushTlb{PhysicalAdapterIndex{gpu}, range});
  }
  for (const TableId id : released_) decide(ReleaseTable{id});
  if (caps.explicit_page_table_invalidation) {
    for (const auto& [id, has_entries] : dropped_) {
      if (has_entries && (*tables_)[id].resident) invalidate_all(id, Writing::Update);
    }
  }
  for (const Dropped& each : dropped_) {
    decide(DestroyTable{each.table});
    tables_->drop(each.table);
  }
  if (caps.page_table_update_require_address_space_idle && touches_tables()) suspends_ = true;
  const bool suspends = suspends_ && !suspended_;
  suspended_ = suspended_ || suspends_;
  if (suspended_ && tables_->evicted() == 0) {
    decide(ResumeContexts{});
    suspended_ = false;
  }
  return std::span<const Decision>(decisions_).subspan(suspends ? 0 : 1);
}

bool Plan::touches_tables() const {
  return std::any_of(decisions_.begin() + 1, decisions_.end(), [](const Decision& each) {
    return std::holds_alternative<UpdateEntries>(each) || std::holds_alternative<FlushTlb>(each);
  });
}

TableId Plan::create(std::uint32_t level, PageTablePageSize page_size, GpuVirtualAddress start,
                     TableId parent, std::uint32_t entries, std::uint64_t root_bytes) {
  const Geometry& geometry = tables_->geometry();
  const PageTableLevelDesc& desc = geometry.level(level);
  const TableId id = tables_->create(level, page_size, start, parent, entries);
  tables_->at(id).made_in = step_;
  std::uint64_t bytes = root_bytes != 0 ? root_bytes : desc.page_table_size_in_bytes;
  if (level == 0 && page_size == PageTablePageSize::Page64K) {
    bytes = geometry.caps().leaf_page_table_size_for_64kb_pages_in_bytes;
  }
  const SegmentId segment = owner_ == Owner::PagingProcess
                                ? desc.paging_process_page_table_segment_id
                                : desc.page_table_segment_id;
  decide(CreateTable{id, level, page_size, entries, bytes, desc.page_table_alignment_in_bytes,
                     segment});
  return id;
}

void Plan::drop(TableId table) {
  std::size_t at = dropped_.size();
  for (drop_alone(table); at < dropped_.size(); ++at) {
    const PageTable& each = (*tables_)[dropped_[at].table];
    if (each.level == 0) continue;
    for (std::uint32_t lane = 0; lane < tables_->lanes(each); ++lane) {
      const TableId id = dropped_[at].table;
      for (std::uint32_t i = tables_->next_written(id, 0); i < each.entries;
           i = tables_->next_written(id, i + 1)) {
        const TableId below = PageTables::pointee(tables_->entry(id, lane, i));
        if (below != kNoTable) drop_alone(below);
      }
    }
  }
}

void Plan::write(TableId table, AdapterSet adapters, std::uint32_t first, std::uint32_t count,
                 Writing writing) {
  if (!(*tables_)[table].resident) return;
  for (std::uint32_t gpu = 0; gpu < tables_->physical_adapters(); ++gpu) {
    if ((adapters >> gpu & 1) != 0) write_on(table, gpu, first, count, writing);
  }
}

void Plan::write_on(TableId id, std::uint32_t adapter, std::uint32_t first, std::uint32_t count,
                    Writing writing) {
  const PageTable& table = (*tables_)[id];
  const std::uint64_t entry_bytes = table.page_size == PageTablePageSize::Page64K
                                        ? kPageSize64K
                                        : tables_->geometry().entry_bytes(table.level);
  const std::uint32_t all = first + count;
  while (first < all) {
    UpdateEntries update{id, table.level, table.page_size,
                         PhysicalAdapterIndex{static_cast<std::uint16_t>(adapter)}, first};
    update.initial = writing == Writing::Initial;
    update.notify_eviction = writing == Writing::BeforeEviction;
    update.first_va = {table.start.value + first * entry_bytes};
    update.elements = static_cast<std::uint32_t>(elements_.size());
    std::uint32_t end = std::min(tables_->next_written(id, first), all);
    bool same = true;
    if (end > first) {
      elements_.push_back({});  // nothing was ever written there
    } else {
      update.driver_protection = protection_at(table, protection_key(adapter, first));
      const std::uint32_t most = same_protection_end(table, adapter, first, all);
      for (; end < most; ++end) {
        if (end % kStride == 0 && tables_->next_written(id, end) != end) break;
        elements_.push_back(tables_->written(id, adapter, end));
        same = same && elements_.back() == elements_[update.elements];
      }
    }
    update.count = end - first;
    update.repeat = same && update.count > 1;
    if (update.repeat) elements_.resize(update.elements + 1);
    decide(update);
    first = end;
  }
}

void Plan::invalidate_all(TableId id, Writing writing) {
  const PageTable& table = (*tables_)[id];
  for (std::uint16_t gpu = 0; gpu < tables_->physical_adapters(); ++gpu) {
    UpdateEntries update{id, table.level, table.page_size, PhysicalAdapterIndex{gpu}};
    update.count = table.entries;
    update.repeat = table.entries > 1;
    update.notify_eviction = writing == Writing::BeforeEviction;
    update.first_va = table.start;
    update.elements = static_cast<std::uint32_t>(elements_.size());
    elements_.push_back({});
    decide(update);
  }
}

void Plan::flush(const VaRange& range, AdapterSet adapters) {
  for (std::uint32_t gpu = 0; gpu < flushes_.size(); ++gpu) {
    if ((adapters >> gpu & 1) == 0) continue;
    flushes_[gpu].first = std::min(flushes_[gpu].first, range.first.value);
    flushes_[gpu].end = std::max(flushes_[gpu].end, range.end());
  }
}

}  // namespace wddm::gpummu
