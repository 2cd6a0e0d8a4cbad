#include "fuzz/targets/target.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <iostream>
#include <memory>

#include "conformance/harness/isolate/replayer.h"
#include "conformance/harness/judge/verdict.h"
#include "conformance/harness/mutants/mutant_images.h"
#include "conformance/harness/mutants/mutant_kill.h"
#include "conformance/harness/suite/configurations.h"
#include "conformance/runner/driver_choice.h"
#include "conformance/runner/options.h"
#include "conformance/runner/process.h"
#include "fuzz/mutators/mixture.h"
#include "fuzz/mutators/mutate.h"
#include "fuzz/session/bucket.h"
#include "fuzz/session/input_file.h"
#include "fuzz/session/target_environment.h"
#include "fuzz/session/work_folder.h"
#include "fuzz/targets/fuzz_engine.h"

// Of libFuzzer; AFL++ mutates elsewhere and has none.
extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t room)
    __attribute__((weak));

namespace wddm::fuzz {
namespace {

constexpr std::size_t kOpBytes = sizeof(Op);

/// What lives from initialize() to the end of the process.
struct Worker {
  std::unique_ptr<harness::Replayer> replayer;
  std::unique_ptr<WorkFolder> folder;  // null: no campaign, a finding ends the process
  MappedBoard board;
  std::set<std::string> clauses;  // that there are findings of
  std::set<std::string> fatal;    // digests of inputs that ended this worker or another
  std::uint64_t most_executions = 0;
  std::string quarry;  // clause to look for, and nothing else
  bool raw = false;    // the engine mutates bytes as it likes
  Machine machine;
  harness::Configuration configuration;
  harness::RunRequest request;  // settings and fault of the campaign
  Mixture mixture;
  Scenario scenario;
};
Worker* g_worker = nullptr;

std::string from_environment(const char* name) {
  const char* const value = std::getenv(name);
  return value != nullptr ? value : "";
}

std::uint64_t number_from_environment(const char* name) {
  return std::strtoull(from_environment(name).c_str(), nullptr, 10);
}

[[noreturn]] void leave(const std::string& why) {
  std::cerr << "wddmcheck: " << why << std::endl;
  std::_Exit(runner::kExitNothingJudged);
}

void join_campaign(Worker& worker) {
  const std::string folder = from_environment(kWorkFolderVariable);
  if (folder.empty()) return;
  worker.folder = std::make_unique<WorkFolder>(folder);
  for (const std::string& bucket : worker.folder->buckets()) {
    worker.clauses.insert(clause_of_bucket(bucket));
  }
  worker.fatal = worker.folder->fatal();
  worker.most_executions = number_from_environment(kRunsVariable);
  worker.board =
      worker.folder->board_of(static_cast<unsigned>(number_from_environment(kWorkerVariable)));
  if (worker.board == nullptr) leave(folder + ": no room for boards");
}

// What every scenario runs with.
void read_subject(Worker& worker) {
  worker.request.scenario = &worker.scenario;
  std::string error;
  harness::Configuration configuration;
  const std::string settings = from_environment(kSettingsVariable);
  // Which names there may be whoever started us has asked.
  if (!settings.empty() &&
      !parse_configuration(settings, configuration, error, harness::SettingNames::Any)) {
    leave(error);
  }
  worker.request.settings = configuration.settings;
  worker.request.values = configuration.values;
  worker.request.windows = configuration.windows;
  const std::string clause = from_environment(kFaultVariable);
  if (clause.empty()) return;
  const Rule* const rule = find_rule(clause);
  if (rule == nullptr) leave(clause + ": no such clause");
  worker.request.fault = &rule->fault;
}

void count(const Worker& worker, const harness::Judged& judged) {
  worker.board->executions.fetch_add(1, std::memory_order_relaxed);
  for (std::size_t rule = 0; rule < judged.rules.size(); ++rule) {
    if (judged.rules[rule].reached == 0) continue;
    auto& word = worker.board->reached[rule / 64 % worker.board->reached.size()];
    const std::uint64_t bit = std::uint64_t{1} << rule % 64;
    if ((word.load(std::memory_order_relaxed) & bit) == 0) word.fetch_or(bit);
  }
}

bool is_quarry(const std::string& quarry, const harness::Judged& judged) {
  if (quarry == kAnyQuarry) return harness::speaks_against(judged);
  return std::any_of(judged.failures.begin(), judged.failures.end(),
                     [&quarry](const harness::Failure& failure) { return failure.id == quarry; });
}

int look_for_quarry(Worker& worker, const harness::Judged& judged,
                    std::span<const std::uint8_t> input) {
  if (!is_quarry(worker.quarry, judged)) return 0;
  if (worker.board != nullptr) worker.board->begin(input);
  std::_Exit(kQuarryMet);
}

// Before anything of the driver's image is copied.
void choose_mutant(const host::DriverUnderTest& driver) {
  const std::uint64_t mutant = number_from_environment(kMutantVariable);
  if (mutant == 0) return;
  std::string error;
  const std::array images = {driver.driver, driver.device};
  if (!harness::take_control(images, error)) leave(error);
  harness::mutant_control().active = static_cast<unsigned>(mutant);
}

std::size_t put(const std::vector<Op>& ops, std::uint8_t* out) {
  const std::vector<std::uint8_t> bytes = encode(ops);
  std::copy(bytes.begin(), bytes.end(), out);
  return bytes.size();
}

// An input that ends the process would end it at each start, where the engine reads its corpus.
bool is_passed_over(const Worker& worker, std::span<const std::uint8_t> input) {
  return !worker.fatal.empty() && worker.fatal.count(digest_of(input)) != 0;
}

// The engine cannot be asked to count what was run before it was started again.
void leave_when_done(const Worker& worker) {
  if (worker.most_executions != 0 && worker.board->executions >= worker.most_executions) {
    std::_Exit(runner::kExitGood);
  }
}

// What comes first mostly brings the rest about. But it may come in every input, as one that is
// known: so of each clause there is one finding at least, and one of each place of a crash.
void store(Worker& worker, std::span<const std::string> buckets,
           std::span<const std::uint8_t> input) {
  for (const std::string& bucket : buckets) {
    const bool is_first = &bucket == &buckets.front();
    const bool is_new = worker.clauses.insert(clause_of_bucket(bucket)).second;
    if (!is_first && !is_new && !is_of_an_end(bucket)) continue;
    if (!worker.folder->store(bucket, input)) worker.board->lost_a_finding = true;
  }
}

// The whole verdict, for people who meet it in a log of an engine.
[[noreturn]] void end_with_verdict(const harness::Judged& judged, const Trace& trace,
                                   const std::string& bucket) {
  std::cerr << "wddmcheck: " << bucket << '\n';
  for (const harness::Failure& failure : judged.failures) {
    std::cerr << harness::print_verdict(failure, find_rule(failure.id), {"this input", "", ""},
                                        harness::chain_of(failure, trace))
              << '\n';
  }
  for (const std::string& defect : judged.harness) std::cerr << "HARNESS: " << defect << '\n';
  std::cerr << std::flush;
  std::abort();
}

}  // namespace

void initialize(char*** argv) {
  runner::without_address_randomization(*argv);
  static Worker worker;
  reports::Subject subject;
  subject.driver = from_environment("WDDM_DRIVER");
  subject.device = from_environment("WDDM_DEVICE");
  subject.client = from_environment("WDDM_CLIENT");
  subject.inf = from_environment("WDDM_INF");
  host::DriverUnderTest driver;
  std::string error;
  // What an engine counts must be there before it looks, the driver's own counters too.
  static_cast<void>(engine_counters());
  if (!runner::locate(subject, driver, error) || !host::load(driver, error)) leave(error);
  choose_mutant(driver);
  worker.replayer = std::make_unique<harness::Replayer>();
  read_subject(worker);
  worker.quarry = from_environment(kQuarryVariable);
  worker.raw = from_environment(kRawVariable) == "1";
  worker.machine = read_machine(from_environment(kMachineVariable));
  join_campaign(worker);
  // Without anybody who collects findings, a crash must be one for the engine to see.
  if (worker.folder != nullptr) worker.replayer->survive_crashes();
  g_worker = &worker;
}

int run_input(const std::uint8_t* data, std::size_t size) {
  Worker& worker = *g_worker;
  leave_when_done(worker);
  if (is_passed_over(worker, {data, size})) return 0;
  worker.scenario.ops = decode({data, size});
  if (worker.board != nullptr) worker.board->begin({data, size});
  const harness::Judged& judged = worker.replayer->run(worker.request);
  if (worker.board != nullptr) worker.board->end();
  count_features(worker.replayer->trace(), worker.scenario, judged, engine_counters());
  input_ended();
  if (worker.board != nullptr) count(worker, judged);
  if (!worker.quarry.empty()) return look_for_quarry(worker, judged, {data, size});
  const std::vector<std::string> buckets = buckets_of(judged, worker.scenario);
  if (buckets.empty()) return 0;
  if (worker.folder == nullptr) {
    end_with_verdict(judged, worker.replayer->trace(), buckets.front());
  }
  store(worker, buckets, {data, size});
  return 0;
}

std::size_t mutate_input(Family family, std::uint8_t* data, std::size_t size, std::size_t room,
                         unsigned seed) {
  if (g_worker->raw) return LLVMFuzzerMutate(data, size, room);
  Random random(seed);
  const Machine& machine = g_worker->machine;
  const std::size_t most_ops = room / kOpBytes;
  const bool from_nothing = g_worker->mixture.from_nothing(random);
  return put(from_nothing ? invent(family, random, most_ops, machine)
                          : mutate(decode({data, size}), family, random, most_ops, machine),
             data);
}

std::size_t cross_inputs(Family family, const std::uint8_t* one, std::size_t one_size,
                         const std::uint8_t* other, std::size_t other_size, std::uint8_t* out,
                         std::size_t room, unsigned seed) {
  if (g_worker->raw) return 0;  // the engine crosses bytes by itself
  Random random(seed);
  const std::size_t most_ops = room / kOpBytes;
  const bool from_nothing = g_worker->mixture.from_nothing(random);
  return put(from_nothing
                 ? invent(family, random, most_ops, g_worker->machine)
                 : cross(decode({one, one_size}), decode({other, other_size}), random, most_ops),
             out);
}

}  // namespace wddm::fuzz
