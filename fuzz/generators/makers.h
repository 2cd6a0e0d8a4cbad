// How the fields of an op are drawn where their shapes alone do not tell: one function for a kind.
#pragma once

#include <span>

#include "fuzz/generators/state_model.h"
#include "fuzz/random/random.h"
#include "reference/trace/op.h"

namespace wddm::fuzz {

struct Maker {
  OpKind kind;
  void (*make)(Op& op, const StateModel& state, Random& random);  ///< `op` holds its defaults
};

/// Render and the commands of its list, honest and hostile.
[[nodiscard]] std::span<const Maker> rendering_makers();
/// All others that have one.
[[nodiscard]] std::span<const Maker> other_makers();

}  // namespace wddm::fuzz
