// Updates of page tables and what the tables held when they had been carried out, for the clauses
// of entries and tables.
#pragma once

#include <d3dkmddi.h>

#include <string>

#include "conformance/rules/rule.h"

namespace wddm::pt {

/// Bits of TableUpdated::flags, DXGK_UPDATEPAGETABLEFLAGS in order.
inline constexpr std::uint32_t kRepeat = 1, kInitialUpdate = 2, kNotifyEviction = 4,
                               kUse64KBPages = 8;

struct CarriedOut {
  std::uint32_t event = kNone;  ///< TableCompared
  ev::TableCompared compared{};
  std::uint32_t built = kNone;  ///< TableUpdated
  ev::TableUpdated update{};

  [[nodiscard]] bool has(std::uint32_t flag) const { return (update.flags & flag) != 0; }
  /// Of level 0: what an entry leads to.
  [[nodiscard]] std::uint64_t page_bytes() const { return has(kUse64KBPages) ? 65536 : 4096; }
  /// Entries could be read.
  [[nodiscard]] bool read() const { return compared.decoded != 0; }
  /// Some entries of a Repeat say something else than the others, which are as asked for (PT-009).
  [[nodiscard]] bool badly_repeated() const {
    return compared.unequal != 0 && compared.wrong != 0 && compared.wrong < compared.decoded;
  }
  /// The CPU was to write it, and the table is as it was before (PT-010, PT-011).
  [[nodiscard]] bool never_came() const {
    return update.mode == update_mode::kCpuVirtual && update.changed == 0 && read() &&
           compared.wrong == compared.decoded;
  }
};

/// Every update that was carried out, in that order.
template <class Judge>
void for_each_carried_out(const Trace& trace, Judge judge) {
  const std::span<const std::uint32_t> built = trace.of<ev::TableUpdated>();
  for (const std::uint32_t index : trace.of<ev::TableCompared>()) {
    CarriedOut one{.event = index, .compared = trace.at<ev::TableCompared>(index)};
    if (one.compared.update >= built.size()) continue;
    one.built = built[one.compared.update];
    one.update = trace.at<ev::TableUpdated>(one.built);
    judge(one);
  }
}

/// "process 3", "the system process".
[[nodiscard]] std::string process_text(std::uint32_t process);
/// "level-0 table at 0x6000 of segment 1".
[[nodiscard]] std::string table_text(const ev::TableUpdated& update);
/// The update, as "entries 16 to 23 of the level-0 table at 0x6000 of segment 1, process 0".
[[nodiscard]] std::string text_of(const ev::TableUpdated& update);
/// An entry, as "page 0x3000 of system memory, read-only".
[[nodiscard]] std::string text_of(const EntryRecord& entry);

/// Whether an entry leads to where it would if its page followed that of the first (PT-014), and is
/// to lead elsewhere.
[[nodiscard]] bool follows_the_first(const Trace& trace, const CarriedOut& one,
                                     const EntryDifference& differs);

/// Judges updates that `concerned` accepts by the entries that are not what was asked for.
/// `concerned_entry(update, difference)` says whether a difference is the clause's. Entries of a
/// Repeat that are not the same, PT-009 judges.
template <class Concerned, class ConcernedEntry>
void judge_entries(const Trace& trace, Judgement& judgement, Concerned concerned,
                   ConcernedEntry concerned_entry) {
  for_each_carried_out(trace, [&](const CarriedOut& one) {
    if (!one.read() || !concerned(one)) return;
    judgement.reached(one.event);
    if (one.badly_repeated()) return;
    for (const EntryDifference& differs : trace.blob<EntryDifference>(trace.events()[one.event])) {
      if (!concerned_entry(one, differs)) continue;
      judgement.fail(
          one.event, "entry " + std::to_string(differs.index) + ": " + text_of(differs.expected),
          text_of(differs.seen) + ", after an update of " + text_of(one.update), {one.built});
      return;
    }
  });
}

/// Whether some entry that the update writes is such.
template <class Such>
[[nodiscard]] bool writes(const Trace& trace, const CarriedOut& one, Such such) {
  for (const EntryRecord& entry : trace.blob<EntryRecord>(trace.events()[one.built])) {
    if (such(entry)) return true;
  }
  return false;
}

[[nodiscard]] inline bool is_valid(const EntryRecord& entry) {
  return (entry.flags & entry_flag::kValid) != 0;
}
[[nodiscard]] inline bool is_zero(const EntryRecord& entry) {
  return is_valid(entry) && (entry.flags & entry_flag::kZero) != 0;
}
[[nodiscard]] inline bool is_system(const EntryRecord& entry) {
  return (entry.flags & entry_flag::kSystem) != 0;
}
/// Whether what differs is where it leads, and whether; system memory is no GPU's. What else an
/// entry says of accesses has clauses of its own: PTE-003 (zeros), PTE-004 (protection), PTE-005
/// (coherence).
[[nodiscard]] inline bool leads_elsewhere(const EntryDifference& differs) {
  constexpr std::uint32_t kOthers = entry_flag::kZero | entry_flag::kCacheCoherent |
                                    entry_flag::kReadOnly | entry_flag::kNoExecute;
  return differs.expected.address != differs.seen.address ||
         (!is_system(differs.expected) && differs.expected.adapter != differs.seen.adapter) ||
         ((differs.expected.flags ^ differs.seen.flags) & ~kOthers) != 0;
}
/// Leads to memory or to a table.
[[nodiscard]] inline bool leads_somewhere(const EntryRecord& entry) {
  return is_valid(entry) && !is_zero(entry);
}

}  // namespace wddm::pt
