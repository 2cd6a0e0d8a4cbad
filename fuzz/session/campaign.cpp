#include "fuzz/session/campaign.h"

#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <chrono>
#include <filesystem>
#include <limits>
#include <span>
#include <thread>

#include "conformance/harness/judge/kinship.h"
#include "conformance/harness/suite/configurations.h"
#include "conformance/harness/suite/reproducer.h"
#include "fuzz/minimizer/minimize.h"
#include "fuzz/session/bucket.h"
#include "fuzz/session/engine_command.h"
#include "fuzz/session/input_file.h"

namespace wddm::fuzz {
namespace fs = std::filesystem;
namespace {

constexpr int kConfirmations = 3;
constexpr unsigned kVainStarts = 3;
constexpr unsigned kMostUnsteady = 3;  // inputs of one bucket
constexpr double kSecondsBetweenKeeping = 10;
constexpr double kGrace = 2;                     // seconds, for an engine to end an input itself
constexpr int kTimeoutExitCode = 70;             // of libFuzzer (-timeout_exitcode)
constexpr std::size_t kMostMinimizing = 1000;    // executions for one finding
constexpr std::size_t kMostMinimizingSlow = 20;  // where each lasts until its time is up
constexpr auto kTurn = std::chrono::milliseconds(100);
constexpr double kOvertime = 0.1;      // of the time that was given
constexpr double kLeastOvertime = 10;  // seconds

harness::IsolatorOptions isolation_of(const CampaignOptions& options) {
  harness::IsolatorOptions isolation;
  isolation.timeout_seconds = options.timeout_seconds;
  return isolation;
}

double seconds_of_machine() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// Of a process that has ended.
bool says_too_long(int status) {
  return WIFEXITED(status) && WEXITSTATUS(status) == kTimeoutExitCode;
}

}  // namespace

Campaign::Campaign(CampaignOptions options, CampaignHooks hooks)
    : options_(std::move(options)),
      hooks_(std::move(hooks)),
      folder_(options_.output + "/work"),
      isolator_(isolation_of(options_)),
      afl_(folder_.path() + "/afl") {
  if (!options_.clock) options_.clock = seconds_of_machine;
  if (options_.runs != 0 && options_.runs < options_.jobs) {
    options_.jobs = static_cast<unsigned>(options_.runs);
  }
}

bool Campaign::prepare(std::string& error) {
  if (!claim_.claim(folder_.path(), error) || !folder_.make_parts(error)) return false;
  std::error_code code;
  fs::create_directories(options_.corpus, code);
  if (code) {
    error = fmt::format("{}: cannot be created: {}", options_.corpus, code.message());
    return false;
  }
  if (::access(options_.corpus.c_str(), W_OK | X_OK) != 0) {
    error = options_.corpus + ": cannot be written";
    return false;
  }
  return prepare_seeds(error);
}

bool Campaign::run(const std::atomic<bool>& stop, std::string& error) {
  begun_ = options_.clock();
  const bool worked = work(stop, error);
  for (const auto& worker : workers_) {
    // Only of what ended by itself it can be said that the driver ended it.
    if (worker->process.has_ended()) {
      const bool too_long = says_too_long(worker->process.status());
      static_cast<void>(take_what_ended(*worker, stop, too_long));
    } else {
      worker->process.end();
    }
  }
  collect(stop);
  measure();
  if (options_.engine != Engine::Afl || afl_.keep_queues(options_.corpus)) return worked;
  error = options_.corpus + ": cannot be written";
  return false;
}

bool Campaign::work(const std::atomic<bool>& stop, std::string& error) {
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
      if (workers_[i]->board->lost_a_finding) {
        error = folder_.path() + "/found: a finding cannot be written there";
        return false;
      }
      all_done = all_done && workers_[i]->done;
    }
    collect(stop);
    measure();
    if (hooks_.progress) hooks_.progress(progress_);
    if (options_.seconds > 0 && passed() >= options_.seconds) break;
    if (options_.engine == Engine::Afl) keep_queues_of_afl();
  }
  return true;
}

