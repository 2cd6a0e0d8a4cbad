// Executions a second of the target of all scenarios under each engine, and what share that is of
// a target that does nothing, in the same run and on one core.
//
//     fuzz_rate_bench --help
//
// Without --driver it is the built-in one. Inputs have at most 32 ops and are mutated as the target
// wants it. libFuzzer is given a number of runs, or half a minute where that is less; AFL++ a time.
// As in a campaign what fires is written down and the target goes on; where the driver ends it, it
// is started again without that input, which costs more than most scenarios: so the number of
// starts stands beside the rate.
#include <sched.h>
#include <unistd.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "fuzz/generators/generate.h"
#include "fuzz/session/engine_process.h"
#include "fuzz/session/input_file.h"
#include "fuzz/session/target_environment.h"
#include "fuzz/session/work_folder.h"

namespace wddm::fuzz {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr std::size_t kOps = 32;
constexpr std::size_t kSeeds = 16;
constexpr const char* kSecondsOfAfl = "5";
constexpr double kMostSeconds = 30;
constexpr std::uint64_t kRunsOfEmpty = 2'000'000;

using Environment = std::vector<std::pair<std::string, std::string>>;

struct Chosen {
  int core = 0;
  std::uint64_t runs = 10'000;
  Environment environment = {};  // names the driver
};

struct Rate {
  double per_second = 0;
  unsigned starts = 1;
};

[[noreturn]] void give_up(const std::string& why) {
  std::fprintf(stderr, "fuzz_rate_bench: %s\n", why.c_str());
  std::exit(1);
}

void write_seeds(const fs::path& folder) {
  fs::create_directories(folder);
  for (std::size_t i = 0; i < kSeeds; ++i) {
    Random random(i);
    write_input(folder / std::to_string(i),
                encode(generate(Family::Everything, random, {.ops = kOps, .machine = {}})));
  }
}

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// Whether it came to its end by itself before that time.
bool wait_for(EngineProcess& engine, Clock::time_point start, double most_seconds) {
  while (!engine.has_ended()) {
    if (seconds_since(start) >= most_seconds) {
      engine.end();
      return false;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return true;
}

[[noreturn]] void failed(const EngineCommand& command) {
  give_up(command.arguments[0] + " failed, see " + command.log);
}

// Seconds that the process took; exits where it failed.
double run(const EngineCommand& command) {
  EngineProcess engine;
  const auto start = Clock::now();
  if (!engine.start(command)) failed(command);
  static_cast<void>(wait_for(engine, start, 100 * kMostSeconds));
  if (engine.status() != 0) failed(command);
  return seconds_since(start);
}

EngineCommand libfuzzer_command(const char* target, const fs::path& work, unsigned seed) {
  // Inputs by name, not a folder: what it finds stays in memory, for the disk is not measured here.
  std::string seeds = "-seed_inputs=";
  for (std::size_t i = 0; i < kSeeds; ++i) {
    seeds.append(i == 0 ? "" : ",").append(work / "seeds" / std::to_string(i));
  }
  EngineCommand command{.arguments = {target}, .environment = {}, .log = work / "libfuzzer.log"};
  for (const char* flag : kLibFuzzerFlags) command.arguments.emplace_back(flag);
  command.arguments.insert(command.arguments.end(),
                           {"-seed=" + std::to_string(seed), "-reduce_inputs=0",
                            "-artifact_prefix=" + (work / "ended-").string(),
                            "-max_len=" + std::to_string(kOps * sizeof(Op)), seeds});
  return command;
}

double rate_of_empty(const char* target, const fs::path& work) {
  EngineCommand command = libfuzzer_command(target, work, 1);
  command.arguments.push_back("-runs=" + std::to_string(kRunsOfEmpty));
  return static_cast<double>(kRunsOfEmpty) / run(command);
}

// Of the folder of a campaign, so that what fires does not end the target.
void join(const std::string& folder, unsigned worker, EngineCommand& command) {
  command.environment.emplace_back(kWorkFolderVariable, folder);
  command.environment.emplace_back(kWorkerVariable, std::to_string(worker));
}

Rate rate_of_target(const char* target, const Chosen& chosen, const fs::path& work) {
  const std::string folder = work / "campaign";
  std::string error;
  if (!WorkFolder::make(folder, error)) give_up(error);
  const WorkFolder campaign(folder);
  const MappedBoard board = campaign.board_of(0);
  if (board == nullptr) give_up(folder + ": no room for a board");
  EngineProcess engine;
  Rate rate;
  const auto start = Clock::now();
  for (;; ++rate.starts) {
    EngineCommand command = libfuzzer_command(target, work, rate.starts);
    command.environment = chosen.environment;
    join(folder, 0, command);
    command.environment.emplace_back(kRunsVariable, std::to_string(chosen.runs));
    if (!engine.start(command)) failed(command);
    const bool ended = wait_for(engine, start, kMostSeconds);
    const std::uint32_t size = board->running.exchange(0);
    if (ended && size == 0 && engine.status() != 0) failed(command);
    if (!ended || size == 0) break;
    const auto begin = board->input.begin();
    campaign.mark_fatal({begin, begin + std::min<std::size_t>(size, kMostInput)});
  }
  rate.per_second = static_cast<double>(board->executions) / seconds_since(start);
  return rate;
}

// What AFL++ itself counted and timed.
double rate_in_afl(const char* target, const char* mutators, const Environment& environment,
                   const fs::path& work) {
  const fs::path output = work / "afl";
  fs::remove_all(output);
  EngineCommand command{.arguments = {"afl-fuzz", "-V", kSecondsOfAfl, "-s", "1", "-G",
                                      std::to_string(kOps * sizeof(Op)), "-i", work / "seeds", "-o",
                                      output, "--", target},
                        .environment = {{"AFL_NO_UI", "1"},
                                        {"AFL_SKIP_CPUFREQ", "1"},
                                        {"AFL_NO_AFFINITY", "1"},
                                        {"AFL_I_DONT_CARE_ABOUT_MISSING_CRASHES", "1"}},
                        .log = work / "afl.log"};
  command.environment.insert(command.environment.end(), environment.begin(), environment.end());
  if (mutators != nullptr) {
    command.environment.emplace_back("AFL_CUSTOM_MUTATOR_LIBRARY", mutators);
    command.environment.emplace_back("AFL_CUSTOM_MUTATOR_ONLY", "1");
    join(work / "campaign", 1, command);
  }
  static_cast<void>(run(command));
  std::ifstream stats(output / "default" / "fuzzer_stats");
  for (std::string line; std::getline(stats, line);) {
    if (line.starts_with("execs_per_sec")) return std::atof(line.c_str() + line.find(':') + 1);
  }
  return 0;
}

void report(const char* engine, double ours, double empty, const std::string& starts) {
  std::printf("%-10s %12.0f %12.0f %8.3f %% %8s\n", engine, ours, empty, 100 * ours / empty,
              starts.c_str());
  std::fflush(stdout);
}

}  // namespace
}  // namespace wddm::fuzz

int main(int argc, char** argv) {
  using namespace wddm::fuzz;
  Chosen chosen;
  std::string driver, device, client, settings;
  CLI::App app("executions a second of the target of all scenarios, and of one that does nothing");
  app.add_option("--core", chosen.core, "the processor that all runs on")
      ->check(CLI::Range(0, CPU_SETSIZE - 1))
      ->capture_default_str();
  app.add_option("--runs", chosen.runs, "scenarios for libFuzzer")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  app.add_option("--driver", driver, "the driver; else the built-in one")->check(CLI::ExistingFile);
  app.add_option("--device", device, "model of its device")->check(CLI::ExistingFile);
  app.add_option("--client", client, "its user-mode side")->check(CLI::ExistingFile);
  app.add_option("--config", settings, "settings of its service key: NAME=VALUE[,NAME=VALUE]");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  for (const auto& [name, value] :
       {std::pair<const char*, const std::string&>{"WDDM_DRIVER", driver},
        {"WDDM_DEVICE", device},
        {"WDDM_CLIENT", client},
        {kSettingsVariable, settings}}) {
    if (!value.empty()) chosen.environment.emplace_back(name, value);
  }
  cpu_set_t core;
  CPU_ZERO(&core);
  CPU_SET(chosen.core, &core);
  if (sched_setaffinity(0, sizeof(core), &core) != 0) {
    std::fprintf(stderr, "fuzz_rate_bench: no such core\n");
    return 2;
  }
  const fs::path work = fs::temp_directory_path() / ("fuzz_rate_bench." + std::to_string(getpid()));
  write_seeds(work / "seeds");
  std::printf("%-10s %12s %12s %10s %8s\n", "engine", "target/s", "empty/s", "share", "starts");
  const Rate rate = rate_of_target(WDDM_LIBFUZZER_TARGET, chosen, work);
  report("libFuzzer", rate.per_second, rate_of_empty(WDDM_LIBFUZZER_EMPTY, work),
         std::to_string(rate.starts));
#ifdef WDDM_AFL_TARGET
  report("AFL++", rate_in_afl(WDDM_AFL_TARGET, WDDM_AFL_MUTATORS, chosen.environment, work),
         rate_in_afl(WDDM_AFL_EMPTY, nullptr, {}, work), "");
#endif
  fs::remove_all(work);
}
