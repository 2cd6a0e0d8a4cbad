// What the roots of processes are to hold, by the updates and copies that have been asked for:
// which valid entries, at which indices.
//
// Of pairs the first pointer alone. What the driver has refused was asked for all the same.
#pragma once

#include <compare>
#include <cstdint>

#include "conformance/rules/pt/table_updates.h"
#include "conformance/rules/scratch.h"
#include "reference/trace/copied_entries.h"

namespace wddm::root {

/// Told of events in the order of the trace. Lives within one check.
class RootContents {
 public:
  using Entries = ScratchMap<std::uint32_t, EntryRecord>;  // those that are valid, by index
  /// Each GPU of a link has its own at the same place.
  struct Whose {
    std::uint32_t process = kNone;
    std::uint32_t gpu = 0;
    friend auto operator<=>(const Whose&, const Whose&) = default;
  };

  RootContents(const Trace& trace, std::uint32_t root_level)
      : trace_(trace), root_level_(root_level) {}

  void follow(std::uint32_t index, const ev::TableUpdated& update) {
    if (update.level != root_level_) return;
    Roots& roots = roots_[{update.process, update.physical_adapter}];
    Entries& entries = roots.at[update.place];
    const bool begins = (update.flags & pt::kInitialUpdate) != 0 && update.first == 0;
    if (begins) {
      entries.clear();
      roots.begun = update.place;
    }
    entries.erase(entries.lower_bound(update.first),
                  entries.lower_bound(update.first + update.count));
    const auto records = trace_.blob<EntryRecord>(trace_.events()[index]);
    const bool repeats = (update.flags & pt::kRepeat) != 0;
    for (std::uint32_t i = 0; i < update.count; ++i) {
      const std::size_t record = repeats ? 0 : i;
      if (record >= records.size()) return;
      if (pt::is_valid(records[record])) {
        entries[update.first + i] = records[record];
      } else if (repeats) {
        return;
      }
    }
  }
  // From the root that is in use to the one that has been begun: no other copies of roots are made.
  void follow(std::uint32_t index, const ev::EntriesCopied& copied) {
    const auto found = roots_.find({copied.process, copied.physical_adapter});
    if (copied.level != root_level_ || found == roots_.end()) return;
    for (const CopiedFrom& from : trace_.blob<CopiedFrom>(trace_.events()[index])) {
      if (from.source_process != copied.process) return;
    }
    Roots& roots = found->second;
    const auto source = roots.at.find(roots.in_use);
    if (!roots.used || source == roots.at.end() || roots.begun == roots.in_use) return;
    Entries& to = roots.at[roots.begun];
    to.erase(to.lower_bound(copied.to_first), to.lower_bound(copied.to_first + copied.count));
    for (const auto& [entry, record] : source->second) {
      if (entry - copied.from_first < copied.count) {
        to[entry - copied.from_first + copied.to_first] = record;
      }
    }
  }
  /// From here on the root at `place` is in use. Those that are known of it and of the one before;
  /// null if there was none, it has only moved, or nothing is known of one of them.
  struct Replaced {
    const Entries* before = nullptr;
    const Entries* now = nullptr;
  };
  [[nodiscard]] Replaced use(const Whose& whose, std::uint64_t place) {
    Roots& roots = roots_[whose];
    Replaced replaced;
    if (roots.used && roots.in_use != place) {
      const auto before = roots.at.find(roots.in_use);
      const auto now = roots.at.find(place);
      if (before != roots.at.end() && now != roots.at.end()) {
        replaced = {&before->second, &now->second};
      }
    }
    roots.used = true;
    roots.in_use = place;
    return replaced;
  }
  /// Contents go with a root that moves; one that came in the place of another has its own.
  void follow(const ev::TableMoved& moved) {
    if (moved.level != root_level_) return;
    for (auto& [whose, roots] : roots_) {
      if (whose.process != moved.process) continue;
      const auto from = roots.at.find(moved.from);
      if (from == roots.at.end()) continue;
      if (moved.gone == 0 && !roots.at.contains(moved.to)) roots.at[moved.to] = from->second;
      roots.at.erase(moved.from);
      if (roots.in_use != moved.from) continue;
      roots.used = moved.gone == 0;
      roots.in_use = moved.to;
    }
  }
  void forget_all() { roots_.clear(); }
  void forget(std::uint32_t process) {
    std::erase_if(roots_, [process](const auto& each) { return each.first.process == process; });
  }

 private:
  struct Roots {
    ScratchMap<std::uint64_t, Entries> at;  // by place
    std::uint64_t begun = 0;                // the newest
    std::uint64_t in_use = 0;
    bool used = false;  // one is in use
  };

  const Trace& trace_;
  std::uint32_t root_level_;
  ScratchMap<Whose, Roots> roots_;
};

}  // namespace wddm::root
