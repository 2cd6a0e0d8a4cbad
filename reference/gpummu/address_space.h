// The GPU address space of one process as a pure state machine: which page tables there are, where
// the root is, and what must be done for an address to lead to a page.
//
// Sources: gpu-virtual-address.md, support-for-64kb-pages.md, linked-display-adapter.md,
// DXGK_BUILDPAGINGBUFFER_UPDATEPAGETABLE, DXGKARG_SETROOTPAGETABLE, DXGKARG_GETROOTPAGETABLESIZE;
// clauses PT-001..008, PT-015, PT-016, ROOT-001, ROOT-004, ROOT-006..010, PGSZ, LDA-003..005,
// VPAGE-006, VPAGE-010. How entries are chosen is in range_change.h, in which order things happen
// in plan.h. What step() decided has happened: the state is that behind the last decision.
// Leaves out: which range belongs to whom and what is mapped there twice (va_ranges), fences,
// where tables lie, and the mappings of the paging process that updates of tables themselves need.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "reference/gpummu/geometry.h"
#include "reference/gpummu/page_tables.h"
#include "reference/gpummu/plan.h"
#include "reference/gpummu/table_decision.h"
#include "reference/gpummu/table_input.h"
#include "reference/gpummu/walk.h"

namespace wddm::gpummu {

/// A plain value that can be copied.
class AddressSpace {
 public:
  /// All GPUs of the link have the same geometry.
  explicit AddressSpace(const Geometry& geometry, std::uint32_t physical_adapters = 1,
                        Owner owner = Owner::Client);

  /// Takes one event; returns what follows from it, in order. Valid until the next call.
  [[nodiscard]] std::span<const Decision> step(const Input& input);
  /// What a decision of the last step writes: one element with `repeat`, else `count`.
  [[nodiscard]] std::span<const Written> elements(const UpdateEntries& update) const {
    return plan_.elements(update);
  }

  // ---- Questions.
  [[nodiscard]] const Geometry& geometry() const { return tables_.geometry(); }
  [[nodiscard]] const PageTables& tables() const { return tables_; }
  [[nodiscard]] TableId root() const { return tables_.root(); }
  /// Entries of the root, as SetRootPageTable announces them; 0 before Open.
  [[nodiscard]] std::uint32_t root_entries() const { return tables_.root_entries(); }
  /// Entries that the root needs for the range, and for all that is mapped.
  [[nodiscard]] std::uint32_t root_entries_for(const VaRange& range) const;
  [[nodiscard]] std::uint32_t root_entries_in_use() const;
  /// Every table is in memory: contexts may run.
  [[nodiscard]] bool is_resident() const { return tables_.evicted() == 0; }
  /// For walk(); until the next step.
  [[nodiscard]] PageTables::View view(PhysicalAdapterIndex adapter) const {
    return PageTables::View(tables_, adapter);
  }
  /// What an access by GPU `adapter` gives, without anything that a TLB remembers.
  [[nodiscard]] Translation translate(GpuVirtualAddress va, Access access,
                                      PhysicalAdapterIndex adapter = {}) const {
    return walk(geometry(), view(adapter), va, access);
  }

  void validate() const;

 private:
  void on(const Open& input);
  void on(const Close& input);
  void on(const AddContext& input);
  void on(const RemoveContext& input);
  void on(const Map& input);
  void on(const MapZero& input);
  void on(const Unmap& input);
  void on(const KeepTables& input);
  void on(const ResizeRoot& input);
  void on(const MoveTable& input);
  void on(const EvictTable& input);
  void on(const MakeTableResident& input);
  void on(const RewriteTables& input);

  [[nodiscard]] bool refuses(const VaRange& range, AdapterSet adapters);
  [[nodiscard]] bool refuses_pages(const Map& input);
  [[nodiscard]] AdapterSet every_adapter() const;
  void set_root_of_all();
  void follow(TableId id);

  PageTables tables_;
  Plan plan_;
  std::vector<ContextId> contexts_;  // in the order in which they came
};

}  // namespace wddm::gpummu
