// What the minimizer has to know of scenarios: which op needs which, what the ids are, and which
// values are plain.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "fuzz/minimizer/value.h"
#include "reference/trace/op.h"

namespace wddm::fuzz {

class ScenarioLanguage {
 public:
  using Op = wddm::Op;
  using Ops = std::vector<Op>;

  /// Canonical, without the ops that are none.
  [[nodiscard]] static Ops normalised(std::span<const Op> ops);
  [[nodiscard]] static std::uint64_t hash(std::span<const Op> ops);

  /// The ops without those in `gone` and all that names what they create or belongs to them.
  [[nodiscard]] static Ops without(std::span<const Op> ops, std::vector<bool> gone);
  /// Other ways to leave out one op, plainest first: its dependents stay.
  [[nodiscard]] static std::vector<Ops> without_alone(std::span<const Op> ops, std::size_t one);

  /// Ids in order of first appearance.
  [[nodiscard]] static std::vector<Id> ids(std::span<const Op> ops);
  /// The lowest number that an id of a space may be given.
  [[nodiscard]] static std::uint32_t lowest_id(std::uint32_t space);
  [[nodiscard]] static Ops renamed(std::span<const Op> ops, const std::map<Id, std::uint32_t>& to);

  /// Values that mean themselves: every field that is no id.
  [[nodiscard]] static std::vector<Value> values(const Op& op);
  static void set_value(Op& op, std::size_t index, std::uint64_t value);
};

}  // namespace wddm::fuzz