double Campaign::end_of(double overtime) const {
  if (options_.seconds <= 0) return std::numeric_limits<double>::infinity();
  return options_.seconds +
         std::max(kLeastOvertime * overtime / kOvertime, options_.seconds * overtime);
}

bool Campaign::is_over() const {
  return passed() >= end_of(kOvertime);
}

double Campaign::passed() const {
  return options_.clock() - begun_;
}

// Engines read bytes; people write YAML. AFL++ wants one input at least, and reads its first ones
// from one folder only, where libFuzzer reads the corpus itself.
bool Campaign::prepare_seeds(std::string& error) {
  const std::string folder = folder_.path() + "/seeds";
  std::error_code code;
  fs::create_directories(folder, code);
  std::size_t number = 0;
  const auto add = [&](std::span<const Op> ops) {
    const std::string file = fmt::format("{}/{}", folder, number++);
    if (write_input(file, encode(ops))) return true;
    error = file + ": cannot be written";
    return false;
  };
  if (!add(std::vector<Op>{{.kind = OpKind::Start}})) return false;
  std::vector<std::string> folders = options_.seeds;
  folders.push_back(options_.corpus);
  for (const std::string& from : folders) {
    const bool read_by_engine = from == options_.corpus && options_.engine == Engine::LibFuzzer;
    const std::set<fs::path> files = inputs_below(from, error);
    if (!error.empty()) return false;
    for (const fs::path& file : files) {
      harness::Reproducer seed;
      if (!read_reproducer(file.string(), seed, error)) return false;
      const bool has_to_be_given = !read_by_engine || seed.form == harness::ScenarioForm::Yaml;
      if (has_to_be_given && !add(seed.scenario.ops)) return false;
    }
  }
  return true;
}

// Whoever kills us finds most of it in the corpus. Queues are large, so not at every turn.
void Campaign::keep_queues_of_afl() {
  if (passed() < queues_kept_at_ + kSecondsBetweenKeeping) return;
  queues_kept_at_ = passed();
  static_cast<void>(afl_.keep_queues(options_.corpus));  // what fails now may do at the end
}

bool Campaign::start(unsigned index, std::string& error) {
  Worker& worker = *workers_[index];
  if (worker.board == nullptr) worker.board = folder_.board_of(index);
  if (worker.board == nullptr) {
    error = folder_.path() + ": no room for boards";
    return false;
  }
  // Inputs are confirmed in processes forked from this one: none of our counts is theirs to reach.
  ::madvise(worker.board.get(), sizeof(WorkerBoard), MADV_DONTFORK);
  worker.begun_at = worker.board->executions;
  worker.moved = {worker.begun_at, passed()};
  const double left = std::max(1.0, options_.seconds - passed());
  if (worker.process.start(engine_command(
          options_, folder_.path(), {index, worker.begun_at, options_.seconds > 0 ? left : 0}))) {
    return true;
  }
  error = "the system gave us no process";
  return false;
}

// A worker that ends in the middle of an input was ended by the driver, whatever its exit code
// says; or by the clock.
bool Campaign::take_what_ended(Worker& worker, const std::atomic<bool>& stop, bool took_too_long) {
  const std::uint32_t size = worker.board->running.exchange(0);
  if (size == 0) return false;
  const auto begin = worker.board->input.begin();
  const std::vector<std::uint8_t> input{begin, begin + std::min<std::size_t>(size, kMostInput)};
  folder_.mark_fatal(input);
  take("", input, stop, took_too_long);
  return true;
}

// An engine ends an input that takes too long, but for a process that the driver has stopped.
bool Campaign::is_stuck(Worker& worker) const {
  const std::uint64_t executions = worker.board->executions;
  if (worker.board->running == 0 || executions != worker.moved.executions) {
    worker.moved = {executions, passed()};
  }
  return passed() > worker.moved.at + 2 * options_.timeout_seconds + kGrace;
}

