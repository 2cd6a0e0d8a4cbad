#include "conformance/harness/isolate/process_pool.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <ctime>
#include <optional>
#include <string>
#include <utility>

#include "reference/harness_assert.h"

namespace wddm::harness {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kKeptOutput = 64 * 1024;
// A process that is ready to run gets something of any CPU within this.
constexpr std::chrono::seconds kLongestStarved{2};
// How long a child that has not used its time runs on at least before it is looked at again.
constexpr double kLeastSecondsOfTurn = 0.01;
// A child that was asked where it is gets this long to answer.
constexpr std::chrono::milliseconds kGrace{500};
// Upper bound of one wait, so that a stop is noticed even if its signal came just before.
constexpr int kLongestWaitMs = 200;
// Reads in one turn: a child that floods its output must not keep us from its deadline.
constexpr int kReadsInATurn = 64;
// Without process descriptors the end of a child is found by asking.
constexpr int kAskingWaitMs = 5;

int open_process(pid_t pid) {
  return static_cast<int>(::syscall(SYS_pidfd_open, pid, 0));
}

double milliseconds_of(const timeval& time) {
  return static_cast<double>(time.tv_sec) * 1e3 + static_cast<double>(time.tv_usec) / 1e3;
}

Clock::duration duration_of(double seconds) {
  return std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
}

// Of all threads of the process; none once it has ended.
std::optional<double> cpu_seconds_of(pid_t pid) {
  clockid_t clock{};
  timespec used{};
  if (::clock_getcpuclockid(pid, &clock) != 0 || ::clock_gettime(clock, &used) != 0) return {};
  return static_cast<double>(used.tv_sec) + static_cast<double>(used.tv_nsec) / 1e9;
}

// What /proc says of the process in one of its files of a line; empty where there is no such file.
std::string told_of(pid_t pid, const char* file) {
  char line[512] = {};
  const std::string path = "/proc/" + std::to_string(pid) + "/" + file;
  const int opened = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (opened < 0) return {};
  const ssize_t got = ::read(opened, line, sizeof(line) - 1);
  ::close(opened);
  return got > 0 ? std::string(line, static_cast<std::size_t>(got)) : std::string();
}

// Has work, and waits for nothing but a CPU. The name of the process may hold anything, so that the
// state is looked for behind it.
bool is_ready(pid_t pid) {
  const std::string line = told_of(pid, "stat");
  const std::size_t state = line.rfind(") ");
  return state != std::string::npos && line.compare(state, 3, ") R") == 0;
}

// How long it was ready until now and others had the CPU; 0 where the kernel does not count it.
double seconds_ready(pid_t pid) {
  const std::string line = told_of(pid, "schedstat");
  unsigned long long ran = 0, ready = 0;
  if (std::sscanf(line.c_str(), "%llu %llu", &ran, &ready) != 2) return 0;
  return static_cast<double>(ready) / 1e9;
}

// What every child does before its own work: nothing here may allocate.
void settle_in(pid_t parent, int output) {
  ::setpgid(0, 0);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(1);
  ::signal(SIGINT, SIG_DFL);
  ::signal(SIGTERM, SIG_DFL);
  ::signal(SIGPIPE, SIG_DFL);
  const int nothing = ::open("/dev/null", O_RDONLY);
  if (nothing >= 0) ::dup2(nothing, STDIN_FILENO);
  ::dup2(output, STDOUT_FILENO);
  ::dup2(output, STDERR_FILENO);
}

}  // namespace

int deadline_signal() {
  return SIGUSR1;
}

struct ProcessPool::Child {
  pid_t pid = -1;
  int process = -1;  // pidfd, or -1 where the system has none
  int output = -1;
  Clock::time_point begun;
  Clock::time_point deadline;  // when it may have used its time
  double used = 0;             // CPU seconds, when it was last looked at ...
  Clock::time_point moved;     // ... and when they were first seen to be as many
  bool asked = false;
  Job job;
  ProcessEnd end;
};

ProcessPool::ProcessPool(unsigned jobs) : jobs_(std::max(jobs, 1u)) {}

ProcessPool::~ProcessPool() {
  kill_all();
}

void ProcessPool::push_back(Job job) {
  waiting_.push_back(std::move(job));
}
void ProcessPool::push_front(Job job) {
  waiting_.push_front(std::move(job));
}

void ProcessPool::start(Job job) {
  auto child = std::make_unique<Child>();
  child->job = std::move(job);
  if (child->job.before) child->job.before();
  int ends[2];
  const bool piped = ::pipe2(ends, O_CLOEXEC) == 0;
  // What stands in our buffers would otherwise be printed by the child as well.
  std::fflush(nullptr);
  const pid_t parent = ::getpid();
  const pid_t pid = piped ? ::fork() : -1;
  if (pid == 0) {
    settle_in(parent, ends[1]);
    const int code = child->job.child();
    std::fflush(nullptr);
    ::_exit(code);
  }
  if (piped) ::close(ends[1]);
  if (child->job.forked) child->job.forked();
  if (pid < 0) {
    if (piped) ::close(ends[0]);
    child->end.not_forked = true;
    child->job.done(child->end);
    return;
  }
  ::setpgid(pid, pid);  // both sides do it: whoever is first
  ::fcntl(ends[0], F_SETFL, O_NONBLOCK);
  child->pid = pid;
  child->process = open_process(pid);
  child->output = ends[0];
  child->begun = child->moved = Clock::now();
  child->deadline = child->begun + duration_of(child->job.timeout_seconds);
  running_.push_back(std::move(child));
}

