// Executions a second of the target of all scenarios under each engine, and what share that is of
// a target that does nothing, in the same run and on one core.
//
//     fuzz_rate_bench [core]
//
// Inputs have at most 32 ops and are mutated as the target wants it. libFuzzer is given a number of
// runs, AFL++ a time.
#include <sched.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "fuzz/generators/generate.h"
#include "fuzz/session/engine_process.h"
#include "fuzz/session/input_file.h"

namespace wddm::fuzz {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr std::size_t kOps = 32;
constexpr std::size_t kSeeds = 16;
constexpr const char* kSecondsOfAfl = "5";

void write_seeds(const fs::path& folder) {
  fs::create_directories(folder);
  for (std::size_t i = 0; i < kSeeds; ++i) {
    Random random(i);
    write_input(folder / std::to_string(i),
                encode(generate(Family::Everything, random, {.ops = kOps, .machine = {}})));
  }
}

// Seconds that the process took; exits where it failed.
double run(const EngineCommand& command) {
  EngineProcess engine;
  const auto start = Clock::now();
  bool started = engine.start(command);
  while (started && !engine.has_ended()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  if (started && engine.status() == 0) {
    return std::chrono::duration<double>(Clock::now() - start).count();
  }
  std::fprintf(stderr, "fuzz_rate_bench: %s failed, see %s\n", command.arguments[0].c_str(),
               command.log.c_str());
  std::exit(1);
}

double rate_in_libfuzzer(const char* target, std::uint64_t runs, const fs::path& work) {
  // Inputs by name, not a folder: what it finds stays in memory, for the disk is not measured here.
  std::string seeds = "-seed_inputs=";
  for (std::size_t i = 0; i < kSeeds; ++i) {
    seeds.append(i == 0 ? "" : ",").append(work / "seeds" / std::to_string(i));
  }
  EngineCommand command{.arguments = {target}, .environment = {}, .log = work / "libfuzzer.log"};
  for (const char* flag : kLibFuzzerFlags) command.arguments.emplace_back(flag);
  command.arguments.insert(command.arguments.end(),
                           {"-runs=" + std::to_string(runs), "-seed=1", "-reduce_inputs=0",
                            "-max_len=" + std::to_string(kOps * sizeof(Op)), seeds});
  return static_cast<double>(runs) / run(command);
}

// What AFL++ itself counted and timed.
double rate_in_afl(const char* target, const char* mutators, const fs::path& work) {
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
  if (mutators != nullptr) {
    command.environment.emplace_back("AFL_CUSTOM_MUTATOR_LIBRARY", mutators);
    command.environment.emplace_back("AFL_CUSTOM_MUTATOR_ONLY", "1");
  }
  static_cast<void>(run(command));
  std::ifstream stats(output / "default" / "fuzzer_stats");
  for (std::string line; std::getline(stats, line);) {
    if (line.starts_with("execs_per_sec")) return std::atof(line.c_str() + line.find(':') + 1);
  }
  return 0;
}

void report(const char* engine, double ours, double empty) {
  std::printf("%-10s %12.0f %12.0f %8.3f %%\n", engine, ours, empty, 100 * ours / empty);
  std::fflush(stdout);
}

}  // namespace
}  // namespace wddm::fuzz

int main(int argc, char** argv) {
  using namespace wddm::fuzz;
  cpu_set_t core;
  CPU_ZERO(&core);
  CPU_SET(argc > 1 ? std::atoi(argv[1]) : 0, &core);
  if (sched_setaffinity(0, sizeof(core), &core) != 0) {
    std::fprintf(stderr, "fuzz_rate_bench: no such core\n");
    return 2;
  }
  const fs::path work = fs::temp_directory_path() / ("fuzz_rate_bench." + std::to_string(getpid()));
  write_seeds(work / "seeds");
  std::printf("%-10s %12s %12s %10s\n", "engine", "target/s", "empty/s", "share");
  report("libFuzzer", rate_in_libfuzzer(WDDM_LIBFUZZER_TARGET, 10'000, work),
         rate_in_libfuzzer(WDDM_LIBFUZZER_EMPTY, 2'000'000, work));
#ifdef WDDM_AFL_TARGET
  report("AFL++", rate_in_afl(WDDM_AFL_TARGET, WDDM_AFL_MUTATORS, work),
         rate_in_afl(WDDM_AFL_EMPTY, nullptr, work));
#endif
  fs::remove_all(work);
}
