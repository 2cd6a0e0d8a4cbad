// Runs scenarios in child processes, judges what is left of their traces, and runs every failure
// once more before it is believed. Runs without a seeded fault share processes: one that fails in
// company is run again alone, by clauses that have often come back alone in another company, and
// one that was interrupted by another begins anew.
//
// The process that calls this is the zygote: the driver image is loaded into it and nothing in the
// image has been called. Judging has processes of its own too, one for many runs, see wire.h.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "conformance/harness/isolate/child.h"
#include "conformance/harness/isolate/process_pool.h"
#include "conformance/harness/isolate/shared_region.h"
#include "conformance/harness/judge/result.h"

namespace wddm::harness {

enum class Isolate : std::uint8_t {
  Fork,
  None,  ///< everything in this process: for debuggers; a crash ends us
};

struct IsolatorOptions {
  Isolate isolate = Isolate::Fork;
  unsigned jobs = 1;
  double timeout_seconds = 10;      ///< CPU time of one scenario
  std::uint32_t events = 1u << 17;  ///< capacity of a trace
  std::uint32_t blobs = 64u << 20;  ///< bytes
  /// Runs, or judgements, in one process at most: it costs more than either. It begins with fewer,
  /// and again so behind a run that comes to no good end.
  std::uint32_t together = 128;
};

class Isolator {
 public:
  using Done = std::function<void(RunOutcome)>;

  explicit Isolator(const IsolatorOptions& options);
  ~Isolator();

  /// Waits its turn until run(). `done` is called once, in an order that depends on which run ends
  /// first.
  void enqueue(RunRequest request, Done done);
  /// Runs that may wait at once so that no job is idle.
  [[nodiscard]] std::size_t room() const;
  /// Runs everything that was enqueued. When `stop` becomes true the rest ends as not run.
  void run(const std::atomic<bool>* stop = nullptr);
  /// One run, now.
  [[nodiscard]] RunOutcome run_one(const RunRequest& request);

 private:
  struct Task;
  using Tasks = std::vector<std::shared_ptr<Task>>;
  /// Processes that are forked from now on do not have their traces.
  static void keep_from_others(const Tasks& tasks);
  [[nodiscard]] ProcessPool::Job execution_of(Tasks tasks);
  void form_companies();
  void share_a_process(std::size_t runs);
  void learn(const ProcessEnd& end, std::size_t runs);
  void again_alone(const std::shared_ptr<Task>& task);
  void again_in_company(const std::shared_ptr<Task>& task);
  [[nodiscard]] bool is_known(const RunOutcome& run) const;
  void confirm(const RunOutcome& run);
  void executed(const Tasks& tasks, const ProcessEnd& end);
  void judge(Tasks tasks);
  void judged(const Tasks& tasks, const ProcessEnd& end);
  void finish(const std::shared_ptr<Task>& task, Judged result);
  void run_here(const std::shared_ptr<Task>& task);

  IsolatorOptions options_;
  RegionStore regions_;
  ProcessPool pool_;
  std::deque<std::shared_ptr<Task>> here_;      // without isolation
  std::deque<std::shared_ptr<Task>> sociable_;  // may share a process with others
  std::size_t company_;                         // so many of these, next time
  std::size_t companies_ = 0;                   // under way
  Tasks unjudged_;
  std::map<std::string, std::uint32_t> confirmed_;  // by clause: runs alone that it fired again in
};

/// What the end of a process, its note and its trace come to. Pure.
[[nodiscard]] Outcome classify(const ProcessEnd& end, const NoteCopy& note, const Judged& judged,
                               double timeout_seconds);
/// Whether a run is to be looked at again: it did not finish, or a clause fired.
[[nodiscard]] bool is_bad(const RunOutcome& run);
/// What two runs of one input must agree in; equal strings for equal runs.
[[nodiscard]] std::string signature_of(const RunOutcome& run);

}  // namespace wddm::harness
