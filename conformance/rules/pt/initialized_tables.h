// Which page tables have been written whole since their memory became theirs.
#pragma once

#include <algorithm>
#include <compare>

#include "conformance/rules/pt/table_updates.h"
#include "conformance/rules/scratch.h"

namespace wddm::pt {

/// Where a table lies, as DXGK_PTE and SetRootPageTable name it.
struct TableAt {
  std::uint32_t segment = 0;
  std::uint64_t place = 0;
  friend auto operator<=>(const TableAt&, const TableAt&) = default;
};

/// Follows the events of a trace in their order. Lives within one check.
class InitializedTables {
 public:
  explicit InitializedTables(const Platform& platform) : platform_(platform) {}

  /// An update that the driver refused counts: it was asked for.
  void follow(const ev::TableUpdated& update) {
    if ((update.flags & kInitialUpdate) == 0) return;
    Table& table = tables_[{update.segment, update.place}];
    if (update.first == 0) table.entries = update.count;  // of a table that lay there: nothing
    if (update.first <= table.entries) {
      table.entries = std::max(table.entries, update.first + update.count);
    }
    table.process = update.process;
    table.level = update.level;
    table.of = update.entries;
  }
  /// Contents go with a table that moves; a root that grew has been written where it is now.
  void follow(const ev::TableMoved& moved) {
    for (auto at = tables_.begin(); at != tables_.end(); ++at) {
      if (at->first.place != moved.from || !at->second.is(moved)) continue;
      const auto [where, table] = *at;
      tables_.erase(at);
      if (moved.gone == 0) {
        Table& there = tables_[{where.segment, moved.to}];
        if (!there.is(moved)) there = table;
        there.entries = std::max(there.entries, table.entries);
      }
      return;
    }
  }
  /// Entries from the first on that were written.
  [[nodiscard]] std::uint32_t of(const TableAt& table) const {
    const auto found = tables_.find(table);
    return found == tables_.end() ? 0 : found->second.entries;
  }
  /// All of them, as many as it has.
  [[nodiscard]] bool whole(const TableAt& table) const {
    const auto found = tables_.find(table);
    return found != tables_.end() && found->second.entries != 0 &&
           found->second.entries >= found->second.of;
  }
  /// The table that an entry above level 0 leads to. An aperture, which holds none, may have the
  /// addresses of a memory segment too; where memory segments share some, a table that is there
  /// is meant.
  [[nodiscard]] TableAt below(const EntryRecord& entry) const {
    if (is_system(entry)) return {0, entry.address};
    TableAt found{kNone, entry.address};
    for (std::uint32_t i = 0; i < platform_.segments.size(); ++i) {
      const PlatformSegment& segment = platform_.segments[i];
      if (segment.flags.aperture() || entry.address - segment.base >= segment.size) continue;
      const TableAt here{i + 1, entry.address - segment.base};
      if (found.segment == kNone || tables_.contains(here)) found = here;
    }
    return found;
  }

 private:
  struct Table {
    std::uint32_t entries = 0;  // from the first on
    std::uint32_t of = 0;
    std::uint32_t process = kNone, level = kNone;

    // Tables of other segments may lie at the same offset there.
    [[nodiscard]] bool is(const ev::TableMoved& moved) const {
      return process == moved.process && level == moved.level;
    }
  };
  const Platform& platform_;
  ScratchMap<TableAt, Table> tables_;
};

}  // namespace wddm::pt
