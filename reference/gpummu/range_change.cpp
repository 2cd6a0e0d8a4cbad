#include "reference/gpummu/range_change.h"

#include <algorithm>

namespace wddm::gpummu {

void RangeChange::unmap(const Unmap& input) {
  to_ = To::Invalid;
  run(input.range, input.adapters);
}

void RangeChange::zero(const MapZero& input) {
  to_ = To::Zero;
  run(input.range, input.adapters);
}

void RangeChange::map(const Map& input) {
  to_ = To::Pages;
  map_ = input;
  run_ = 0;
  run_start_ = input.range.first.value;
  run(input.range, input.adapters);
}

void RangeChange::keep(const KeepTables& input) {
  to_ = To::Kept;
  lowest_ = input.lowest;
  keeps_64kb_ = input.page_size == PageTablePageSize::Page64K;
  run(input.range, kAllAdapters);
}

void RangeChange::run(const VaRange& range, AdapterSet adapters) {
  adapters_ = adapters;
  change(tables_.root(), range);
}

bool RangeChange::all_chosen() const {
  for (std::uint32_t gpu = 0; gpu < tables_.physical_adapters(); ++gpu) {
    if (!chosen(gpu)) return false;
  }
  return true;
}

// ---- Pages.

void RangeChange::seek(std::uint64_t va) {
  if (va < run_start_) {
    run_ = 0;
    run_start_ = map_.range.first.value;
  }
  while (va - run_start_ >= map_.pages[run_].bytes) {
    run_start_ += map_.pages[run_].bytes;
    ++run_;
  }
}

PhysicalAddress RangeChange::page_at(std::uint64_t va) {
  seek(va);
  PhysicalAddress place = map_.pages[run_].first;
  place.offset += va - run_start_;
  return place;
}

std::uint64_t RangeChange::contiguous_at(std::uint64_t va) {
  seek(va);
  return run_start_ + map_.pages[run_].bytes - va;
}

// ---- Tables above the leaf.

void RangeChange::change(TableId id, const VaRange& range) {
  const Geometry& geometry = tables_.geometry();
  const std::uint32_t level = tables_[id].level;
  const std::uint64_t bytes = geometry.entry_bytes(level);
  const std::uint32_t last = geometry.index(level, {range.end() - 1});
  puts_[level] = {};
  for (std::uint32_t index = geometry.index(level, range.first); index <= last; ++index) {
    if (to_ == To::Invalid) {  // what was never written need not be made invalid
      index = tables_.next_written(id, index);
      if (index > last) break;
    }
    const std::uint64_t start = tables_[id].start.value + index * bytes;
    const std::uint64_t first = std::max(start, range.first.value);
    const std::uint64_t end = std::min(start + bytes, range.end());
    change_entry(id, index, {{first}, end - first});
  }
  write_puts(id);
}

void RangeChange::change_entry(TableId id, std::uint32_t index, const VaRange& part) {
  if (to_ == To::Kept && tables_[id].level <= lowest_) return;
  if (ends_here(id, index, part)) {
    end_here(id, index, part);
  } else if (is_so_already(id, index)) {
    return;
  } else if (tables_[id].level == 1) {
    change_region(id, index, part);
  } else {
    const TableId below = table_below(id, index, PageTablePageSize::Page4K);
    change(below, part);
    if (is_empty(below)) {
      plan_.drop(below);
      put(id, index, invalid_entry());
    }
  }
}

/// Rule 1.
bool RangeChange::ends_here(TableId id, std::uint32_t index, const VaRange& part) {
  const PageTable& table = tables_[id];
  const std::uint64_t bytes = tables_.geometry().entry_bytes(table.level);
  if (part.bytes != bytes || !all_chosen()) return false;
  for (const Entry& entry : {tables_.entry(id, 0, index), tables_.second(id, index)}) {
    const TableId below = PageTables::pointee(entry);
    if (below != kNoTable && tables_[below].kept) return false;
  }
  switch (to_) {
    case To::Invalid:
    case To::Zero:
      return true;
    case To::Kept:
      return false;
    case To::Pages:
      break;
  }
  const bool any_place = tables_.geometry().caps().allow_non_aligned_large_page_address;
  return map_.use_large_pages && contiguous_at(part.first.value) >= bytes &&
         (any_place || page_at(part.first.value).offset % bytes == 0);
}

void RangeChange::end_here(TableId id, std::uint32_t index, const VaRange& part) {
  Entry entry;
  if (to_ == To::Zero) entry = zero_entry();
  if (to_ == To::Pages) entry = large_page_entry(page_at(part.first.value), map_.protection);
  const Entry before = tables_.entry(id, 0, index);
  const Entry second = tables_.second(id, index);
  if (PageTables::pointee(before) != kNoTable) plan_.drop(PageTables::pointee(before));
  if (PageTables::pointee(second) != kNoTable) {
    plan_.drop(PageTables::pointee(second));
    put_second(id, index, invalid_entry());
  }
  if (before != entry || to_ == To::Pages) put(id, index, entry);
}

/// Part of the entry is to be what all of it is.
bool RangeChange::is_so_already(TableId id, std::uint32_t index) const {
  const Entry& entry = tables_.entry(id, 0, index);
  const bool leads_down = PageTables::pointee(entry) != kNoTable ||
                          PageTables::pointee(tables_.second(id, index)) != kNoTable;
  if (leads_down) return false;
  return to_ == To::Invalid ? !entry.valid : to_ == To::Zero && entry.zero;
}

TableId RangeChange::table_below(TableId id, std::uint32_t index, PageTablePageSize page_size) {
  const Geometry& geometry = tables_.geometry();
  const Entry before = tables_.entry(id, 0, index);
  TableId below = PageTables::pointee(before);
  if (below == kNoTable) {
    const std::uint32_t level = tables_[id].level - 1;
    const bool is_64kb = page_size == PageTablePageSize::Page64K;
    const GpuVirtualAddress start{tables_[id].start.value +
                                  index * geometry.entry_bytes(level + 1)};
    below = plan_.create(level, page_size, start, id,
                         is_64kb ? geometry.entries_64kb() : geometry.entries(level));
    if (before.valid) fill_from(below, before);
    plan_.initialize(below);
    put(id, index, tables_.pointer_to(below));
  }
  if (to_ == To::Kept) tables_.at(below).kept = true;
  return below;
}

void RangeChange::fill_from(TableId below, const Entry& larger) {
  const std::uint32_t level = tables_[below].level;
  const std::uint64_t bytes =
      level == 0 ? leaf_entry_bytes(below) : tables_.geometry().entry_bytes(level);
  // Above the leaf a second lane has pointers only.
  const std::uint32_t lanes = level == 0 ? tables_.physical_adapters() : 1;
  Entry entry = larger;
  entry.large_page = larger.large_page && level > 0;
  for (std::uint32_t i = 0; i < tables_[below].entries; ++i) {
    for (std::uint32_t lane = 0; lane < lanes; ++lane) tables_.set(below, lane, i, entry);
    if (larger.large_page) entry.address += bytes;
  }
}

void RangeChange::put(TableId id, std::uint32_t index, const Entry& entry) {
  const Entry before = tables_.entry(id, 0, index);
  tables_.set(id, 0, index, entry);
  note_put(id, index, before, entry, tables_.second(id, index));
}

void RangeChange::put_second(TableId id, std::uint32_t index, const Entry& entry) {
  const Entry before = tables_.second(id, index);
  tables_.set(id, 1, index, entry);
  note_put(id, index, before, entry, tables_.entry(id, 0, index));
}

/// Entries beside one another are written together, and not before what they lead to is complete:
/// when the next one is elsewhere, or the table is done with. A TLB may keep both halves of a pair
/// as one entry, so with a valid half it remembers the other too.
void RangeChange::note_put(TableId id, std::uint32_t index, const Entry& before, const Entry& now,
                           const Entry& other_half) {
  const PageTable& table = tables_[id];
  Indices& puts = puts_[table.level];
  if (puts.count() != 0 && index != puts.end && index + 1 != puts.end) write_puts(id);
  if (puts.count() == 0) puts = {index, index};
  puts.end = index + 1;
  if (plan_.is_new(id) || !table.resident) return;
  const bool in_a_pair = other_half.valid && before != now;
  if (!in_a_pair && !plan_.needs_flush(before, now)) return;
  const std::uint64_t bytes = tables_.geometry().entry_bytes(table.level);
  plan_.flush({{table.start.value + index * bytes}, bytes}, kAllAdapters);
}

void RangeChange::write_puts(TableId id) {
  Indices& puts = puts_[tables_[id].level];
  if (puts.count() != 0) plan_.write(id, kAllAdapters, puts.first, puts.count());
  puts = {};
}

bool RangeChange::is_empty(TableId id) const {
  return tables_[id].used == 0 && !tables_[id].kept;
}

}  // namespace wddm::gpummu
