// How long a fuzzer takes to find a seeded fault or a mutant: a target with it in place, from an
// empty corpus, until the clause of the fault fails or anything speaks against the mutant, or the
// budget is spent.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "conformance/rules/rule.h"

namespace wddm::fuzz {

struct Hunt {
  const Rule* rule = nullptr;  ///< whose fault it is; null: a mutant
  unsigned mutant = 0;         ///< its number in the images of the driver
  std::string settings = {};   ///< of scenarios for the mutant, as --config takes them
  std::uint64_t seed = 1;
  bool raw = false;
  bool ended = false;                            ///< result: it was not stopped before its end
  std::optional<std::uint64_t> executions = {};  ///< result: until found
  std::vector<std::uint8_t> input = {};          ///< result: that found it
};

struct HuntOptions {
  std::string program;                                           ///< a libFuzzer target
  std::string folder;                                            ///< for work; made and removed
  std::vector<std::pair<std::string, std::string>> environment;  ///< names the driver
  std::uint64_t budget = 10'000;                                 ///< executions
  unsigned jobs = 1;
  bool configured = true;  ///< the driver is the built-in one, and has the rules' configurations
  std::function<void(const Hunt&)> ended;  ///< may be null
};

/// Fills in the results. False with one line in `error` if the work folder cannot be made.
[[nodiscard]] bool hunt(std::vector<Hunt>& hunts, const HuntOptions& options,
                        const std::atomic<bool>& stop, std::string& error);

/// The median of several hunts for one fault; one that was not found counts as endless, and an
/// endless median is none.
[[nodiscard]] std::optional<std::uint64_t> median(std::vector<std::optional<std::uint64_t>> all);

}  // namespace wddm::fuzz
