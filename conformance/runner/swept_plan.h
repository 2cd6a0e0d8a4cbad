// What `run --depth thorough` sweeps (fuzz/generators/swept_scenarios.h), in waves: in each, every
// op that is not done with meets its next failure. Which sweeps are done the records of the wave
// before say, so that the plan depends on neither time nor jobs.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "conformance/harness/judge/result.h"
#include "fuzz/generators/swept_scenarios.h"

namespace wddm::runner {

class SweptPlan {
 public:
  /// In the first configuration that names memory by patch lists, and in the first that does not.
  SweptPlan(std::span<const harness::Configuration> configurations,
            std::span<const std::optional<bool>> gpu_virtual, std::uint32_t first_number);

  /// The first wave, with the undisturbed runs and all sizes.
  [[nodiscard]] std::vector<harness::RunSpec> first();
  /// `ended`: the records of the latest wave, in its order. None is left when this is empty, or
  /// when some of that wave was left out.
  [[nodiscard]] std::vector<harness::RunSpec> after(std::span<const harness::RunRecord> ended);

 private:
  /// What tells a run in which something failed from one in which nothing did.
  struct CameTo {
    harness::OutcomeKind end = harness::OutcomeKind::NotRun;
    std::uint32_t events = 0;
    std::vector<std::uint32_t> reached;  // by rule

    friend bool operator==(const CameTo&, const CameTo&) = default;
  };
  struct Line {
    fuzz::FailureSweep sweep;
    std::uint32_t configuration = 0;
    std::size_t op = 0;  // index in undisturbed_
    std::uint32_t in_vain = 0;
    bool done = false;
  };

  static CameTo came_to(const harness::RunRecord& record);
  void add(std::vector<harness::RunSpec>& wave, Scenario scenario, std::uint32_t configuration);
  [[nodiscard]] std::vector<harness::RunSpec> next();

  std::vector<Line> lines_;
  std::vector<CameTo> undisturbed_;
  std::vector<std::size_t> in_wave_;  // indices in lines_; the first wave has none
  std::vector<harness::RunSpec> first_;
  std::uint32_t kth_ = 0;
  std::uint32_t number_;
};

}  // namespace wddm::runner
