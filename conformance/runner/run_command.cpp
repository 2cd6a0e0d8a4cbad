// `wddmcheck run` and `wddmcheck report`: judge a driver, or report what is left of a run.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <iostream>
#include <optional>
#include <set>

#include "conformance/harness/isolate/code_reached.h"
#include "conformance/harness/judge/bring_up.h"
#include "conformance/harness/suite/configurations.h"
#include "conformance/harness/suite/disguises.h"
#include "conformance/harness/suite/scenario_book.h"
#include "conformance/harness/suite/suite.h"
#include "conformance/runner/commands.h"
#include "conformance/runner/corpus_choice.h"
#include "conformance/runner/driver_choice.h"
#include "conformance/runner/known_failures.h"
#include "conformance/runner/process.h"
#include "conformance/runner/progress.h"
#include "conformance/runner/swept_plan.h"
#include "reports/journal.h"
#include "reports/report.h"

namespace wddm::runner {
namespace {

// Everything a run needs that comes from files and flags.
struct Prepared {
  harness::Selection selection;
  harness::Expectations expectations;
  std::vector<harness::Configuration> configurations;
  bool reaches_all = false;  // a clause that is not reached is a defect of ours
  std::string beyond;        // but for these
  std::vector<harness::CorpusScenario> corpus;
};

// A driver that often comes to no end is told so by the first scenarios that show it.
constexpr std::uint32_t kMostBadEnds = 64;

bool prepare_configurations(const Options& options, Prepared& prepared, std::string& error) {
  const bool built_in = options.subject.driver.empty();
  prepared.reaches_all = built_in && options.configurations.empty();
  if (options.configurations.empty()) {
    prepared.configurations = built_in && options.matrix
                                  ? harness::whole_matrix()
                                  : harness::default_configurations(built_in);
    // No client can be changed in one run.
    const bool disguises =
        built_in && options.disguise.empty() && depth_of(options) == Depth::Thorough;
    for (const harness::Disguise& disguise : harness::disguises()) {
      if (!disguises || disguise.client != std::string_view("reference_client.so")) continue;
      for (const Configured one : {Configured::Default, Configured::GpuVirtual}) {
        const harness::Configuration plain =
            harness::default_configurations(true)[static_cast<std::size_t>(one)];
        prepared.configurations.push_back(disguised(plain, disguise));
        prepared.configurations.back().of_clauses.reset();
      }
    }
  }
  const auto names =
      options.subject.driver.empty() ? harness::SettingNames::OfOps : harness::SettingNames::Any;
  for (const std::string& text : options.configurations) {
    harness::Configuration configuration;
    if (!parse_configuration(text, configuration, error, names)) return false;
    prepared.configurations.push_back(std::move(configuration));
  }
  if (options.disguise.empty()) return true;
  const harness::Disguise* const disguise = harness::find_disguise(options.disguise, error);
  if (disguise == nullptr) return false;
  if (disguise->kind == harness::Disguise::Kind::Part) prepared.reaches_all = false;
  prepared.beyond = disguise->beyond;
  for (harness::Configuration& one : prepared.configurations) one = disguised(one, *disguise);
  return true;
}

std::vector<harness::RunSpec> plan_of(const Prepared& prepared, harness::PlayedIn played) {
  std::vector<const Rule*> rules;
  for (const Rule* rule : prepared.selection.rules) {
    if (!prepared.expectations.skip_of(rule->id)) rules.push_back(rule);
  }
  return harness::plan(rules, prepared.configurations, played);
}

reports::JournalHead head_of(const Options& options, const Prepared& prepared) {
  reports::JournalHead head;
  head.version = WDDMCHECK_VERSION;
  head.subject = options.subject;
  head.configurations = prepared.configurations;
  for (const Rule* rule : prepared.selection.rules) head.selected.emplace_back(rule->id);
  head.played = played_in(options);
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

// The scenarios of clauses, and then, in the same way, those of the corpus.
class Execution {
 public:
  Execution(const Options& options, const Prepared& prepared,
            const harness::IsolatorOptions& isolation, reports::Journal& journal)
      : options_(options), prepared_(prepared), journal_(journal) {
    suite_.isolation = isolation;
    suite_.configurations = prepared.configurations;
    suite_.max_fails = options.max_fails;
    suite_.counts = [&prepared](const std::string& id) {
      return !prepared.expectations.of(id) && !prepared.expectations.flake_of(id) &&
             prepared.selection.excluded.count(id) == 0;
    };
    suite_.begun = [this](const harness::RunSpec& spec) { journal_.begun(spec); };
    suite_.stop = &stop_on_signals();
  }

  std::vector<harness::RunRecord> all() {
    std::vector<harness::RunRecord> records = play(plan_of(prepared_, played_in(options_)));
    const Depth depth = depth_of(options_);
    if (depth == Depth::Quick || stopped() || !why_no_corpus(records).empty()) return records;
    suite_.most_events = most_events_of_corpus(depth);
    suite_.most_bad_ends = kMostBadEnds;
    suite_.failing = wrong_;
    for (harness::RunRecord& record :
         play(plan_of_corpus(options_, prepared_.corpus, prepared_.configurations, records))) {
      records.push_back(std::move(record));
    }
    if (depth == Depth::Thorough) sweep(records);
    return records;
  }

  [[nodiscard]] bool stopped() const { return suite_.stop->load(); }

 private:
  // Not on a driver that has not come through the corpus.
  void sweep(std::vector<harness::RunRecord>& records) {
    std::ptrdiff_t of_corpus = 0;
    for (const harness::RunRecord& record : records) {
      if (record.spec.rule != nullptr) continue;
      ++of_corpus;
      if (record.run.outcome.kind == harness::OutcomeKind::NotRun) return;
    }
    SweptPlan plan(prepared_.configurations,
                   harness::addressing_seen(records, prepared_.configurations.size()),
                   static_cast<std::uint32_t>(of_corpus));
    std::vector<harness::RunSpec> wave = plan.first();
    while (!wave.empty() && !stopped()) {
      suite_.failing = wrong_;
      std::vector<harness::RunRecord> ended = play(wave);
      wave = plan.after(ended);
      for (harness::RunRecord& record : ended) records.push_back(std::move(record));
    }
  }

  std::vector<harness::RunRecord> play(const std::vector<harness::RunSpec>& plan) {
    Progress progress(plan.size(), !options_.quiet);
    suite_.ended = [&](const harness::RunRecord& record) {
      journal_.ended(record);
      note_failing(record);
      progress.step(harness::owner_name(record.spec), wrong_.size());
    };
    return run_suite(plan, suite_);
  }

  void note_failing(const harness::RunRecord& record) {
    for (const harness::Failure& failure : record.run.judged.failures) {
      if (suite_.counts(failure.id)) wrong_.insert(failure.id);
    }
    const bool ended = record.run.outcome.kind == harness::OutcomeKind::Finished ||
                       record.run.outcome.kind == harness::OutcomeKind::NotRun;
    const char* const id = harness::end_counts_for(record);
    if (!ended && record.spec.rule != nullptr && suite_.counts(id)) wrong_.insert(id);
  }

  const Options& options_;
  const Prepared& prepared_;
  reports::Journal& journal_;
  harness::SuiteOptions suite_;
  std::set<std::string> wrong_;
};

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
      !read_known_failures(options, prepared.expectations, error) ||
      !read_corpus_of(depth_of(options), prepared.corpus, error)) {
    return complain(error);
  }
  host::DriverUnderTest driver;
  if (!locate(options.subject, driver, error)) return complain(error);
  if (!options.disguise.empty()) driver.client = client_of_disguise(options.disguise);
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
  Execution execution(options, prepared, isolation, journal);
  report.records = execution.all();
  report.times.seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count();
  report.code = harness::code_reached();
  report.version = WDDMCHECK_VERSION;
  report.subject = options.subject;
  report.configurations = prepared.configurations;
  harness::CollectOptions collect;
  collect.selected = prepared.selection.rules;
  collect.excluded = prepared.selection.excluded;
  collect.configurations = prepared.configurations;
  collect.expectations = &prepared.expectations;
  collect.corpus_of_selected = is_narrowed(options.selection);
  collect.unreached_is_red = prepared.reaches_all;
  collect.beyond = prepared.beyond;
  report.result = harness::collect(report.records, collect);
  report.result.interrupted = execution.stopped();
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
  report.records = in_order(harness::plan(selected, head.configurations, head.played), contents);
  harness::CollectOptions collect;
  collect.selected = selected;
  collect.excluded = {head.excluded.begin(), head.excluded.end()};
  collect.configurations = report.configurations;
  report.result = harness::collect(report.records, collect);
  report.result.interrupted = contents.ended.size() < report.records.size();
  for (const harness::RunSpec& spec : contents.unfinished) {
    std::cerr << fmt::format("wddmcheck: note: {} of {} had begun and not ended\n",
                             harness::name_of(spec.which), harness::owner_name(spec));
  }
  Options where = options;
  where.output = options.file;
  return conclude(where, report);
}

}  // namespace wddm::runner
