// The entries on the way to one address, as they were written last.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "conformance/rules/mmu/reported_tables.h"
#include "reference/trace/trace.h"

namespace wddm::va {

/// What wrote an entry last.
struct WrittenEntry {
  std::uint32_t event = kNone;       ///< TableUpdated or EntriesCopied; kNone: nothing did
  std::uint64_t index = 0;           ///< in its table
  std::uint64_t bytes = 0;           ///< of address space that it covers
  std::optional<EntryRecord> entry;  ///< what it was to be; not known of one that was copied
};

class WrittenEntries {
 public:
  /// Of an address of a process on one GPU of a link, before that event.
  WrittenEntries(const Trace& trace, std::uint32_t process, std::uint32_t gpu,
                 std::uint64_t address, std::uint32_t event);

  /// Of a level that is none the first.
  [[nodiscard]] const WrittenEntry& of(std::uint32_t level) const {
    return levels_[level < levels_.size() ? level : 0];
  }
  /// The level of the entry that leads to a page: that of a large page, else 0.
  [[nodiscard]] std::uint32_t leaf_level() const;
  /// Above this level, the last that was written behind `event`; kNone: none was.
  [[nodiscard]] std::uint32_t level_written_after(std::uint32_t event,
                                                  std::uint32_t above_level) const;
  /// The last TlbFlushBuilt; kNone: there was none.
  [[nodiscard]] std::uint32_t flushed() const { return flushed_; }

 private:
  void follow(const Trace& trace, std::uint32_t index, const ev::TableUpdated& update);
  void follow(const Trace& trace, std::uint32_t index, const ev::EntriesCopied& copied);

  const mmu::ReportedTables reported_;
  std::uint32_t process_, gpu_;
  std::uint64_t address_;
  std::array<WrittenEntry, mmu::kMostLevels> levels_{};
  std::uint32_t flushed_ = kNone;
};

}  // namespace wddm::va
