// What `run` plays beside the scenarios of clauses.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "conformance/harness/suite/corpus.h"
#include "conformance/runner/options.h"

namespace wddm::runner {

/// Scenarios that `run --depth thorough` makes from a seed.
inline constexpr std::uint32_t kThoroughScenarios = 2000;

/// False with one line in `error` if the corpus that belongs to this program is not there.
[[nodiscard]] bool read_corpus_of(Depth depth, std::vector<harness::CorpusScenario>& corpus,
                                  std::string& error);

/// With what is made for `thorough`. `records` are those of clauses: they tell what the driver is.
[[nodiscard]] std::vector<harness::RunSpec> plan_of_corpus(
    const Options& options, std::vector<harness::CorpusScenario> corpus,
    std::span<const harness::Configuration> configurations,
    std::span<const harness::RunRecord> records);

/// Events of all traces after which no more of it is played: ten times what the built-in driver
/// makes.
[[nodiscard]] std::uint64_t most_events_of_corpus(Depth depth);

/// Why none of it is worth to be played on this driver; empty if it is.
[[nodiscard]] std::string why_no_corpus(std::span<const harness::RunRecord> records);

}  // namespace wddm::runner
