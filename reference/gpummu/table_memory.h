// Page tables as they lie in memory, by the updates that were executed: what a GPU's walk reads.
//
// Sources: DXGK_BUILDPAGINGBUFFER_UPDATEPAGETABLE, ..._COPYPAGETABLEENTRIES; clauses PT-008,
// PT-009, PT-017, PGSZ-007, PGSZ-009, LDA-005. A table is known by its place alone, as the GPU
// knows it. Leaves out hardware encodings: entries are those that updates brought, unless a
// device's own memory is decoded, for which walk.h takes any other Tables.
#pragma once

#include <cstdint>
#include <map>
#include <span>

#include "reference/gpummu/address.h"
#include "reference/gpummu/entry_array.h"
#include "reference/gpummu/pte.h"

namespace wddm::gpummu {

class TableMemory {
 public:
  /// UpdatePageTable on the GPU of `table.adapter`: entries first .. first + count - 1, each from
  /// its element, or all from the one element with `repeat`. `entries_64kb` are the second pointers
  /// of dual PTEs; none, if it is empty. An update in another format than before forgets the table.
  struct Update {
    PhysicalAddress table{};
    std::uint32_t level = 0;
    PageTablePageSize page_size{};
    std::uint32_t first = 0;
    std::uint32_t count = 0;
    bool repeat = false;
    std::span<const Entry> entries;
    std::span<const Entry> entries_64kb;
  };
  void update(const Update& update);
  /// CopyPageTableEntries; both on one GPU. What is not known at the source is not known then.
  void copy(const PhysicalAddress& from, std::uint32_t from_first, const PhysicalAddress& to,
            std::uint32_t to_first, std::uint32_t count);
  /// The content moves, and the old place holds anything.
  void relocate(const PhysicalAddress& from, const PhysicalAddress& to);
  /// The place holds anything.
  void forget(const PhysicalAddress& table) { tables_.erase(table); }

  /// What is known of an entry; null if nothing.
  [[nodiscard]] const Entry* entry(const PhysicalAddress& table, std::uint32_t index) const;

 private:
  struct Contents {
    std::uint32_t level = 0;
    PageTablePageSize page_size{};
    EntryArray entries{UINT32_MAX};
    EntryArray second{UINT32_MAX};
    std::map<std::uint32_t, std::uint32_t> known;  // disjoint stretches: first -> end

    [[nodiscard]] bool knows(std::uint32_t index) const;
    void learn(std::uint32_t first, std::uint32_t end);
    void unlearn(std::uint32_t first, std::uint32_t end);
  };

 public:
  /// Tables of walk.h: a GPU and the root that SetRootPageTable gave it.
  class View {
   public:
    using Table = const Contents*;
    View(const TableMemory& memory, const PhysicalAddress& root, std::uint32_t root_entries)
        : memory_(memory), root_(root), root_entries_(root_entries) {}

    [[nodiscard]] Table root() const { return memory_.find(root_); }
    [[nodiscard]] std::uint32_t root_entries() const { return root_entries_; }
    [[nodiscard]] const Entry* read(Table table, std::uint32_t level, PageTablePageSize page_size,
                                    std::uint32_t index) const {
      if (table == nullptr || table->level != level || !table->knows(index)) return nullptr;
      if (level == 0 && table->page_size != page_size) return nullptr;
      return &table->entries[index];
    }
    [[nodiscard]] const Entry* read_64kb_pointer(Table table, std::uint32_t index) const {
      return table == nullptr || !table->knows(index) ? nullptr : &table->second[index];
    }
    [[nodiscard]] Table below(const Entry& pointer) const {
      return memory_.find({pointer.address, pointer.segment, root_.adapter});
    }

   private:
    const TableMemory& memory_;
    PhysicalAddress root_;
    std::uint32_t root_entries_;
  };

 private:
  [[nodiscard]] const Contents* find(const PhysicalAddress& table) const {
    const auto found = tables_.find(table);
    return found == tables_.end() ? nullptr : &found->second;
  }

  std::map<PhysicalAddress, Contents> tables_;
};

}  // namespace wddm::gpummu
