// The page tables of one address space as VidMm keeps them: which exist, what points to what, and
// every entry. A plain value.
//
// Sources: gpu-virtual-address.md (creation of page table allocations), linked-display-adapter.md;
// clauses PT-001, PT-002, LDA-003, LDA-004. In a link all tables exist on every GPU. Leaves of one
// table differ from GPU to GPU; what leads to tables is the same on all, so that tables above the
// leaf are kept once. Leaves out when anything is written (address_space.h).
//
// Inside, a pointer has the id of its table for an address, and is valid while that table is in
// memory. Whoever reads entries from outside gets a Written, or walks a View.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "reference/gpummu/table_decision.h"
#include "reference/gpummu/pte.h"
#include "reference/gpummu/entry_array.h"
#include "reference/gpummu/geometry.h"
#include "reference/harness_assert.h"

namespace wddm::gpummu {

/// One table.
struct PageTable {
  std::uint32_t level = 0;
  PageTablePageSize page_size{};  ///< of a leaf
  GpuVirtualAddress start{};      ///< first address that it covers
  TableId parent = kNoTable;
  std::uint32_t entries = 0;
  std::uint32_t used = 0;  ///< entries that are valid or lead to a table, over all GPUs
  bool exists = false;
  bool resident = true;          ///< evicted tables have entries, but no memory
  bool kept = false;             ///< stays without use (KeepTables); so does what leads to it
  std::uint64_t made_in = 0;     ///< step that created it
  std::vector<EntryArray> gpus;  ///< of a leaf one for each GPU, else one for all
  EntryArray second;             ///< level 1 with dual PTEs: pointers to 64 KB leaves
  /// Of leaf entries, by protection_key, where it is not 0 (PTE-008).
  std::map<std::uint64_t, std::uint64_t> driver_protection;
};

[[nodiscard]] constexpr std::uint64_t protection_key(std::uint32_t gpu, std::uint32_t index) {
  return std::uint64_t{gpu} << 32 | index;
}

class PageTables {
 public:
  PageTables(const Geometry& geometry, std::uint32_t physical_adapters);

  [[nodiscard]] const Geometry& geometry() const { return geometry_; }
  [[nodiscard]] std::uint32_t physical_adapters() const { return physical_adapters_; }
  [[nodiscard]] TableId root() const { return root_; }
  void set_root(TableId root) { root_ = root; }

  TableId create(std::uint32_t level, PageTablePageSize page_size, GpuVirtualAddress start,
                 TableId parent, std::uint32_t entries);
  /// Nothing points to it.
  void drop(TableId id);
  [[nodiscard]] bool exists(TableId id) const {
    return id.value < tables_.size() && tables_[id.value].exists;
  }
  [[nodiscard]] std::uint32_t count() const { return count_; }
  /// Ids are below this.
  [[nodiscard]] std::uint32_t most_ids() const {
    return static_cast<std::uint32_t>(tables_.size());
  }
  [[nodiscard]] const PageTable& operator[](TableId id) const {
    HARNESS_ASSERT(exists(id));
    return tables_[id.value];
  }
  [[nodiscard]] PageTable& at(TableId id) {
    HARNESS_ASSERT(exists(id));
    return tables_[id.value];
  }

  /// Which of `PageTable::gpus` GPU `adapter` reads.
  [[nodiscard]] const EntryArray& array(const PageTable& table, std::uint32_t adapter) const {
    return table.gpus[table.gpus.size() == 1 ? 0 : adapter];
  }
  /// Takes a table out of memory or back; what leads to it becomes invalid or valid.
  void set_resident(TableId id, bool resident);
  /// How many are not in memory.
  [[nodiscard]] std::uint32_t evicted() const { return evicted_; }
  /// The first `count` entries of a root become those of another, which had none.
  void move_entries(TableId from, TableId to, std::uint32_t count);
  /// Sets an entry of the table; `gpu` is a position in `PageTable::gpus`.
  void set(TableId id, std::uint32_t gpu, std::uint32_t index, const Entry& entry);
  /// The same for the pointer to a 64 KB leaf of dual PTEs.
  void set_second(TableId id, std::uint32_t index, const Entry& entry);

  /// The table that an entry of a table above level 0 leads to, evicted or not; or none.
  [[nodiscard]] static TableId pointee(const Entry& entry) {
    return entry.zero || entry.large_page || entry.address == 0
               ? kNoTable
               : TableId{static_cast<std::uint32_t>(entry.address - 1)};
  }
  /// An entry that leads to the table.
  [[nodiscard]] Entry pointer_to(TableId id) const;

  /// What is written for an entry of a table, in the form of decisions.
  [[nodiscard]] Written written(const PageTable& table, std::uint32_t adapter,
                                std::uint32_t index) const;

  /// The tables as a GPU walks them (walk.h).
  class View {
   public:
    using Table = TableId;
    View(const PageTables& tables, PhysicalAdapterIndex adapter)
        : tables_(tables.tables_.data()), root_(tables.root_), adapter_(adapter.value) {}

    [[nodiscard]] TableId root() const { return root_; }
    [[nodiscard]] std::uint32_t root_entries() const {
      return root_ == kNoTable ? 0 : tables_[root_.value].entries;
    }
    [[nodiscard]] const Entry* read(TableId table, std::uint32_t level, PageTablePageSize,
                                    std::uint32_t index) const {
      return &tables_[table.value].gpus[level == 0 ? adapter_ : 0][index];
    }
    [[nodiscard]] const Entry* read_64kb_pointer(TableId table, std::uint32_t index) const {
      return &tables_[table.value].second[index];
    }
    [[nodiscard]] TableId below(const Entry& pointer) const {
      return TableId{static_cast<std::uint32_t>(pointer.address - 1)};
    }

   private:
    const PageTable* tables_;
    TableId root_;
    std::uint32_t adapter_;
  };

  void validate() const;

 private:
  void validate_table(TableId id) const;
  void validate_pointer(TableId from, std::uint32_t index, const Entry& entry) const;
  void validate_dual(const PageTable& table, std::uint32_t index) const;

  Geometry geometry_;
  std::uint32_t physical_adapters_;
  TableId root_ = kNoTable;
  std::vector<PageTable> tables_;
  std::vector<TableId> free_;
  std::uint32_t count_ = 0;
  std::uint32_t evicted_ = 0;
};

}  // namespace wddm::gpummu
