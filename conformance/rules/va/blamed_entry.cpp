#include "conformance/rules/va/blamed_entry.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "conformance/rules/differing_memory.h"
#include "conformance/rules/hex_text.h"
#include "conformance/rules/pt/table_updates.h"
#include "conformance/rules/scratch.h"
#include "conformance/rules/va/mapped_places.h"
#include "conformance/rules/va/written_entries.h"

namespace wddm::va {
namespace {

constexpr std::uint64_t kPage = 4096;

std::string op_text(const Trace& trace, std::uint32_t event) {
  const std::uint16_t op = trace.events()[event].op;
  return op == kNoOp ? std::string(" outside of ops") : " of op " + std::to_string(op);
}

// "UpdatePageTable of op 12".
std::string writer_text(const Trace& trace, std::uint32_t event) {
  const bool copied = trace.events()[event].kind == EventKind::EntriesCopied;
  return (copied ? "CopyPageTableEntries" : "UpdatePageTable") + op_text(trace, event);
}

std::string table_text(const Trace& trace, const WrittenEntry& written, std::uint32_t level) {
  if (trace.events()[written.event].kind == EventKind::TableUpdated) {
    return "the " + pt::table_text(trace.at<ev::TableUpdated>(written.event));
  }
  return "a level-" + std::to_string(level) + " table";
}

/// The entry of a level on the way to an address, said of the space that it is of.
class Way {
 public:
  Way(const Trace& trace, std::uint64_t address, const UsedSpace& used, std::uint32_t level = kNone)
      : trace_(trace),
        entries_(trace, used.process, used.gpu, address, used.event),
        level_(level == kNone ? entries_.leaf_level() : level),
        leads_to_page_(level_ == entries_.leaf_level()),
        address_(address),
        process_(used.process) {}

  /// "page 0x20000 of process 0".
  [[nodiscard]] std::string page_text() const {
    const std::uint64_t bytes = leads_to_page_ && is_written() ? written().bytes : kPage;
    std::string text = "page " + hex_text(address_ - address_ % bytes);
    if (bytes != kPage) text += " of " + std::to_string(bytes / 1024) + " KB";
    return text + " of " + pt::process_text(process_);
  }
  /// ", entry 32 of the level-0 table at 0x6000 of segment 1 (leads to 0x3000 as the GPU sees it),
  /// written last by UpdatePageTable of op 12", and the events that say so.
  void say(Blame& blame) const {
    if (!is_written()) return;
    blame.text += ", entry " + std::to_string(written().index) + " of " +
                  table_text(trace_, written(), level_);
    if (written().entry) blame.text += " (" + pt::text_of(*written().entry) + ")";
    blame.text += ", written last by " + writer_text(trace_, written().event);
    blame.events.push_back(written().event);
    const std::uint32_t above = entries_.level_written_after(written().event, level_);
    if (above != kNone) {
      const std::uint32_t event = entries_.of(above).event;
      blame.text += ", the one of level " + std::to_string(above) + " above it by " +
                    writer_text(trace_, event);
      blame.events.push_back(event);
    }
    const std::uint32_t flushed = entries_.flushed();
    if (flushed == kNone || flushed < written().event) return;
    blame.text += ", flushed by FlushTlb" + op_text(trace_, flushed);
    blame.events.push_back(flushed);
  }
  [[nodiscard]] bool is_written() const { return written().event != kNone; }
  [[nodiscard]] const WrittenEntry& written() const { return entries_.of(level_); }

