// Scenarios from a seed: what a fuzzer begins with when it has nothing, and all it needs.
//
// A generator walks a StateModel along and asks it which op would matter next. Equal seeds give
// equal scenarios, everywhere.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "fuzz/generators/state_model.h"
#include "fuzz/random/random.h"
#include "reference/trace/op.h"

namespace wddm::fuzz {

using wddm::Family;

/// "patch_lists", ...
[[nodiscard]] std::string_view family_name(Family family);
[[nodiscard]] std::span<const Family> families();
/// Those that mean something to a driver of this kind; what matters most to it stands there more
/// than once.
[[nodiscard]] std::span<const Family> families_for(const Machine& machine);

struct GeneratorOptions {
  std::size_t ops = 32;
  Machine machine;
};

/// The length is exactly `options.ops`.
[[nodiscard]] std::vector<Op> generate(Family family, Random& random,
                                       const GeneratorOptions& options = {});

/// Appends `count` ops of a family that fit what `ops` has come to.
void continue_with(Family family, std::size_t count, Random& random, const Machine& machine,
                   std::vector<Op>& ops);

}  // namespace wddm::fuzz
