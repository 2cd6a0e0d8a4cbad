#include "fuzz/session/engine_command.h"

#include <fmt/format.h>

#include <cmath>
#include <filesystem>

#include "fuzz/random/random.h"
#include "fuzz/session/target_environment.h"

namespace wddm::fuzz {
namespace {

// Campaigns with neighbouring seeds have no worker in common, and a worker that is started again
// goes on with another seed, or it would end the same way again. Both engines take 31 bits and no
// zero.
std::uint64_t seed_of(const CampaignOptions& options, const WorkerStart& start) {
  std::uint64_t seed = options.seed;
  for (const std::uint64_t part : {std::uint64_t{start.worker}, start.executions}) {
    seed = Random(seed).next() + part;
  }
  return Random(seed).next() % 0x7fffffff + 1;
}

EngineCommand libfuzzer_command(const CampaignOptions& options, const std::string& work,
                                const WorkerStart& start) {
  EngineCommand command;
  command.arguments = {options.program, options.corpus, work + "/seeds",
                       fmt::format("-seed={}", seed_of(options, start)),
                       // Nobody reads what it keeps there: what ended a worker stands on its board.
                       fmt::format("-artifact_prefix={}/", work),
                       fmt::format("-timeout={:.0f}", std::ceil(options.timeout_seconds)),
                       "-reload=10", "-rss_limit_mb=4096"};
  if (start.seconds_left > 0) {
    command.arguments.push_back(
        fmt::format("-max_total_time={:.0f}", std::ceil(std::max(1.0, start.seconds_left))));
  }
  command.arguments.insert(command.arguments.end(), std::begin(kLibFuzzerFlags),
                           std::end(kLibFuzzerFlags));
  return command;
}

EngineCommand afl_command(const CampaignOptions& options, const std::string& work,
                          const WorkerStart& start) {
  EngineCommand command;
  command.arguments = {"afl-fuzz",
                       "-i",
                       work + "/seeds",
                       "-o",
                       work + "/afl",
                       "-t",
                       fmt::format("{}", static_cast<int>(options.timeout_seconds * 1000)),
                       start.worker == 0 ? "-M" : "-S",
                       fmt::format("worker{}", start.worker),
                       "-s",
                       std::to_string(seed_of(options, start)),
                       "--",
                       options.program};
  command.environment = {{"AFL_NO_UI", "1"},
                         {"AFL_SKIP_CPUFREQ", "1"},
                         {"AFL_AUTORESUME", "1"},
                         {"AFL_NO_AFFINITY", "1"},
                         {"AFL_I_DONT_CARE_ABOUT_MISSING_CRASHES", "1"},
                         {"AFL_CUSTOM_MUTATOR_LIBRARY", options.mutators},
                         {"AFL_CUSTOM_MUTATOR_ONLY", "1"}};
  return command;
}

}  // namespace

std::uint64_t runs_of(const CampaignOptions& options, unsigned worker) {
  const std::uint64_t share = options.runs / options.jobs;
  return share + (worker < options.runs % options.jobs ? 1 : 0);
}

EngineCommand engine_command(const CampaignOptions& options, const std::string& work,
                             const WorkerStart& start) {
  EngineCommand command = options.engine == Engine::Afl ? afl_command(options, work, start)
                                                        : libfuzzer_command(options, work, start);
  command.log = fmt::format("{}/log.{}", work, start.worker);
  command.environment.insert(command.environment.end(), options.environment.begin(),
                             options.environment.end());
  command.environment.emplace_back(kWorkFolderVariable, std::filesystem::absolute(work));
  command.environment.emplace_back(kWorkerVariable, std::to_string(start.worker));
  if (options.runs != 0) {
    command.environment.emplace_back(kRunsVariable, std::to_string(runs_of(options, start.worker)));
  }
  return command;
}

}  // namespace wddm::fuzz
