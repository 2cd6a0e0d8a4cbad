#include "reference/gpummu/page_tables.h"

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
  table.gpus.assign(level == 0 ? physical_adapters_ : 1, EntryArray(entries));
  if (level == 1 && geometry_.dual_pte()) table.second = EntryArray(entries);
  ++count_;
  return id;
}

void PageTables::drop(TableId id) {
  if (!at(id).resident) --evicted_;
  at(id) = PageTable{};
  free_.push_back(id);
  --count_;
}

void PageTables::set_resident(TableId id, bool resident) {
  PageTable& table = at(id);
  HARNESS_ASSERT(table.resident != resident);
  table.resident = resident;
  evicted_ += resident ? -1 : 1;
  if (table.parent == kNoTable) return;
  const std::uint32_t index = geometry_.index(table.level + 1, table.start);
  const bool is_second = pointee(at(table.parent).second[index]) == id;
  if (is_second) {
    set_second(table.parent, index, pointer_to(id));
  } else {
    set(table.parent, 0, index, pointer_to(id));
  }
}

void PageTables::move_entries(TableId from, TableId to, std::uint32_t count) {
  for (std::uint32_t i = 0; i < count; ++i) {
    const Entry entry = at(from).gpus[0][i];
    const Entry second = at(from).second[i];
    set(to, 0, i, entry);
    set_second(to, i, second);
    for (const Entry& each : {entry, second}) {
      if (pointee(each) != kNoTable) at(pointee(each)).parent = to;
    }
    set(from, 0, i, invalid_entry());
    set_second(from, i, invalid_entry());
  }
  at(to).kept = at(from).kept;
}

void PageTables::set(TableId id, std::uint32_t gpu, std::uint32_t index, const Entry& entry) {
  PageTable& table = at(id);
  EntryArray& array = table.gpus[gpu];
  table.used += counts(entry);
  table.used -= counts(array[index]);
  array.set(index, entry);
}

void PageTables::set_second(TableId id, std::uint32_t index, const Entry& entry) {
  if (entry == invalid_entry() && at(id).second.size() == 0) return;  // no dual PTEs
  PageTable& table = at(id);
  table.used += counts(entry);
  table.used -= counts(table.second[index]);
  table.second.set(index, entry);
}

Entry PageTables::pointer_to(TableId id) const {
  const PageTable& table = (*this)[id];
  Entry entry;
  entry.address = std::uint64_t{id.value} + 1;
  entry.valid = table.resident;
  const bool names_page_size = table.level == 0 && !geometry_.dual_pte();
  if (names_page_size) entry.page_table_page_size = table.page_size;
  return entry;
}

Written PageTables::written(const PageTable& table, std::uint32_t adapter,
                            std::uint32_t index) const {
  Written result{array(table, adapter)[index]};
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
  const Entry& second = table.second[index];
  if (second.valid) result.table_64kb = pointee(second);
  return result;
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
  for (std::uint32_t gpu = 0; gpu < table.gpus.size(); ++gpu) {
    const EntryArray& array = table.gpus[gpu];
    HARNESS_ASSERT(array.size() == table.entries);
    for (std::uint32_t i = array.next_written(0); i < table.entries;
         i = array.next_written(i + 1)) {
      used += counts(array[i]);
      if (pointee(array[i]) != kNoTable && table.level > 0) {
        validate_pointer(id, i, array[i]);
        ++below;
      } else if (table.level == 0 || array[i].valid) {
        HARNESS_ASSERT(
            !check_entry(geometry_, physical_adapters_, table.level, table.page_size, array[i]));
      }
    }
  }
  const EntryArray& second = table.second;
  for (std::uint32_t i = second.next_written(0); i < second.size();
       i = second.next_written(i + 1)) {
    used += counts(second[i]);
    if (second[i].address == 0) continue;
    validate_pointer(id, i, second[i]);
    validate_dual(table, i);
    ++below;
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

void PageTables::validate_dual(const PageTable& table, std::uint32_t index) const {
  const PageTable& large = (*this)[pointee(table.second[index])];
  const TableId small = pointee(table.gpus[0][index]);
  if (small == kNoTable) {
    HARNESS_ASSERT(!table.gpus[0][index].valid);  // no zero or large page beside the pointer
    return;
  }
  for (std::uint32_t gpu = 0; gpu < physical_adapters_; ++gpu) {
    for (std::uint32_t i = 0; i < large.entries * kPagesPer64K; ++i) {
      HARNESS_ASSERT(!large.gpus[gpu][i / kPagesPer64K].valid ||
                     !(*this)[small].gpus[gpu][i].valid);
    }
  }
}

}  // namespace wddm::gpummu
