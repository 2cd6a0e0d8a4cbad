// A fuzzing campaign: workers look for inputs, this process believes none of them until it has seen
// the same end three times, minimizes what is new, and counts.
//
// Nothing a worker meets takes the campaign down: a worker that the driver kills leaves its input
// behind and is started again.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "conformance/harness/isolate.h"
#include "fuzz/session/claimed_folder.h"
#include "fuzz/session/engine_process.h"
#include "fuzz/session/work_folder.h"

namespace wddm::fuzz {

enum class Engine : std::uint8_t { LibFuzzer, Afl };

struct CampaignOptions {
  Engine engine = Engine::LibFuzzer;
  std::string program;   ///< the target
  std::string mutators;  ///< library of custom mutators, for AFL++
  std::string output;    ///< folder: corpus/ (unless given), work/, and what the caller writes
  std::string corpus;    ///< folder of scenarios that grows; either form is read, bytes are written
  std::vector<std::string> seeds;                                ///< the same, only read
  std::vector<std::pair<std::string, std::string>> environment;  ///< names the driver
  /// 0: no limit. Findings in hand are minimized for a tenth longer, ten seconds at least.
  double seconds = 0;
  std::uint64_t runs = 0;  ///< of all workers together; 0: no limit
  unsigned jobs = 1;
  std::uint64_t seed = 1;            ///< worker i begins with seed + i
  double timeout_seconds = 10;       ///< wall clock of one scenario
  harness::RunRequest subject = {};  ///< settings and seeded fault that every scenario runs with
};

struct Progress {
  std::uint64_t executions = 0;
  double seconds = 0;
  double rate = 0;       ///< executions per second since the start
  unsigned clauses = 0;  ///< that have had something to judge
  std::size_t findings = 0;
};

struct Finding {
  std::string bucket;
  Scenario scenario;          ///< minimized
  harness::RunOutcome run;    ///< of the minimized scenario
  std::size_t ops_found = 0;  ///< before minimizing
};

/// Carries what the caller decides about findings and how it shows progress.
struct CampaignHooks {
  std::function<void(const Finding&)> found;
  /// An input of this bucket did not end the same way three times.
  std::function<void(const std::string& bucket, const std::vector<std::uint8_t>& input)> unsteady;
  std::function<void(const Progress&)> progress;  ///< about ten times a second
};

class Campaign {
 public:
  Campaign(CampaignOptions options, CampaignHooks hooks);
  /// Makes the folders and reads what there is to begin with. False with one line in `error`.
  [[nodiscard]] bool prepare(std::string& error);
  /// Until time or runs are over or `stop` is set. False with one line in `error` if no worker
  /// could work.
  [[nodiscard]] bool run(const std::atomic<bool>& stop, std::string& error);
  [[nodiscard]] const Progress& progress() const { return progress_; }

 private:
  struct Worker {
    EngineProcess process;
    WorkerBoard* board = nullptr;
    std::uint64_t begun_at = 0;  ///< executions when it was last started
    unsigned vain_starts = 0;    ///< in a row, without one execution
    bool done = false;
  };
  [[nodiscard]] EngineCommand command_of(unsigned worker) const;
  [[nodiscard]] EngineCommand libfuzzer_command(unsigned worker) const;
  [[nodiscard]] EngineCommand afl_command(unsigned worker) const;
  [[nodiscard]] std::uint64_t runs_of(unsigned worker) const;
  [[nodiscard]] bool prepare_seeds(std::string& error);
  void keep_queue_of_afl() const;
  [[nodiscard]] bool start(unsigned worker, std::string& error);
  [[nodiscard]] bool keep_going(unsigned worker, const std::atomic<bool>& stop, std::string& error);
  void collect(const std::atomic<bool>& stop);
  void take(const std::string& bucket, const std::vector<std::uint8_t>& input,
            const std::atomic<bool>& stop);
  void minimize(Finding& finding, const std::atomic<bool>& stop);
  [[nodiscard]] harness::RunOutcome run_once(const Scenario& scenario);
  [[nodiscard]] std::optional<harness::RunOutcome> confirmed(const Scenario& scenario,
                                                             std::string& bucket);
  void measure();
  [[nodiscard]] double passed() const;  // seconds since the start

  CampaignOptions options_;
  CampaignHooks hooks_;
  WorkFolder folder_;
  ClaimedFolder claim_;
  std::chrono::steady_clock::time_point begun_;
  harness::Isolator isolator_;
  std::vector<std::unique_ptr<Worker>> workers_;
  std::set<std::string> taken_;    // buckets
  std::set<std::string> crashes_;  // files looked at
  Progress progress_;
};

}  // namespace wddm::fuzz
