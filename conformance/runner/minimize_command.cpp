// `wddmcheck minimize`: the shortest scenario that still shows the same clause at the same kind of
// op, or the same end of the process in the same DDI.
#include <fmt/format.h>

#include <iostream>
#include <optional>

#include "conformance/harness/isolate/isolate.h"
#include "conformance/harness/judge/findings.h"
#include "conformance/harness/judge/verdict.h"
#include "conformance/harness/suite/configurations.h"
#include "conformance/harness/suite/reproducer.h"
#include "conformance/harness/suite/text_file.h"
#include "conformance/rules/rule_registry.h"
#include "conformance/runner/commands.h"
#include "conformance/runner/driver_choice.h"
#include "conformance/runner/process.h"
#include "conformance/runner/progress.h"
#include "fuzz/minimizer/minimize.h"
#include "fuzz/session/bucket.h"

namespace wddm::runner {
namespace {

enum class Replay : bool { No, Yes };

class Runs {
 public:
  explicit Runs(double timeout_seconds) : isolator_(options(timeout_seconds)) {}

  harness::RunOutcome run(const Scenario& scenario, Replay replay,
                          const std::atomic<bool>* stop = nullptr) {
    harness::RunRequest request;
    request.scenario = &scenario;
    request.replay = replay == Replay::Yes;
    harness::RunOutcome result;
    isolator_.enqueue(request, [&result](harness::RunOutcome run) { result = std::move(run); });
    isolator_.run(stop);
    return result;
  }

 private:
  static harness::IsolatorOptions options(double timeout_seconds) {
    harness::IsolatorOptions options;
    options.timeout_seconds = timeout_seconds;
    return options;
  }

  harness::Isolator isolator_;
};

bool is_defect_of_ours(const harness::RunOutcome& run) {
  return run.outcome.kind == harness::OutcomeKind::Harness || !run.judged.harness.empty();
}

std::string defect_of(const harness::RunOutcome& run) {
  return run.judged.harness.empty() ? run.outcome.about : run.judged.harness.front();
}

std::string verdict_of(const harness::RunOutcome& run, const Scenario& scenario,
                       const std::string& bucket, const std::string& again) {
  const harness::Failure* const failure = fuzz::failure_of_bucket(run.judged, scenario, bucket);
  if (failure) {
    return print_verdict(*failure, find_rule(failure->id), {"", "", again},
                         chain_of(*failure, StoredTrace(run.judged.trace)));
  }
  return fmt::format("The run {}: {}\n  again     {}\n", harness::name_of(run.outcome.kind),
                     harness::summary_of_end(run), again);
}

// The id of a clause by any of its names; as it is for kernel findings.
bool resolve_clause(const std::string& given, std::string& id, std::string& error) {
  id = given;
  if (given.empty() || harness::about_finding(given)) return true;
  const Rule* const rule = find_rule(given);
  if (!rule) {
    error = fmt::format("no clause is called '{}'; see wddmcheck list", given);
    return false;
  }
  id = rule->id;
  return true;
}

int nothing_to_minimize(const harness::RunOutcome& run, const Options& options) {
  if (!run.judged.start_trouble.empty()) {
    complain(fmt::format("the driver did not start: {}", run.judged.start_trouble));
  } else if (options.clause.empty()) {
    complain(fmt::format("{}: nothing to minimize: no clause fires", options.file));
  } else {
    complain(
        fmt::format("{}: nothing to minimize: {} does not fire", options.file, options.clause));
  }
  return kExitNothingJudged;
}

std::string result_file(const Options& options) {
  return options.result.empty() ? options.file + ".min.yaml" : options.result;
}

struct Input {
  Scenario scenario;
  std::string clause;  // empty: what goes wrong first
  host::DriverUnderTest driver;
};

// Reads what the command line names and loads the driver. The exit code if that is all.
std::optional<int> prepare(const Options& options, Input& input) {
  std::string error;
  harness::Reproducer reproducer;
  harness::Configuration configuration{"default", {}};
  if (!harness::can_be_written(result_file(options), error) ||
      !harness::read_reproducer(options.file, reproducer, error) ||
      !resolve_clause(options.clause, input.clause, error)) {
    return complain(error);
  }
  for (const std::string& settings : options.configurations) {
    if (!parse_configuration(settings, configuration, error)) return complain(error);
  }
  if (!locate(options.subject, input.driver, error)) return complain(error);
  if (!load_carefully(input.driver, options.timeout_seconds, error)) {
    complain(error);
    return kExitNothingJudged;
  }
  // Settings become ops: the result needs no flags, and they are minimized too.
  input.scenario = harness::with_settings(reproducer.scenario, configuration.settings);
  input.scenario.lines.clear();
  return std::nullopt;
}

fuzz::Minimized<Op> shorten(Runs& runs, const Scenario& scenario, const std::string& bucket,
                            const std::atomic<bool>& stop) {
  Scenario candidate = scenario;
  const fuzz::ScenarioTest same = [&](std::span<const Op> ops) {
    candidate.ops.assign(ops.begin(), ops.end());
    return fuzz::shows(runs.run(candidate, Replay::No, &stop), candidate, bucket);
  };
  Progress progress(0, true);
  fuzz::MinimizeOptions options;
  options.stop = &stop;
  options.progress = [&](const fuzz::MinimizeProgress& at) {
    progress.show(fmt::format("{}: {} of {} ops, {} executions, {}", bucket, at.ops,
                              scenario.ops.size(), at.executions, at.pass));
  };
  return fuzz::minimize_scenario(scenario.ops, same, options);
}

}  // namespace

int minimize_command(const Options& options) {
  Input input;
  if (const std::optional<int> end = prepare(options, input)) return *end;
  const std::atomic<bool>& stop = stop_on_signals();
  Runs runs(options.timeout_seconds);
  const Scenario& scenario = input.scenario;
  const harness::RunOutcome before = runs.run(scenario, Replay::Yes);
  if (is_defect_of_ours(before)) {
    std::cerr << "HARNESS: " << defect_of(before) << std::endl;
    return kExitHarness;
  }
  const std::string bucket = input.clause.empty()
                                 ? fuzz::bucket_of(before, scenario)
                                 : fuzz::bucket_of_clause(before, scenario, input.clause);
  if (bucket.empty()) return nothing_to_minimize(before, options);
  if (before.flaky) std::cout << "Two runs of it differed: " << before.flake_about << '\n';

  const fuzz::Minimized<Op> result = shorten(runs, scenario, bucket, stop);
  Scenario shortest = scenario;
  shortest.ops = result.ops;
  const harness::RunOutcome after = runs.run(shortest, Replay::Yes);
  if (!fuzz::shows(after, shortest, bucket)) {
    complain(fmt::format("{}: {} does not show in every run", options.file, bucket));
    return kExitNothingJudged;
  }

  const std::string file = result_file(options);
  const std::string text = harness::print_reproducer(
      shortest, verdict_of(after, shortest, bucket, reports::repeat_command(options.subject, file)),
      record_of_loaded(input.driver, options.timeout_seconds));
  std::string error;
  if (!harness::write_text_file(file, text, error)) return complain(error);
  std::cout << fmt::format("{}: {} ops, before {}, after {} executions{}\n{}\n", bucket,
                           result.ops.size(), scenario.ops.size(), result.executions,
                           result.finished ? "" : " (stopped)", file)
            << std::flush;
  return kExitGood;
}

}  // namespace wddm::runner
