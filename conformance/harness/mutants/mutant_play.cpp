#include "conformance/harness/mutants/mutant_play.h"

#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <csignal>
#include <span>

#include "conformance/harness/isolate/isolate.h"
#include "conformance/harness/judge/judge.h"
#include "conformance/harness/mutants/mutant_images.h"
#include "conformance/harness/mutants/mutant_kill.h"
#include "conformance/harness/mutants/shared_items.h"
#include "conformance/rules/fails_on_purpose.h"

namespace wddm::harness {
namespace {

// Mutants between which the order of runs is made anew: what they teach does not depend on how many
// jobs there are.
constexpr std::size_t kRound = 48;
// Runs without a mutant in one process.
constexpr std::size_t kTogether = 16;
// Of CPU: a run without a mutant takes milliseconds.
constexpr double kLeastSecondsOfRun = 1;
constexpr double kSlower = 30;
constexpr double kSecondsOfProcess = 600;

void limit_run(double seconds) {
  itimerval timer{};
  timer.it_value.tv_sec = static_cast<time_t>(seconds);
  timer.it_value.tv_usec = static_cast<suseconds_t>((seconds - std::floor(seconds)) * 1e6);
  ::setitimer(ITIMER_PROF, &timer, nullptr);
}

double cpu_seconds() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

// What a child says of the run it is in.
struct Slip {
  std::uint32_t run = 0;  // position in its order
  std::uint32_t done = 0;
  std::uint32_t suspect = 0;  // something speaks against the mutant in `run`
  std::uint32_t refused = 0;  // 1 and the position of the first run in which it did not start
  std::uint32_t seen = 0;     // runs whose trace is another one than without a mutant
};

// Scenarios in which a start may fail say nothing of who does not start.
bool start_may_fail(const Scenario& scenario) {
  return std::any_of(scenario.ops.begin(), scenario.ops.end(), [](const Op& op) {
    return op.kind == OpKind::InitializeStatus ||
           fails_on_purpose(static_cast<std::uint32_t>(op.kind));
  });
}

class Player {
 public:
  Player(const std::vector<MutantEntry>& mutants, const std::vector<MutantRun>& runs,
         const MutantPlayOptions& options, std::vector<MutantFate>& fates)
      : mutants_(mutants),
        runs_(runs),
        options_(options),
        fates_(fates),
        width_(options.most + 1),
        reached_(runs.size() * width_),
        first_(runs.size()),
        slips_(kRound),
        pool_(options.jobs),
        kills_(runs.size()),
        tries_(runs.size()) {}

  bool play(std::string& error) {
    if (!record(error)) return false;
    for (std::size_t first = 0; first < mutants_.size() && !stopped(); first += kRound) {
      const std::size_t end = std::min(first + kRound, mutants_.size());
      for (std::size_t i = first; i < end; ++i) begin(i, i - first);
      pool_.run(options_.stop);
      for (std::size_t i = first; i < end; ++i) learn(i);
    }
    return true;
  }

 private:
  // What a run without a mutant came to.
  struct First {
    std::uint32_t done = 0, bad = 0, events = 0, refused = 0;
    std::uint64_t trace = 0;
    double seconds = 0;
  };
  struct Hunt {
    std::size_t mutant;
    std::size_t slip;
    std::vector<std::uint32_t> order;
    std::uint32_t executions = 0;
  };

  [[nodiscard]] bool stopped() const { return options_.stop != nullptr && options_.stop->load(); }

  // -- without a mutant

  bool record(std::string& error) {
    for (std::size_t first = 0; first < runs_.size(); first += kTogether) {
      ProcessPool::Job job;
      job.timeout_seconds = kSecondsOfProcess;
      job.child = [this, first] {
        Region region(kEvents, kBlobs);
        keep_what_is_freed();
        for (std::size_t i = first; i < std::min(first + kTogether, runs_.size()); ++i)
          record_run(i, region);
        return 0;
      };
      job.done = [](const ProcessEnd&) {};
      pool_.push_back(std::move(job));
    }
    pool_.run(options_.stop);
    for (std::size_t i = 0; i < runs_.size() && !stopped(); ++i) {
      if (first_[i].done != 0 && first_[i].bad == 0) continue;
      error = fmt::format("{}: the driver does not pass without a mutant", runs_[i].about);
      return false;
    }
    return true;
  }

