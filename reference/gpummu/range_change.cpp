#include "reference/gpummu/range_change.h"

#include <algorithm>

namespace wddm::gpummu {

void RangeChange::unmap(const Unmap& input) {
  run(input.range, WantedRange(input));
}

void RangeChange::zero(const MapZero& input) {
  run(input.range, WantedRange(input));
}

void RangeChange::map(const Map& input) {
  run(input.range, WantedRange(input));
}

void RangeChange::keep(const KeepTables& input) {
  run(input.range, WantedRange(input));
}

void RangeChange::run(const VaRange& range, const WantedRange& wanted) {
  wanted_ = wanted;
  change(tables_.root(), range);
}

bool RangeChange::all_chosen() const {
  for (std::uint32_t gpu = 0; gpu < tables_.physical_adapters(); ++gpu) {
    if (!wanted_.chosen(gpu)) return false;
  }
  return true;
}

// ---- Tables above the leaf.

void RangeChange::change(TableId id, const VaRange& range) {
  const Geometry& geometry = tables_.geometry();
  const std::uint32_t level = tables_[id].level;
  const std::uint64_t bytes = geometry.entry_bytes(level);
  const std::uint32_t last = geometry.index(level, {range.end() - 1});
  puts_[level] = {};
  for (std::uint32_t index = geometry.index(level, range.first); index <= last; ++index) {
    if (wanted_.to == To::Invalid) {  // what was never written need not be made invalid
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
  if (wanted_.to == To::Kept && tables_[id].level <= wanted_.lowest) return;
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
  switch (wanted_.to) {
    case To::Invalid:
    case To::Zero:
      return true;
    case To::Kept:
      return false;
    case To::Pages:
      break;
  }
  const bool any_place = tables_.geometry().caps().allow_non_aligned_large_page_address;
  return wanted_.map.use_large_pages && wanted_.contiguous_at(part.first.value) >= bytes &&
         (any_place || wanted_.page_at(part.first.value).offset % bytes == 0);
}

void RangeChange::end_here(TableId id, std::uint32_t index, const VaRange& part) {
  Entry entry;
  if (wanted_.to == To::Zero) entry = zero_entry();
  if (wanted_.to == To::Pages)
    entry = large_page_entry(wanted_.page_at(part.first.value), wanted_.map.protection);
  const Entry before = tables_.entry(id, 0, index);
  const Entry second = tables_.second(id, index);
  if (PageTables::pointee(before) != kNoTable) plan_.drop(PageTables::pointee(before));
  if (PageTables::pointee(second) != kNoTable) {
    plan_.drop(PageTables::pointee(second));
    put_second(id, index, invalid_entry());
  }
  if (before != entry || wanted_.to == To::Pages) put(id, index, entry);
}

/// Part of the entry is to be what all of it is.
bool RangeChange::is_so_already(TableId id, std::uint32_t index) const {
  const Entry& entry = tables_.entry(id, 0, index);
  const bool leads_down = PageTables::pointee(entry) != kNoTable ||
                          PageTables::pointee(tables_.second(id, index)) != kNoTable;
  if (leads_down) return false;
  return wanted_.to == To::Invalid ? !entry.valid : wanted_.to == To::Zero && entry.zero;
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
  if (wanted_.to == To::Kept) tables_.at(below).kept = true;
  return below;
}

void RangeChange::fill_from(TableId below, const Entry& larger) {
  const std::uint32_t level = tables_[below].level;
  const std::uint64_t bytes =
      level == 0 ? leaves_.entry_bytes(below) : tables_.geometry().entry_bytes(level);
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
  const Entry before = tables_.set(id, 0, index, entry);
  note_put(id, index, before, entry, tables_.second(id, index));
}

void RangeChange::put_second(TableId id, std::uint32_t index, const Entry& entry) {
  const Entry before = tables_.set(id, 1, index, entry);
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
  if (plan_.is_new(table) || !table.resident) return;
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

// ---- Level 1: which leaf of a region holds what, 4 KB or 64 KB.

bool RangeChange::in_64kb_units(const VaRange& part) const {
  if (!tables_.geometry().maps_64kb_pages()) return false;
  if (wanted_.to == To::Kept && !wanted_.keeps_64kb) return false;
  if (wanted_.to == To::Pages && !wanted_.map.use_64kb_pages) return false;
  return part.first.value % kPageSize64K == 0 && part.bytes % kPageSize64K == 0;
}

/// Rules 3 and 4.
void RangeChange::change_region(TableId id, std::uint32_t index, const VaRange& part) {
  if (tables_.geometry().dual_pte()) return change_dual_region(id, index, part);
  const Entry before = tables_.entry(id, 0, index);
  const bool splits_small = before.large_page && before.address % kPageSize64K != 0;
  const bool wants_64kb = in_64kb_units(part) && !splits_small;
  TableId leaf =
      table_below(id, index, wants_64kb ? PageTablePageSize::Page64K : PageTablePageSize::Page4K);
  if (tables_[leaf].page_size == PageTablePageSize::Page64K && !wants_64kb &&
      wanted_.to != To::Kept) {
    leaf = convert(id, index, leaf);
  }
  leaves_.change(leaf, part);
  if (!is_empty(leaf)) return;
  plan_.drop(leaf);
  put(id, index, invalid_entry());
}

/// Rule 5.
void RangeChange::change_dual_region(TableId id, std::uint32_t index, const VaRange& part) {
  const Entry before = tables_.entry(id, 0, index);
  if (before.valid && PageTables::pointee(before) == kNoTable) {
    static_cast<void>(table_below(id, index, PageTablePageSize::Page4K));  // a larger entry goes
  }
  TableId small = PageTables::pointee(tables_.entry(id, 0, index));
  TableId large = PageTables::pointee(tables_.second(id, index));
  if (wanted_.to == To::Kept && in_64kb_units(part)) {
    large = large_leaf(id, index);
    tables_.at(large).kept = true;
  } else if (wanted_.to != To::Invalid && in_64kb_units(part)) {
    if (small != kNoTable) leaves_.clear(small, part);
    large = large_leaf(id, index);
    leaves_.write(large, part);
  } else {
    if (large != kNoTable && wanted_.to != To::Kept) leave_large_leaf(id, index, large, part);
    if (wanted_.to != To::Invalid) small = table_below(id, index, PageTablePageSize::Page4K);
    small = PageTables::pointee(tables_.entry(id, 0, index));
    if (small != kNoTable) leaves_.change(small, part);
  }
  if (small != kNoTable && is_empty(small)) {
    plan_.drop(small);
    put(id, index, invalid_entry());
  }
  if (large != kNoTable && is_empty(large)) {
    plan_.drop(large);
    put_second(id, index, invalid_entry());
  }
}

/// The 4 KB leaf is complete before level 1 leads to it, and nothing runs meanwhile (PGSZ-008).
TableId RangeChange::convert(TableId id, std::uint32_t index, TableId large) {
  plan_.suspend();
  const TableId small = plan_.create(0, PageTablePageSize::Page4K, tables_[large].start, id,
                                     tables_.geometry().entries(0));
  for (std::uint32_t gpu = 0; gpu < tables_.physical_adapters(); ++gpu) {
    for (std::uint32_t i = 0; i < tables_[large].entries; ++i) {
      leaves_.copy_as_4kb(small, large, gpu, i);
    }
  }
  tables_.at(small).kept = tables_[large].kept;
  plan_.initialize(small);
  plan_.drop(large);
  put(id, index, tables_.pointer_to(small));
  return small;
}

TableId RangeChange::large_leaf(TableId id, std::uint32_t index) {
  TableId large = PageTables::pointee(tables_.second(id, index));
  if (large != kNoTable) return large;
  const Geometry& geometry = tables_.geometry();
  const GpuVirtualAddress start{tables_[id].start.value + index * geometry.entry_bytes(1)};
  large = plan_.create(0, PageTablePageSize::Page64K, start, id, geometry.entries_64kb());
  plan_.initialize(large);
  put_second(id, index, tables_.pointer_to(large));
  return large;
}

/// What 64 KB entries say of `part` is over: they become invalid, and what they say beyond `part`
/// goes to the 4 KB leaf. Until both are written neither maps that, so nothing may run.
void RangeChange::leave_large_leaf(TableId id, std::uint32_t index, TableId large,
                                   const VaRange& part) {
  const std::uint64_t start = part.first.value & ~(kPageSize64K - 1);
  const std::uint64_t end = (part.end() + kPageSize64K - 1) & ~(kPageSize64K - 1);
  const Indices all = leaves_.indices_of(large, {{start}, end - start});
  TableId small = kNoTable;
  Indices copied{UINT32_MAX, 0};
  for (std::uint32_t gpu = 0; gpu < tables_.physical_adapters(); ++gpu) {
    for (std::uint32_t i = all.first; wanted_.chosen(gpu) && i < all.end; ++i) {
      const Entry page = tables_.entry(large, gpu, i);
      const std::uint64_t va = tables_[large].start.value + i * kPageSize64K;
      const bool in_part = va >= part.first.value && va + kPageSize64K <= part.end();
      if (!page.valid || in_part) continue;
      plan_.suspend();
      small = table_below(id, index, PageTablePageSize::Page4K);
      leaves_.copy_as_4kb(small, large, gpu, i);
      copied.first = std::min(copied.first, i * kPagesPer64K);
      copied.end = std::max(copied.end, (i + 1) * kPagesPer64K);
    }
  }
  leaves_.clear(large, {{start}, end - start});
  if (small == kNoTable) return;
  plan_.write(small, wanted_.adapters, copied.first, copied.count());
  plan_.flush({{start}, end - start}, wanted_.adapters);
}

}  // namespace wddm::gpummu
