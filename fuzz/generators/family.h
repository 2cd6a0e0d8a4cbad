// What makes a family: which ops, how often, how long the lists are, and how a scenario begins.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "fuzz/generators/generate.h"

namespace wddm::fuzz {

struct Share {
  OpKind kind;
  std::uint8_t weight;
};

/// How a scenario begins, drawn anew for each.
struct Opening {
  bool little_memory;             ///< the segments hold a few pages only
  bool any_setting;               ///< and one more setting of the driver, at times
  std::uint8_t allocations;       ///< at most
  std::uint8_t contexts;          ///< at most
  std::span<const OpKind> first;  ///< each of them at times
};

struct Plan {
  Family family;
  std::string_view name;
  std::uint8_t list_length;  ///< commands between render ops, in the mean
  Opening opening;
  std::span<const Share> shares;
};

[[nodiscard]] const Plan& plan_of(Family family);

}  // namespace wddm::fuzz
