// What the leaf tables of processes lead to, by the updates that have been asked for: which
// addresses lead to which allocation, and which of them no longer may.
//
// Entries whose update names no allocation are not known, nor those that a copy has written. What
// the driver has refused says nothing.
#pragma once

#include <algorithm>
#include <cstdint>

#include "conformance/rules/pt/table_updates.h"
#include "conformance/rules/scratch.h"
#include "reference/trace/copied_entries.h"

namespace wddm::pt {

/// Addresses with valid entries.
struct LeafRun {
  std::uint32_t process = kNone;
  std::uint32_t gpu = 0;
  std::uint64_t page_bytes = 0;
  std::uint64_t first = 0, end = 0;
  std::uint32_t allocation = kNone;
  std::uint64_t table = 0;
  std::uint32_t built = kNone;  ///< TableUpdated
  std::uint32_t stale = kNone;  ///< event since which they lead astray
};

/// Told of events in the order of the trace. Lives within one check.
class LeafEntries {
 public:
  explicit LeafEntries(const Trace& trace) : trace_(trace) {}

  /// Any event.
  void read(std::uint32_t index) {
    const EventKind kind = trace_.events()[index].kind;
    if (kind == EventKind::TableUpdated) follow(index, trace_.at<ev::TableUpdated>(index));
    if (kind == EventKind::EntriesCopied) follow(index, trace_.at<ev::EntriesCopied>(index));
    if (kind == EventKind::TableMoved) follow(trace_.at<ev::TableMoved>(index));
    if (kind == EventKind::ProcessCreated) forget(trace_.at<ev::ProcessCreated>(index).process);
    if (kind == EventKind::DeviceStarted) runs_.clear();
  }

  /// No run of the process lies on both sides of the address from here on.
  void cut(std::uint32_t process, std::uint64_t at) {
    for (std::size_t i = 0, count = runs_.size(); i < count; ++i) {
      if (runs_[i].process != process || at <= runs_[i].first || runs_[i].end <= at) continue;
      LeafRun behind = runs_[i];
      behind.first = runs_[i].end = at;
      runs_.push_back(behind);
    }
  }
  /// From this event on those that `such` accepts must be written anew. How many there are.
  template <class Such>
  std::uint32_t go_stale(std::uint32_t index, Such such) {
    std::uint32_t count = 0;
    for (LeafRun& run : runs_) {
      if (!such(run)) continue;
      if (run.stale == kNone) run.stale = index;
      ++count;
    }
    return count;
  }
  [[nodiscard]] const ScratchVector<LeafRun>& runs() const { return runs_; }
  /// The first of the process that should have been written anew by a packet that was decided on
  /// at `planned`; null if there is none.
  [[nodiscard]] const LeafRun* stale_of(std::uint32_t process, std::uint32_t planned) const {
    for (const LeafRun& run : runs_) {
      if (run.process == process && run.stale != kNone && run.stale < planned) return &run;
    }
    return nullptr;
  }

 private:
  void follow(std::uint32_t index, const ev::TableUpdated& update) {
    if (update.level != 0) return;
    const std::uint64_t page = (update.flags & kUse64KBPages) != 0 ? 65536 : 4096;
    LeafRun run{.process = update.process,
                .gpu = update.physical_adapter,
                .page_bytes = page,
                .first = update.first_va,
                .end = update.first_va + update.count * page,
                .allocation = update.allocation,
                .table = update.place,
                .built = index};
    take(run);
    const bool refused = (update.status & 0x80000000u) != 0;
    if (refused || update.allocation == kNone || (update.flags & kInitialUpdate) != 0) return;
    const auto records = trace_.blob<EntryRecord>(trace_.events()[index]);
    if (records.size() == 1) {
      if (leads_somewhere(records[0])) runs_.push_back(run);
      return;
    }
    for (std::size_t i = 0; i < records.size();) {
      std::size_t last = i;
      while (last < records.size() && leads_somewhere(records[last])) ++last;
      run.first = update.first_va + i * page;
      run.end = update.first_va + last * page;
      if (last != i) runs_.push_back(run);
      i = last + 1;
    }
  }
  void follow(std::uint32_t index, const ev::EntriesCopied& copied) {
    if (copied.level != 0) return;
    for (const CopiedFrom& from : trace_.blob<CopiedFrom>(trace_.events()[index])) {
      take({.process = copied.process,
            .gpu = copied.physical_adapter,
            .page_bytes = 4096,
            .first = from.first_va,
            .end = from.first_va + copied.count * std::uint64_t{4096}});
    }
  }
  /// Behind a table that is gone nothing is found; on a link it was at that place on each GPU.
  void follow(const ev::TableMoved& moved) {
    if (moved.level != 0) return;
    const auto in_it = [&](const LeafRun& run) {
      return run.process == moved.process && run.table == moved.from;
    };
    if (moved.gone != 0) std::erase_if(runs_, in_it);
    for (LeafRun& run : runs_) {
      if (in_it(run)) run.table = moved.to;
    }
  }
  void forget(std::uint32_t process) {
    std::erase_if(runs_, [process](const LeafRun& run) { return run.process == process; });
  }
  // Leaves what lies beside the range.
  void take(const LeafRun& range) {
    for (std::size_t i = 0; i < runs_.size();) {
      LeafRun& run = runs_[i];
      const bool same = run.process == range.process && run.gpu == range.gpu &&
                        run.page_bytes == range.page_bytes;
      if (!same || run.end <= range.first || range.end <= run.first) {
        ++i;
        continue;
      }
      LeafRun before = run, behind = run;
      before.end = range.first;
      behind.first = range.end;
      runs_.erase(runs_.begin() + static_cast<std::ptrdiff_t>(i));
      for (const LeafRun& part : {behind, before}) {
        if (part.first >= part.end) continue;
        runs_.insert(runs_.begin() + static_cast<std::ptrdiff_t>(i), part);
      }
      i += (before.first < before.end) + (behind.first < behind.end);
    }
  }

  const Trace& trace_;
  ScratchVector<LeafRun> runs_;
};

/// Who submits what: whose process a packet is, and when VidMm has decided on its buffer.
class PlannedPackets {
 public:
  explicit PlannedPackets(const Trace& trace) : trace_(trace) {}

  /// Any event.
  void read(std::uint32_t index) {
    const EventKind kind = trace_.events()[index].kind;
    if (kind == EventKind::RootSet) {
      const auto set = trace_.at<ev::RootSet>(index);
      process_of_[set.context] = set.process;
    } else if (kind == EventKind::PortionPlanned) {
      planned_.emplace(trace_.at<ev::PortionPlanned>(index).render, index);
    }
  }
  [[nodiscard]] std::uint32_t process_of(const ev::Submitted& packet) const {
    return found_in(process_of_, packet.context);
  }
  [[nodiscard]] std::uint32_t planned(const ev::Submitted& packet) const {
    return found_in(planned_, packet.render);
  }

 private:
  static std::uint32_t found_in(const ScratchMap<std::uint32_t, std::uint32_t>& map,
                                std::uint32_t key) {
    const auto found = map.find(key);
    return found == map.end() ? kNone : found->second;
  }

  const Trace& trace_;
  ScratchMap<std::uint32_t, std::uint32_t> process_of_;  // by context
  ScratchMap<std::uint32_t, std::uint32_t> planned_;     // by render
};

}  // namespace wddm::pt
