#include "conformance/rules/va/written_entries.h"

#include "conformance/rules/pt/table_updates.h"
#include "reference/trace/copied_entries.h"

namespace wddm::va {
namespace {

bool is_large(const WrittenEntry& written) {
  constexpr std::uint32_t kLarge = entry_flag::kValid | entry_flag::kLargePage;
  return written.entry && (written.entry->flags & kLarge) == kLarge;
}

}  // namespace

WrittenEntries::WrittenEntries(const Trace& trace, std::uint32_t process, std::uint32_t gpu,
                               std::uint64_t address, std::uint32_t event)
    : reported_(trace), process_(process), gpu_(gpu), address_(address) {
  for (const std::uint32_t index :
       trace.of_any<ev::TableUpdated, ev::EntriesCopied, ev::TlbFlushBuilt>()) {
    if (index >= event) return;
    const EventKind kind = trace.events()[index].kind;
    if (kind == EventKind::TableUpdated) follow(trace, index, trace.at<ev::TableUpdated>(index));
    if (kind == EventKind::EntriesCopied) follow(trace, index, trace.at<ev::EntriesCopied>(index));
    if (kind != EventKind::TlbFlushBuilt) continue;
    const auto flush = trace.at<ev::TlbFlushBuilt>(index);
    const bool covers = flush.end == 0 || (address >= flush.start && address < flush.end);
    if (covers && flush.process == process && flush.physical_adapter == gpu) flushed_ = index;
  }
}

std::uint32_t WrittenEntries::leaf_level() const {
  for (std::uint32_t level = mmu::kMostLevels; level-- > 1;) {
    if (is_large(levels_[level])) return level;
  }
  return 0;
}

std::uint32_t WrittenEntries::level_written_after(std::uint32_t event,
                                                  std::uint32_t above_level) const {
  std::uint32_t found = kNone;
  for (std::uint32_t level = above_level + 1; level < mmu::kMostLevels; ++level) {
    const std::uint32_t written = levels_[level].event;
    if (written == kNone || written <= event) continue;
    if (found == kNone || written > levels_[found].event) found = level;
  }
  return found;
}

void WrittenEntries::follow(const Trace& trace, std::uint32_t index,
                            const ev::TableUpdated& update) {
  if (update.process != process_ || update.physical_adapter != gpu_) return;
  if (update.level >= mmu::kMostLevels || !mmu::answered(update.status)) return;
  const bool in_64kb = (update.flags & pt::kUse64KBPages) != 0;
  const std::uint64_t bytes = reported_.entry_bytes(update.level, in_64kb);
  if (bytes == 0 || address_ < update.first_va) return;
  const std::uint64_t which = (address_ - update.first_va) / bytes;
  if (which >= update.count) return;
  const auto entries = trace.blob<EntryRecord>(trace.events()[index]);
  WrittenEntry written{.event = index, .index = update.first + which, .bytes = bytes, .entry = {}};
  // One with Repeat has one entry for all.
  if (entries.size() == 1) {
    written.entry = entries[0];
  } else if (which < entries.size()) {
    written.entry = entries[which];
  }
  levels_[update.level] = written;
}

void WrittenEntries::follow(const Trace& trace, std::uint32_t index,
                            const ev::EntriesCopied& copied) {
  if (copied.process != process_ || copied.physical_adapter != gpu_) return;
  const std::uint64_t bytes =
      copied.level < mmu::kMostLevels ? reported_.entry_bytes(copied.level, false) : 0;
  if (bytes == 0) return;
  for (const CopiedFrom& from : trace.blob<CopiedFrom>(trace.events()[index])) {
    if (address_ < from.first_va) continue;
    const std::uint64_t which = (address_ - from.first_va) / bytes;
    if (which >= copied.count) continue;
    levels_[copied.level] = {
        .event = index, .index = copied.to_first + which, .bytes = bytes, .entry = {}};
  }
}

}  // namespace wddm::va
