// The life of page tables in AddressSpace: the root and its size, moving, eviction.
#include <algorithm>

#include "reference/gpummu/address_space.h"
#include "reference/harness_assert.h"

namespace wddm::gpummu {

// ---- The root.

void AddressSpace::on(const Open& input) {
  HARNESS_ASSERT(root() == kNoTable);
  const std::uint32_t level = geometry().root_level();
  const bool fixed = !geometry().root_is_resizable();
  const std::uint32_t most = geometry().entries(level);
  const std::uint32_t entries = fixed ? most : std::min(input.size.number_of_pte, most);
  HARNESS_ASSERT(entries != 0);
  const TableId root = plan_.create(level, PageTablePageSize::Page4K, {}, kNoTable, entries,
                                    fixed ? 0 : input.size.bytes);
  tables_.at(root).kept = true;
  tables_.set_root(root);
  plan_.initialize(root);
}

void AddressSpace::on(const Close&) {
  HARNESS_ASSERT(root() != kNoTable && contexts_.empty());
  plan_.drop(root());
  tables_.set_root(kNoTable);
}

/// What is larger is written with all entries it is to have (ROOT-007); what is smaller gets them
/// from the old root by a copy on the GPU (ROOT-008), but for CPU_VIRTUAL, which has no such copy
/// (PT-017, note).
void AddressSpace::on(const ResizeRoot& input) {
  HARNESS_ASSERT(geometry().root_is_resizable() && root() != kNoTable);
  const std::uint32_t entries = std::min(input.size.number_of_pte, geometry().entries(1));
  const std::uint32_t in_use = root_entries_in_use();
  if (entries == 0 || entries < in_use) return plan_.refuse(Refusal::RootInUse, in_use);
  const TableId old = root();
  const bool copies = entries < root_entries() && tables_[old].resident && in_use != 0 &&
                      geometry().caps().page_table_update_mode != PageTableUpdateMode::CpuVirtual;
  const TableId root =
      plan_.create(1, PageTablePageSize::Page4K, {}, kNoTable, entries, input.size.bytes);
  if (copies) plan_.initialize(root);
  plan_.drop_alone(old);
  tables_.move_entries(old, root, in_use);
  tables_.set_root(root);
  if (copies) {
    for (std::uint16_t gpu = 0; gpu < tables_.physical_adapters(); ++gpu) {
      plan_.decide(CopyEntries{old, root, PhysicalAdapterIndex{gpu}, 0, 0, in_use});
    }
  } else {
    plan_.initialize(root);
  }
  set_root_of_all();
}

/// Each context, while it does not run (ROOT-009, ROOT-012). Whether Windows flushes the TLB when
/// only the root changes is not said; it is flushed here (ROOT-010, note).
void AddressSpace::set_root_of_all() {
  plan_.suspend();
  for (const ContextId context : contexts_) {
    plan_.decide(SetRoot{context, root(), root_entries()});
  }
  plan_.flush({{}, geometry().space_bytes()}, kAllAdapters);
}

std::uint32_t AddressSpace::root_entries_for(const VaRange& range) const {
  HARNESS_ASSERT(geometry().contains(range));
  if (!geometry().root_is_resizable()) return root_entries();
  return std::max(geometry().index(1, {range.end() - 1}) + 1, root_entries_in_use());
}

std::uint32_t AddressSpace::root_entries_in_use() const {
  const std::uint32_t all = root_entries();
  std::uint32_t used = 0;
  for (std::uint32_t i = tables_.next_written(root(), 0); i < all;
       i = tables_.next_written(root(), i + 1)) {
    const bool empty = tables_.entry(root(), 0, i) == invalid_entry() &&
                       tables_.second(root(), i) == invalid_entry();
    if (!empty) used = i + 1;
  }
  return used;
}

// ---- Moving and eviction. Contexts stay suspended while a table is away (plan.h).

void AddressSpace::on(const MoveTable& input) {
  if (!tables_[input.table].resident) return plan_.refuse(Refusal::AlreadySo);
  plan_.suspend();
  plan_.decide(RelocateTable{input.table});
  follow(input.table);
}

void AddressSpace::on(const EvictTable& input) {
  if (!tables_[input.table].resident) return plan_.refuse(Refusal::AlreadySo);
  plan_.suspend();
  tables_.set_resident(input.table, false);
  follow(input.table);
  plan_.release(input.table);
}

void AddressSpace::on(const MakeTableResident& input) {
  if (tables_[input.table].resident) return plan_.refuse(Refusal::AlreadySo);
  plan_.suspend();
  plan_.decide(CommitTable{input.table});
  tables_.set_resident(input.table, true);
  plan_.initialize(input.table);
  follow(input.table);
}

void AddressSpace::on(const RewriteTables&) {
  for (std::uint32_t i = 0; i < tables_.most_ids(); ++i) {
    const TableId id{i};
    if (tables_.exists(id) && tables_[id].resident) plan_.initialize(id);
  }
}

/// The place of a table has changed: whatever leads to it is written anew (PT-007, ROOT-010).
void AddressSpace::follow(TableId id) {
  const PageTable& table = tables_[id];
  if (id == root()) {
    if (table.resident) return set_root_of_all();
    return plan_.flush({{}, geometry().space_bytes()}, kAllAdapters);
  }
  const std::uint32_t level = table.level + 1;
  const std::uint32_t index = geometry().index(level, table.start);
  plan_.write(table.parent, kAllAdapters, index, 1);
  plan_.flush({table.start, geometry().entry_bytes(level)}, kAllAdapters);
}

}  // namespace wddm::gpummu
