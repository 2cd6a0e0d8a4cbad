// The page tables of one address space as VidMm keeps them: which exist, what points to what, and
// every entry. A plain value.
//
// Sources: gpu-virtual-address.md (creation of page table allocations), linked-display-adapter.md;
// clauses PT-001, PT-002, LDA-003, LDA-004. In a link all tables exist on every GPU. Leaves of one
// table differ from GPU to GPU; what leads to tables is the same on all, so that tables above the
// leaf are kept once. Leaves out when anything is written (address_space.h).
//
// Inside, a pointer has the id of its table for an address (plus one, and above bit 32 the table's
// place in the pool), and is valid while that table is in memory. Whoever reads entries from
// outside gets a Written, or walks a View.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <vector>

#include "reference/gpummu/entry_array.h"
#include "reference/gpummu/entry_pool.h"
#include "reference/gpummu/geometry.h"
#include "reference/gpummu/pte.h"
#include "reference/gpummu/table_decision.h"
#include "reference/harness_assert.h"

namespace wddm::gpummu {

/// One table. Its entries are asked of PageTables.
struct PageTable {
  std::uint32_t level = 0;
  PageTablePageSize page_size{};  ///< of a leaf
  GpuVirtualAddress start{};      ///< first address that it covers
  TableId parent = kNoTable;
  std::uint32_t entries = 0;
  std::uint32_t used = 0;  ///< entries that are valid or lead to a table, over all GPUs
  bool exists = false;
  bool resident = true;       ///< evicted tables have entries, but no memory
  bool kept = false;          ///< stays without use (KeepTables); so does what leads to it
  std::uint64_t made_in = 0;  ///< step that created it
  /// Of leaf entries, by protection_key, where it is not 0 (PTE-008).
  std::map<std::uint64_t, std::uint64_t> driver_protection;

 private:
  friend class PageTables;
  std::uint32_t place = 0;         // in the pool, of a small table
  std::vector<EntryArray> arrays;  // of a large one
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
  /// Of the root there is; 0 without one.
  [[nodiscard]] std::uint32_t root_entries() const {
    return root_ == kNoTable ? 0 : (*this)[root_].entries;
  }

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

  /// How many kinds of entries a table has: a leaf those of each GPU; a table above the leaf those
  /// of all GPUs, and with dual PTEs at level 1 behind them the pointers to 64 KB leaves.
  [[nodiscard]] std::uint32_t lanes(const PageTable& table) const {
    if (table.level == 0) return physical_adapters_;
    return has_second(table) ? 2 : 1;
  }
  [[nodiscard]] bool has_second(const PageTable& table) const {
    return table.level == 1 && geometry_.dual_pte();
  }
  /// The lane that GPU `adapter` reads.
  [[nodiscard]] static std::uint32_t lane(const PageTable& table, std::uint32_t adapter) {
    return table.level == 0 ? adapter : 0;
  }
  /// The reference lives until the next change.
  [[nodiscard]] const Entry& entry(TableId id, std::uint32_t lane, std::uint32_t index) const {
    return entry((*this)[id], lane, index);
  }
  [[nodiscard]] const Entry& entry(const PageTable& table, std::uint32_t lane,
                                   std::uint32_t index) const {
    HARNESS_ASSERT(index < table.entries);
    if (!is_small(table)) return table.arrays[lane][index];
    return pool_[table.place + lane * table.entries + index];
  }
  /// Pointer to the 64 KB leaf of dual PTEs; invalid without those.
  [[nodiscard]] const Entry& second(TableId id, std::uint32_t index) const {
    return has_second((*this)[id]) ? entry(id, 1, index) : kInvalid;
  }
  /// The first entry from `index` on that may be other than invalid; the number of entries if there
  /// is none. Walking over a huge table so costs by what is in it.
  [[nodiscard]] std::uint32_t next_written(TableId id, std::uint32_t index) const;