bool Campaign::keep_going(unsigned index, const std::atomic<bool>& stop, std::string& error) {
  Worker& worker = *workers_[index];
  if (worker.done) return true;
  const bool enough = options_.runs != 0 && worker.board->executions >= runs_of(options_, index);
  bool took_too_long = false;
  if (!worker.process.has_ended()) {
    worker.done = enough;
    if (!enough && !is_stuck(worker)) return true;
    worker.process.end();
    // AFL++ would start a target again that has left.
    if (enough) return true;
    took_too_long = true;
  } else {
    took_too_long = says_too_long(worker.process.status());
  }
  const bool ended_by_driver = take_what_ended(worker, stop, took_too_long);
  worker.done = enough || (!ended_by_driver && WIFEXITED(worker.process.status()) &&
                           WEXITSTATUS(worker.process.status()) == 0);
  if (worker.done) return true;
  const bool in_vain = !ended_by_driver || worker.board->executions == worker.begun_at;
  worker.vain_starts = in_vain ? worker.vain_starts + 1 : 0;
  if (worker.vain_starts == kVainStarts) {
    // A driver that ends every process is a finding, not a target that does not run.
    worker.done = met_something();
    if (worker.done) return true;
    error = fmt::format("{} does not run: see {}/log.{}", options_.program, folder_.path(), index);
    return false;
  }
  return start(index, error);
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
  for (const AflFolder::End& end : afl_.new_ends()) take("", end.input, stop, end.took_too_long);
}

// `reported` is empty for an input that ended its worker: what it is known by shows here.
void Campaign::take(const std::string& reported, const std::vector<std::uint8_t>& input,
                    const std::atomic<bool>& stop, bool took_too_long) {
  if (!reported.empty()) taken_.insert(reported);
  if (is_over()) return leave(reported, took_too_long, input);
  Finding finding;
  finding.bucket = reported;
  finding.scenario.ops = decode(input);
  finding.scenario = harness::with_settings(finding.scenario, options_.settings);
  finding.ops_found = finding.scenario.ops.size();
  const auto run = confirmed(finding.scenario, finding.bucket);
  if (!run && is_over()) return leave(reported, took_too_long, input);
  if (!run) return disbelieve(reported, took_too_long, input);
  if (reported.empty() && !taken_.insert(finding.bucket).second) return;
  finding.run = *run;
  finding.name = finding_of_bucket(run->judged, finding.scenario, finding.bucket);
  if (!named_.insert(finding.name).second) return;
  if (hooks_.known && !is_ours(finding.bucket) && hooks_.known(finding)) {
    told_.insert(finding.name);
    return;
  }
  minimize(finding, stop);
  const std::string earlier = what_it_follows(finding);
  if (!earlier.empty() && !is_ours(finding.bucket)) {
    if (hooks_.follows) hooks_.follows(finding, earlier);
    return;
  }
  told_.insert(finding.name);
  ++progress_.findings;
  if (hooks_.found) hooks_.found(finding);
}

// Minimizing has left it nothing that it does not need. How a run ended follows from no failure: it
// has a place of its own. What a driver does wrong at every call does not hide what else it does
// wrong at some, but for what is about the very same packet or bytes.
std::string Campaign::what_it_follows(const Finding& finding) {
  const harness::Judged& judged = finding.run.judged;
  const harness::Failure* const own = failure_of_bucket(judged, finding.scenario, finding.bucket);
  if (own == nullptr) return {};
  const harness::RunRecord record{.spec = {}, .run = finding.run};
  harness::Kinship kinship(std::span(&record, 1));
  for (const std::string& bucket : buckets_of(judged, finding.scenario)) {
    const harness::Failure* const other = failure_of_bucket(judged, finding.scenario, bucket);
    if (other == nullptr || other == own || other->event > own->event) continue;
    if (!kinship.are_kin(0, *other, *own)) continue;
    const std::string name = finding_of_bucket(judged, finding.scenario, bucket);
    if (told_.count(name) == 0) continue;
    const bool hides = shown_anyway().count(name) == 0 || (kinship.are_about_one(0, *other, *own) &&
                                                           kinship.say_the_same(0, *other, *own));
    if (hides) return name;
  }
  return {};
}

