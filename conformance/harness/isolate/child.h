// What happens inside the process of one run: limits, notes for the runner, and the scenario
// itself.
//
// The host of the driver may install signal handlers of its own (structured exceptions need them);
// those installed here only write down where the run was and then let the signal take its course.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "conformance/harness/isolate/shared_region.h"
#include "conformance/harness/judge/result.h"
#include "conformance/host/execute.h"
#include "conformance/rules/rule.h"
#include "reference/trace/op.h"

namespace wddm::harness {

/// Exit code of a child that was asked where it is.
inline constexpr int kChildAsked = 41;

/// What is run: a scenario with settings, and perhaps with one seeded fault.
struct RunRequest {
  const Scenario* scenario = nullptr;  ///< outlives the run
  std::vector<Op> settings = {};
  const Fault* fault = nullptr;  ///< null: none
  /// The environment variable by which the device is told the variant of a fault that sits there;
  /// null where the device knows none.
  const char* device_variable = nullptr;
  KeepTrace keep = KeepTrace::OfFailure;
  bool replay = true;          ///< run a failure once more before it is believed
  bool read_contents = false;  ///< see ExecuteOptions
  std::vector<host::ServiceValue> values = {};
  host::WindowsRelease windows = {};
};

/// The interposer of a boundary fault; it must outlive the run.
[[nodiscard]] std::shared_ptr<Interposer> make_interposer(const Fault& fault);
/// Runs the request in this process, recording into `region`.
void execute_into(const RunRequest& request, Region& region, host::Process process);
/// For processes of many runs: the next one wants what this one gives back, so the system should
/// not take it in between.
void keep_what_is_freed();

/// A run, and where it is recorded.
struct Recorded {
  const RunRequest* request = nullptr;
  Region* region = nullptr;
};
/// Runs them one after the other as a child process does it: with limits, handlers and notes. The
/// exit code.
[[nodiscard]] int run_as_child(std::span<const Recorded> runs);

}  // namespace wddm::harness
