// Level 1 of RangeChange: which leaf of a region holds what, 4 KB or 64 KB; and the leaves.
#include <algorithm>

#include "reference/gpummu/range_change.h"

namespace wddm::gpummu {

bool RangeChange::in_64kb_units(const VaRange& part) const {
  if (!tables_.geometry().has_64kb_leaves()) return false;
  if (to_ == To::Kept && !keeps_64kb_) return false;
  if (to_ == To::Pages && !map_.use_64kb_pages) return false;
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
  if (tables_[leaf].page_size == PageTablePageSize::Page64K && !wants_64kb && to_ != To::Kept) {
    leaf = convert(id, index, leaf);
  }
  change_leaf(leaf, part);
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
  if (to_ == To::Kept && in_64kb_units(part)) {
    large = large_leaf(id, index);
    tables_.at(large).kept = true;
  } else if (to_ != To::Invalid && in_64kb_units(part)) {
    if (small != kNoTable) clear_leaf(small, part);
    large = large_leaf(id, index);
    write_leaf(large, part);
  } else {
    if (large != kNoTable && to_ != To::Kept) leave_large_leaf(id, index, large, part);
    if (to_ != To::Invalid) small = table_below(id, index, PageTablePageSize::Page4K);
    small = PageTables::pointee(tables_.entry(id, 0, index));
    if (small != kNoTable) change_leaf(small, part);
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
      copy_as_4kb(small, large, gpu, i);
    }
  }
  tables_.at(small).kept = tables_[large].kept;
  plan_.initialize(small);
  plan_.drop(large);
  put(id, index, tables_.pointer_to(small));
  return small;
}

/// One 64 KB entry as sixteen of 4 KB (PGSZ-005).
void RangeChange::copy_as_4kb(TableId small, TableId large, std::uint32_t gpu,
                              std::uint32_t index) {
  Entry entry = tables_.entry(large, gpu, index);
  const Indices all{index * kPagesPer64K, (index + 1) * kPagesPer64K};
  for (std::uint32_t i = all.first; i < all.end; ++i) {
    tables_.set(small, gpu, i, entry);
    if (entry.valid && !entry.zero) entry.address += kPageSize;
  }
  const auto& protections = tables_[large].driver_protection;
  const auto found = protections.find(protection_key(gpu, index));
  protect(small, gpu, all, found == protections.end() ? 0 : found->second);
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
  const Indices all = leaf_indices(large, {{start}, end - start});
  TableId small = kNoTable;
  Indices copied{UINT32_MAX, 0};
  for (std::uint32_t gpu = 0; gpu < tables_.physical_adapters(); ++gpu) {
    for (std::uint32_t i = all.first; chosen(gpu) && i < all.end; ++i) {
      const Entry page = tables_.entry(large, gpu, i);
      const std::uint64_t va = tables_[large].start.value + i * kPageSize64K;
      const bool in_part = va >= part.first.value && va + kPageSize64K <= part.end();
      if (!page.valid || in_part) continue;
      plan_.suspend();
      small = table_below(id, index, PageTablePageSize::Page4K);
      copy_as_4kb(small, large, gpu, i);
      copied.first = std::min(copied.first, i * kPagesPer64K);
      copied.end = std::max(copied.end, (i + 1) * kPagesPer64K);
    }
  }
  clear_leaf(large, {{start}, end - start});
  if (small == kNoTable) return;
  plan_.write(small, adapters_, copied.first, copied.count());
  plan_.flush({{start}, end - start}, adapters_);
}

// ---- Leaves.

std::uint64_t RangeChange::leaf_entry_bytes(TableId id) const {
  return tables_[id].page_size == PageTablePageSize::Page64K ? kPageSize64K : kPageSize;
}

RangeChange::Indices RangeChange::leaf_indices(TableId id, const VaRange& part) const {
  const std::uint64_t bytes = leaf_entry_bytes(id);
  const std::uint64_t start = tables_[id].start.value;
  return {static_cast<std::uint32_t>((part.first.value - start) / bytes),
          static_cast<std::uint32_t>((part.end() - start) / bytes)};
}

void RangeChange::change_leaf(TableId id, const VaRange& part) {
  switch (to_) {
    case To::Invalid:
      return clear_leaf(id, part);
    case To::Zero:
    case To::Pages:
      return write_leaf(id, part);
    case To::Kept:
      return;
  }
}

/// Nothing is written where nothing was valid.
void RangeChange::clear_leaf(TableId id, const VaRange& part) {
  const Indices indices = leaf_indices(id, part);
  leaf_needs_flush_ = false;
  for (std::uint32_t gpu = 0; gpu < tables_.physical_adapters(); ++gpu) {
    if (!chosen(gpu)) continue;
    Indices valid{UINT32_MAX, 0};
    for (std::uint32_t i = indices.first; i < indices.end; ++i) {
      if (!tables_.entry(id, gpu, i).valid) continue;
      set_leaf(id, gpu, i, invalid_entry());
      valid = {std::min(valid.first, i), i + 1};
    }
    if (valid.end == 0) continue;
    protect(id, gpu, valid, 0);
    plan_.write(id, AdapterSet{1} << gpu, valid.first, valid.count());
  }
  if (leaf_needs_flush_) plan_.flush(part, adapters_);
}

void RangeChange::write_leaf(TableId id, const VaRange& part) {
  const Indices indices = leaf_indices(id, part);
  const std::uint64_t bytes = leaf_entry_bytes(id);
  leaf_needs_flush_ = false;
  for (std::uint32_t gpu = 0; gpu < tables_.physical_adapters(); ++gpu) {
    if (!chosen(gpu)) continue;
    std::uint64_t va = part.first.value;
    for (std::uint32_t i = indices.first; i < indices.end; ++i, va += bytes) {
      set_leaf(id, gpu, i,
               to_ == To::Zero ? zero_entry() : page_entry(page_at(va), map_.protection));
    }
    protect(id, gpu, indices, to_ == To::Pages ? map_.driver_protection : 0);
  }
  plan_.write(id, adapters_, indices.first, indices.count());
  if (leaf_needs_flush_) plan_.flush(part, adapters_);
}

void RangeChange::set_leaf(TableId id, std::uint32_t gpu, std::uint32_t index, const Entry& entry) {
  const bool seen = !plan_.is_new(id) && tables_[id].resident;
  if (seen && plan_.needs_flush(tables_.entry(id, gpu, index), entry)) leaf_needs_flush_ = true;
  tables_.set(id, gpu, index, entry);
}

void RangeChange::protect(TableId id, std::uint32_t gpu, Indices indices,
                          std::uint64_t protection) {
  auto& protections = tables_.at(id).driver_protection;
  if (protections.empty() && protection == 0) return;
  const auto end = protections.lower_bound(protection_key(gpu, indices.end));
  protections.erase(protections.lower_bound(protection_key(gpu, indices.first)), end);
  for (std::uint32_t i = indices.first; protection != 0 && i < indices.end; ++i) {
    protections.emplace_hint(end, protection_key(gpu, i), protection);
  }
}

}  // namespace wddm::gpummu