// By a start, or by work that nobody can do without.
const std::set<std::string>& Campaign::shown_anyway() {
  if (anyway_) return *anyway_;
  anyway_.emplace();
  Scenario work;
  work.ops = {{.kind = OpKind::Start},
              {.kind = OpKind::CreateContext},
              {.kind = OpKind::CreateAllocation, .x = 1},
              {.kind = OpKind::MakeResident},
              {.kind = OpKind::Render},
              {.kind = OpKind::Bind},
              {.kind = OpKind::Fill, .y = 4},
              {.kind = OpKind::Idle}};
  work = harness::with_settings(work, options_.settings);
  const harness::RunOutcome run = run_once(work);
  for (const std::string& bucket : buckets_of(run.judged, work)) {
    anyway_->insert(finding_of_bucket(run.judged, work, bucket));
  }
  return *anyway_;
}

// Another input of the bucket may be steadier. What took too long beside other workers may not
// alone.
void Campaign::disbelieve(const std::string& reported, bool took_too_long,
                          const std::vector<std::uint8_t>& input) {
  const auto ended = took_too_long ? harness::OutcomeKind::TimedOut : harness::OutcomeKind::Crashed;
  const std::string bucket = reported.empty() ? harness::fired_word(ended) : reported;
  if (++unsteady_[bucket] < kMostUnsteady && !reported.empty()) {
    taken_.erase(reported);
    folder_.forget(reported);
  }
  if (hooks_.unsteady) hooks_.unsteady(bucket, input);
}

// Each look at it may last as long as a scenario may: the time is over for that.
void Campaign::leave(const std::string& reported, bool took_too_long,
                     const std::vector<std::uint8_t>& input) {
  const auto ended = took_too_long ? harness::OutcomeKind::TimedOut : harness::OutcomeKind::Crashed;
  if (hooks_.left) hooks_.left(reported.empty() ? harness::fired_word(ended) : reported, input);
}

void Campaign::minimize(Finding& finding, const std::atomic<bool>& stop) {
  // The rest of the time is for what else was found: a long scenario is better than none. What it
  // comes to is confirmed, which lasts as long as the runs do.
  const double to_confirm = kConfirmations * finding.run.milliseconds / 1000;
  const auto is_late = [&] { return passed() + to_confirm >= end_of(kOvertime / 2); };
  finding.cut_short = is_late();
  if (finding.cut_short) return;
  std::atomic<bool> enough{false};
  const auto same = [&](std::span<const Op> ops) {
    enough = stop.load() || is_late();
    Scenario candidate;
    candidate.ops.assign(ops.begin(), ops.end());
    const harness::RunOutcome run = run_once(candidate);
    return shows(run, candidate, finding.bucket) &&
           finding_of_bucket(run.judged, candidate, finding.bucket) == finding.name;
  };
  MinimizeOptions options;
  options.stop = &enough;
  const bool slow = finding.run.outcome.kind == harness::OutcomeKind::TimedOut;
  options.most_executions = slow ? kMostMinimizingSlow : kMostMinimizing;
  Minimized<Op> minimized = minimize_scenario(finding.scenario.ops, same, options);
  finding.cut_short = is_late();
  if (!minimized.reproduced) return;
  Scenario shortest = finding.scenario;
  shortest.ops = std::move(minimized.ops);
  const auto run = confirmed(shortest, finding.bucket);
  finding.cut_short |= is_over();
  if (!run) return;
  finding.scenario = std::move(shortest);
  finding.run = *run;
}

harness::RunOutcome Campaign::run_once(const Scenario& scenario) {
  harness::RunRequest request;
  request.scenario = &scenario;
  request.replay = false;
  request.values = options_.values;
  request.windows = options_.windows;
  return isolator_.run_one(request);
}

// In processes of their own, where nothing can be left of earlier inputs. Nothing is confirmed when
// the time is over in between.
std::optional<harness::RunOutcome> Campaign::confirmed(const Scenario& scenario,
                                                       std::string& bucket) {
  std::optional<harness::RunOutcome> run;
  for (int i = 0; i < kConfirmations; ++i) {
    if (i != 0 && is_over()) return std::nullopt;
    run = run_once(scenario);
    if (bucket.empty()) {
      bucket = bucket_of(*run, scenario);
      if (taken_.count(bucket) != 0) return run;  // nobody asks whether it comes again
    }
    if (bucket.empty() || !shows(*run, scenario, bucket)) return std::nullopt;
  }
  return run;
}

}  // namespace wddm::fuzz
