// Scenarios that a distilled corpus is chosen from, and what each came to on the built-in driver.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "conformance/harness/judge/result.h"
#include "fuzz/generators/generate.h"

namespace wddm::fuzz {

struct Candidate {
  std::string family;  ///< or the name of a file
  std::uint64_t seed = 0;
  std::uint32_t configuration = 0;
  std::optional<bool> gpu_virtual = std::nullopt;  ///< what it is made for; none: a run tells
  std::shared_ptr<const Scenario> scenario;  ///< without settings; its name is new to a corpus
};

/// `count` scenarios of each family in each configuration where it means something. What they are
/// made for is known by `gpu_virtual` of each configuration. Equal seeds give equal ones.
[[nodiscard]] std::vector<Candidate> invent_candidates(
    std::span<const harness::Configuration> configurations, const std::vector<bool>& gpu_virtual,
    std::uint32_t count, std::uint64_t seed);

struct Played {
  bool done = false;         ///< false: stopped before
  bool gpu_virtual = false;  ///< whom it is for
  std::uint32_t events = 0;
  std::uint64_t trace = 0;              ///< digest of it
  std::string wrong;                    ///< what fired, or how it ended; empty if all is well
  std::vector<std::uint32_t> features;  ///< ascending, see features_of()
};

struct PlayOptions {
  unsigned jobs = 1;
  double timeout_seconds = 10;  ///< of CPU, for one
  const std::atomic<bool>* stop = nullptr;
};

/// Plays those candidates in this order, many to a process. host::load() has loaded the driver.
/// Results are in the order of `which`.
[[nodiscard]] std::vector<Played> play(std::span<const Candidate> candidates,
                                       std::span<const std::size_t> which,
                                       std::span<const harness::Configuration> configurations,
                                       const PlayOptions& options);

/// What a run came to, as numbers that equal things share: clauses reached in its configuration and
/// how often; for its addressing, events by op and by what they tell, and what the driver was
/// called for behind which event.
[[nodiscard]] std::vector<std::uint32_t> features_of(const Trace& trace, const Scenario& scenario,
                                                     const harness::Judged& judged,
                                                     std::uint32_t configuration, bool gpu_virtual);
/// The clause that such a feature says was reached; null for others.
[[nodiscard]] const Rule* clause_of(std::uint32_t feature);
/// What a feature is worth: clauses more than events.
[[nodiscard]] std::uint32_t worth_of(std::uint32_t feature);

}  // namespace wddm::fuzz
