// What the entries on the way to an address held when an access there went wrong: whether the
// driver wrote them wrongly, or who walked them. Only the client's decoder of entries tells.
//
// Of each level the latest update counts that had been carried out, and what was copied since.
// Nothing is said where an entry is not known, nor of pairs of leaf tables, of which either may
// serve an address. For failures only: it looks at the whole trace.
#pragma once

#include <cstdint>
#include <string>

#include "conformance/rules/mmu/reported_tables.h"
#include "conformance/rules/rule.h"
#include "conformance/rules/scratch.h"

namespace wddm::mmu {

enum class Entries : std::uint8_t {
  Unread,  ///< some are not known, or nobody can read them
  Right,   ///< all are as they were asked for
  Beside,  ///< others that were written together with them are not, or may be they themselves
  Wrong,   ///< one says something else than it was asked to
};

class EntriesInMemory {
 public:
  static constexpr std::uint32_t kAnyGpu = kNone;
  /// In the tables of the process, at that event of the trace.
  EntriesInMemory(const Trace& trace, std::uint32_t process, std::uint32_t gpu,
                  std::uint32_t event);

  /// From the root down to where a walk for the address ends.
  [[nodiscard]] Entries on_the_way(std::uint64_t address) const;
  /// Those of level 0 alone, of all pages of a range.
  [[nodiscard]] Entries of_pages(std::uint64_t first, std::uint64_t bytes) const;
  /// What to add to a verdict on an access to the address, by on_the_way(); empty where nothing is
  /// known.
  [[nodiscard]] std::string who_went_wrong(std::uint64_t address) const;

 private:
  // An entry, as far as it is known.
  struct Known {
    Entries what = Entries::Unread;
    EntryRecord asked{};
    EntryRecord seen{};  // of Wrong, if `listed`
    bool listed = false;
  };
  [[nodiscard]] Known entry(std::uint32_t level, std::uint64_t address) const;
  [[nodiscard]] Known decisive(std::uint64_t address, std::uint32_t& level) const;
  [[nodiscard]] std::uint64_t entry_bytes(std::uint32_t level, std::uint32_t flags) const;
  [[nodiscard]] bool is_ours(std::uint32_t process, std::uint32_t gpu) const {
    return process == process_ && (gpu_ == kAnyGpu || gpu == gpu_);
  }
  [[nodiscard]] Entries after_copies(std::uint32_t level, std::uint64_t address,
                                     std::uint32_t since, Entries what) const;

  const Trace& trace_;
  const ReportedTables reported_;
  std::uint32_t process_;
  std::uint32_t gpu_;
  std::uint32_t event_;
  ScratchVector<std::uint32_t> looked_at_;  // TableCompared by update; kNone: not by then
};

/// What a verdict adds where entries on the way are right.
inline constexpr const char* kEntriesAreRight =
    "; the entries in memory are right: the device, or its model, walked them wrongly, or the driver "
    "gave it another root or shape of tables, or left out a flush";

}  // namespace wddm::mmu
