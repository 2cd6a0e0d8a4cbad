// The entries of one table, kept by what is in it: a stretch of 512 entries that were never written
// takes no memory, so a huge root costs by what it leads to.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "reference/gpummu/pte.h"
#include "reference/harness_assert.h"

namespace wddm::gpummu {

/// Entries 0 .. size() - 1; those not set yet are invalid.
class EntryArray {
 public:
  EntryArray() = default;
  explicit EntryArray(std::uint32_t size) : size_(size) {}

  [[nodiscard]] std::uint32_t size() const { return size_; }

  /// The reference lives until the next set().
  [[nodiscard]] const Entry& operator[](std::uint32_t index) const {
    const std::uint32_t stretch = index / kStretch;
    if (stretch >= stretches_.size() || stretches_[stretch].empty()) return kInvalid;
    return stretches_[stretch][index % kStretch];
  }

  void set(std::uint32_t index, const Entry& entry) {
    HARNESS_ASSERT(index < size_);
    const std::uint32_t stretch = index / kStretch;
    if (stretch >= stretches_.size() || stretches_[stretch].empty()) {
      if (entry == Entry{}) return;
      if (stretch >= stretches_.size()) stretches_.resize(stretch + 1);
      stretches_[stretch].resize(std::min(kStretch, size_ - stretch * kStretch));
    }
    stretches_[stretch][index % kStretch] = entry;
  }

  /// As many entries as asked for: what is new is invalid, what is cut off is gone.
  void resize(std::uint32_t size) {
    for (std::uint32_t i = size; i < size_ && i / kStretch < stretches_.size(); ++i) {
      set(i, Entry{});
    }
    size_ = size;
    const std::size_t most = (std::size_t{size} + kStretch - 1) / kStretch;
    if (stretches_.size() > most) stretches_.resize(most);
    if (stretches_.empty() || stretches_.back().empty()) return;
    stretches_.back().resize(
        std::min<std::size_t>(kStretch, size - (stretches_.size() - 1) * kStretch));
  }

  /// The first entry from `index` on that may be other than invalid; size() if there is none. Skips
  /// what takes no memory, so that walking over a huge table costs by what is in it.
  [[nodiscard]] std::uint32_t next_written(std::uint32_t index) const {
    while (index < size_) {
      const std::uint32_t stretch = index / kStretch;
      if (stretch >= stretches_.size()) return size_;
      if (!stretches_[stretch].empty()) return index;
      index = (stretch + 1) * kStretch;
    }
    return size_;
  }

 private:
  static constexpr std::uint32_t kStretch = 512;
  static constexpr Entry kInvalid{};

  std::uint32_t size_ = 0;
  std::vector<std::vector<Entry>> stretches_;
};

}  // namespace wddm::gpummu
