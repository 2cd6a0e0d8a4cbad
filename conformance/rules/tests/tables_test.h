// A trace in which one update of a page table was carried out and looked at.
#pragma once

#include "conformance/rules/tests/trace_test.h"

namespace wddm {

class TablesTest : public TraceTest {
 protected:
  static constexpr std::uint32_t kRepeat = 1, kInitialUpdate = 2, kUse64KBPages = 8;
  static constexpr std::uint32_t kValid = entry_flag::kValid, kZero = entry_flag::kZero,
                                 kSystem = entry_flag::kSystem, kReadOnly = entry_flag::kReadOnly,
                                 kNoExecute = entry_flag::kNoExecute,
                                 kCacheCoherent = entry_flag::kCacheCoherent,
                                 kLargePage = entry_flag::kLargePage;

  /// `wanted` was asked for; `seen` are the entries that are others.
  void carried_out(const std::vector<EntryRecord>& wanted,
                   const std::vector<EntryDifference>& seen = {}, ev::TableUpdated update = {},
                   std::uint32_t unequal = 0) {
    update.count = update.count != 0 ? update.count : static_cast<std::uint32_t>(wanted.size());
    update.mode = update.mode != 0 ? update.mode : update_mode::kGpuPhysical;
    add(update, wanted);
    add(ev::TableCompared{.update = ordinal_++,
                          .decoded = update.count,
                          .wrong = static_cast<std::uint32_t>(seen.size()),
                          .unequal = unequal},
        seen);
  }
  void one(const EntryRecord& wanted, const EntryRecord& seen,
           const ev::TableUpdated& update = {}) {
    if (wanted == seen) return carried_out({wanted}, {}, update);
    carried_out({wanted}, {{.expected = wanted, .seen = seen}}, update);
  }

 private:
  std::uint32_t ordinal_ = 0;
};

}  // namespace wddm