  void record_run(std::size_t index, Region& region) {
    mutant_control().active = WDDM_RECORD_REACHED;
    mutant_control().reached = &reached_[index * width_];
    const double begun = cpu_seconds();
    play_run(index, region);
    const Judged judged = judge(index, region);
    First& first = first_[index];
    first.trace = digest_of_trace(region);
    first.seconds = cpu_seconds() - begun;
    first.events = judged.events;
    first.bad = speaks_against(judged) ? 1 : 0;
    first.refused = judged.start_trouble.empty() ? 0 : 1;
    first.done = 1;
  }

  void play_run(std::size_t index, Region& region) {
    RunRequest request;
    request.scenario = &runs_[index].scenario;
    execute_into(request, region, host::Process::SomeRuns);
  }

  Judged judge(std::size_t index, const Region& region) {
    JudgeOptions judging;
    judging.keep = KeepTrace::Never;
    return judge_storage(region.trace_storage(), region.events(), region.blobs(),
                         runs_[index].scenario, judging);
  }

  // -- one mutant

  void begin(std::size_t index, std::size_t slip) {
    const MutantEntry& mutant = mutants_[index];
    const auto known = options_.known.find(mutant.name);
    if (known != options_.known.end()) {
      fates_[index] = known->second;
      return;
    }
    auto hunt = std::make_shared<Hunt>(Hunt{index, slip, order_for(mutant)});
    fates_[index].reached = static_cast<std::uint32_t>(hunt->order.size());
    if (options_.most_runs != 0 && hunt->order.size() > options_.most_runs)
      hunt->order.resize(options_.most_runs);
    if (hunt->order.empty()) {
      end(*hunt);
    } else {
      start(hunt, 0);
    }
  }

  // Those that reach it: first what killed others of its function, then the best killers of all for
  // what they cost.
  std::vector<std::uint32_t> order_for(const MutantEntry& mutant) const {
    std::vector<std::uint32_t> order;
    for (std::uint32_t i = 0; i < runs_.size(); ++i) {
      if (reached_[i * width_ + mutant.number] != 0) order.push_back(i);
    }
    const auto near = near_.find(function_of(mutant));
    const auto rank = [&](std::uint32_t run) {
      const double rate = (kills_[run] + 1.0) / (tries_[run] + 2.0) / (first_[run].events + 50);
      double here = 0;
      if (near != near_.end()) {
        if (const auto found = near->second.find(run); found != near->second.end())
          here = found->second;
      }
      return std::pair(-here, -rate);
    };
    std::vector<std::pair<double, double>> ranks(runs_.size());
    for (const std::uint32_t run : order) ranks[run] = rank(run);
    std::stable_sort(order.begin(), order.end(),
                     [&ranks](std::uint32_t a, std::uint32_t b) { return ranks[a] < ranks[b]; });
    return order;
  }

  static std::string function_of(const MutantEntry& mutant) {
    return mutant.name.substr(0, mutant.name.rfind(':', mutant.name.rfind(':') - 1));
  }

  void start(const std::shared_ptr<Hunt>& hunt, std::uint32_t from) {
    ProcessPool::Job job;
    job.timeout_seconds = kSecondsOfProcess;
    job.child = [this, hunt, from] { return play_from(*hunt, from); };
    job.done = [this, hunt](const ProcessEnd& end) { came_back(hunt, end); };
    Slip& slip = slips_[hunt->slip];
    const Slip before = from == 0 ? Slip{} : slip;
    slip = Slip{};
    slip.run = from;
    slip.refused = before.refused;
    slip.seen = before.seen;
    if (from == 0) {
      pool_.push_back(std::move(job));
    } else {
      pool_.push_front(std::move(job));
    }
  }

  int play_from(const Hunt& hunt, std::uint32_t from) {
    const rlimit none{0, 0};
    ::setrlimit(RLIMIT_CORE, &none);
    ::signal(SIGPROF, SIG_DFL);
    keep_what_is_freed();
    Region region(kEvents, kBlobs);
    mutant_control().active = mutants_[hunt.mutant].number;
    Slip& slip = slips_[hunt.slip];
    for (std::uint32_t i = from; i < hunt.order.size(); ++i) {
      slip.run = i;
      const std::uint32_t run_index = hunt.order[i];
      limit_run(std::max(kLeastSecondsOfRun, kSlower * first_[run_index].seconds));
      play_run(run_index, region);
      if (digest_of_trace(region) == first_[run_index].trace) continue;
      ++slip.seen;
      const Judged judged = judge(run_index, region);
      if (slip.refused == 0 && !judged.start_trouble.empty() && first_[run_index].refused == 0 &&
          !start_may_fail(runs_[run_index].scenario)) {
        slip.refused = i + 1;
      }
      if (speaks_against(judged)) {
        slip.suspect = 1;
        return 0;
      }
    }
    slip.done = 1;
    return 0;
  }

