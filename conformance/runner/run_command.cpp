// `wddmcheck run` and `wddmcheck report`: judge a driver, or report what is left of a run.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <iostream>
#include <optional>
#include <set>

#include "conformance/harness/judge/bring_up.h"
#include "conformance/harness/suite/configurations.h"
#include "conformance/harness/suite/suite.h"
#include "conformance/runner/commands.h"
#include "conformance/runner/driver_choice.h"
#include "conformance/runner/known_failures.h"
#include "conformance/runner/process.h"
#include "conformance/runner/progress.h"
#include "reports/journal.h"
#include "reports/report.h"

namespace wddm::runner {
namespace {

// Everything a run needs that comes from files and flags.
struct Prepared {
  harness::Selection selection;
  harness::Expectations expectations;
  std::vector<harness::Configuration> configurations;
  bool default_configurations = false;
};

bool prepare_configurations(const Options& options, Prepared& prepared, std::string& error) {
  prepared.default_configurations = options.configurations.empty();
  if (prepared.default_configurations) {
    const bool built_in = options.subject.driver.empty();
    prepared.configurations = built_in && options.matrix ? harness::whole_matrix()
                                                         : harness::default_configurations(built_in);
  }
  for (const std::string& text : options.configurations) {
    harness::Configuration configuration;
    if (!parse_configuration(text, configuration, error)) return false;
    prepared.configurations.push_back(std::move(configuration));
  }
  return true;
}

std::vector<harness::RunSpec> plan_of(const Prepared& prepared) {
  std::vector<const Rule*> rules;
  for (const Rule* rule : prepared.selection.rules) {
    if (!prepared.expectations.skip_of(rule->id)) rules.push_back(rule);
  }
  return harness::plan(rules, prepared.configurations);
}

reports::JournalHead head_of(const Options& options, const Prepared& prepared) {
  reports::JournalHead head;
  head.version = WDDMCHECK_VERSION;
  head.subject = options.subject;
  head.configurations = prepared.configurations;
  for (const Rule* rule : prepared.selection.rules) head.selected.emplace_back(rule->id);
  head.excluded.assign(prepared.selection.excluded.begin(), prepared.selection.excluded.end());
  return head;
}

// A driver that DxgkInitialize refuses can't be judged, and its author needs one line, not a
// report.
std::optional<std::string> refused_version(const Options& options,
                                           const harness::IsolatorOptions& isolation) {
  if (options.isolate == harness::Isolate::None) return std::nullopt;
  Scenario start;
  start.ops = {{.kind = OpKind::Start}};
  harness::RunRequest request;
  request.scenario = &start;
  request.replay = false;
  const harness::RunOutcome outcome = harness::Isolator(isolation).run_one(request);
  if (!outcome.judged.version_refused || !outcome.judged.failures.empty()) return std::nullopt;
  return outcome.judged.start_trouble;
}

std::vector<harness::RunRecord> carry_out(const Options& options, const Prepared& prepared,
                                          std::span<const harness::RunSpec> plan,
                                          const harness::IsolatorOptions& isolation,
                                          reports::Journal& journal, bool& interrupted) {
  const std::atomic<bool>& stop = stop_on_signals();
  Progress progress(plan.size(), !options.quiet);
  std::set<std::string> wrong;
  harness::SuiteOptions suite;
  suite.isolation = isolation;
  suite.configurations = prepared.configurations;
  suite.max_fails = options.max_fails;
  suite.counts = [&prepared](const std::string& id) {
    return !prepared.expectations.of(id) && !prepared.expectations.flake_of(id) &&
           prepared.selection.excluded.count(id) == 0;
  };
  suite.begun = [&journal](const harness::RunSpec& spec) { journal.begun(spec); };
  suite.ended = [&](const harness::RunRecord& record) {
    journal.ended(record);
    for (const harness::Failure& failure : record.run.judged.failures) {
      if (suite.counts(failure.id)) wrong.insert(failure.id);
    }
    progress.step(record.spec.rule->id, wrong.size());
  };
  suite.stop = &stop;
  std::vector<harness::RunRecord> records = run_suite(plan, suite);
  interrupted = stop.load();
  return records;
}

int conclude(const Options& options, reports::Report& report) {
  report.exit_code = exit_code_of(report.result);
  std::string error;
  const bool written = write_report(report, options.output, error);
  reports::ConsoleOptions console;
  console.verbose = options.verbose;
  console.output = written ? options.output : "";
  console.brief = options.quiet;
  std::cout << console_summary(report, console) << std::flush;
  if (!written) return complain(error);
  return report.exit_code;
}

}  // namespace

int run_command(const Options& options) {
  std::string error;
  Prepared prepared;
  if (!select(options.selection, prepared.selection, error) ||
      !prepare_configurations(options, prepared, error) ||
      !read_known_failures(options, prepared.expectations, error)) {
    return complain(error);
  }
  host::DriverUnderTest driver;
  if (!locate(options.subject, driver, error)) return complain(error);
  const bool loaded = options.isolate == harness::Isolate::None
                          ? host::load(driver, error)
                          : load_carefully(driver, options.timeout_seconds, error);
  if (!loaded) {
    complain(error);
    return kExitNothingJudged;
  }
  const harness::IsolatorOptions isolation{
      .isolate = options.isolate, .jobs = options.jobs, .timeout_seconds = options.timeout_seconds};
  if (const auto refused = refused_version(options, isolation)) {
    complain(fmt::format("{}: {}; build it for an interface version this host offers",
                         options.subject.driver, *refused));
    return kExitNothingJudged;
  }
  reports::Journal journal;
  if (!journal.open(options.output, head_of(options, prepared), error)) return complain(error);

  const auto begun = std::chrono::steady_clock::now();
  reports::Report report;
  report.times.wanted = options.times;
  report.times.started = now_text().text;
  const std::vector<harness::RunSpec> plan = plan_of(prepared);
  bool interrupted = false;
  report.records = carry_out(options, prepared, plan, isolation, journal, interrupted);
  report.times.seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count();
  report.version = WDDMCHECK_VERSION;
  report.subject = options.subject;
  report.configurations = prepared.configurations;
  harness::CollectOptions collect;
  collect.selected = prepared.selection.rules;
  collect.excluded = prepared.selection.excluded;
  collect.configurations = prepared.configurations;
  collect.expectations = &prepared.expectations;
  collect.unreached_is_red = options.subject.driver.empty() && prepared.default_configurations;
  report.result = harness::collect(report.records, collect);
  report.result.interrupted = interrupted;
  if (!journal.problem().empty()) std::cerr << "wddmcheck: note: " << journal.problem() << '\n';
  return conclude(options, report);
}

int report_command(const Options& options) {
  reports::JournalContents contents;
  std::string error;
  if (!read_journal(options.file + "/journal.jsonl", contents, error)) return complain(error);
  const reports::JournalHead& head = contents.head;
  std::vector<const Rule*> selected;
  for (const std::string& id : head.selected) {
    if (const Rule* rule = find_rule(id)) selected.push_back(rule);
  }
  reports::Report report;
  report.version = head.version;
  report.subject = head.subject;
  report.configurations = head.configurations;
  report.records = in_order(harness::plan(selected, head.configurations), contents);
  harness::CollectOptions collect;
  collect.selected = selected;
  collect.excluded = {head.excluded.begin(), head.excluded.end()};
  collect.configurations = report.configurations;
  report.result = harness::collect(report.records, collect);
  report.result.interrupted = contents.ended.size() < report.records.size();
  for (const harness::RunSpec& spec : contents.unfinished) {
    std::cerr << fmt::format("wddmcheck: note: {} of {} had begun and not ended\n",
                             harness::name_of(spec.which), spec.rule->id);
  }
  Options where = options;
  where.output = options.file;
  return conclude(where, report);
}

}  // namespace wddm::runner
