// Minimizers of others on the toy, and how many executions they take.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "fuzz/bench/toy_machine.h"

namespace wddm::fuzz {

struct Effort {
  std::size_t ops = 0;
  std::size_t executions = 0;
  std::size_t executions_to_op_count = 0;  ///< 0: not known
};

using ToyTest = std::function<bool(std::span<const toy::Op>)>;

/// Zeller and Hildebrandt's ddmin over whole ops.
[[nodiscard]] Effort by_ddmin(std::vector<toy::Op> ops, const ToyTest& same);
/// rapidcheck's shrinking of a vector of structures, at most `most` executions.
[[nodiscard]] Effort by_rapidcheck(std::vector<toy::Op> ops, const ToyTest& same, std::size_t most);

/// Runs a shell command that minimizes the file $IN into $OUT with the toy as its target.
[[nodiscard]] Effort by_program(const std::string& command, std::span<const toy::Op> ops,
                                toy::Handles handles);

}  // namespace wddm::fuzz
