#include "reference/gpummu/leaf_change.h"

#include <algorithm>

namespace wddm::gpummu {

/// One 64 KB entry as sixteen of 4 KB (PGSZ-005).
void LeafChange::copy_as_4kb(TableId small, TableId large, std::uint32_t gpu, std::uint32_t index) {
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

Indices LeafChange::indices_of(TableId id, const VaRange& part) const {
  const std::uint64_t bytes = entry_bytes(id);
  const std::uint64_t start = tables_[id].start.value;
  return {static_cast<std::uint32_t>((part.first.value - start) / bytes),
          static_cast<std::uint32_t>((part.end() - start) / bytes)};
}

void LeafChange::change(TableId id, const VaRange& part) {
  switch (wanted_.to) {
    case To::Invalid:
      return clear(id, part);
    case To::Zero:
    case To::Pages:
      return write(id, part);
    case To::Kept:
      return;
  }
}

/// Nothing is written where nothing was valid.
void LeafChange::clear(TableId id, const VaRange& part) {
  PageTable& leaf = tables_.at(id);
  const Indices indices = indices_of(id, part);
  needs_flush_ = false;
  for (std::uint32_t gpu = 0; gpu < tables_.physical_adapters(); ++gpu) {
    if (!wanted_.chosen(gpu)) continue;
    Indices valid{UINT32_MAX, 0};
    for (std::uint32_t i = indices.first; i < indices.end; ++i) {
      if (!tables_.entry(leaf, gpu, i).valid) continue;
      set(leaf, gpu, i, invalid_entry());
      valid = {std::min(valid.first, i), i + 1};
    }
    if (valid.end == 0) continue;
    protect(id, gpu, valid, 0);
    plan_.write(id, AdapterSet{1} << gpu, valid.first, valid.count());
  }
  if (needs_flush_) plan_.flush(part, wanted_.adapters);
}

void LeafChange::write(TableId id, const VaRange& part) {
  PageTable& leaf = tables_.at(id);
  const Indices indices = indices_of(id, part);
  const std::uint64_t bytes = entry_bytes(id);
  needs_flush_ = false;
  for (std::uint32_t gpu = 0; gpu < tables_.physical_adapters(); ++gpu) {
    if (!wanted_.chosen(gpu)) continue;
    std::uint64_t va = part.first.value;
    for (std::uint32_t i = indices.first; i < indices.end; ++i, va += bytes) {
      set(leaf, gpu, i,
          wanted_.to == To::Zero ? zero_entry()
                                 : page_entry(wanted_.page_at(va), wanted_.map.protection));
    }
    protect(id, gpu, indices, wanted_.to == To::Pages ? wanted_.map.driver_protection : 0);
  }
  plan_.write(id, wanted_.adapters, indices.first, indices.count());
  if (needs_flush_) plan_.flush(part, wanted_.adapters);
}

void LeafChange::set(PageTable& leaf, std::uint32_t gpu, std::uint32_t index, const Entry& entry) {
  const Entry before = tables_.set(leaf, gpu, index, entry);
  const bool seen = !plan_.is_new(leaf) && leaf.resident;
  if (seen && plan_.needs_flush(before, entry)) needs_flush_ = true;
}

void LeafChange::protect(TableId id, std::uint32_t gpu, Indices indices, std::uint64_t protection) {
  auto& protections = tables_.at(id).driver_protection;
  if (protections.empty() && protection == 0) return;
  const auto end = protections.lower_bound(protection_key(gpu, indices.end));
  protections.erase(protections.lower_bound(protection_key(gpu, indices.first)), end);
  for (std::uint32_t i = indices.first; protection != 0 && i < indices.end; ++i) {
    protections.emplace_hint(end, protection_key(gpu, i), protection);
  }
}

}  // namespace wddm::gpummu
