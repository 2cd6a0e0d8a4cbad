#include "fuzz/session/campaign.h"

#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include <algorithm>
#include <bit>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <thread>

#include "conformance/harness/reproducer.h"
#include "fuzz/minimizer/minimize.h"
#include "fuzz/session/bucket.h"
#include "fuzz/session/input_file.h"
#include "reference/fnv1a.h"

namespace wddm::fuzz {
namespace fs = std::filesystem;
namespace {

constexpr int kConfirmations = 3;
constexpr unsigned kVainStarts = 3;
constexpr std::size_t kMostMinimizing = 1000;    // executions for one finding
constexpr std::size_t kMostMinimizingSlow = 20;  // where each lasts until the wall clock ends it
constexpr auto kTurn = std::chrono::milliseconds(100);
constexpr double kLeastOvertime = 10;  // seconds

harness::IsolatorOptions isolation_of(const CampaignOptions& options) {
  harness::IsolatorOptions isolation;
  isolation.timeout_seconds = options.timeout_seconds;
  return isolation;
}

// What the workers of AFL++ keep in folders of this name. The queue is large, and is not looked at
// for the sake of the others.
std::vector<fs::path> inputs_of_afl(const fs::path& work, const char* folder) {
  std::vector<fs::path> files;
  std::error_code code;
  std::set<fs::path> workers;
  for (const auto& entry : fs::directory_iterator(work / "afl", code)) workers.insert(entry.path());
  for (const fs::path& worker : workers) {
    for (const fs::path& file : inputs_below(worker / folder)) {
      if (file.filename().string().rfind("id:", 0) == 0) files.push_back(file);
    }
  }
  return files;
}

}  // namespace

Campaign::Campaign(CampaignOptions options, CampaignHooks hooks)
    : options_(std::move(options)),
      hooks_(std::move(hooks)),
      folder_(options_.output + "/work"),
      isolator_(isolation_of(options_)) {}

bool Campaign::prepare(std::string& error) {
  if (!claim_.claim(folder_.path(), error)) return false;
  for (const std::string& folder : {folder_.path() + "/found", options_.corpus}) {
    std::error_code code;
    fs::create_directories(folder, code);
    if (!code) continue;
    error = fmt::format("{}: cannot be created: {}", folder, code.message());
    return false;
  }
  return prepare_seeds(error);
}

bool Campaign::run(const std::atomic<bool>& stop, std::string& error) {
  begun_ = std::chrono::steady_clock::now();
  for (unsigned i = 0; i < options_.jobs; ++i) {
    workers_.push_back(std::make_unique<Worker>());
    if (!start(i, error)) return false;
  }
  bool all_done = false;
  while (!all_done && !stop.load()) {
    std::this_thread::sleep_for(kTurn);
    all_done = true;
    for (unsigned i = 0; i < workers_.size(); ++i) {
      if (!keep_going(i, stop, error)) return false;
      all_done = all_done && workers_[i]->done;
    }
    collect(stop);
    measure();
    if (hooks_.progress) hooks_.progress(progress_);
    if (options_.seconds > 0 && passed() >= options_.seconds) break;
  }
  for (const auto& worker : workers_) worker->process.end();
  collect(stop);
  measure();
  if (options_.engine == Engine::Afl) keep_queue_of_afl();
  return true;
}

double Campaign::passed() const {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begun_).count();
}

// Engines read bytes; people write YAML. AFL++ wants one input at least, and reads its first ones
// from one folder only, where libFuzzer reads the corpus itself.
bool Campaign::prepare_seeds(std::string& error) {
  const std::string folder = folder_.path() + "/seeds";
  std::error_code code;
  fs::create_directories(folder, code);
  std::size_t number = 0;
  const auto add = [&](std::span<const Op> ops) {
    write_input(fmt::format("{}/{}", folder, number++), encode(ops));
  };
  add(std::vector<Op>{{.kind = OpKind::Start}});
  std::vector<std::string> folders = options_.seeds;
  folders.push_back(options_.corpus);
  for (const std::string& from : folders) {
    const bool read_by_engine = from == options_.corpus && options_.engine == Engine::LibFuzzer;
    for (const fs::path& file : inputs_below(from)) {
      harness::Reproducer seed;
      if (!read_reproducer(file.string(), seed, error)) return false;
      if (!read_by_engine || seed.form == harness::ScenarioForm::Yaml) add(seed.scenario.ops);
    }
  }
  return true;
}

