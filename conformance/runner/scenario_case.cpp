#include "conformance/runner/scenario_case.h"

#include <fmt/format.h>

#include <cstdlib>

#include "conformance/harness/isolate/isolate.h"
#include "conformance/harness/judge/verdict.h"
#include "conformance/runner/driver_choice.h"

namespace wddm::runner {
namespace {

std::string from_environment(const char* name) {
  const char* const value = std::getenv(name);
  return value ? value : "";
}

// Once for all cases of a program; what went wrong, or nothing.
const std::string& loading_trouble(double timeout_seconds) {
  static const std::string trouble = [timeout_seconds] {
    const reports::Subject subject{from_environment("WDDM_DRIVER"), from_environment("WDDM_DEVICE"),
                                   from_environment("WDDM_CLIENT")};
    host::DriverUnderTest driver;
    std::string error;
    if (locate(subject, driver, error)) {
      static_cast<void>(load_carefully(driver, timeout_seconds, error));
    }
    return error;
  }();
  return trouble;
}

}  // namespace

std::string what_fails(std::span<const Op> ops) {
  const harness::IsolatorOptions isolation;
  if (const std::string& trouble = loading_trouble(isolation.timeout_seconds); !trouble.empty()) {
    return trouble;
  }
  Scenario scenario;
  scenario.ops.assign(ops.begin(), ops.end());
  harness::RunRequest request;
  request.scenario = &scenario;
  const harness::RunOutcome run = harness::Isolator(isolation).run_one(request);

  std::string text;
  if (run.outcome.kind != harness::OutcomeKind::Finished) {
    text = fmt::format("the run {}: {}\n", harness::name_of(run.outcome.kind),
                       harness::summary_of_end(run));
  }
  if (!run.judged.start_trouble.empty()) {
    text += fmt::format("the driver did not start: {}\n", run.judged.start_trouble);
  }
  const StoredTrace stored(run.judged.trace);
  for (const harness::Failure& failure : run.judged.failures) {
    text += print_verdict(failure, find_rule(failure.id), {}, chain_of(failure, stored));
  }
  for (const std::string& defect : run.judged.harness) text += "HARNESS: " + defect + '\n';
  return text;
}

}  // namespace wddm::runner
