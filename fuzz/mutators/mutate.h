// Scenarios made from scenarios: what an engine does with an input that showed something new.
//
// Everything is done op by op, so that what comes out means something too. Equal arguments and
// random numbers give equal results.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "fuzz/generators/generate.h"

namespace wddm::fuzz {

/// The scenario after one to eight changes in a row, canonical, of at most `most_ops` ops. Ops that
/// are added come from `family`, mostly. Equal to the input only if nothing else is to be had
/// (`most_ops` 0).
[[nodiscard]] std::vector<Op> mutate(std::span<const Op> ops, Family family, Random& random,
                                     std::size_t most_ops);

/// The beginning of one scenario and the end of another. Now and then the objects of the second
/// keep out of the way of the first.
[[nodiscard]] std::vector<Op> cross(std::span<const Op> one, std::span<const Op> other,
                                    Random& random, std::size_t most_ops);

}  // namespace wddm::fuzz
