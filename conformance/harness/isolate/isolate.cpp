#include "conformance/harness/isolate/isolate.h"

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <ranges>
#include <string>
#include <utility>

#include "conformance/harness/isolate/code_reached.h"
#include "conformance/harness/judge/findings.h"
#include "conformance/harness/judge/judge.h"
#include "conformance/harness/judge/verdict.h"
#include "conformance/harness/judge/wire.h"
#include "reference/harness_assert.h"

namespace wddm::harness {
namespace {

// Judging is our own code: generous, since running out of it is a defect of ours.
constexpr double kJudgeSeconds = 120;
// Longer than runs together take, shorter than somebody waits for results behind one that hangs.
constexpr double kLeastCompanySeconds = 2, kCompanySecondsOfRun = 1.0 / 16;
// Behind one that does not end well so many are done again, each in a process of its own.
constexpr std::size_t kSmallCompany = 16;
// A clause that has fired again so often in runs that were alone is believed of runs in company.
constexpr std::uint32_t kBelieved = 3;
// A company twice as large comes behind one that works no more than this part of its time.
constexpr double kShareToGrow = 1.0 / 6;

void note_clause(void* context, const char* id) {
  note_text(static_cast<Note*>(context)->call, id);
}

Judged judge_region(const RunRequest& request, const Region& region) {
  JudgeOptions options;
  options.keep = request.keep;
  options.about_to_judge = note_clause;
  options.context = &region.note();
  return judge_storage(region.trace_storage(), region.events(), region.blobs(), *request.scenario,
                       options);
}

// A lost judgement is our defect, whatever the driver put into its trace.
Judged lost_judgement(const Region& region, const ProcessEnd& end) {
  std::string what = fmt::format("judging by {} ended by {}", region.read_note().call,
                                 end.signal != 0 ? fmt::format("signal {}", end.signal)
                                                 : fmt::format("exit code {}", end.code));
  if (!end.output.empty()) what += ": " + printable(end.output.substr(0, 400));
  Judged result;
  result.harness.push_back(std::move(what));
  return result;
}

double seconds_of_company(std::size_t runs) {
  return std::max(kLeastCompanySeconds, kCompanySecondsOfRun * static_cast<double>(runs));
}

std::size_t small_company(const IsolatorOptions& options) {
  return std::min<std::size_t>(kSmallCompany, options.together);
}

bool is_clean(const ProcessEnd& end) {
  return end.exited && end.code == host::kChildDone && end.output.empty();
}

ProcessEnd ended_well(double milliseconds) {
  ProcessEnd end;
  end.exited = true;
  end.code = host::kChildDone;
  end.milliseconds = milliseconds;
  return end;
}

// A file without a name that a child fills and its parent reads.
class Mailbox {
 public:
  Mailbox() : file_(::memfd_create("judgement", MFD_CLOEXEC)) { HARNESS_ASSERT(file_ >= 0); }
  ~Mailbox() { ::close(file_); }
  Mailbox(const Mailbox&) = delete;
  Mailbox& operator=(const Mailbox&) = delete;

  [[nodiscard]] bool write(std::string_view bytes) const {
    while (!bytes.empty()) {
      const ssize_t wrote = ::write(file_, bytes.data(), bytes.size());
      if (wrote <= 0) return false;
      bytes.remove_prefix(static_cast<std::size_t>(wrote));
    }
    return true;
  }
  [[nodiscard]] std::string read() const {
    std::string bytes;
    char buffer[16384];
    for (ssize_t got;
         (got = ::pread(file_, buffer, sizeof(buffer), static_cast<off_t>(bytes.size()))) > 0;) {
      bytes.append(buffer, static_cast<std::size_t>(got));
    }
    return bytes;
  }

 private:
  int file_;
};

}  // namespace

struct Isolator::Task {
  RunRequest request;
  Done done;
  std::unique_ptr<Region> region;
  std::unique_ptr<Mailbox> mailbox;
  ProcessEnd executed;
  NoteCopy note;
  bool in_company = false;            // of other runs, in one process
  std::unique_ptr<RunOutcome> first;  // of a run that is being replayed

