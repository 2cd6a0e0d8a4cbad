// `wddmcheck repro`: one scenario, what each op did, and the verdicts.
#include <fmt/format.h>

#include <fstream>
#include <iostream>
#include <map>

#include "conformance/harness/judge/verdict.h"
#include "conformance/harness/suite/reproducer.h"
#include "conformance/runner/commands.h"
#include "conformance/runner/driver_choice.h"
#include "reference/is_any_of.h"
#include "reference/trace/trace_file.h"

namespace wddm::runner {
namespace {

// Worth a line when ops are told with what each did.
bool is_notable(EventKind kind) {
  using enum EventKind;
  return is_any_of(kind, OpSkipped, Finding, DebugPrint, BugChecked, Crashed, Hung, DdiReturned,
                   PortionPlanned, Submitted, PreemptAsked, FenceQueried, Notified, PacketEnded,
                   GuardDamaged, PagingBuilt, MemoryDiffers);
}

std::map<std::uint32_t, std::string> lines_by_op(const Trace& trace, bool all) {
  std::map<std::uint32_t, std::string> lines;
  for (std::uint32_t i = 0; i < trace.events().size(); ++i) {
    const Event& event = trace.events()[i];
    if (all || is_notable(event.kind)) lines[event.op] += "        " + print_event(trace, i) + '\n';
  }
  return lines;
}

// Ops in order with what each did; what happened outside of ops stands before and after.
void print_ops(const Scenario& scenario, const Trace& trace, bool all) {
  std::map<std::uint32_t, std::string> lines = lines_by_op(trace, all);
  for (std::uint32_t i = 0; i < scenario.ops.size(); ++i) {
    std::cout << fmt::format("op {:<4} {}", i, print_op(scenario.ops[i]));
    if (i < scenario.lines.size()) std::cout << fmt::format("  (line {})", scenario.lines[i]);
    std::cout << '\n' << lines[i];
  }
  std::cout << "outside of ops\n" << lines[kNoOp];
}

void print_verdicts(const harness::Judged& judged, const StoredTrace& stored,
                    const std::string& file, const std::string& settings) {
  for (const harness::Failure& failure : judged.failures) {
    std::cout << '\n'
              << print_verdict(failure, find_rule(failure.id),
                               {file, settings, "", judged.platform.has_device_log},
                               chain_of(failure, stored));
  }
  for (const std::string& defect : judged.harness) std::cout << "\nHARNESS: " << defect << '\n';
}

bool write_trace(const Trace& trace, const std::string& path, std::string& error) {
  std::ofstream out(path);
  for (std::uint32_t i = 0; i < trace.events().size(); ++i) out << print_event(trace, i) << '\n';
  out.flush();
  if (!out) error = path + ": cannot be written";
  return static_cast<bool>(out);
}

// A finding of `fuzz` bears the record of the driver as it comes up by itself, a failure of `run`
// that of the very run. A line, or nothing.
std::string difference_from(const harness::CapabilityRecord& found_on,
                            const host::DriverUnderTest& driver, const harness::RunOutcome& run,
                            double timeout_seconds) {
  const auto here = harness::record_of(run.judged.platform, file_of(driver));
  if (harness::difference(found_on, here).empty()) return {};
  const std::string text = harness::difference(found_on, record_of_loaded(driver, timeout_seconds));
  if (text.empty()) return text;
  return text + (driver.driver.empty() ? ": name that one by --driver\n" : "\n");
}

int exit_code_for(const harness::RunOutcome& run) {
  if (run.outcome.kind == harness::OutcomeKind::Harness || !run.judged.harness.empty()) {
    return kExitHarness;
  }
  bool fired = false;
  for (const harness::Failure& failure : run.judged.failures) {
    const Rule* const rule = find_rule(failure.id);
    if (rule && rule->binds != Binds::Driver) return kExitHarness;
    fired = true;
  }
  if (fired || run.outcome.kind != harness::OutcomeKind::Finished) return kExitUnexpected;
  return run.judged.platform.started ? kExitGood : kExitNothingJudged;
}

}  // namespace

int repro_command(const Options& options) {
  std::string error;
  harness::Reproducer reproducer;
  if (!harness::read_reproducer(options.file, reproducer, error)) return complain(error);
  const Scenario& scenario = reproducer.scenario;
  harness::Configuration configuration{"default", {}};
  if (!read_configuration(options.subject, options.configurations, configuration, error)) {
    return complain(error);
  }
  host::DriverUnderTest driver;
  if (!locate(options.subject, driver, error)) return complain(error);
  const bool loaded = options.gdb ? host::load(driver, error)
                                  : load_carefully(driver, options.timeout_seconds, error);
  if (!loaded) {
    complain(error);
    return kExitNothingJudged;
  }

  harness::IsolatorOptions isolation;
  isolation.isolate = options.gdb ? harness::Isolate::None : harness::Isolate::Fork;
  isolation.timeout_seconds = options.timeout_seconds;
  harness::RunRequest request;
  request.scenario = &scenario;
  request.settings = configuration.settings;
  request.values = configuration.values;
  request.windows = configuration.windows;
  request.keep = harness::KeepTrace::Whole;
  const harness::RunOutcome run = harness::Isolator(isolation).run_one(request);

  std::cout << fmt::format("{}{}{}\n", options.file, scenario.name.empty() ? "" : ": ",
                           scenario.name);
  if (!scenario.about.empty()) std::cout << scenario.about << '\n';
  if (reproducer.form == harness::ScenarioForm::Bytes) {
    std::cout << fmt::format("Read as bytes: {} ops\n", scenario.ops.size());
  }
  // A debugger is not to be troubled with another process.
  if (reproducer.record && !options.gdb) {
    std::cout << difference_from(*reproducer.record, driver, run, options.timeout_seconds);
  }
  const StoredTrace stored(run.judged.trace);
  print_ops(scenario, stored.trace(), options.verbose);
  std::cout << fmt::format("\n{} events; the run {}{}{}\n", run.judged.events,
                           harness::name_of(run.outcome.kind),
                           run.outcome.about.empty() ? "" : ": ",
                           run.outcome.about.empty() ? "" : harness::summary_of_end(run));
  if (!run.judged.start_trouble.empty()) {
    std::cout << fmt::format("The driver did not start: {}\n", run.judged.start_trouble);
  }
  if (run.flaky) std::cout << "A second run differed: " << run.flake_about << '\n';
  if (!run.outcome.output.empty()) std::cout << "Printed:\n" << run.outcome.output << '\n';
  print_verdicts(run.judged, stored, options.file, configuration.name);
  if (run.judged.failures.empty()) std::cout << "No clause fired.\n";
  if (!options.trace_file.empty() && !write_trace(stored.trace(), options.trace_file, error)) {
    return complain(error);
  }
  std::cout << std::flush;
  return exit_code_for(run);
}

}  // namespace wddm::runner
