// The toy's shape in ops of a scenario: what a driver might get wrong after six of them.
//
// The bug: a fill of two pages or more in slot S, after S was bound to an allocation that has been
// moved, in a context of node 1 or more. Needed: create_allocation (of 2 pages), create_context,
// move, render, bind, fill.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "reference/trace/op.h"

namespace wddm::fuzz {

[[nodiscard]] bool puzzle_shows(std::span<const Op> ops);
[[nodiscard]] std::vector<Op> failing_puzzle(std::uint64_t seed, std::size_t count);
/// What every minimization must come to, in some order.
[[nodiscard]] std::vector<Op> solved_puzzle();

}  // namespace wddm::fuzz
