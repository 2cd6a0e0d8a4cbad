// Runs of adjacent pages out of a fixed range: address space of aliases, contiguous frames, BARs.
//
// Next fit: what was given back is handed out again as late as possible, so that stale pointers
// keep pointing at nothing. Runs are kept in order of their first page.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "reference/harness_assert.h"

namespace wddm::memory::internal {

class PageRuns {
 public:
  struct Run {
    std::uint64_t first;
    std::uint64_t count;
    std::uint64_t note;  // the owner's own
    std::uint64_t end() const { return first + count; }
  };
  static constexpr std::uint64_t kNone = ~0ull;

  explicit PageRuns(std::uint64_t pages) : pages_(pages) {}

  /// First page of a free run below `limit` (exclusive), aligned to `alignment` pages; kNone if
  /// there is none.
  [[nodiscard]] std::uint64_t take(std::uint64_t count, std::uint64_t note,
                                   std::uint64_t alignment = 1, std::uint64_t limit = kNone) {
    limit = std::min(limit, pages_);
    std::uint64_t first = search(cursor_, limit, count, alignment);
    if (first == kNone) first = search(0, limit, count, alignment);
    if (first == kNone) return kNone;
    runs_.insert(after(first), Run{first, count, note});
    cursor_ = first + count;
    highest_ = std::max(highest_, cursor_);
    return first;
  }

  void give(std::uint64_t first) {
    const auto run = after(first);
    HARNESS_ASSERT(run != runs_.begin() && std::prev(run)->first == first);
    runs_.erase(std::prev(run));
  }

  void annotate(std::uint64_t first, std::uint64_t note) {
    const auto run = after(first);
    HARNESS_ASSERT(run != runs_.begin() && std::prev(run)->first == first);
    std::prev(run)->note = note;
  }

  /// The run that holds `page`, or null.
  [[nodiscard]] const Run* find(std::uint64_t page) const {
    const auto run = std::upper_bound(
        runs_.begin(), runs_.end(), page,
        [](std::uint64_t wanted, const Run& candidate) { return wanted < candidate.first; });
    if (run == runs_.begin() || page >= std::prev(run)->end()) return nullptr;
    return &*std::prev(run);
  }

  /// One past the highest page ever taken since clear().
  [[nodiscard]] std::uint64_t highest() const { return highest_; }

  [[nodiscard]] const std::vector<Run>& runs() const { return runs_; }

  void clear() {
    runs_.clear();
    cursor_ = highest_ = 0;
  }

 private:
  std::vector<Run>::iterator after(std::uint64_t page) {
    return std::upper_bound(
        runs_.begin(), runs_.end(), page,
        [](std::uint64_t wanted, const Run& candidate) { return wanted < candidate.first; });
  }

  std::uint64_t search(std::uint64_t from, std::uint64_t limit, std::uint64_t count,
                       std::uint64_t alignment) {
    auto run = after(from);
    if (run != runs_.begin()) from = std::max(from, std::prev(run)->end());
    for (;; ++run) {
      from = (from + alignment - 1) / alignment * alignment;
      const std::uint64_t end = run == runs_.end() ? limit : std::min(limit, run->first);
      if (from <= end && end - from >= count) return from;
      if (run == runs_.end()) return kNone;
      from = std::max(from, run->end());
    }
  }

  std::uint64_t pages_;
  std::uint64_t cursor_ = 0;
  std::uint64_t highest_ = 0;
  std::vector<Run> runs_;
};

}  // namespace wddm::memory::internal
