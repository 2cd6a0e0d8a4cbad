// A fuzzing campaign: workers look for inputs, this process believes none of them until it has seen
// the same end three times, minimizes what is new, and counts.
//
// Nothing a worker meets takes the campaign down: a worker that the driver kills leaves its input
// behind, and is started again without it.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "conformance/harness/isolate/isolate.h"
#include "fuzz/session/afl_folder.h"
#include "fuzz/session/campaign_options.h"
#include "fuzz/session/claimed_folder.h"
#include "fuzz/session/engine_process.h"
#include "fuzz/session/work_folder.h"

namespace wddm::fuzz {

struct Progress {
  std::uint64_t executions = 0;
  double seconds = 0;
  double rate = 0;       ///< executions per second since the start
  unsigned clauses = 0;  ///< that have had something to judge
  std::size_t findings = 0;
};

struct Finding {
  std::string bucket;
  std::string name;           ///< what is of the same name is the same finding
  Scenario scenario;          ///< minimized; settings are ops of it, so that it needs no flags
  harness::RunOutcome run;    ///< of the minimized scenario
  std::size_t ops_found = 0;  ///< before minimizing
  bool cut_short = false;     ///< the time was over before it was as short as it can be
};

/// Carries what the caller decides about findings and how it shows progress.
struct CampaignHooks {
  /// Whether it is excused already: then it is not minimized, nor told to the others. May be empty.
  std::function<bool(const Finding&)> known;
  std::function<void(const Finding&)> found;
  /// One more that says the same: even its shortest scenario shows, before it and about the same
  /// event, packet or buffer, what was found by that name already. It is not told to `found`.
  std::function<void(const Finding&, const std::string& earlier)> follows;
  /// An input of this bucket did not end the same way three times. Of one that ended its worker no
  /// more is known than "CRASH", or "TIMEOUT" where it was the time that it took.
  std::function<void(const std::string& bucket, const std::vector<std::uint8_t>& input)> unsteady;
  /// An input that nobody had time to look at, by the same names: it may be known, or unsteady.
  std::function<void(const std::string& bucket, const std::vector<std::uint8_t>& input)> left;
  std::function<void(const Progress&)> progress;  ///< about ten times a second
};

class Campaign {
 public:
  Campaign(CampaignOptions options, CampaignHooks hooks);
  /// Makes the folders and reads what there is to begin with. False with one line in `error`.
  [[nodiscard]] bool prepare(std::string& error);
  /// Until time or runs are over or `stop` is set. False with one line in `error` if no worker
  /// could work; what was found until then is given all the same.
  [[nodiscard]] bool run(const std::atomic<bool>& stop, std::string& error);
  [[nodiscard]] const Progress& progress() const { return progress_; }

 private:
  struct Worker {
    EngineProcess process;
    MappedBoard board;
    std::uint64_t begun_at = 0;  ///< executions when it was last started
    unsigned vain_starts = 0;    ///< in a row, without one execution
    struct {
      std::uint64_t executions = 0;
      double at = 0;  ///< seconds since the start
    } moved;          ///< when it was last seen to do something
    bool done = false;
  };
  [[nodiscard]] bool prepare_seeds(std::string& error);
  [[nodiscard]] bool work(const std::atomic<bool>& stop, std::string& error);
  [[nodiscard]] bool start(unsigned worker, std::string& error);
  [[nodiscard]] bool keep_going(unsigned worker, const std::atomic<bool>& stop, std::string& error);
  [[nodiscard]] bool is_stuck(Worker& worker) const;
  [[nodiscard]] bool take_what_ended(Worker& worker, const std::atomic<bool>& stop,
                                     bool took_too_long);
  void collect(const std::atomic<bool>& stop);
  void take(const std::string& bucket, const std::vector<std::uint8_t>& input,
            const std::atomic<bool>& stop, bool took_too_long = false);
  void disbelieve(const std::string& reported, bool took_too_long,
                  const std::vector<std::uint8_t>& input);
  void leave(const std::string& reported, bool took_too_long,
             const std::vector<std::uint8_t>& input);
  void minimize(Finding& finding, const std::atomic<bool>& stop);
  [[nodiscard]] std::string what_it_follows(const Finding& finding);
  [[nodiscard]] const std::set<std::string>& shown_anyway();
  [[nodiscard]] harness::RunOutcome run_once(const Scenario& scenario);
  [[nodiscard]] std::optional<harness::RunOutcome> confirmed(const Scenario& scenario,
                                                             std::string& bucket);
  void keep_queues_of_afl();
  void measure();
  [[nodiscard]] double passed() const;                 // seconds since the start
  [[nodiscard]] double end_of(double overtime) const;  // likewise; never without a limit
  [[nodiscard]] bool is_over() const;                  // nothing is looked at any more
  [[nodiscard]] bool met_something() const { return !taken_.empty() || !unsteady_.empty(); }

  CampaignOptions options_;
  CampaignHooks hooks_;
  WorkFolder folder_;
  ClaimedFolder claim_;
  double begun_ = 0;  // by the clock
  harness::Isolator isolator_;
  std::vector<std::unique_ptr<Worker>> workers_;
  AflFolder afl_;
  double queues_kept_at_ = 0;    // seconds since the start
  std::set<std::string> taken_;  // buckets
  std::set<std::string> named_;  // findings
  std::set<std::string> told_;   // the same: those that follow from no other, and known ones
  std::optional<std::set<std::string>> anyway_;  // findings that nearly every scenario shows
  std::map<std::string, unsigned> unsteady_;     // buckets, and inputs of each
  Progress progress_;
};

}  // namespace wddm::fuzz