  /// Takes a table out of memory or back; what leads to it becomes invalid or valid.
  void set_resident(TableId id, bool resident);
  /// How many are not in memory.
  [[nodiscard]] std::uint32_t evicted() const { return evicted_; }
  /// The first `count` entries of a root become those of another, which had none.
  void move_entries(TableId from, TableId to, std::uint32_t count);
  /// Returns what the entry was.
  Entry set(TableId id, std::uint32_t lane, std::uint32_t index, const Entry& entry) {
    return set(at(id), lane, index, entry);
  }
  Entry set(PageTable& table, std::uint32_t lane, std::uint32_t index, const Entry& entry);
  /// The table that an entry of a table above level 0 leads to, evicted or not; or none.
  [[nodiscard]] static TableId pointee(const Entry& entry) {
    return entry.zero || entry.large_page || entry.address == 0 ? kNoTable : id_in(entry.address);
  }
  /// An entry that leads to the table.
  [[nodiscard]] Entry pointer_to(TableId id) const;

  /// What is written for an entry of a table, in the form of decisions.
  [[nodiscard]] Written written(TableId id, std::uint32_t adapter, std::uint32_t index) const;

  /// The tables as a GPU walks them (walk.h); until the next change.
  class View {
   public:
    /// A table is known by the address of what leads to it.
    using Table = std::uint64_t;
    View(const PageTables& tables, PhysicalAdapterIndex adapter)
        : tables_(tables),
          pool_(tables.pool_.data()),
          root_(tables.root_ == kNoTable ? 0 : tables.address_of(tables.root_)),
          root_entries_(tables.root_entries()),
          adapter_(adapter.value),
          skip_{adapter.value * tables.geometry_.entries(0),
                adapter.value * tables.geometry_.entries_64kb()} {}

    [[nodiscard]] Table root() const { return root_; }
    [[nodiscard]] std::uint32_t root_entries() const { return root_entries_; }
    [[nodiscard]] const Entry* read(Table table, std::uint32_t level, PageTablePageSize page_size,
                                    std::uint32_t index) const {
      const std::uint32_t skip = level == 0 ? skip_[static_cast<std::size_t>(page_size)] : 0;
      if (place_in(table) != kLarge) return pool_ + place_in(table) + skip + index;
      return read_large(table, level == 0 ? adapter_ : 0, index);
    }
    [[nodiscard]] const Entry* read_64kb_pointer(Table table, std::uint32_t index) const {
      return &tables_.second(id_in(table), index);
    }
    [[nodiscard]] Table below(const Entry& pointer) const { return pointer.address; }

   private:
    [[nodiscard]] const Entry* read_large(Table table, std::uint32_t lane,
                                          std::uint32_t index) const;

    const PageTables& tables_;
    const Entry* pool_;
    Table root_;
    std::uint32_t root_entries_;
    std::uint32_t adapter_;
    std::array<std::uint32_t, 2> skip_;  // to the GPU's lane, by page size of the leaf
  };

  void validate() const;

 private:
  /// Larger tables are sparse (entry_array.h).
  static constexpr std::uint32_t kMostSmallEntries = 512;
  static constexpr std::uint32_t kLarge = UINT32_MAX;
  static constexpr Entry kInvalid{};

  /// Of a table, in what leads to it.
  [[nodiscard]] std::uint64_t address_of(TableId id) const {
    return std::uint64_t{(*this)[id].place} << 32 | (id.value + 1);
  }
  [[nodiscard]] static TableId id_in(std::uint64_t address) {
    return TableId{static_cast<std::uint32_t>(address) - 1};
  }
  [[nodiscard]] static std::uint32_t place_in(std::uint64_t address) {
    return static_cast<std::uint32_t>(address >> 32);
  }
  [[nodiscard]] static bool is_small(const PageTable& table) { return table.place != kLarge; }
  [[nodiscard]] std::uint32_t room(const PageTable& table) const {
    return table.entries * lanes(table);
  }
  void validate_table(TableId id) const;
  void validate_pointer(TableId from, std::uint32_t index, const Entry& entry) const;
  void validate_dual(TableId id, std::uint32_t index) const;

  Geometry geometry_;
  std::uint32_t physical_adapters_;
  TableId root_ = kNoTable;
  std::vector<PageTable> tables_;
  std::vector<TableId> free_;
  EntryPool pool_;
  std::uint32_t count_ = 0;
  std::uint32_t evicted_ = 0;
};

}  // namespace wddm::gpummu
