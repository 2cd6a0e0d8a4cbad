// Scenarios that differ in one number: which allocation or which call of a callback fails during
// an op, or how much less than it needs a driver is offered. No seed: what random scenarios meet
// by chance, these meet one after the other.
//
// Failures go from the first on, until so many in a row came to what an undisturbed run comes to
// (FailureSweep::patience): how many there are is the driver's business. Sizes are fixed distances
// from what is needed. Left out: what only other settings of a driver make it do.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "fuzz/generators/scenario_machine.h"
#include "reference/trace/op.h"

namespace wddm::fuzz {

/// Of one op that calls the driver.
struct FailureSweep {
  std::string name;     ///< "fail_pool-evict"
  std::vector<Op> ops;  ///< with a failure that does not come
  std::size_t failure = 0;
  /// So many failures in a row that change nothing are the end.
  std::uint32_t patience = 1;
};
/// No op is swept further.
inline constexpr std::uint32_t kMostFailures = 40;

/// Those of one op stand together, and are the same scenario as long as nothing fails.
[[nodiscard]] std::vector<std::vector<FailureSweep>> failure_sweeps(const Machine& machine);
/// In which the k-th fails; 0: none.
[[nodiscard]] Scenario failing(const FailureSweep& sweep, std::uint32_t kth);

/// Sizes of DMA buffers, patch lists and paging buffers, from what is needed down.
[[nodiscard]] std::vector<Scenario> short_of_need(const Machine& machine);

}  // namespace wddm::fuzz