void ProcessPool::read_output(Child& child) {
  char buffer[4096];
  for (int turn = 0; turn < kReadsInATurn && child.output >= 0; ++turn) {
    const ssize_t got = ::read(child.output, buffer, sizeof(buffer));
    if (got == 0) {
      // Closed by the child. Polling a closed pipe would return at once, again and again.
      ::close(std::exchange(child.output, -1));
    }
    if (got <= 0) return;
    // What is beyond the limit is read all the same: the child must not block on a full pipe.
    const std::size_t room = kKeptOutput - child.end.output.size();
    child.end.output.append(buffer, std::min(room, static_cast<std::size_t>(got)));
  }
}

void ProcessPool::enforce_deadline(Child& child) {
  const auto now = Clock::now();
  if (now < child.deadline) return;
  if (!child.asked) {
    const double limit = child.job.timeout_seconds;
    const auto last = child.begun + duration_of(limit * kWallOfOwnTime + seconds_ready(child.pid));
    const double used = cpu_seconds_of(child.pid).value_or(child.used);
    const bool ready = is_ready(child.pid);
    if (used != child.used || ready) child.moved = now;
    child.used = used;
    const bool idle = now - child.moved >= kLongestStarved;
    const double left = limit - used;
    // How long it has been ready is counted when it gets a CPU.
    if (left > 0 && (now < last || ready) && !idle) {
      const auto used_up = now + duration_of(std::max(left, kLeastSecondsOfTurn));
      child.deadline = std::min(used_up, child.moved + kLongestStarved);
      if (now < last) child.deadline = std::min(child.deadline, last);
      return;
    }
    child.end.waited = left > 0;
  }
  ::kill(child.pid, child.asked ? SIGKILL : deadline_signal());
  child.asked = true;
  child.end.timed_out = true;
  child.deadline = Clock::now() + kGrace;
}

bool ProcessPool::collect(Child& child) {
  int status = 0;
  rusage used{};
  const pid_t got = ::wait4(child.pid, &status, WNOHANG, &used);
  if (got == 0 || (got < 0 && errno == EINTR)) return false;
  HARNESS_ASSERT(got == child.pid);
  child.end.milliseconds =
      std::chrono::duration<double, std::milli>(Clock::now() - child.begun).count();
  child.end.cpu_milliseconds = milliseconds_of(used.ru_utime) + milliseconds_of(used.ru_stime);
  // Processes that a driver left behind hold the pipe and could go on for ever.
  ::kill(-child.pid, SIGKILL);
  read_output(child);
  if (child.output >= 0) ::close(child.output);
  if (child.process >= 0) ::close(child.process);
  child.end.exited = WIFEXITED(status);
  if (WIFEXITED(status)) child.end.code = WEXITSTATUS(status);
  if (WIFSIGNALED(status)) child.end.signal = WTERMSIG(status);
  return true;
}

void ProcessPool::wait_for_something() {
  std::vector<pollfd> fds;
  auto nearest = Clock::now() + std::chrono::milliseconds(kLongestWaitMs);
  bool asking = false;
  for (const auto& child : running_) {
    if (child->output >= 0) fds.push_back({child->output, POLLIN, 0});
    if (child->process >= 0) fds.push_back({child->process, POLLIN, 0});
    asking |= child->process < 0;
    nearest = std::min(nearest, child->deadline);
  }
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(nearest - Clock::now()).count();
  int wait = static_cast<int>(std::clamp<long long>(left, 0, kLongestWaitMs));
  if (asking) wait = std::min(wait, kAskingWaitMs);
  ::poll(fds.data(), fds.size(), wait);
}

void ProcessPool::kill_all() {
  for (const auto& child : running_) {
    ::kill(-child->pid, SIGKILL);
    ::kill(child->pid, SIGKILL);
    int status = 0;
    while (::waitpid(child->pid, &status, 0) < 0 && errno == EINTR) {
    }
    if (child->output >= 0) ::close(child->output);
    if (child->process >= 0) ::close(child->process);
  }
}

void ProcessPool::run(const std::atomic<bool>* stop) {
  const auto stopping = [stop] { return stop && stop->load(std::memory_order_relaxed); };
  while (!waiting_.empty() || !running_.empty()) {
    if (stopping()) {
      kill_all();
      const auto ended = std::exchange(running_, {});
      const auto dropped = std::exchange(waiting_, {});
      ProcessEnd end;
      end.stopped = true;
      for (const auto& child : ended) child->job.done(end);
      for (const Job& job : dropped) job.done(end);
      continue;
    }
    while (running_.size() < jobs_ && !waiting_.empty()) {
      Job job = std::move(waiting_.front());
      waiting_.pop_front();
      start(std::move(job));
    }
    if (running_.empty()) continue;
    wait_for_something();
    std::vector<std::unique_ptr<Child>> ended;
    for (auto& child : running_) {
      read_output(*child);
      enforce_deadline(*child);
      if (collect(*child)) ended.push_back(std::move(child));
    }
    std::erase(running_, nullptr);
    for (const auto& child : ended) child->job.done(child->end);
  }
}

}  // namespace wddm::harness
