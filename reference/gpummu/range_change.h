// What a range of addresses is to become, and which entries of which tables say so.
//
// Tables above the leaf, and which leaf a region gets; entries of leaves: leaf_change.h.
//
// Sources: gpu-virtual-address.md, support-for-64kb-pages.md, DXGK_PTE; clauses PT-002, PT-003,
// PTE-003, PTE-007, PGSZ-001, -003, -005..009, LDA-003..005. How the model chooses, where Windows
// may:
//   1. A range is said at the highest level that can say it: a whole entry becomes invalid, zero,
//      or a large page, and what was below goes. Only where all GPUs are meant, since tables above
//      the leaf are the same on all.
//   2. A table is there as long as anything is under it, or KeepTables has named it.
//   3. Without 64 KB leaves, a 64 KB page is sixteen entries (PGSZ-005).
//   4. Without dual PTEs, a region gets a 64 KB leaf if what comes first into it can be said in
//      64 KB pages, and turns to a 4 KB leaf for good when anything comes that cannot (PGSZ-008).
//   5. With dual PTEs, 64 KB pages are in the 64 KB leaf and all else in the other, and what is
//      valid in one is made invalid in the other first (PGSZ-009).
#pragma once

#include <array>
#include <cstdint>

#include "reference/gpummu/leaf_change.h"
#include "reference/gpummu/page_tables.h"
#include "reference/gpummu/plan.h"
#include "reference/gpummu/wanted_range.h"

namespace wddm::gpummu {

class RangeChange {
 public:
  RangeChange(PageTables& tables, Plan& plan) : tables_(tables), plan_(plan) {}
  RangeChange(const RangeChange&) = delete;
  RangeChange& operator=(const RangeChange&) = delete;

  /// The range lies in the space and under the root, pages and flags were checked.
  void unmap(const Unmap& input);
  void zero(const MapZero& input);
  void map(const Map& input);
  void keep(const KeepTables& input);

 private:
  void run(const VaRange& range, const WantedRange& wanted);

  // Tables above the leaf.
  void change(TableId id, const VaRange& range);
  void change_entry(TableId id, std::uint32_t index, const VaRange& part);
  [[nodiscard]] bool ends_here(TableId id, std::uint32_t index, const VaRange& part);
  void end_here(TableId id, std::uint32_t index, const VaRange& part);
  [[nodiscard]] bool is_so_already(TableId id, std::uint32_t index) const;
  /// The table below an entry; it is made, with what the entry said so far, if there is none.
  [[nodiscard]] TableId table_below(TableId id, std::uint32_t index, PageTablePageSize page_size);
  void fill_from(TableId below, const Entry& larger);
  void put(TableId id, std::uint32_t index, const Entry& entry);
  void put_second(TableId id, std::uint32_t index, const Entry& entry);
  void note_put(TableId id, std::uint32_t index, const Entry& before, const Entry& now,
                const Entry& other_half);
  void write_puts(TableId id);
  [[nodiscard]] bool is_empty(TableId id) const;

  // Level 1: which leaf.
  void change_region(TableId id, std::uint32_t index, const VaRange& part);
  void change_dual_region(TableId id, std::uint32_t index, const VaRange& part);
  [[nodiscard]] bool in_64kb_units(const VaRange& part) const;
  [[nodiscard]] TableId convert(TableId id, std::uint32_t index, TableId large);
  [[nodiscard]] TableId large_leaf(TableId id, std::uint32_t index);
  void leave_large_leaf(TableId id, std::uint32_t index, TableId large, const VaRange& part);

  [[nodiscard]] bool all_chosen() const;

  PageTables& tables_;
  Plan& plan_;
  WantedRange wanted_;
  LeafChange leaves_{tables_, plan_, wanted_};
  std::array<Indices, kMaxPageTableLevelCount> puts_{};  // by level: entries set, not yet written
};

}  // namespace wddm::gpummu
