// Which abstract commands a client has, and the others in terms of those.
//
// A GPU that can copy can do what scenarios ask of it: a fill is a copy of a pattern that the CPU
// has written, and then of what was copied; so is an addition, to a word whose value before does
// not count; time is spent with copies, of one word where there is room for many. Memory is
// predicted from what is done in their place. Left out: semaphores, which nothing stands for.
//
// Half of the marker allocation holds the words of markers, the other half these patterns;
// pattern_places.h says where devices have them that it is not open on.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "conformance/host/adapter/objects/objects.h"
#include "reference/gpu/command.h"

namespace wddm::host {

/// Rungs of a ladder, which stand behind its first word: as many runs can be counted.
inline constexpr std::uint32_t kRungs = 3;
/// Where markers lie, from the start of the marker allocation on, if some command has to be stood
/// for: with addition a word for each, else a ladder.
inline constexpr std::uint32_t kMarkerBytes = static_cast<std::uint32_t>(kPageSize / 2);

class Repertoire {
 public:
  using Commands = std::vector<gpu::Command>;

  /// More commands than these spend no time.
  static constexpr std::uint32_t kMostSteps = 256;

  /// What the client was found to have.
  void learn(gpu::CommandKind kind, bool has) { lacks_[static_cast<std::size_t>(kind)] = !has; }
  [[nodiscard]] bool lacks(gpu::CommandKind kind) const {
    return lacks_[static_cast<std::size_t>(kind)];
  }
  [[nodiscard]] bool lacks_any() const;

  /// Words of the marker allocation that hold something from the start, as (offset, value).
  template <class Write>
  void write_constants(Write&& write) const {
    if (lacks(gpu::CommandKind::Add)) {
      for (std::uint32_t at = 0; at < kMarkerBytes; at += kLadderBytes) write(at, 1u);
    }
    for (std::uint32_t at = 0; at < kPatterns * kPatternBytes; at += 4) {
      write(kMarkerBytes + at, kFirstPattern + at / kPatternBytes * 0x01010101u);
    }
  }

  /// Whether some of the commands are none that the client has.
  [[nodiscard]] bool lacks_any_of(const Commands& commands) const;
  /// The same effect by commands that the client has. `patterns` is a slot that none of them uses,
  /// `allocation` has the constants. `most_steps` is how many commands time is spent with at most:
  /// the fewer there are the longer each of them.
  [[nodiscard]] Commands in_its_terms(const Commands& commands, std::uint16_t patterns,
                                      AllocationId allocation = kMarkerAllocation,
                                      std::uint32_t most_steps = kMostSteps);
  /// Commands that count a run of theirs at `offset` of what `slot` names.
  [[nodiscard]] Commands marker(std::uint16_t slot, std::uint32_t offset) const;
  [[nodiscard]] bool marks_by_ladder() const { return lacks(gpu::CommandKind::Add); }
  /// Where the marker of the `ordinal`th render lies; kNone: every place is used up.
  [[nodiscard]] std::uint32_t marker_offset(std::uint32_t ordinal) const;

  /// Which slots commands use, besides those of semaphores.
  [[nodiscard]] static std::vector<std::uint16_t> slots_of(const Commands& commands);
  /// Other numbers for slots from `count` on: the highest one becomes the last slot, and so on
  /// down, past those that commands use. Without room for all nothing changes.
  static void fit_slots(Commands& commands, std::uint32_t count);

  // A ladder: a one, rungs that are zero, and room for as many. Each run moves all of them up by
  // one word, so that the ones on the rungs count runs.
  static constexpr std::uint32_t kLadderBytes = 32;
  /// So many renders have one to themselves; those behind them go on where it stands.
  static constexpr std::uint32_t kLadders = kMarkerBytes / kLadderBytes;

 private:
  static constexpr std::uint32_t kPatternBytes = 64;
  static constexpr std::uint32_t kPatterns = 23;
  static constexpr std::uint32_t kFirstPattern = 0xc0a1e500;
  static constexpr std::uint32_t kScratch = kMarkerBytes + kPatterns * kPatternBytes;
  // Behind the patterns, and large enough for copies of several of them that take their time.
  static constexpr std::uint32_t kScratchWords = 128;
  static_assert(kScratch + kScratchWords * 4 <= kPageSize);

  void fill(Commands& out, const gpu::Command& command, std::uint16_t patterns);
  static void spin(Commands& out, const gpu::Command& command, std::uint16_t patterns,
                   std::uint32_t most_steps);
  [[nodiscard]] std::uint32_t pattern_of(std::uint32_t value);

  std::array<bool, gpu::kCommandKinds> lacks_{};
  std::vector<std::uint32_t> values_;  // that patterns stand for, by their first use
};

}  // namespace wddm::host
