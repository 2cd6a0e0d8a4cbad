#include "reference/gpummu/page_tables.h"

#include <algorithm>
#include <utility>

namespace wddm::gpummu {
namespace {

/// Counts for `PageTable::used`: it maps something, or leads to a table that exists.
bool counts(const Entry& entry) {
  return entry.valid || entry.address != 0;
}

}  // namespace

PageTables::PageTables(const Geometry& geometry, std::uint32_t physical_adapters)
    : geometry_(geometry), physical_adapters_(physical_adapters) {
  HARNESS_ASSERT(physical_adapters >= 1 && physical_adapters <= kMaxPhysicalAdapters);
  // A first mapping makes a table of each level.
  std::uint32_t entries = 0;
  for (std::uint32_t level = 0; level < geometry.levels(); ++level) {
    if (geometry.entries(level) <= kMostSmallEntries) entries += geometry.entries(level);
  }
  pool_.reserve(entries);
  tables_.reserve(geometry.levels());
}

TableId PageTables::create(std::uint32_t level, PageTablePageSize page_size,
                           GpuVirtualAddress start, TableId parent, std::uint32_t entries) {
  TableId id{static_cast<std::uint32_t>(tables_.size())};
  if (free_.empty()) {
    tables_.emplace_back();
  } else {
    id = free_.back();
    free_.pop_back();
  }
  PageTable& table = tables_[id.value];
  table.level = level;
  table.page_size = page_size;
  table.start = start;
  table.parent = parent;
  table.entries = entries;
  table.exists = true;
  if (entries <= kMostSmallEntries) {
    table.place = pool_.allocate(room(table));
  } else {
    table.place = kLarge;
    table.arrays.assign(lanes(table), EntryArray(entries));
  }
  ++count_;
  return id;
}

void PageTables::drop(TableId id) {
  if (!at(id).resident) --evicted_;
  if (is_small(at(id))) pool_.release(at(id).place, room(at(id)));
  at(id) = PageTable{};
  free_.push_back(id);
  --count_;
}

std::uint32_t PageTables::next_written(TableId id, std::uint32_t index) const {
  const PageTable& table = (*this)[id];
  if (table.used == 0) return table.entries;
  std::uint32_t next = is_small(table) ? index : table.entries;
  for (const EntryArray& array : table.arrays) next = std::min(next, array.next_written(index));
  return std::min(next, table.entries);
}

void PageTables::set_resident(TableId id, bool resident) {
  PageTable& table = at(id);
  HARNESS_ASSERT(table.resident != resident);
  table.resident = resident;
  evicted_ += resident ? -1 : 1;
  if (table.parent == kNoTable) return;
  const std::uint32_t index = geometry_.index(table.level + 1, table.start);
  const std::uint32_t lane = pointee(second(table.parent, index)) == id ? 1 : 0;
  set(table.parent, lane, index, pointer_to(id));
}

void PageTables::move_entries(TableId from, TableId to, std::uint32_t count) {
  for (std::uint32_t lane = 0; lane < lanes(at(from)); ++lane) {
    for (std::uint32_t i = 0; i < count; ++i) {
      const Entry each = entry(from, lane, i);
      set(to, lane, i, each);
      if (pointee(each) != kNoTable) at(pointee(each)).parent = to;
      set(from, lane, i, invalid_entry());
    }
  }
  at(to).kept = at(from).kept;
}

Entry PageTables::set(PageTable& table, std::uint32_t lane, std::uint32_t index, const Entry& now) {
  HARNESS_ASSERT(lane < lanes(table) && index < table.entries);
  Entry before = now;
  if (is_small(table)) {
    std::swap(before, pool_[table.place + lane * table.entries + index]);
  } else {
    before = table.arrays[lane][index];
    table.arrays[lane].set(index, now);
  }
  table.used += counts(now);
  table.used -= counts(before);
  return before;
}

Entry PageTables::pointer_to(TableId id) const {
  const PageTable& table = (*this)[id];
  Entry entry;
  entry.address = address_of(id);
  entry.valid = table.resident;
  const bool names_page_size = table.level == 0 && !geometry_.dual_pte();
  if (names_page_size) entry.page_table_page_size = table.page_size;
  return entry;
}

Written PageTables::written(TableId id, std::uint32_t adapter, std::uint32_t index) const {
  const PageTable& table = (*this)[id];
  Written result{entry(id, lane(table, adapter), index)};
  if (table.level == 0) return result;
  const TableId below = pointee(result.entry);
  if (below != kNoTable) {
    result.entry.address = 0;
    if (result.entry.valid) {
      result.table = below;
    } else {
      result.entry = invalid_entry();  // the table is evicted
    }
  }
  if (second(id, index).valid) result.table_64kb = pointee(second(id, index));
  return result;
}

const Entry* PageTables::View::read_large(Table table, std::uint32_t lane,
                                          std::uint32_t index) const {
  return &tables_.entry(id_in(table), lane, index);
}

// Invariants: what leads to a table does so once and at the right index, levels and addresses fit,
// counts are right, no table is empty for nothing, and 64 KB entries exclude those of 4 KB.

void PageTables::validate() const {
  std::uint32_t existing = 0;
  for (std::uint32_t i = 0; i < tables_.size(); ++i) {
    if (!tables_[i].exists) continue;
    ++existing;
    validate_table(TableId{i});
  }
  HARNESS_ASSERT(existing == count_ && existing + free_.size() == tables_.size());
  HARNESS_ASSERT(root_ == kNoTable ? existing == 0 : (*this)[root_].parent == kNoTable);
}

void PageTables::validate_table(TableId id) const {
  const PageTable& table = (*this)[id];
  HARNESS_ASSERT(table.level < geometry_.levels());
  HARNESS_ASSERT(geometry_.table_start(table.level, table.start) == table.start);
  HARNESS_ASSERT((table.level == geometry_.root_level()) == (id == root_));
  HARNESS_ASSERT(table.used != 0 || table.kept || id == root_);
  std::uint32_t used = 0;
  std::uint32_t below = 0;
  for (std::uint32_t i = next_written(id, 0); i < table.entries; i = next_written(id, i + 1)) {
    for (std::uint32_t lane = 0; lane < lanes(table); ++lane) {
      const Entry& each = entry(id, lane, i);
      used += counts(each);
      if (table.level > 0 && pointee(each) != kNoTable) {
        validate_pointer(id, i, each);
        ++below;
      } else {
        HARNESS_ASSERT(
            !check_entry(geometry_, physical_adapters_, table.level, table.page_size, each));
      }
    }
    HARNESS_ASSERT(!second(id, i).valid || pointee(second(id, i)) != kNoTable);
    if (pointee(second(id, i)) != kNoTable) validate_dual(id, i);
  }
  HARNESS_ASSERT(used == table.used);
  std::uint32_t children = 0;
  for (const PageTable& other : tables_) children += other.exists && other.parent == id;
  HARNESS_ASSERT(children == below);
}

void PageTables::validate_pointer(TableId from, std::uint32_t index, const Entry& entry) const {
  const PageTable& table = (*this)[from];
  const PageTable& below = (*this)[pointee(entry)];
  HARNESS_ASSERT(below.parent == from && below.level + 1 == table.level);
  HARNESS_ASSERT(below.start.value ==
                 table.start.value + index * geometry_.entry_bytes(table.level));
  HARNESS_ASSERT(entry == pointer_to(pointee(entry)));
  HARNESS_ASSERT(!below.kept || table.kept);
}

void PageTables::validate_dual(TableId id, std::uint32_t index) const {
  const TableId large = pointee(second(id, index));
  const TableId small = pointee(entry(id, 0, index));
  if (small == kNoTable) {
    HARNESS_ASSERT(!entry(id, 0, index).valid);  // no zero or large page beside the pointer
    return;
  }
  for (std::uint32_t gpu = 0; gpu < physical_adapters_; ++gpu) {
    for (std::uint32_t i = 0; i < (*this)[small].entries; ++i) {
      HARNESS_ASSERT(!entry(large, gpu, i / kPagesPer64K).valid || !entry(small, gpu, i).valid);
    }
  }
}

}  // namespace wddm::gpummu