// Under names that equal inputs share.
void Campaign::keep_queue_of_afl() const {
  for (const fs::path& file : inputs_of_afl(folder_.path(), "queue")) {
    const std::vector<std::uint8_t> input = read_input(file);
    write_input(fmt::format("{}/{:016x}", options_.corpus, fnv1a(input)), input);
  }
}

std::uint64_t Campaign::runs_of(unsigned worker) const {
  const std::uint64_t share = options_.runs / options_.jobs;
  return share + (worker < options_.runs % options_.jobs ? 1 : 0);
}

bool Campaign::start(unsigned index, std::string& error) {
  Worker& worker = *workers_[index];
  if (worker.board == nullptr) worker.board = folder_.board_of(index);
  if (worker.board == nullptr) {
    error = folder_.path() + ": no room for boards";
    return false;
  }
  // Inputs are confirmed in processes forked from this one: none of our counts is theirs to reach.
  ::madvise(worker.board, sizeof(WorkerBoard), MADV_DONTFORK);
  worker.begun_at = worker.board->executions;
  if (worker.process.start(command_of(index))) return true;
  error = "the system gave us no process";
  return false;
}

// A worker that ends in the middle of an input was ended by the driver, whatever its exit code
// says.
bool Campaign::keep_going(unsigned index, const std::atomic<bool>& stop, std::string& error) {
  Worker& worker = *workers_[index];
  if (worker.done || !worker.process.has_ended()) return true;
  if (const std::uint32_t size = worker.board->running.exchange(0); size != 0) {
    const auto begin = worker.board->input.begin();
    take("", {begin, begin + std::min<std::size_t>(size, kMostInput)}, stop);
  } else if (WIFEXITED(worker.process.status()) && WEXITSTATUS(worker.process.status()) == 0) {
    worker.done = true;
    return true;
  }
  const std::uint64_t executions = worker.board->executions;
  worker.vain_starts = executions == worker.begun_at ? worker.vain_starts + 1 : 0;
  if (worker.vain_starts == kVainStarts) {
    // A driver that ends every process is a finding, not a target that does not run.
    worker.done = !taken_.empty();
    if (worker.done) return true;
    error = fmt::format("{} does not run: see {}/log.{}", options_.program, folder_.path(), index);
    return false;
  }
  worker.done = options_.runs != 0 && executions >= runs_of(index);
  return worker.done || start(index, error);
}

EngineCommand Campaign::command_of(unsigned worker) const {
  EngineCommand command =
      options_.engine == Engine::Afl ? afl_command(worker) : libfuzzer_command(worker);
  command.log = fmt::format("{}/log.{}", folder_.path(), worker);
  command.environment.insert(command.environment.end(), options_.environment.begin(),
                             options_.environment.end());
  command.environment.emplace_back(kWorkFolderVariable, fs::absolute(folder_.path()));
  command.environment.emplace_back(kWorkerVariable, std::to_string(worker));
  return command;
}

EngineCommand Campaign::libfuzzer_command(unsigned worker) const {
  const std::uint64_t executions = workers_[worker]->board->executions;
  EngineCommand command;
  command.arguments = {options_.program, options_.corpus, folder_.path() + "/seeds"};
  // A restarted worker goes on with another seed, or it would end the same way again.
  command.arguments.push_back(fmt::format(
      "-seed={}", (options_.seed + worker + executions * options_.jobs) % 0x7fffffff + 1));
  // Nobody reads what it keeps there: what ended a worker stands on its board.
  command.arguments.push_back(fmt::format("-artifact_prefix={}/", folder_.path()));
  if (options_.seconds > 0) {
    const double left = std::max(1.0, options_.seconds - progress_.seconds);
    command.arguments.push_back(fmt::format("-max_total_time={:.0f}", std::ceil(left)));
  }
  if (options_.runs != 0) {
    command.arguments.push_back(fmt::format("-runs={}", runs_of(worker) - executions));
  }
  command.arguments.push_back(fmt::format("-timeout={:.0f}", std::ceil(options_.timeout_seconds)));
  for (const char* flag : kLibFuzzerFlags) command.arguments.emplace_back(flag);
  command.arguments.insert(command.arguments.end(), {"-reload=10", "-rss_limit_mb=4096"});
  return command;
}

