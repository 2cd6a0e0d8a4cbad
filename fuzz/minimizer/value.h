// Ids and plain values, as every language that is minimized tells of them.
#pragma once

#include <compare>
#include <cstdint>

namespace wddm::fuzz {

/// A number that names something. Only numbers of the same space name the same things.
struct Id {
  std::uint32_t space = 0;
  std::uint32_t number = 0;
  friend auto operator<=>(const Id&, const Id&) = default;
};

/// A number that means itself.
struct Value {
  std::uint64_t now = 0;
  std::uint64_t fallback = 0;  ///< the plainest
  std::uint64_t lowest = 0;
  std::uint32_t meaning = 0;  ///< equal values of equal meaning may have to change together
};

}  // namespace wddm::fuzz
