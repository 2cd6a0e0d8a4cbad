// What the entries of a leaf become, of 4 KB pages or of 64 KB pages.
#pragma once

#include <cstdint>

#include "reference/gpummu/page_tables.h"
#include "reference/gpummu/plan.h"
#include "reference/gpummu/wanted_range.h"

namespace wddm::gpummu {

/// Indices of entries [first, end).
struct Indices {
  std::uint32_t first = 0;
  std::uint32_t end = 0;
  [[nodiscard]] std::uint32_t count() const { return end - first; }
};

class LeafChange {
 public:
  LeafChange(PageTables& tables, Plan& plan, WantedRange& wanted)
      : tables_(tables), plan_(plan), wanted_(wanted) {}

  /// The part becomes what is wanted.
  void change(TableId id, const VaRange& part);
  void clear(TableId id, const VaRange& part);
  void write(TableId id, const VaRange& part);
  /// One 64 KB entry as sixteen of 4 KB (PGSZ-005); the caller says that they are written.
  void copy_as_4kb(TableId small, TableId large, std::uint32_t gpu, std::uint32_t index);

  [[nodiscard]] std::uint64_t entry_bytes(TableId id) const {
    return tables_[id].page_size == PageTablePageSize::Page64K ? kPageSize64K : kPageSize;
  }
  [[nodiscard]] Indices indices_of(TableId id, const VaRange& part) const;

 private:
  void set(PageTable& leaf, std::uint32_t gpu, std::uint32_t index, const Entry& entry);
  void protect(TableId id, std::uint32_t gpu, Indices indices, std::uint64_t protection);

  PageTables& tables_;
  Plan& plan_;
  WantedRange& wanted_;
  bool needs_flush_ = false;
};

}  // namespace wddm::gpummu