  [[nodiscard]] Recorded recorded() const { return {&request, region.get()}; }
};

void Isolator::keep_from_others(const Tasks& tasks) {
  for (const auto& task : tasks) task->region->inherit(false);
}

Isolator::Isolator(const IsolatorOptions& options)
    : options_(options), regions_(options.events, options.blobs), pool_(options.jobs) {
  options_.jobs = std::max(options_.jobs, 1u);
  options_.together = std::max(options_.together, 1u);
  company_ = small_company(options_);
  share_code_reached();
  keep_what_is_freed();  // children do as we do
}
Isolator::~Isolator() = default;

ProcessPool::Job Isolator::execution_of(Tasks tasks) {
  ProcessPool::Job job;
  // Memory is taken when the turn comes, so that there is as much of it as there are jobs.
  job.before = [this, tasks] {
    for (const auto& task : tasks) {
      task->region = regions_.take();
      task->region->inherit(true);
    }
  };
  // A driver that writes wherever it can must not reach the traces of others.
  job.forked = [tasks] { keep_from_others(tasks); };
  job.child = [tasks] {
    std::vector<Recorded> runs;
    for (const auto& task : tasks) runs.push_back(task->recorded());
    return run_as_child(runs);
  };
  job.timeout_seconds = options_.timeout_seconds;
  if (tasks.size() > 1) {
    job.timeout_seconds = std::min(job.timeout_seconds, seconds_of_company(tasks.size()));
  }
  job.done = [this, tasks](const ProcessEnd& end) { executed(tasks, end); };
  return job;
}

void Isolator::enqueue(RunRequest request, Done done) {
  HARNESS_ASSERT(request.scenario != nullptr);
  auto task = std::make_shared<Task>();
  task->request = std::move(request);
  task->done = std::move(done);
  if (options_.isolate == Isolate::None) {
    here_.push_back(std::move(task));
  } else if (task->request.fault == nullptr) {
    sociable_.push_back(std::move(task));
  } else {
    pool_.push_back(execution_of({std::move(task)}));
  }
}

std::size_t Isolator::room() const {
  return options_.isolate == Isolate::None ? 1 : std::size_t{options_.jobs} * 2 * options_.together;
}

// No more than keep all jobs busy: how many runs the next one has, those before it tell.
void Isolator::form_companies() {
  const std::size_t most = std::size_t{options_.jobs} * 2;
  while (!sociable_.empty() && companies_ < most) {
    const std::size_t fair = (sociable_.size() + options_.jobs - 1) / options_.jobs;
    share_a_process(std::min(company_, fair));
  }
}

// Most runs end well; whatever leaves doubts is done again, alone.
void Isolator::share_a_process(std::size_t runs) {
  const auto behind = sociable_.begin() + static_cast<std::ptrdiff_t>(runs);
  Tasks tasks(sociable_.begin(), behind);
  sociable_.erase(sociable_.begin(), behind);
  for (const auto& task : tasks) task->in_company = runs > 1;
  ProcessPool::Job job = execution_of(tasks);
  job.done = [this, tasks](const ProcessEnd& end) {
    --companies_;
    learn(end, tasks.size());
    executed(tasks, end);
    if (!end.stopped) form_companies();
  };
  ++companies_;
  pool_.push_back(std::move(job));
}

void Isolator::learn(const ProcessEnd& end, std::size_t runs) {
  if (!is_clean(end)) {
    company_ = small_company(options_);
    return;
  }
  if (end.cpu_milliseconds > 1000 * kShareToGrow * seconds_of_company(runs)) return;
  company_ = std::max(company_, std::min<std::size_t>(2 * runs, options_.together));
}

void Isolator::again_alone(const std::shared_ptr<Task>& task) {
  task->in_company = false;
  task->region.reset();
  pool_.push_front(execution_of({task}));
}

// Whether all that the run shows was confirmed by others: a driver that departs already at bring-up
// does so in every run, and each would take a process to say it again.
bool Isolator::is_known(const RunOutcome& run) const {
  if (run.outcome.kind != OutcomeKind::Finished || !run.judged.harness.empty()) return false;
  return std::ranges::all_of(run.judged.failures, [this](const Failure& failure) {
    const auto found = confirmed_.find(failure.id + site_of(failure));
    return found != confirmed_.end() && found->second >= kBelieved;
  });
}

void Isolator::confirm(const RunOutcome& run) {
  for (const Failure& failure : run.judged.failures) ++confirmed_[failure.id + site_of(failure)];
}

// With others, none of which need be those of the first time.
void Isolator::again_in_company(const std::shared_ptr<Task>& task) {
  task->region.reset();
  sociable_.push_back(task);
}

// Of a company that did not come to a good end, only runs that were over by then count; and which
// of them said something nobody can tell.
void Isolator::executed(const Tasks& tasks, const ProcessEnd& end) {
  for (const auto& task : std::views::reverse(tasks)) {
    task->executed = end;
    task->executed.milliseconds /= static_cast<double>(tasks.size());
    if (end.stopped || end.not_forked) {
      finish(task, Judged{});
      continue;
    }
    task->note = task->region->read_note();
    const bool counts = task->note.stage == Stage::Returned && end.output.empty();
    if (task->in_company && !counts) {
      again_alone(task);
      continue;
    }
    if (task->in_company) task->executed = ended_well(task->executed.milliseconds);
    unjudged_.push_back(task);
  }
  // Behind a run that hangs nobody is to wait.
  const bool now =
      !is_clean(end) || tasks.size() == 1 || unjudged_.size() >= small_company(options_);
  if (now && !unjudged_.empty()) judge(std::exchange(unjudged_, {}));
}

void Isolator::judge(Tasks tasks) {
  ProcessPool::Job job;
  job.before = [tasks] {
    for (const auto& task : tasks) {
      task->mailbox = std::make_unique<Mailbox>();
      note_text(task->region->note().call, "");
      task->region->inherit(true);
    }
  };
  job.forked = [tasks] { keep_from_others(tasks); };
  job.child = [tasks] {
    bool wrote = true;
    for (const auto& task : tasks) {
      wrote &= task->mailbox->write(to_wire(judge_region(task->request, *task->region)));
    }
    return wrote ? 0 : 1;
  };
  job.timeout_seconds = kJudgeSeconds;
  job.done = [this, tasks](const ProcessEnd& end) { judged(tasks, end); };
  pool_.push_front(std::move(job));
}

void Isolator::judged(const Tasks& tasks, const ProcessEnd& end) {
  const bool came = end.exited && end.code == 0;
  // Which of many traces a process died of is told by judging each alone.
  if (!came && !end.stopped && tasks.size() > 1) {
    for (const auto& task : tasks) judge({task});
    return;
  }
  for (const auto& task : tasks) {
    Judged result;
    if (end.stopped) {
      task->executed.stopped = true;
    } else if (!came || !from_wire(task->mailbox->read(), result)) {
      result = lost_judgement(*task->region, end);
    }
    finish(task, std::move(result));
  }
}

void Isolator::finish(const std::shared_ptr<Task>& task, Judged result) {
  RunOutcome run;
  run.outcome = classify(task->executed, task->note, result, options_.timeout_seconds);
  run.judged = std::move(result);
  run.milliseconds = task->executed.milliseconds;
  if (task->in_company && run.outcome.kind != OutcomeKind::NotRun) {
    if (task->first && signature_of(*task->first) != signature_of(run)) return again_alone(task);
    if (!task->first && is_bad(run)) {
      if (!task->request.replay) return again_alone(task);
      task->first = std::make_unique<RunOutcome>(std::move(run));
      return is_known(*task->first) ? again_in_company(task) : again_alone(task);
    }
  }
  // A driver's stray process may still hold the memory of a run that ended badly.
  if (task->region && run.outcome.kind == OutcomeKind::Finished) {
    regions_.give_back(std::move(task->region));
  }
  task->region.reset();
  task->mailbox.reset();

  if (task->first) {
    RunOutcome first = std::move(*task->first);
    if (run.outcome.kind != OutcomeKind::NotRun) {
      first.replayed = true;
      const std::string before = signature_of(first);
      const std::string after = signature_of(run);
      first.flaky = before != after;
      if (!first.flaky && !task->in_company) confirm(first);
      if (first.flaky) first.flake_about = fmt::format("first {}; then {}", before, after);
    }
    task->done(std::move(first));
    return;
  }
  const bool replay = task->request.replay && options_.isolate == Isolate::Fork && is_bad(run) &&
                      run.outcome.kind != OutcomeKind::NotRun &&
                      run.outcome.kind != OutcomeKind::Harness;
  if (!replay) {
    task->done(std::move(run));
    return;
  }
  task->first = std::make_unique<RunOutcome>(std::move(run));
  pool_.push_front(execution_of({task}));
}

void Isolator::run_here(const std::shared_ptr<Task>& task) {
  task->region = regions_.take();
  execute_into(task->request, *task->region, host::Process::ManyRuns);
  gather_code_reached();
  task->executed.exited = true;
  task->note.stage = Stage::Returned;
  finish(task, judge_region(task->request, *task->region));
}

void Isolator::run(const std::atomic<bool>* stop) {
  while (!here_.empty()) {
    const std::shared_ptr<Task> task = std::move(here_.front());
    here_.pop_front();
    if (stop && stop->load()) {
      task->executed.stopped = true;
      finish(task, Judged{});
    } else {
      run_here(task);
    }
  }
  // Those who are told of a result may enqueue more.
  while (!sociable_.empty() || !unjudged_.empty() || !pool_.empty()) {
    form_companies();
    if (!unjudged_.empty()) judge(std::exchange(unjudged_, {}));
    pool_.run(stop);
  }
}

RunOutcome Isolator::run_one(const RunRequest& request) {
  RunOutcome result;
  enqueue(request, [&result](RunOutcome run) { result = std::move(run); });
  run();
  return result;
}

}  // namespace wddm::harness
