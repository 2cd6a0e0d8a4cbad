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
    std::uint32_t& entries = entries_[{update.segment, update.place}];
    if (update.first == 0) entries = update.count;  // of a table that lay there before: nothing
    if (update.first <= entries) entries = std::max(entries, update.first + update.count);
  }
  /// Contents go with a table that moves; a root that grew has been written where it is now.
  void follow(const ev::TableMoved& moved) {
    for (auto at = entries_.begin(); at != entries_.end(); ++at) {
      if (at->first.place != moved.from) continue;
      const auto [table, entries] = *at;
      entries_.erase(at);
      if (moved.gone == 0) {
        std::uint32_t& there = entries_[{table.segment, moved.to}];
        there = std::max(there, entries);
      }
      return;
    }
  }
  /// Entries from the first on that were written.
  [[nodiscard]] std::uint32_t of(const TableAt& table) const {
    const auto found = entries_.find(table);
    return found == entries_.end() ? 0 : found->second;
  }
  /// The table that an entry above level 0 leads to.
  [[nodiscard]] TableAt below(const EntryRecord& entry) const {
    if (is_system(entry)) return {0, entry.address};
    for (std::uint32_t i = 0; i < platform_.segments.size(); ++i) {
      const PlatformSegment& segment = platform_.segments[i];
      if (entry.address - segment.base < segment.size) {
        return {i + 1, entry.address - segment.base};
      }
    }
    return {kNone, entry.address};
  }

 private:
  const Platform& platform_;
  ScratchMap<TableAt, std::uint32_t> entries_;
};

}  // namespace wddm::pt
