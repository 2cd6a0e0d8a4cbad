// What one step of an address space does, gathered in the order in which it must happen:
//   1. Contexts are suspended first, if anything calls for it (PT-006, PT-016, PGSZ-008).
//   2. Tables are created, initialized, filled, and only then pointed to (PT-003).
//   3. The TLB is flushed once all updates are written, and before contexts run again (PT-005).
//   4. Tables that nothing leads to any more are destroyed behind the flush, and with
//      ExplicitPageTableInvalidation every entry of theirs is made invalid before (PT-015).
//      Tables that are evicted go there too, after an update with NotifyEviction (PT-004).
//   5. Contexts resume last, and not while a table is evicted.
// Leaves out which entries change (range_change.h).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "reference/gpummu/page_tables.h"
#include "reference/gpummu/table_decision.h"
#include "reference/gpummu/table_input.h"

namespace wddm::gpummu {

/// Whose tables they are: DXGK_PAGE_TABLE_LEVEL_DESC names a segment for each.
enum class Owner : std::uint8_t { Client, PagingProcess };

class Plan {
 public:
  explicit Plan(Owner owner) : owner_(owner) {}

  /// Begins a step on these tables, which stay where they are until finish().
  void begin(PageTables& tables);
  [[nodiscard]] std::span<const Decision> finish();
  [[nodiscard]] std::span<const Written> elements(const UpdateEntries& update) const {
    return {elements_.data() + update.elements, update.repeat ? 1 : update.count};
  }

  void decide(const Decision& decision) { decisions_.push_back(decision); }
  void refuse(Refusal why, std::uint64_t value = 0) { decide(Refused{why, value}); }
  void suspend() { suspends_ = true; }

  /// Creates a table that nothing points to, all entries invalid; initialize() is due. `root_bytes`
  /// are those of the root of two levels.
  TableId create(std::uint32_t level, PageTablePageSize page_size, GpuVirtualAddress start,
                 TableId parent, std::uint32_t entries, std::uint64_t root_bytes = 0);
  /// The table is created in this step: no walk has seen it.
  [[nodiscard]] bool is_new(const PageTable& table) const { return table.made_in == step_; }
  /// The table is evicted at the end of the step (PT-004).
  void release(TableId table) { released_.push_back(table); }
  /// Nothing points to the table, nor to those below it: all go at the end of the step.
  void drop(TableId table);

  /// The same for a table whose entries another one is about to take over.
  void drop_alone(TableId table) { dropped_.push_back({table, (*tables_)[table].used != 0}); }

  enum class Writing : std::uint8_t { Update, Initial, BeforeEviction };
  /// Writes entries as they are now to the memory of the table on these GPUs. Not if it is evicted.
  void write(TableId table, AdapterSet adapters, std::uint32_t first, std::uint32_t count,
             Writing writing = Writing::Update);
  /// Writes all of a table that was just given memory.
  void initialize(TableId table) {
    write(table, kAllAdapters, 0, (*tables_)[table].entries, Writing::Initial);
  }

  /// Whether a TLB may go on with an entry that was `before` and is `now` (VPAGE-004, VPAGE-006).
  [[nodiscard]] bool needs_flush(const Entry& before, const Entry& now) const {
    return before.valid ? before != now : now.valid && remembers_invalid_;
  }
  /// At the end of the step, once for each GPU and all that was said of it.
  void flush(const VaRange& range, AdapterSet adapters);

 private:
  struct Stretch {
    std::uint64_t first = UINT64_MAX;
    std::uint64_t end = 0;
  };

  struct Dropped {
    TableId table{};
    bool has_entries = false;  // valid ones, when it was dropped
  };

  [[nodiscard]] bool touches_tables() const;
  void write_on(TableId id, std::uint32_t adapter, std::uint32_t first, std::uint32_t count,
                Writing writing);
  void invalidate_all(TableId id, Writing writing);

  PageTables* tables_ = nullptr;
  Owner owner_;
  bool remembers_invalid_ = true;
  std::vector<Decision> decisions_;
  std::vector<Written> elements_;
  std::vector<Dropped> dropped_;
  std::vector<TableId> released_;
  std::vector<Stretch> flushes_;  // by GPU
  bool suspends_ = false;
  bool suspended_ = false;  // since an earlier step
  std::uint64_t step_ = 0;
};

}  // namespace wddm::gpummu
