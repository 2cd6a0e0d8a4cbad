// Candidates in child processes: each writes down what its runs came to, in a file without a name.
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>

#include "conformance/harness/isolate/child.h"
#include "conformance/harness/isolate/process_pool.h"
#include "conformance/harness/judge/judge.h"
#include "conformance/harness/suite/configurations.h"
#include "fuzz/distill/candidate.h"
#include "reference/harness_assert.h"

namespace wddm::fuzz {
namespace {

constexpr std::size_t kTogether = 64;
constexpr std::uint32_t kEvents = 1u << 17, kBlobs = 64u << 20;
// Runs have limits of their own.
constexpr double kSecondsOfProcess = 3600;

// Of CPU: what is kept must not depend on what else the machine does.
void limit_run(double seconds) {
  itimerval timer{};
  timer.it_value.tv_sec = static_cast<time_t>(seconds) + 1;
  ::setitimer(ITIMER_PROF, &timer, nullptr);
}

// The plain part of a result; a text and features follow it.
struct Head {
  std::uint64_t trace = 0;
  std::uint32_t events = 0, gpu_virtual = 0, wrong_bytes = 0, features = 0;
};

class Results {
 public:
  Results() : file_(::memfd_create("played", MFD_CLOEXEC)) { HARNESS_ASSERT(file_ >= 0); }
  ~Results() { ::close(file_); }
  Results(const Results&) = delete;
  Results& operator=(const Results&) = delete;

  void append(const Played& played) const {
    const Head head{played.trace, played.events, played.gpu_virtual ? 1u : 0u,
                    static_cast<std::uint32_t>(played.wrong.size()),
                    static_cast<std::uint32_t>(played.features.size())};
    std::string bytes(reinterpret_cast<const char*>(&head), sizeof head);
    bytes += played.wrong;
    bytes.append(reinterpret_cast<const char*>(played.features.data()), played.features.size() * 4);
    HARNESS_ASSERT(::write(file_, bytes.data(), bytes.size()) ==
                   static_cast<ssize_t>(bytes.size()));
  }

  // False behind the last one that is whole.
  bool read(off_t& at, Played& played) const {
    Head head;
    if (!get(at, &head, sizeof head)) return false;
    played.done = true;
    played.trace = head.trace;
    played.events = head.events;
    played.gpu_virtual = head.gpu_virtual != 0;
    played.wrong.resize(head.wrong_bytes);
    played.features.resize(head.features);
    return get(at, played.wrong.data(), head.wrong_bytes) &&
           get(at, played.features.data(), std::size_t{head.features} * 4);
  }

 private:
  bool get(off_t& at, void* to, std::size_t bytes) const {
    const bool whole = ::pread(file_, to, bytes, at) == static_cast<ssize_t>(bytes);
    at += static_cast<off_t>(bytes);
    return whole;
  }
  int file_;
};

std::string what_is_wrong(const harness::Judged& judged) {
  if (judged.scribbled) return "its trace is damaged";
  if (!judged.harness.empty()) return "HARNESS: " + judged.harness.front();
  if (!judged.stopped.empty()) return judged.stopped;
  if (judged.truncated) return "more events than a trace can hold";
  if (!judged.failures.empty())
    return fmt::format("{} fires at op {}", judged.failures.front().id, judged.failures.front().op);
  return judged.ended ? "" : "it has no end";
}

class Player {
 public:
  Player(std::span<const Candidate> candidates, std::span<const std::size_t> which,
         std::span<const harness::Configuration> configurations, const PlayOptions& options)
      : candidates_(candidates),
        which_(which),
        configurations_(configurations),
        options_(options),
        pool_(options.jobs),
        all_(which.size()) {}

  std::vector<Played> all() {
    for (std::size_t first = 0; first < which_.size(); first += kTogether)
      begin(first, std::min(first + kTogether, which_.size()));
    pool_.run(options_.stop);
    return std::move(all_);
  }

 private:
  void begin(std::size_t first, std::size_t end) {
    const auto results = std::make_shared<Results>();
    harness::ProcessPool::Job job;
    job.timeout_seconds = kSecondsOfProcess;
    job.child = [this, results, first, end] {
      harness::Region region(kEvents, kBlobs);
      harness::keep_what_is_freed();
      ::signal(SIGPROF, SIG_DFL);
      for (std::size_t i = first; i < end; ++i) {
        limit_run(options_.timeout_seconds);
        results->append(one(candidates_[which_[i]], region));
      }
      return 0;
    };
    job.done = [this, results, first, end](const harness::ProcessEnd& process) {
      std::size_t at = first;
      for (off_t place = 0; at < end && results->read(place, all_[at]);) ++at;
      if (at == end || process.stopped) return;
      all_[at] = Played{};
      all_[at].done = true;
      const bool slow = process.timed_out || process.signal == SIGPROF;
      all_[at].wrong = slow ? "it takes too long" : "it ends the process";
      if (at + 1 < end) begin(at + 1, end);
    };
    pool_.push_back(std::move(job));
  }

  Played one(const Candidate& candidate, harness::Region& region) const {
    const Scenario scenario = harness::with_settings(
        *candidate.scenario, configurations_[candidate.configuration].settings);
    harness::RunRequest request;
    request.scenario = &scenario;
    harness::execute_into(request, region, host::Process::SomeRuns);
    harness::JudgeOptions judging;
    judging.keep = harness::KeepTrace::Never;
    Played played;
    if (!harness::sound(region.trace_storage(), kEvents, kBlobs)) {
      played.wrong = "its trace is damaged";
      return played;
    }
    const Trace trace(region.trace_storage(), kEvents, kBlobs);
    const harness::Judged judged = harness::judge(trace, platform_of(trace), scenario, judging);
    played.gpu_virtual = candidate.gpu_virtual.value_or(judged.platform.has_virtual_addresses());
    played.events = judged.events;
    played.trace = harness::digest_of_trace(region);
    played.wrong = what_is_wrong(judged);
    played.features =
        features_of(trace, scenario, judged, candidate.configuration, played.gpu_virtual);
    return played;
  }

  std::span<const Candidate> candidates_;
  std::span<const std::size_t> which_;
  std::span<const harness::Configuration> configurations_;
  const PlayOptions& options_;
  harness::ProcessPool pool_;
  std::vector<Played> all_;
};

}  // namespace

std::vector<Played> play(std::span<const Candidate> candidates, std::span<const std::size_t> which,
                         std::span<const harness::Configuration> configurations,
                         const PlayOptions& options) {
  return Player(candidates, which, configurations, options).all();
}

}  // namespace wddm::fuzz
