// Other scenarios out of known ones, op by op: what a fuzzer does between two runs.
//
// Results are canonical, affordable and never longer than `most_ops`; changed ones differ from
// their input wherever that is possible. Equal seeds give equal results. What is added fits
// `machine`.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "fuzz/generators/generate.h"
#include "fuzz/random/random.h"
#include "reference/trace/op.h"

namespace wddm::fuzz {

/// A scenario from nothing, mostly of `family`; Everything stands for all of them.
[[nodiscard]] std::vector<Op> invent(Family family, Random& random, std::size_t most_ops,
                                     const Machine& machine = {});

/// One to eight small changes; what is added is of `family`, mostly.
[[nodiscard]] std::vector<Op> mutate(std::span<const Op> ops, Family family, Random& random,
                                     std::size_t most_ops, const Machine& machine = {});

/// The beginning of one scenario and the end of another, or one inside the other; slots that both
/// create are at times renamed in the second.
[[nodiscard]] std::vector<Op> cross(std::span<const Op> first, std::span<const Op> second,
                                    Random& random, std::size_t most_ops);

}  // namespace wddm::fuzz
