// Page frames numbered from 0 in the order they were met: scattered pages as the pages of one run.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "conformance/host/memory/memory.h"
#include "reference/harness_assert.h"

namespace wddm::memory {

class FrameIndex {
 public:
  static constexpr std::uint64_t kMostFrames = 8192;  ///< more are our own defect

  [[nodiscard]] std::uint64_t size() const { return frames_.size(); }
  /// The frame with this number.
  [[nodiscard]] Frame operator[](std::uint64_t number) const { return frames_[number]; }
  /// The number of a frame that has one.
  [[nodiscard]] std::optional<std::uint64_t> find(Frame frame) const {
    const std::uint16_t entry = table_[place_of(frame)];
    if (entry == 0) return std::nullopt;
    return entry - 1u;
  }
  /// The number of the frame, a new one if it has none.
  std::uint64_t number(Frame frame) {
    std::uint16_t& entry = table_[place_of(frame)];
    if (entry == 0) {
      HARNESS_ASSERT(frames_.size() < kMostFrames);
      frames_.push_back(frame);
      entry = static_cast<std::uint16_t>(frames_.size());
    }
    return entry - 1u;
  }
  /// Forgets all of them; the work is theirs alone.
  void clear() {
    // Last in, first out: no chain is cut before what lies behind the cut is gone.
    for (; !frames_.empty(); frames_.pop_back()) table_[place_of(frames_.back())] = 0;
  }

 private:
  static constexpr unsigned kTableBits = 14;
  static_assert(kMostFrames < 1u << kTableBits);  // so that every search comes to an end

  // Where it is, or the free entry where it would go.
  [[nodiscard]] std::size_t place_of(Frame frame) const {
    std::size_t at = (frame * 0x9e3779b97f4a7c15) >> (64 - kTableBits);
    while (table_[at] != 0 && frames_[table_[at] - 1u] != frame) at = (at + 1) % table_.size();
    return at;
  }

  std::vector<Frame> frames_;
  std::array<std::uint16_t, 1u << kTableBits> table_{};  // number + 1; 0: free
};

}  // namespace wddm::memory
