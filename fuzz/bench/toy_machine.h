// A toy that minimizers are measured on: objects that are created, linked, written and destroyed by
// ops of 4 bytes, and one bug that takes five of them.
//
// The bug: writing 32 or more to an object that is linked to a destroyed one. Two forms that
// differ in what a handle is: an explicit slot, or the ordinal of a creation, which changes its
// meaning when something before it disappears.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace wddm::fuzz::toy {

enum class Handles : std::uint8_t { Explicit, Ordinal };

enum class Kind : std::uint8_t { Nothing, Create, Destroy, Link, Unlink, Write, Read, Tag };
inline constexpr std::uint32_t kKinds = 8;
inline constexpr std::uint32_t kSlots = 32;  // of explicit handles
inline constexpr std::uint8_t kWrongFrom = 32;

struct Op {
  std::uint8_t kind = 0;
  std::uint8_t a = 0;  ///< an object; of Create with explicit handles: the slot
  std::uint8_t b = 0;  ///< of Link: another object
  std::uint8_t v = 0;  ///< of Write and Tag
  friend bool operator==(const Op&, const Op&) = default;
};
static_assert(sizeof(Op) == 4);

/// What each op names: the index of the op that created it, or kNobody.
inline constexpr std::size_t kNobody = SIZE_MAX;
struct Named {
  std::size_t a = kNobody, b = kNobody;
};

/// Runs the ops; whether the bug shows. `named`, if given, gets an entry for each op.
[[nodiscard]] bool bug_shows(std::span<const Op> ops, Handles handles,
                             std::vector<Named>* named = nullptr);

/// `count` ops that show the bug towards their end, its five parts scattered over them.
[[nodiscard]] std::vector<Op> failing_input(std::uint64_t seed, std::size_t count, Handles handles);

/// The fewest ops that show the bug.
inline constexpr std::size_t kFewest = 5;

}  // namespace wddm::fuzz::toy
