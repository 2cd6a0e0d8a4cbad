// Out of many inputs, few that reach the same: libFuzzer's merge of the target that counts the
// driver's coverage and the features of the model (features.h), among them which clauses had
// something to judge.
#pragma once

#include <atomic>
#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace wddm::fuzz {

struct MergeOptions {
  std::string program;                                           ///< a libFuzzer target
  std::string folder;                                            ///< for work; made and removed
  std::vector<std::pair<std::string, std::string>> environment;  ///< names the driver
  double timeout_seconds = 10;                                   ///< wall clock of one input
};

struct Merged {
  std::vector<std::size_t> kept;   ///< which inputs, ascending
  std::vector<std::size_t> fatal;  ///< those that ended the process: they cannot be merged
  std::set<std::string> buckets;   ///< what failed on the way
  unsigned clauses = 0;            ///< that had something to judge
};

/// False with one line in `error` if the engine could not do its work or was stopped. O(inputs)
/// executions.
[[nodiscard]] bool merge(std::span<const std::vector<std::uint8_t>> inputs,
                         const MergeOptions& options, const std::atomic<bool>& stop, Merged& merged,
                         std::string& error);

/// Inputs that a control file of libFuzzer says were begun and not ended, and how many it has gone
/// through. Their files are called by their numbers.
struct MergeLog {
  std::vector<std::size_t> fatal;
  std::size_t begun = 0;
};
[[nodiscard]] MergeLog read_merge_log(const std::string& control);

}  // namespace wddm::fuzz
