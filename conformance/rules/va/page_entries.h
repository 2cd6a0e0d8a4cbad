// What the entries of each process say, page by page, by the updates of its tables.
//
// With dual PTEs an entry of level 1 is a pair: it leads to a leaf of 4 KB pages, to one of 64 KB
// pages, or to both, and of one page never both say something. The trace has the first half alone
// ("support-for-64kb-pages.md", Dual PTE mode): whether there is a second leaf shows by its own
// updates, and by when its memory is taken.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

#include "conformance/rules/mmu/reported_tables.h"
#include "conformance/rules/pt/table_updates.h"
#include "conformance/rules/rule.h"
#include "conformance/rules/scratch.h"
#include "reference/trace/copied_entries.h"

namespace wddm::va {

class PageEntries {
 public:
  explicit PageEntries(const Trace& trace) : trace_(trace), reported_(trace) {}

  /// A TableUpdated.
  void follow(std::uint32_t index) {
    const auto update = trace_.at<ev::TableUpdated>(index);
    const auto records = trace_.blob<EntryRecord>(trace_.events()[index]);
    if (is_left_behind(update)) return;
    for (std::uint32_t i = 0; i < update.count && !records.empty(); ++i) {
      const EntryRecord& record = records[records.size() == 1 ? 0 : i];
      const std::uint64_t pages = pages_of(update);
      const std::uint64_t first = update.first_va / kPage + i * pages;
      if (update.level == 0) {
        const bool second = pairs_ && (update.flags & pt::kUse64KBPages) != 0;
        set(second ? second_ : pages_, update.process, first, pages, record);
      } else if ((update.flags & pt::kInitialUpdate) != 0) {
        // A table that nothing leads to yet; but a root may be made anew with what is below it.
        if (pt::leads_somewhere(record)) hide(update, first, first + pages, false);
      } else if (pt::is_valid(record) && !pt::leads_somewhere(record)) {
        change(update.process, first, pages, record);
        empty_second(update.process, first, pages);
        hide(update, first, first + pages, false);
        if (pt::is_zero(record)) leave_behind(update, first, first + pages);
      } else {
        hide(update, first, first + pages, !pt::is_valid(record));
      }
      if (update.level == 0 || update.level >= mmu::kMostLevels) continue;
      mark(zero_[update.level], update.process, first, first + pages, pt::is_zero(record));
      const bool large = (record.flags & entry_flag::kLargePage) != 0;
      mark(large_[update.level], update.process, first, first + pages,
           large && pt::is_valid(record));
    }
  }
  /// An EntriesCopied.
  void follow_copy(std::uint32_t index) {
    const auto copied = trace_.at<ev::EntriesCopied>(index);
    for (const CopiedFrom& from : trace_.blob<CopiedFrom>(trace_.events()[index])) {
      if (copied.level != 0) continue;  // of a root that is made anew
      for (std::uint32_t i = 0; i < copied.count; ++i) {
        pages_[{copied.process, from.first_va / kPage + i}] =
            at(from.source_process, from.source_va / kPage + i);
      }
    }
  }
  /// The process begins with tables of its own.
  void begin(std::uint32_t process) {
    const auto is_its = [process](const auto& one) { return one.process == process; };
    for (ByPage* const leaf : {&pages_, &second_}) {
      std::erase_if(*leaf, [&](const auto& page) { return page.first.first == process; });
    }
    std::erase_if(places_, [&](const auto& place) { return place.first[0] == process; });
    std::erase_if(hidden_, is_its);
    std::erase_if(hidden_above_, is_its);
    for (Levels* const levels : {&zero_, &large_}) {
      for (ScratchVector<Pages>& level : *levels) std::erase_if(level, is_its);
    }
  }
  void follow(const ev::TableMoved& moved) {
    for (auto& [table, place] : places_) {
      if (table[0] != moved.process || table[1] / 2 != moved.level || place != moved.from) continue;
      place = moved.to;
      const bool is_second = table[1] == 1;
      if (is_second && moved.gone != 0) {
        empty_second(moved.process, table[3], reported_.entry_bytes(1, false) / kPage);
      }
    }
  }
  /// A page of an entry above the leaf: where it leads is not kept here.
  [[nodiscard]] bool is_large(std::uint32_t process, std::uint64_t page) const {
    return marked_at_any(large_, process, page);
  }
  [[nodiscard]] EntryRecord at(std::uint32_t process, std::uint64_t page) const {
    const auto second = second_.find({process, page});
    if (second != second_.end() && pt::is_valid(second->second) &&
        !marked(hidden_above_, process, page)) {
      return second->second;
    }
    if (marked(hidden_, process, page)) return {};
    const auto found = pages_.find({process, page});
    if (found != pages_.end()) return found->second;
    const bool zero = marked_at_any(zero_, process, page);
    return {.flags = zero ? entry_flag::kValid | entry_flag::kZero : 0};
  }

