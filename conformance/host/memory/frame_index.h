// Page frames numbered from 0: scattered pages as the pages of one run.
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
  static constexpr std::uint64_t kMostFrames = 8192;  ///< more at a time are our own defect

  /// One past the greatest number given since clear().
  [[nodiscard]] std::uint64_t size() const { return frames_.size(); }
  /// Frames that may get a number as well.
  [[nodiscard]] std::uint64_t room() const { return kMostFrames - frames_.size() + free_.size(); }
  /// The frame that has this number, or had it last.
  [[nodiscard]] Frame operator[](std::uint64_t number) const { return frames_[number]; }
  /// The number of a frame that has one.
  [[nodiscard]] std::optional<std::uint64_t> find(Frame frame) const {
    const std::uint16_t entry = table_[place_of(frame)];
    if (entry == 0) return std::nullopt;
    return entry - 1u;
  }
  /// The number of the frame, a new one if it has none: the one forgotten last, else the next.
  std::uint64_t number(Frame frame) {
    std::uint16_t& entry = table_[place_of(frame)];
    if (entry != 0) return entry - 1u;
    HARNESS_ASSERT(room() != 0);
    std::uint64_t number = frames_.size();
    if (free_.empty()) {
      frames_.push_back(frame);
    } else {
      number = free_.back();
      free_.pop_back();
      frames_[number] = frame;
    }
    entry = static_cast<std::uint16_t>(number + 1);
    return number;
  }
  /// The frame has no number any more.
  void forget(Frame frame) {
    std::size_t hole = place_of(frame);
    if (table_[hole] == 0) return;
    free_.push_back(table_[hole] - 1u);
    // What lies behind moves up where the hole would cut its search short.
    for (std::size_t at = next(hole); table_[at] != 0; at = next(at)) {
      const std::size_t home = home_of(frames_[table_[at] - 1u]);
      const bool reached_past_hole = ((at - home) & kMask) >= ((at - hole) & kMask);
      if (!reached_past_hole) continue;
      table_[hole] = table_[at];
      hole = at;
    }
    table_[hole] = 0;
  }
  /// Forgets all of them; the work is theirs alone.
  void clear() {
    // Whichever of a chain's frames comes first takes the rest of the chain along.
    for (const Frame frame : frames_) {
      for (std::size_t at = home_of(frame); table_[at] != 0; at = next(at)) table_[at] = 0;
    }
    frames_.clear();
    free_.clear();
  }

 private:
  static constexpr unsigned kTableBits = 14;
  static constexpr std::size_t kMask = (1u << kTableBits) - 1;
  static_assert(kMostFrames < 1u << kTableBits);  // so that every search comes to an end

  static std::size_t home_of(Frame frame) {
    return (frame * 0x9e3779b97f4a7c15) >> (64 - kTableBits);
  }
  static std::size_t next(std::size_t at) { return (at + 1) & kMask; }
  // Where it is, or the free entry where it would go.
  [[nodiscard]] std::size_t place_of(Frame frame) const {
    std::size_t at = home_of(frame);
    while (table_[at] != 0 && frames_[table_[at] - 1u] != frame) at = next(at);
    return at;
  }

  std::vector<Frame> frames_;
  std::vector<std::uint64_t> free_;                      // numbers to give again
  std::array<std::uint16_t, 1u << kTableBits> table_{};  // number + 1; 0: free
};

}  // namespace wddm::memory
