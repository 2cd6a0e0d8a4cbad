#include "reference/gpummu/address_space.h"

#include <algorithm>

#include "reference/gpummu/range_change.h"
#include "reference/harness_assert.h"

namespace wddm::gpummu {
namespace {

bool is_page_aligned(std::uint64_t value) {
  return value % kPageSize == 0;
}

/// The flags of a Map that count: by the caps, and by where the pages lie (PGSZ-001, PTE-004,
/// PTE-005, PTE-007, PTE-008).
Map effective(const Map& input, const GpuMmuCaps& caps) {
  Map map = input;
  map.protection.read_only &= caps.read_only_memory_supported;
  map.protection.no_execute &= caps.no_execute_memory_supported;
  map.protection.cache_coherent &= caps.cache_coherent_memory_supported;
  map.use_large_pages &= caps.large_page_supported && input.driver_protection == 0;
  const bool in_system_memory =
      std::any_of(input.pages.begin(), input.pages.end(),
                  [](const PageRun& each) { return each.first.segment == SegmentId{}; });
  if (in_system_memory && !caps.sys_mem_64kb_page_supported) map.use_64kb_pages = false;
  if (in_system_memory && !caps.sys_mem_large_page_supported) map.use_large_pages = false;
  return map;
}

/// Address and page agree in their low 16 bits, and no 64 KB page is of two runs (PGSZ-006).
bool is_congruent_64kb(const Map& map) {
  std::uint64_t va = map.range.first.value;
  for (std::size_t i = 0; i < map.pages.size(); ++i) {
    const PageRun& run = map.pages[i];
    if ((va ^ run.first.offset) % kPageSize64K != 0) return false;
    if (i > 0 && va % kPageSize64K != 0) return false;
    va += run.bytes;
  }
  return true;
}

}  // namespace

AddressSpace::AddressSpace(const Geometry& geometry, std::uint32_t physical_adapters, Owner owner)
    : tables_(geometry, physical_adapters), plan_(owner) {}

std::span<const Decision> AddressSpace::step(const Input& input) {
  plan_.begin(tables_);
  std::visit([this](const auto& each) { on(each); }, input);
  return plan_.finish();
}

bool AddressSpace::refuses(const VaRange& range, AdapterSet adapters) {
  if (!geometry().contains(range)) {
    plan_.refuse(Refusal::BeyondAddressSpace);
  } else if (!is_page_aligned(range.first.value) || !is_page_aligned(range.bytes)) {
    plan_.refuse(Refusal::NotPageAligned);
  } else if ((adapters & every_adapter()) == 0) {
    plan_.refuse(Refusal::PhysicalAdapter);
  } else if (geometry().index(geometry().root_level(), {range.end() - 1}) >= root_entries()) {
    plan_.refuse(Refusal::RootTooSmall, root_entries_for(range));
  } else {
    return false;
  }
  return true;
}

bool AddressSpace::refuses_pages(const Map& input) {
  std::uint64_t left = input.range.bytes;
  for (const PageRun& run : input.pages) {
    if (run.bytes == 0 || run.bytes > left) {
      plan_.refuse(Refusal::RunsOfOtherSize);
    } else if (!is_page_aligned(run.first.offset) || !is_page_aligned(run.bytes)) {
      plan_.refuse(Refusal::NotPageAligned);
    } else if (run.first.offset > UINT64_MAX - run.bytes) {
      plan_.refuse(Refusal::PageBeyondSegment);
    } else if (run.first.adapter.value >= tables_.physical_adapters()) {
      plan_.refuse(Refusal::PhysicalAdapter);
    } else {
      left -= run.bytes;
      continue;
    }
    return true;
  }
  if (left != 0) {
    plan_.refuse(Refusal::RunsOfOtherSize);
  } else if (input.use_64kb_pages && !is_congruent_64kb(input)) {
    plan_.refuse(Refusal::NotCongruent64K);
  } else {
    return false;
  }
  return true;
}

AdapterSet AddressSpace::every_adapter() const {
  return kAllAdapters >> (kMaxPhysicalAdapters - tables_.physical_adapters());
}

void AddressSpace::on(const Map& input) {
  const Map map = effective(input, geometry().caps());
  if (refuses(map.range, map.adapters) || refuses_pages(map)) return;
  RangeChange(tables_, plan_).map(map);
}

void AddressSpace::on(const MapZero& input) {
  if (refuses(input.range, input.adapters)) return;
  if (!geometry().caps().zero_in_pte_supported) return plan_.refuse(Refusal::ZeroUnsupported);
  RangeChange(tables_, plan_).zero(input);
}

void AddressSpace::on(const Unmap& input) {
  Unmap unmap = input;
  // Nothing is mapped beyond the root, whatever its size is.
  const std::uint64_t covered = root_entries() * geometry().entry_bytes(geometry().root_level());
  if (geometry().contains(input.range) && input.range.end() > covered) {
    if (input.range.first.value >= covered) return;
    unmap.range.bytes = covered - input.range.first.value;
  }
  if (refuses(unmap.range, unmap.adapters)) return;
  RangeChange(tables_, plan_).unmap(unmap);
}

void AddressSpace::on(const KeepTables& input) {
  if (refuses(input.range, kAllAdapters)) return;
  RangeChange(tables_, plan_).keep(input);
}

void AddressSpace::on(const AddContext& input) {
  HARNESS_ASSERT(root() != kNoTable);
  HARNESS_ASSERT(std::find(contexts_.begin(), contexts_.end(), input.context) == contexts_.end());
  contexts_.push_back(input.context);
  plan_.decide(SetRoot{input.context, root(), root_entries()});
}

void AddressSpace::on(const RemoveContext& input) {
  HARNESS_ASSERT(std::erase(contexts_, input.context) == 1);
}

void AddressSpace::validate() const {
  tables_.validate();
  HARNESS_ASSERT(contexts_.empty() || root() != kNoTable);
  std::vector<ContextId> sorted = contexts_;
  std::sort(sorted.begin(), sorted.end());
  HARNESS_ASSERT(std::adjacent_find(sorted.begin(), sorted.end()) == sorted.end());
  std::uint32_t evicted = 0;
  for (std::uint32_t i = 0; i < tables_.most_ids(); ++i) {
    evicted += tables_.exists(TableId{i}) && !tables_[TableId{i}].resident;
  }
  HARNESS_ASSERT(evicted == tables_.evicted());
}

}  // namespace wddm::gpummu
