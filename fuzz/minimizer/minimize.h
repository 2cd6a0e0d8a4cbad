// Makes a scenario as short and plain as it can be while it still shows the same thing.
//
// What "the same" is, only the caller knows: a test says of a candidate whether it still does. This
// folder knows nothing of drivers and verdicts.
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <limits>
#include <span>
#include <vector>

#include "reference/trace/op.h"

namespace wddm::fuzz {

struct MinimizeProgress {
  std::size_t ops = 0;         ///< of the best so far
  std::size_t executions = 0;  ///< of the test
  const char* pass = "";       ///< what is being tried, in a word or two
};

struct MinimizeOptions {
  /// Called after each execution. May be empty.
  std::function<void(const MinimizeProgress&)> progress;
  /// When it becomes true, the best so far is the result. May be null.
  const std::atomic<bool>* stop = nullptr;
  /// Executions after which the best so far is the result.
  std::size_t most_executions = std::numeric_limits<std::size_t>::max();
};

template <class Op>
struct Minimized {
  bool reproduced = false;  ///< the input itself passes the test; otherwise nothing was tried
  bool finished = false;    ///< a whole round changed nothing: it was neither stopped nor cut off
  std::vector<Op> ops;      ///< the input in canonical form, or something smaller
  std::size_t executions = 0;
  std::size_t executions_to_op_count = 0;  ///< until no further op went
};

/// Whether a candidate still shows it. Must answer alike for equal candidates.
using ScenarioTest = std::function<bool(std::span<const Op>)>;

[[nodiscard]] Minimized<Op> minimize_scenario(std::span<const Op> ops, const ScenarioTest& same,
                                              const MinimizeOptions& options = {});

}  // namespace wddm::fuzz