 private:
  const Trace& trace_;
  const WrittenEntries entries_;
  const std::uint32_t level_;
  const bool leads_to_page_;
  const std::uint64_t address_;
  const std::uint32_t process_;
};

// What an allocation holds, which the space may have at an address or not.
Blame of_allocation(const Trace& trace, const ev::MemoryDiffers& differs, const UsedSpace& used) {
  const MappedPlaces places(trace, used.event);
  const auto own = places.in(used.process, differs.object, differs.offset);
  const auto place = own ? own : places.in_any(differs.object, differs.offset);
  if (!place) return {};
  const Way way(trace, place->address, {place->process, used.gpu, used.event});
  Blame blame{"; it is in " + way.page_text(), {}};
  if (place->choices > 1) {
    blame.text += ", the newest of " + std::to_string(place->choices) + " such pages";
  }
  if (own) {
    way.say(blame);
    return blame;
  }
  blame.text += ", and in none of " + pt::process_text(used.process) + ", which ran";
  const Way of_used(trace, place->address, used);
  if (!of_used.is_written()) return blame;
  blame.text += "; there it is " + of_used.page_text();
  of_used.say(blame);
  return blame;
}

// An entry that led to a page of a segment.
struct FormerEntry {
  std::uint32_t event = kNone;
  std::uint32_t segment = 0;
  std::uint64_t address = 0;  // whose entry it was
};

struct Segment {
  std::uint32_t number;
  std::uint64_t base;
};

// The memory segments of a GPU, each as it was reported first.
ScratchVector<Segment> memory_segments(const Trace& trace, std::uint32_t gpu) {
  constexpr std::uint32_t kAperture = 1;  // of DXGK_SEGMENTFLAGS
  ScratchSet<std::uint32_t> known;
  ScratchVector<Segment> segments;
  for (const std::uint32_t index : trace.of<ev::SegmentReported>()) {
    const auto segment = trace.at<ev::SegmentReported>(index);
    if (segment.physical_adapter != gpu || !known.insert(segment.segment).second) continue;
    if ((segment.flags & kAperture) == 0) segments.push_back({segment.segment, segment.base});
  }
  return segments;
}

// The newest of the space that led to a page at this offset of a segment. Which segment it is no
// event says: where more than one may be meant, nothing is found.
std::optional<FormerEntry> entry_that_led_to(const Trace& trace, const ev::MemoryDiffers& differs,
                                             const UsedSpace& used) {
  const mmu::ReportedTables reported(trace);
  const auto segments = memory_segments(trace, differs.physical_adapter);
  const std::uint64_t offset = differs.offset - differs.offset % kPage;
  FormerEntry found;
  for (const std::uint32_t index : trace.of<ev::TableUpdated>()) {
    if (index >= used.event) break;
    const auto update = trace.at<ev::TableUpdated>(index);
    if (update.process != used.process || update.physical_adapter != used.gpu) continue;
    if (update.level != 0 || !mmu::answered(update.status)) continue;
    const std::uint64_t bytes = reported.entry_bytes(0, (update.flags & pt::kUse64KBPages) != 0);
    const auto entries = trace.blob<EntryRecord>(trace.events()[index]);
    for (std::size_t i = 0; i < entries.size(); ++i) {
      const EntryRecord& entry = entries[i];
      if (!pt::leads_somewhere(entry) || pt::is_system(entry)) continue;
      if (entry.adapter != differs.physical_adapter) continue;
      for (const Segment& segment : segments) {
        const std::uint64_t into = segment.base + offset - entry.address;
        if (into >= bytes) continue;
        if (found.event != kNone && found.segment != segment.number) return std::nullopt;
        found = {index, segment.number, update.first_va + i * bytes + into};
      }
    }
  }
  return found.event == kNone ? std::nullopt : std::optional(found);
}

// Memory that nobody owns may be what an address led to before.
Blame of_free_page(const Trace& trace, const ev::MemoryDiffers& differs, const UsedSpace& used) {
  const auto former = entry_that_led_to(trace, differs, used);
  if (!former) return {};
  const Way way(trace, former->address, used);
  const bool still = way.written().event == former->event;
  Blame blame{"; in segment " + std::to_string(former->segment) + " it is where " +
                  way.page_text() + (still ? " leads" : " led"),
              {}};
  if (!still) {
    blame.text += " by UpdatePageTable" + op_text(trace, former->event);
    blame.events.push_back(former->event);
  }
  way.say(blame);
  return blame;
}

// The space that a packet ran in when it was submitted last before an event. No process where it
// was none of a client's, or its context has no page tables.
UsedSpace space_of(const Trace& trace, std::uint32_t packet, std::uint32_t event) {
  UsedSpace used;
  std::uint32_t context = kNone;
  for (const std::uint32_t index : trace.of<ev::Submitted>()) {
    if (index >= event) break;
    const auto submitted = trace.at<ev::Submitted>(index);
    if (submitted.packet != packet || submitted.paging != 0) continue;
    used = {.process = kNone, .gpu = engine_of(submitted).physical_adapter, .event = index};
    context = submitted.context;
  }
  for (const std::uint32_t index : trace.of<ev::RootSet>()) {
    if (index >= used.event || context == kNone) break;
    const auto set = trace.at<ev::RootSet>(index);
    if (set.context == context) used.process = set.process;
  }
  return used;
}

}  // namespace

Blame blame_for(const Trace& trace, const ev::MemoryDiffers& differs, const UsedSpace& used) {
  if (used.process == kNone) return {};
  switch (static_cast<MemoryPlace>(differs.where)) {
    case MemoryPlace::Allocation:
      return of_allocation(trace, differs, used);
    case MemoryPlace::FreeSegmentPage:
      return of_free_page(trace, differs, used);
    case MemoryPlace::SystemPage:
    case MemoryPlace::DummyPage:
      break;
  }
  return {};
}

Blame blame_for(const Trace& trace, std::uint64_t address, std::uint32_t level,
                const UsedSpace& used, const char* what) {
  if (used.process == kNone) return {};
  const Way way(trace, address, used, level);
  if (!way.is_written()) return {};
  Blame blame{std::string("; ") + what + ' ' + way.page_text(), {}};
  way.say(blame);
  return blame;
}

void fail_with(const Blame& blame, Judgement& judgement, std::uint32_t event, std::string expected,
               const std::string& seen, std::vector<std::uint32_t> because) {
  because.insert(because.end(), blame.events.begin(), blame.events.end());
  std::ranges::sort(because);
  const auto repeated = std::ranges::unique(because);
  because.erase(repeated.begin(), repeated.end());
  std::erase(because, kNone);  // what the clause does not know
  judgement.fail(event, std::move(expected), seen + blame.text, std::move(because));
}

void fail_by_memory(const Trace& trace, std::uint32_t event, Judgement& judgement,
                    std::string expected, const std::string& more) {
  const auto differs = trace.at<ev::MemoryDiffers>(event);
  Blame blame;
  if (judgement.is_worth_a_look()) {
    blame = blame_for(trace, differs, space_of(trace, differs.cause_object, event));
  }
  fail_with(blame, judgement, event, std::move(expected), difference_text(differs) + more, {});
}

}  // namespace wddm::va
