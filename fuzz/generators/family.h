// What makes a family besides the weights of op.def: how long the lists are, and how a scenario
// begins.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "fuzz/generators/generate.h"

namespace wddm::fuzz {

/// How a scenario begins, drawn anew for each.
struct Opening {
  bool little_memory;             ///< the segments hold a few pages only
  bool any_setting;               ///< and one more setting of the driver, at times
  std::uint8_t allocations;       ///< at most
  std::uint8_t contexts;          ///< at most
  std::uint8_t unaware;           ///< one in so many is for a driver that is not PreemptionAware
  std::span<const OpKind> first;  ///< each of them at times
};

struct Plan {
  Family family;
  std::string_view name;
  OpKind core;               ///< what it is about: never left out of a scenario's ops
  std::uint8_t list_length;  ///< commands between render ops, in the mean
  Opening opening;
};

[[nodiscard]] const Plan& plan_of(Family family);

/// How often the family draws an op; 0: never.
[[nodiscard]] inline std::uint32_t weight_in(Family family, const OpInfo& op) {
  return op.weights[static_cast<std::size_t>(family)];
}

}  // namespace wddm::fuzz
