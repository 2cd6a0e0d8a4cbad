// Page tables that were evicted. What changes meanwhile is written into their entries when they
// come back, before the next work: nobody can look for it at the request.
//
// A root may come back without the tables below it, and tables whose addresses were freed
// meanwhile never do.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "conformance/rules/mmu/reported_tables.h"
#include "conformance/rules/pt/table_updates.h"
#include "conformance/rules/rule.h"
#include "conformance/rules/scratch.h"

namespace wddm::va {

class EvictedTables {
 public:
  EvictedTables(const Trace& trace, const Platform& platform)
      : reported_(trace), root_level_(platform.page_table_levels - 1) {}

  void follow(const ev::TableMoved& moved) {
    const auto lay = tables_.find({moved.process, moved.level, moved.from});
    const bool is_known = lay != tables_.end();
    const bool is_root = moved.level == root_level_;
    const Range range = is_root    ? Range{.first = 0, .end = ~0ull, .large = false}
                        : is_known ? lay->second
                                   : Range{};
    if (is_known) tables_.erase(lay);
    if (moved.gone == kMoved && is_known) {
      tables_[{moved.process, moved.level, moved.to}] = range;
    } else if (moved.gone == kEvicted && (is_known || is_root)) {
      gone_.push_back({moved.process, moved.level, range});
    }
  }
  /// A table that is written from nothing is there again.
  void follow(const ev::TableUpdated& update) {
    const bool large = (update.flags & pt::kUse64KBPages) != 0;
    const std::uint64_t entry = reported_.entry_bytes(update.level, large);
    const std::uint64_t first = update.first_va - update.first * entry;
    tables_[{update.process, update.level, update.place}] = {first, first + update.entries * entry,
                                                             large};
    const bool begins = (update.flags & pt::kInitialUpdate) != 0;
    if (!begins || (update.flags & pt::kNotifyEviction) != 0) return;
    std::erase_if(gone_, [&](const Gone& one) {
      if (one.process != update.process || one.level != update.level) return false;
      return update.level == root_level_ || (one.range.first == first && one.range.large == large);
    });
  }
  /// Whether entries of these addresses are in a table that is away.
  [[nodiscard]] bool of(std::uint32_t process, std::uint64_t first, std::uint64_t bytes) const {
    return std::any_of(gone_.begin(), gone_.end(), [&](const Gone& one) {
      return one.process == process && one.range.first < first + bytes && first < one.range.end;
    });
  }

 private:
  static constexpr std::uint32_t kMoved = 0, kEvicted = 1;  // TableMoved::gone
  // Of a pair two lie at the same addresses, one with pages of 64 KB.
  struct Range {
    std::uint64_t first, end;
    bool large;
  };
  struct Gone {
    std::uint32_t process, level;
    Range range;
  };
  const mmu::ReportedTables reported_;
  std::uint32_t root_level_;
  ScratchMap<std::array<std::uint64_t, 3>, Range> tables_;  // by process, level and place
  ScratchVector<Gone> gone_;
};

}  // namespace wddm::va
