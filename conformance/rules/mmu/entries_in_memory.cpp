#include "conformance/rules/mmu/entries_in_memory.h"

#include <algorithm>

#include "conformance/rules/pt/table_updates.h"
#include "reference/platform.h"
#include "reference/trace/copied_entries.h"

namespace wddm::mmu {
namespace {

constexpr std::uint64_t kPage = 4096;
constexpr std::uint64_t kMostPages = 1u << 16;  // of a range that is looked at

// Whether a walk goes no further than this entry.
bool ends_the_walk(const EntryRecord& entry) {
  return !pt::leads_somewhere(entry) || (entry.flags & entry_flag::kLargePage) != 0;
}

}  // namespace

EntriesInMemory::EntriesInMemory(const Trace& trace, std::uint32_t process, std::uint32_t gpu,
                                 std::uint32_t event)
    : trace_(trace),
      reported_(trace, gpu == kAnyGpu ? 0 : gpu),
      process_(process),
      gpu_(gpu),
      event_(event),
      looked_at_(trace.of<ev::TableUpdated>().size(), kNone) {
  for (const std::uint32_t index : trace.of<ev::TableCompared>()) {
    const std::uint32_t update = trace.at<ev::TableCompared>(index).update;
    if (index <= event && update < looked_at_.size()) looked_at_[update] = index;
  }
}

std::uint64_t EntriesInMemory::entry_bytes(std::uint32_t level, std::uint32_t flags) const {
  if (level == 0) return (flags & pt::kUse64KBPages) != 0 ? 16 * kPage : kPage;
  return reported_.entry_bytes(level, false);
}

EntriesInMemory::Known EntriesInMemory::entry(std::uint32_t level, std::uint64_t address) const {
  const std::span<const std::uint32_t> built = trace_.of<ev::TableUpdated>();
  Known known;
  std::uint32_t since = kNone;
  bool under_way = false;
  for (std::uint32_t number = 0; number < built.size() && built[number] < event_; ++number) {
    const auto update = trace_.at<ev::TableUpdated>(built[number]);
    const bool refused = (update.status & 0x80000000u) != 0;
    if (refused || update.level != level || !is_ours(update.process, update.physical_adapter)) {
      continue;
    }
    const std::uint64_t bytes = entry_bytes(level, update.flags);
    if (bytes == 0 || address < update.first_va) continue;
    const std::uint64_t entry = (address - update.first_va) / bytes;
    if (entry >= update.count) continue;
    under_way = looked_at_[number] == kNone;
    if (under_way) continue;
    since = looked_at_[number];
    const auto compared = trace_.at<ev::TableCompared>(since);
    const auto asked = trace_.blob<EntryRecord>(trace_.events()[built[number]]);
    known = {};
    if (compared.decoded == 0 || asked.empty()) continue;
    known.asked = asked[asked.size() == 1 ? 0 : std::min<std::size_t>(entry, asked.size() - 1)];
    if (compared.wrong != 0) {
      known.what = compared.wrong == compared.decoded ? Entries::Wrong : Entries::Beside;
    } else if (compared.decoded >= update.count) {
      known.what = Entries::Right;
    }
    for (const EntryDifference& differs : trace_.blob<EntryDifference>(trace_.events()[since])) {
      if (differs.index != update.first + entry) continue;
      known = {Entries::Wrong, differs.expected, differs.seen, true};
      break;
    }
  }
  known.what = after_copies(level, address, since, known.what);
  if (under_way && known.what == Entries::Right) known.what = Entries::Unread;
  return known;
}

// Entries of the same addresses of the same process say what they said before they were copied.
Entries EntriesInMemory::after_copies(std::uint32_t level, std::uint64_t address,
                                      std::uint32_t since, Entries what) const {
  for (const std::uint32_t index : trace_.of<ev::EntriesCopied>()) {
    if (index > event_ || (since != kNone && index < since)) continue;
    const auto copied = trace_.at<ev::EntriesCopied>(index);
    if (copied.level != level || !is_ours(copied.process, copied.physical_adapter)) continue;
    const std::uint64_t bytes = entry_bytes(level, 0);
    for (const CopiedFrom& from : trace_.blob<CopiedFrom>(trace_.events()[index])) {
      if (bytes == 0 || address < from.first_va) continue;
      if ((address - from.first_va) / bytes >= copied.count) continue;
      const bool same = from.source_process == copied.process && from.source_va == from.first_va;
      if (copied.unlike != 0) {
        what = Entries::Beside;
      } else if (!same || copied.read == 0) {
        what = Entries::Unread;
      }
    }
  }
  return what;
}

// The entry that says most of the way: the first that is not known or wrong, or the last.
EntriesInMemory::Known EntriesInMemory::decisive(std::uint64_t address,
                                                 std::uint32_t& level) const {
  Known known;
  if (!reported_.complete() || GpuMmuCaps{reported_.caps().caps}.dual_pte()) return known;
  bool beside = false;
  for (level = reported_.caps().levels; level-- > 0;) {
    known = entry(level, address);
    if (known.what == Entries::Unread || known.what == Entries::Wrong) return known;
    beside |= known.what == Entries::Beside;
    if (level == 0 || ends_the_walk(known.asked)) break;
  }
  if (beside) known.what = Entries::Beside;
  return known;
}

Entries EntriesInMemory::on_the_way(std::uint64_t address) const {
  std::uint32_t level = 0;
  return decisive(address, level).what;
}

Entries EntriesInMemory::of_pages(std::uint64_t first, std::uint64_t bytes) const {
  if (bytes / kPage > kMostPages) return Entries::Unread;
  Entries all = Entries::Right;
  for (std::uint64_t page = first / kPage; page * kPage < first + bytes; ++page) {
    const Entries what = entry(0, page * kPage).what;
    if (what == Entries::Wrong || what == Entries::Beside) return what;
    if (what == Entries::Unread) all = what;
  }
  return all;
}

std::string EntriesInMemory::who_went_wrong(std::uint64_t address) const {
  std::uint32_t level = 0;
  const Known known = decisive(address, level);
  if (known.what == Entries::Right) return kEntriesAreRight;
  if (known.what != Entries::Wrong) return {};
  std::string text =
      "; the entry in memory is wrong: of level " + std::to_string(level) + " the driver wrote ";
  text += known.listed ? pt::text_of(known.seen) : std::string("something else");
  return text + " for " + pt::text_of(known.asked);
}

}  // namespace wddm::mmu
