// What page tables were asked to hold on each GPU of a link, by the updates for that GPU. What
// UpdateGpuVirtualAddress maps is there for the GPU of its context alone (VA-010), so nobody
// compares entries of such addresses, whether a companion wrote them or VidMm after a move.
#pragma once

#include <algorithm>
#include <compare>
#include <span>
#include <utility>

#include "conformance/rules/pt/table_updates.h"
#include "conformance/rules/scratch.h"

namespace wddm::lda {

/// A table of a process as it is on one GPU.
struct InstanceAt {
  std::uint32_t physical_adapter = 0, process = 0;
  std::uint64_t place = 0;
  friend auto operator<=>(const InstanceAt&, const InstanceAt&) = default;
};

/// Whether entries that lead to tables in system memory may name different ones: there a table of
/// each GPU has an address of its own.
enum class SystemTables : std::uint8_t { Same, OfEach };

/// Entries of one instance: most are what the first update made all of them.
class AskedEntries {
 public:
  void follow(const ev::TableUpdated& update, std::span<const EntryRecord> records,
              bool of_one_gpu) {
    if (records.empty()) return;
    directory_ = update.level != 0;
    for (std::uint32_t i = 0; of_one_gpu && i < update.count; ++i) {
      of_one_gpu_.insert(update.first + i);
    }
    const bool repeat = (update.flags & pt::kRepeat) != 0;
    const bool whole = repeat && update.first == 0 && update.count == update.entries;
    if ((update.flags & pt::kInitialUpdate) != 0) initialized_ = true;
    if (whole) {
      all_ = records[0];
      entries_.clear();
      return;
    }
    for (std::uint32_t i = 0; i < update.count && (repeat || i < records.size()); ++i) {
      entries_[update.first + i] = records[repeat ? 0 : i];
    }
  }
  [[nodiscard]] bool initialized() const { return initialized_; }
  /// Entries that say something else than those of the other one.
  [[nodiscard]] std::uint32_t unlike(const AskedEntries& other,
                                     SystemTables below = SystemTables::Same) const {
    std::uint32_t count = 0;
    for (const auto& [index, entry] : entries_) {
      count += !is_alone(index, other) && differ(entry, other.at(index), below);
    }
    for (const auto& [index, entry] : other.entries_) {
      count += entries_.find(index) == entries_.end() && !is_alone(index, other) &&
               differ(entry, all_, below);
    }
    return count;
  }

 private:
  [[nodiscard]] bool is_alone(std::uint32_t index, const AskedEntries& other) const {
    return of_one_gpu_.contains(index) || other.of_one_gpu_.contains(index);
  }
  [[nodiscard]] const EntryRecord& at(std::uint32_t index) const {
    const auto found = entries_.find(index);
    return found == entries_.end() ? all_ : found->second;
  }
  // Of an entry that is not valid nothing else counts.
  [[nodiscard]] bool differ(EntryRecord one, const EntryRecord& other, SystemTables below) const {
    if (!pt::is_valid(one) && !pt::is_valid(other)) return false;
    const auto leads_to_one = [this](const EntryRecord& entry) {
      const bool to_table = directory_ && (entry.flags & entry_flag::kLargePage) == 0;
      return to_table && pt::leads_somewhere(entry) && pt::is_system(entry);
    };
    if (below == SystemTables::OfEach && leads_to_one(one) && leads_to_one(other)) {
      one.address = other.address;
    }
    return one != other;
  }

  EntryRecord all_{};
  ScratchMap<std::uint32_t, EntryRecord> entries_;
  ScratchSet<std::uint32_t> of_one_gpu_;
  bool initialized_ = false;
  bool directory_ = false;
};

/// Follows the events of a trace in their order. Lives within one check.
class AskedTables {
 public:
  void follow(const Trace& trace, std::uint32_t index) {
    const Event& event = trace.events()[index];
    if (event.kind == EventKind::TableMoved) return moved(trace.at<ev::TableMoved>(index));
    if (event.kind == EventKind::AddressAnswered) {
      return answered(trace.at<ev::AddressAnswered>(index));
    }
    const auto update = trace.at<ev::TableUpdated>(index);
    of_[{update.physical_adapter, update.process, update.place}].follow(
        update, trace.blob<EntryRecord>(event), is_tile(update));
  }
  /// Null if nothing was asked of it.
  [[nodiscard]] const AskedEntries* of(const InstanceAt& instance) const {
    const auto found = of_.find(instance);
    return found == of_.end() ? nullptr : &found->second;
  }

 private:
  struct Tile {
    std::uint32_t process;
    std::uint64_t first, end;  // GPU virtual addresses
  };

  void answered(const ev::AddressAnswered& asked) {
    if (asked.request != static_cast<std::uint32_t>(AddressRequest::Update)) return;
    if (asked.refused == 0) tiles_.push_back({asked.process, asked.base, asked.base + asked.size});
  }
  // An update is of one mapping, so that all of it is of the same tile.
  [[nodiscard]] bool is_tile(const ev::TableUpdated& update) const {
    return update.level == 0 &&
           std::any_of(tiles_.begin(), tiles_.end(), [&update](const Tile& tile) {
             return tile.process == update.process && update.first_va >= tile.first &&
                    update.first_va < tile.end;
           });
  }
  // On all GPUs at once.
  void moved(const ev::TableMoved& moved) {
    for (auto at = of_.begin(); at != of_.end();) {
      const InstanceAt instance = at->first;
      if (instance.process != moved.process || instance.place != moved.from) {
        ++at;
        continue;
      }
      AskedEntries entries = std::move(at->second);
      at = of_.erase(at);
      if (moved.gone == 0) {
        of_[{instance.physical_adapter, instance.process, moved.to}] = std::move(entries);
      }
    }
  }

  ScratchMap<InstanceAt, AskedEntries> of_;
  ScratchVector<Tile> tiles_;
};

}  // namespace wddm::lda
