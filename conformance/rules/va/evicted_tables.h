// Processes whose page tables were evicted. What changes meanwhile is written into their entries
// when the tables come back, before the next work: nobody can look for it at the request.
#pragma once

#include <cstdint>

#include "conformance/rules/pt/table_updates.h"
#include "conformance/rules/rule.h"
#include "conformance/rules/scratch.h"

namespace wddm::va {

class EvictedTables {
 public:
  explicit EvictedTables(const Platform& platform) : root_level_(platform.page_table_levels - 1) {}

  void follow(const ev::TableMoved& moved) {
    if (moved.gone != 0 && moved.level == root_level_) processes_.insert(moved.process);
  }
  /// A root that is written from nothing: the tables are there again.
  void follow(const ev::TableUpdated& update) {
    const bool begins = update.level == root_level_ && (update.flags & pt::kInitialUpdate) != 0;
    if (begins && (update.flags & pt::kNotifyEviction) == 0) processes_.erase(update.process);
  }
  [[nodiscard]] bool of(std::uint32_t process) const { return processes_.contains(process); }

 private:
  std::uint32_t root_level_;
  ScratchSet<std::uint32_t> processes_;
};

}  // namespace wddm::va
