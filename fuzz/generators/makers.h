// How the fields of an op are drawn where their shapes alone do not tell, and when it is drawn more
// often than its weight says: one row for a kind.
#pragma once

#include <span>

#include "fuzz/generators/state_model.h"
#include "fuzz/random/random.h"
#include "reference/trace/op.h"

namespace wddm::fuzz {

struct Maker {
  OpKind kind;
  /// `op` holds its defaults. Null: the shapes of its fields tell all.
  void (*make)(Op& op, const StateModel& state, Random& random);
  /// What its weight is multiplied with. Null: 1 in every state.
  std::uint32_t (*urgency)(const StateModel& state) = nullptr;
  /// Drivers with patch lists keep to the shapes: what their seeds mean stays as it is.
  bool only_gpu_virtual = false;
};

/// Render and the commands of its list, honest and hostile.
[[nodiscard]] std::span<const Maker> rendering_makers();
/// Addresses, page tables and processes, for drivers with GPU virtual addresses.
[[nodiscard]] std::span<const Maker> address_makers();
/// All others that have one.
[[nodiscard]] std::span<const Maker> other_makers();

}  // namespace wddm::fuzz
