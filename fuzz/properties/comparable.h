// Scenarios whose memory can be told without an oracle: the same work gives the same bytes.
//
// Made by the generators and rid of what makes contents a matter of chance or of time: failures,
// hostile user mode, places given by number instead of by allocation, discarded contents, work that
// waits for other work, and starts and stops.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "fuzz/random/random.h"
#include "reference/trace/op.h"

namespace wddm::fuzz {

[[nodiscard]] bool is_comparable(OpKind kind);

/// Of any family that has something left to compare.
[[nodiscard]] std::vector<Op> comparable_scenario(Random& random);

/// The ops with more of `kinds` between them, each fitting the state it comes to. Lists of commands
/// stay whole.
[[nodiscard]] std::vector<Op> sprinkle(std::span<const Op> ops, std::span<const OpKind> kinds,
                                       Random& random);

}  // namespace wddm::fuzz
