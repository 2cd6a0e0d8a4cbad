// Runs functions in forked child processes, a few at a time, and tells how each ended.
//
// A child has its output captured and bounded, no input, a deadline, and dies with its parent.
// Whatever it does, the parent gets one ProcessEnd for it. Not here: what the child does
// (isolate.h).
#pragma once

#include <atomic>
#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace wddm::harness {

struct ProcessEnd {
  bool exited = false;  ///< ended by itself; `code` holds
  int code = 0;
  int signal = 0;               ///< ended by this signal; 0: none
  bool timed_out = false;       ///< its time was up; it was asked to say where it is, then killed
  bool waited = false;          ///< ... by the clock on the wall: it had not used its own time
  bool stopped = false;         ///< killed or never started because the whole run was stopped
  bool not_forked = false;      ///< the system gave us no process
  std::string output;           ///< stdout and stderr, the first bytes
  double milliseconds = 0;      ///< of wall clock
  double cpu_milliseconds = 0;  ///< what else the machine does adds little to it
};

/// The clock on the wall ends what has not used its own time: soon where it uses none at all and is
/// not ready to, for that is no work of others, and else after this many times as long. Time for
/// which it was ready and others had the CPU does not count.
inline constexpr double kWallOfOwnTime = 10;

/// Sent to a child whose time is up. It may write down where it is and must leave at once.
[[nodiscard]] int deadline_signal();

class ProcessPool {
 public:
  struct Job {
    std::function<void()> before;  ///< runs in the parent right before the fork; may be empty
    std::function<void()> forked;  ///< runs in the parent right after the fork; may be empty
    std::function<int()> child;    ///< runs in the child; its result is the exit code
    double timeout_seconds = 10;   ///< of CPU time, which no other load of the machine adds to
    std::function<void(const ProcessEnd&)> done;  ///< runs in the parent; may push further jobs
  };

  /// At most `jobs` (at least 1) children live at once.
  explicit ProcessPool(unsigned jobs);
  ~ProcessPool();
  ProcessPool(const ProcessPool&) = delete;
  ProcessPool& operator=(const ProcessPool&) = delete;

  void push_back(Job job);
  /// Before everything that waits: for the second half of something that has begun.
  void push_front(Job job);
  [[nodiscard]] bool empty() const { return waiting_.empty(); }
  /// Returns when nothing waits and nothing runs. When `stop` becomes true, children are killed and
  /// whatever waits ends as stopped.
  void run(const std::atomic<bool>* stop);

 private:
  struct Child;
  void start(Job job);
  void wait_for_something();
  void read_output(Child& child);
  void enforce_deadline(Child& child);
  [[nodiscard]] bool collect(Child& child);
  void kill_all();

  std::size_t jobs_;
  std::deque<Job> waiting_;
  std::vector<std::unique_ptr<Child>> running_;
};

}  // namespace wddm::harness
