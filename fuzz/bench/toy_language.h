// The toy in the minimizer's terms; one language for each kind of handle.
#pragma once

#include <map>
#include <span>
#include <vector>

#include "fuzz/bench/toy_machine.h"
#include "fuzz/minimizer/value.h"

namespace wddm::fuzz::toy {

template <Handles handles>
struct Language {
  using Op = toy::Op;
  using Ops = std::vector<Op>;

  static Ops normalised(std::span<const Op> ops);
  static std::uint64_t hash(std::span<const Op> ops);
  static Ops without(std::span<const Op> ops, std::vector<bool> gone);
  static std::vector<Ops> without_alone(std::span<const Op> ops, std::size_t one);
  static std::vector<Id> ids(std::span<const Op> ops);
  static std::uint32_t lowest_id(std::uint32_t) { return 0; }
  static Ops renamed(std::span<const Op> ops, const std::map<Id, std::uint32_t>& to);
  static std::vector<Value> values(const Op& op);
  static void set_value(Op& op, std::size_t index, std::uint64_t value);
};

extern template struct Language<Handles::Explicit>;
extern template struct Language<Handles::Ordinal>;

}  // namespace wddm::fuzz::toy