  void came_back(const std::shared_ptr<Hunt>& hunt, const ProcessEnd& process) {
    if (process.stopped || process.not_forked) return;
    const Slip& slip = slips_[hunt->slip];
    MutantFate& fate = fates_[hunt->mutant];
    fate.refused = slip.refused != 0;
    fate.seen = slip.seen;
    if (slip.done != 0) {
      fate.executions = static_cast<std::uint32_t>(hunt->order.size());
      if (slip.refused != 0) blame_start(*hunt, slip.refused - 1, fate);
      end(*hunt);
      return;
    }
    const std::uint32_t at = slip.run;
    const bool hangs = process.timed_out || process.signal == SIGPROF;
    std::string killer = "TIMEOUT";
    if (!hangs) {
      const RunOutcome outcome = alone(*hunt, at);
      killer = killer_of(outcome);
      note_defects(outcome, fate);
    }
    if (!killer.empty()) {
      fate.killer = killer;
      fate.run = runs_[hunt->order[at]].about;
      fate.executions = at + 1;
      end(*hunt);
    } else if (at + 1 < hunt->order.size()) {
      start(hunt, at + 1);
    } else {
      fate.executions = static_cast<std::uint32_t>(hunt->order.size());
      if (slip.refused != 0) blame_start(*hunt, slip.refused - 1, fate);
      end(*hunt);
    }
  }

  // What `run` says of a driver that does not start, where no clause says more.
  void blame_start(const Hunt& hunt, std::uint32_t at, MutantFate& fate) {
    if (alone(hunt, at).judged.start_trouble.empty()) return;
    fate.killer = kStart;
    fate.run = runs_[hunt.order[at]].about;
  }

  RunOutcome alone(const Hunt& hunt, std::uint32_t at) {
    return play_alone(mutants_[hunt.mutant].number, runs_[hunt.order[at]].scenario);
  }

  static void note_defects(const RunOutcome& run, MutantFate& fate) {
    if (!fate.harness.empty()) return;
    if (run.outcome.kind == OutcomeKind::Harness) fate.harness = run.outcome.about;
    if (!run.judged.harness.empty()) fate.harness = run.judged.harness.front();
  }

  void end(const Hunt& hunt) {
    MutantFate& fate = fates_[hunt.mutant];
    fate.played = true;
    if (options_.ended) options_.ended(mutants_[hunt.mutant], fate);
  }

  // Kills are counted in the order of the list, whichever came first.
  void learn(std::size_t index) {
    const MutantFate& fate = fates_[index];
    if (!fate.played || fate.killer.empty()) return;
    const auto found = std::find_if(runs_.begin(), runs_.end(), [&fate](const MutantRun& run) {
      return run.about == fate.run;
    });
    if (found == runs_.end()) return;
    const auto run = static_cast<std::uint32_t>(found - runs_.begin());
    ++kills_[run];
    ++near_[function_of(mutants_[index])][run];
    for (std::uint32_t i = 0; i < runs_.size(); ++i)
      tries_[i] += reached_[i * width_ + mutants_[index].number] != 0 ? 1 : 0;
  }

  static constexpr std::uint32_t kEvents = 1u << 17;
  static constexpr std::uint32_t kBlobs = 64u << 20;

  const std::vector<MutantEntry>& mutants_;
  const std::vector<MutantRun>& runs_;
  const MutantPlayOptions& options_;
  std::vector<MutantFate>& fates_;
  std::size_t width_;
  Shared<unsigned char> reached_;  // runs by mutants
  Shared<First> first_;
  Shared<Slip> slips_;
  ProcessPool pool_;
  std::vector<std::uint32_t> kills_, tries_;  // by run
  std::map<std::string, std::map<std::uint32_t, std::uint32_t>>
      near_;  // kills, by function and run
};

}  // namespace

bool play_mutants(const std::vector<MutantEntry>& mutants, const std::vector<MutantRun>& runs,
                  const MutantPlayOptions& options, std::vector<MutantFate>& fates,
                  std::string& error) {
  if (!take_control(options.images, error)) return false;
  fates.assign(mutants.size(), MutantFate{});
  return Player(mutants, runs, options, fates).play(error);
}

}  // namespace wddm::harness
