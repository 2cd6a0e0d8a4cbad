// Command lines of the engines, as a campaign runs them.
#pragma once

#include <cstdint>

#include "fuzz/session/campaign_options.h"
#include "fuzz/session/engine_process.h"

namespace wddm::fuzz {

/// A worker that is about to start, perhaps again.
struct WorkerStart {
  unsigned worker = 0;
  std::uint64_t executions = 0;  ///< so far
  double seconds_left = 0;       ///< 0: no limit
};

/// How many of `options.runs` are a worker's.
[[nodiscard]] std::uint64_t runs_of(const CampaignOptions& options, unsigned worker);

/// `work` is the folder of the campaign: seeds/, afl/ and the logs are there.
[[nodiscard]] EngineCommand engine_command(const CampaignOptions& options, const std::string& work,
                                           const WorkerStart& start);

}  // namespace wddm::fuzz
