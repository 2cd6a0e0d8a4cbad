#include "conformance/harness/isolate/isolate.h"

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <string>
#include <utility>

#include "conformance/harness/judge/judge.h"
#include "conformance/harness/judge/verdict.h"
#include "conformance/harness/judge/wire.h"
#include "reference/harness_assert.h"

namespace wddm::harness {
namespace {

// Judging is our own code: generous, since running out of it is a defect of ours.
constexpr double kJudgeSeconds = 120;

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
  std::unique_ptr<RunOutcome> first;  // of a run that is being replayed
};

Isolator::Isolator(const IsolatorOptions& options)
    : options_(options), regions_(options.events, options.blobs), pool_(options.jobs) {}
Isolator::~Isolator() = default;

// A driver that writes wherever it can must not reach the traces of others.
std::function<void()> Isolator::keep_from_others(const std::shared_ptr<Task>& task) {
  return [task] { task->region->inherit(false); };
}

ProcessPool::Job Isolator::execution_of(const std::shared_ptr<Task>& task) {
  ProcessPool::Job job;
  // Memory is taken when the turn comes, so that there is as much of it as there are jobs.
  job.before = [this, task] {
    task->region = regions_.take();
    task->region->inherit(true);
  };
  job.forked = keep_from_others(task);
  job.child = [task] { return run_as_child(task->request, *task->region); };
  job.timeout_seconds = options_.timeout_seconds;
  job.done = [this, task](const ProcessEnd& end) { judge(task, end); };
  return job;
}

void Isolator::enqueue(RunRequest request, Done done) {
  HARNESS_ASSERT(request.scenario != nullptr);
  auto task = std::make_shared<Task>();
  task->request = std::move(request);
  task->done = std::move(done);
  if (options_.isolate == Isolate::None) {
    here_.push_back(std::move(task));
  } else {
    pool_.push_back(execution_of(task));
  }
}

void Isolator::judge(const std::shared_ptr<Task>& task, const ProcessEnd& executed) {
  task->executed = executed;
  if (executed.stopped || executed.not_forked) {
    finish(task, Judged{});
    return;
  }
  task->note = task->region->read_note();
  ProcessPool::Job job;
  job.before = [task] {
    task->mailbox = std::make_unique<Mailbox>();
    note_text(task->region->note().call, "");
    task->region->inherit(true);
  };
  job.forked = keep_from_others(task);
  job.child = [task] {
    const std::string bytes = to_wire(judge_region(task->request, *task->region));
    return task->mailbox->write(bytes) ? 0 : 1;
  };
  job.timeout_seconds = kJudgeSeconds;
  job.done = [this, task](const ProcessEnd& end) { judged(task, end); };
  pool_.push_front(std::move(job));
}

void Isolator::judged(const std::shared_ptr<Task>& task, const ProcessEnd& end) {
  if (end.stopped) {
    task->executed.stopped = true;
    finish(task, Judged{});
    return;
  }
  Judged result;
  const bool came = end.exited && end.code == 0 && from_wire(task->mailbox->read(), result);
  if (!came) {
    // A lost judgement is our defect, whatever the driver put into its trace.
    result = Judged{};
    std::string what = fmt::format("judging by {} ended by {}", task->region->read_note().call,
                                   end.signal != 0 ? fmt::format("signal {}", end.signal)
                                                   : fmt::format("exit code {}", end.code));
    if (!end.output.empty()) what += ": " + printable(end.output.substr(0, 400));
    result.harness.push_back(std::move(what));
  }
  finish(task, std::move(result));
}

void Isolator::finish(const std::shared_ptr<Task>& task, Judged result) {
  RunOutcome run;
  run.outcome = classify(task->executed, task->note, result, options_.timeout_seconds);
  run.judged = std::move(result);
  run.milliseconds = task->executed.milliseconds;
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
  pool_.push_front(execution_of(task));
}

void Isolator::run_here(const std::shared_ptr<Task>& task) {
  task->region = regions_.take();
  execute_into(task->request, *task->region, host::Process::ManyRuns);
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
  pool_.run(stop);
}

RunOutcome Isolator::run_one(const RunRequest& request) {
  RunOutcome result;
  enqueue(request, [&result](RunOutcome run) { result = std::move(run); });
  run();
  return result;
}

}  // namespace wddm::harness
