// `wddmcheck selftest`: is every seeded fault caught by its own clause?
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <iostream>

#include "conformance/drivers/reference/device/variants/device_variant.h"
#include "conformance/harness/judge/verdict.h"
#include "conformance/harness/suite/disguises.h"
#include "conformance/harness/suite/kill_matrix.h"
#include "conformance/runner/commands.h"
#include "conformance/runner/driver_choice.h"
#include "conformance/runner/process.h"
#include "conformance/runner/progress.h"

namespace wddm::runner {
namespace {

const char* state_of(const harness::KillRow& row) {
  if (!row.ran) return "not run";
  if (!row.killed) return "SURVIVED";
  return row.good ? "killed" : "WRONG";
}

void print_row(const harness::KillRow& row) {
  std::cout << fmt::format("{:<12} {:<9} {:<9} {}\n", row.rule->id, state_of(row),
                           std::string(harness::name_of(row.fault->seat)).substr(0, 8),
                           fmt::join(row.fired, " "));
  if (!row.about.empty()) {
    std::cout << fmt::format("             {}\n             fault: {}\n", row.about,
                             row.fault->about);
  }
}

}  // namespace

int selftest_command(const Options& options) {
  if (options.by_mutants) return selftest_mutants(options);
  std::string error;
  harness::Selection selection;
  if (!select(options.selection, selection, error)) return complain(error);
  host::DriverUnderTest driver = faulty_reference_driver();
  const bool built_in = options.subject.driver.empty();
  const harness::Disguise* disguise = nullptr;
  if (!options.disguise.empty()) {
    disguise = harness::find_disguise(options.disguise, error);
    if (disguise == nullptr) return complain(error);
    driver.client = client_of_disguise(options.disguise);
  }
  if (!built_in && !locate(options.subject, driver, error)) return complain(error);
  if (!load_carefully(driver, options.timeout_seconds, error)) {
    complain(error);
    return kExitNothingJudged;
  }
  // Only the reference driver and its device have variants; the other faults work on any driver.
  std::vector<const Rule*> rules;
  for (const Rule* rule : selection.rules) {
    if (built_in || rule->fault.seat != FaultSeat::Variant) rules.push_back(rule);
  }
  if (rules.empty()) return complain("every selected fault is a variant of the reference driver");

  if (options.by_corpus) return selftest_corpus(options, rules);
  if (options.by_fuzzing) return selftest_fuzz(options, rules, driver);

  const auto of_device = std::count_if(rules.begin(), rules.end(), [](const Rule* rule) {
    return rule->device_fault.about != nullptr;
  });
  Progress progress(rules.size() + (built_in ? static_cast<std::size_t>(of_device) : 0),
                    !options.quiet);
  harness::KillMatrixOptions matrix;
  if (built_in) matrix.device_variable = reference_device::kDeviceVariantVariable;
  matrix.isolation.jobs = options.jobs;
  matrix.configured = built_in;
  matrix.disguise = disguise;
  matrix.isolation.timeout_seconds = options.timeout_seconds;
  std::size_t wrong = 0;
  matrix.ended = [&](const harness::KillRow& row) {
    wrong += row.good ? 0 : 1;
    progress.step(row.rule->id, wrong);
  };
  matrix.stop = &stop_on_signals();
  const std::vector<harness::KillRow> rows = kill_matrix(rules, matrix);

  std::cout << fmt::format("{:<12} {:<9} {:<9} {}\n", "clause", "fault", "seat", "also fired");
  for (const harness::KillRow& row : rows) {
    if (!options.quiet || !row.good) print_row(row);
  }
  const auto number = [&rows](auto takes) {
    return std::count_if(rows.begin(), rows.end(), takes);
  };
  const auto killed = number([](const harness::KillRow& row) { return row.killed; });
  const auto good = number([](const harness::KillRow& row) { return row.good; });
  const auto defects = number([](const harness::KillRow& row) { return !row.harness.empty(); });
  std::cout << fmt::format(
      "\n{} of {} faults are caught by their own clause; {} rows are as the "
      "rule files say\n",
      killed, rows.size(), good);
  if (defects > 0) return kExitHarness;
  return good == static_cast<std::ptrdiff_t>(rows.size()) ? kExitGood : kExitUnexpected;
}

}  // namespace wddm::runner