 private:
  static constexpr std::uint64_t kPage = 4096;

  // A table that was begun anew elsewhere counts from there on; where it lay it is emptied before
  // it goes.
  bool is_left_behind(const ev::TableUpdated& update) {
    const std::uint64_t base = update.first_va / kPage - update.first * pages_of(update);
    const std::uint64_t form = update.level * 2 + ((update.flags & pt::kUse64KBPages) != 0);
    std::uint64_t& place =
        places_.try_emplace({update.process, form, update.physical_adapter, base}, update.place)
            .first->second;
    if ((update.flags & pt::kInitialUpdate) != 0) place = update.place;
    return place != update.place;
  }
  // Tables that an entry above does not lead to any more: they may be emptied before they go.
  void leave_behind(const ev::TableUpdated& update, std::uint64_t first, std::uint64_t end) {
    for (auto& [table, place] : places_) {
      if (table[0] != update.process || table[2] != update.physical_adapter) continue;
      if (table[1] / 2 < update.level && table[3] >= first && table[3] < end) place = ~0ull;
    }
  }
  using ByPage = ScratchMap<std::pair<std::uint32_t, std::uint64_t>, EntryRecord>;
  struct Pages {
    std::uint32_t process;
    std::uint64_t first, end;
  };
  /// By level above the leaf.
  using Levels = std::array<ScratchVector<Pages>, mmu::kMostLevels>;
  static void mark(ScratchVector<Pages>& all, std::uint32_t process, std::uint64_t first,
                   std::uint64_t end, bool set) {
    std::erase_if(all, [&](const Pages& one) {
      return one.process == process && one.first >= first && one.end <= end;
    });
    if (set) all.push_back({process, first, end});
  }
  static bool marked(const ScratchVector<Pages>& all, std::uint32_t process, std::uint64_t page) {
    for (const Pages& one : all) {
      if (one.process == process && page >= one.first && page < one.end) return true;
    }
    return false;
  }
  static bool marked_at_any(const Levels& levels, std::uint32_t process, std::uint64_t page) {
    return std::any_of(levels.begin(), levels.end(),
                       [&](const auto& level) { return marked(level, process, page); });
  }
  void hide(const ev::TableUpdated& update, std::uint64_t first, std::uint64_t end, bool hidden) {
    mark(hidden_, update.process, first, end, hidden);
    if (update.level > 1) mark(hidden_above_, update.process, first, end, hidden);
  }
  [[nodiscard]] std::uint64_t pages_of(const ev::TableUpdated& update) const {
    const bool large = (update.flags & pt::kUse64KBPages) != 0;
    return std::max<std::uint64_t>(1, reported_.entry_bytes(update.level, large) / kPage);
  }
  static void set(ByPage& leaf, std::uint32_t process, std::uint64_t first, std::uint64_t pages,
                  const EntryRecord& record) {
    for (std::uint64_t i = 0; i < pages; ++i) {
      EntryRecord& entry = leaf[{process, first + i}];
      entry = record;
      if (pt::leads_somewhere(record)) entry.address += i * kPage;
    }
  }
  // An entry above the leaf speaks for all below it.
  void change(std::uint32_t process, std::uint64_t first, std::uint64_t pages,
              const EntryRecord& record) {
    for (auto page = pages_.lower_bound({process, first});
         page != pages_.end() && page->first.first == process && page->first.second - first < pages;
         ++page) {
      page->second = record;
    }
  }
  void empty_second(std::uint32_t process, std::uint64_t first, std::uint64_t pages) {
    second_.erase(second_.lower_bound({process, first}),
                  second_.lower_bound({process, first + pages}));
  }

  const Trace& trace_;
  const mmu::ReportedTables reported_;
  const bool pairs_ = GpuMmuCaps{reported_.caps().caps}.dual_pte();
  // Where each table lies, by process, level * 2 (+ 1: of 64 KB pages), GPU and its first page.
  ScratchMap<std::array<std::uint64_t, 4>, std::uint64_t> places_;
  ByPage pages_;
  ByPage second_;  // of pairs, what leaves of 64 KB pages say
  // Below an entry that leads to no table for now; the table may stay what it is.
  ScratchVector<Pages> hidden_;
  ScratchVector<Pages> hidden_above_;  // ... of level 2 or above: of pairs, the second leaf too
  Levels zero_;                        // below a zero entry, where no table has been
  Levels large_;
};

}  // namespace wddm::va