EngineCommand Campaign::afl_command(unsigned worker) const {
  EngineCommand command;
  const std::string out = folder_.path() + "/afl";
  command.arguments = {"afl-fuzz",
                       "-i",
                       folder_.path() + "/seeds",
                       "-o",
                       out,
                       "-t",
                       fmt::format("{}", static_cast<int>(options_.timeout_seconds * 1000)),
                       worker == 0 ? "-M" : "-S",
                       fmt::format("worker{}", worker),
                       "-s",
                       std::to_string(options_.seed + worker)};
  if (options_.runs != 0) {
    command.arguments.insert(command.arguments.end(), {"-E", std::to_string(runs_of(worker))});
  }
  command.arguments.insert(command.arguments.end(), {"--", options_.program});
  command.environment = {{"AFL_NO_UI", "1"},
                         {"AFL_SKIP_CPUFREQ", "1"},
                         {"AFL_AUTORESUME", "1"},
                         {"AFL_NO_AFFINITY", "1"},
                         {"AFL_I_DONT_CARE_ABOUT_MISSING_CRASHES", "1"},
                         {"AFL_CUSTOM_MUTATOR_LIBRARY", options_.mutators}};
  return command;
}

void Campaign::measure() {
  progress_.seconds = passed();
  progress_.executions = 0;
  progress_.clauses = 0;
  std::array<std::uint64_t, std::tuple_size_v<decltype(WorkerBoard::reached)>> reached{};
  for (const auto& worker : workers_) {
    progress_.executions += worker->board->executions;
    for (std::size_t i = 0; i < reached.size(); ++i) reached[i] |= worker->board->reached[i];
  }
  for (const std::uint64_t word : reached) {
    progress_.clauses += static_cast<unsigned>(std::popcount(word));
  }
  progress_.rate = static_cast<double>(progress_.executions) / std::max(progress_.seconds, 1e-3);
}

void Campaign::collect(const std::atomic<bool>& stop) {
  for (const std::string& bucket : folder_.buckets()) {
    if (taken_.count(bucket) == 0) take(bucket, folder_.input_of(bucket), stop);
  }
  // Inputs that ended a target under AFL++, which goes on by itself.
  for (const char* ended : {"crashes", "hangs"}) {
    for (const fs::path& file : inputs_of_afl(folder_.path(), ended)) {
      if (crashes_.insert(file.string()).second) take("", read_input(file), stop);
    }
  }
}

// `reported` is empty for an input that ended its worker: what it is known by shows here.
void Campaign::take(const std::string& reported, const std::vector<std::uint8_t>& input,
                    const std::atomic<bool>& stop) {
  if (!reported.empty()) taken_.insert(reported);
  Finding finding;
  finding.bucket = reported;
  finding.scenario.ops = decode(input);
  finding.ops_found = finding.scenario.ops.size();
  const auto run = confirmed(finding.scenario, finding.bucket);
  if (!run) {
    if (hooks_.unsteady) hooks_.unsteady(reported.empty() ? "CRASH" : reported, input);
    return;
  }
  if (reported.empty() && !taken_.insert(finding.bucket).second) return;
  finding.run = *run;
  minimize(finding, stop);
  ++progress_.findings;
  if (hooks_.found) hooks_.found(finding);
}

void Campaign::minimize(Finding& finding, const std::atomic<bool>& stop) {
  const double most = options_.seconds + std::max(kLeastOvertime, options_.seconds / 10);
  const auto is_late = [&] { return options_.seconds > 0 && passed() >= most; };
  std::atomic<bool> enough{is_late()};
  const auto same = [&](std::span<const Op> ops) {
    enough = stop.load() || is_late();
    Scenario candidate;
    candidate.ops.assign(ops.begin(), ops.end());
    return shows(run_once(candidate), candidate, finding.bucket);
  };
  MinimizeOptions options;
  options.stop = &enough;
  const bool slow = finding.run.outcome.kind == harness::OutcomeKind::TimedOut;
  options.most_executions = slow ? kMostMinimizingSlow : kMostMinimizing;
  Minimized<Op> minimized = minimize_scenario(finding.scenario.ops, same, options);
  if (!minimized.reproduced) return;
  finding.scenario.ops = std::move(minimized.ops);
  finding.run = run_once(finding.scenario);
}

harness::RunOutcome Campaign::run_once(const Scenario& scenario) {
  harness::RunRequest request = options_.subject;
  request.scenario = &scenario;
  request.replay = false;
  return isolator_.run_one(request);
}

// In processes of their own, where nothing can be left of earlier inputs.
std::optional<harness::RunOutcome> Campaign::confirmed(const Scenario& scenario,
                                                       std::string& bucket) {
  std::optional<harness::RunOutcome> run;
  for (int i = 0; i < kConfirmations; ++i) {
    run = run_once(scenario);
    if (bucket.empty()) bucket = bucket_of(*run, scenario);
    if (bucket.empty() || !shows(*run, scenario, bucket)) return std::nullopt;
  }
  return run;
}

}  // namespace wddm::fuzz
