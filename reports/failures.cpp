// failures/: what is needed to look at one failed clause without running anything else.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>

#include "conformance/harness/judge/capability_record.h"
#include "conformance/harness/judge/findings.h"
#include "conformance/harness/judge/verdict.h"
#include "conformance/harness/suite/configurations.h"
#include "conformance/harness/suite/scenario_book.h"
#include "reports/record_traces.h"
#include "reports/report.h"

namespace wddm::reports {
namespace {

using harness::ClauseResult;
using harness::ResultKind;
using harness::RunRecord;

constexpr std::size_t kVerdicts = 10;
constexpr std::size_t kOutputBytes = 8192;
constexpr std::size_t kTraceLines = 2000;

// The run that shows it best: the first that ended badly, else the first in which the clause fired.
std::optional<std::size_t> shown_by(const ClauseResult& clause) {
  if (!clause.ended_badly.empty()) return clause.ended_badly.front();
  if (!clause.failures.empty()) return clause.failures.front().record;
  return std::nullopt;
}

std::string place_of(const Report& report, const RunRecord& record) {
  return fmt::format("{}, {}", harness::place_name(record.spec),
                     report.configurations[record.spec.configuration].name);
}

std::string scenario_file(const Report& report, const RunRecord& record, std::string_view name) {
  harness::ScenarioBook book;
  std::string error;
  const Scenario* const scenario = book.of(record.spec, error);
  if (!scenario) return "# " + error + "\n";
  std::string text = fmt::format("# {}: {}\n", name, place_of(report, record));
  if (const Platform& platform = record.run.judged.platform; platform.started) {
    const std::string& driver = report.subject.driver;
    text += harness::print_record(
        harness::record_of(platform, driver.empty() ? harness::kBuiltInDriver : driver));
  }
  return text + print_scenario(harness::with_settings(
                    *scenario, report.configurations[record.spec.configuration].settings));
}

// Of a trace in a file, as `wddmcheck trace` shows it.
std::string trace_text(const Report& report, const RunRecord& record, const StoredTrace& stored) {
  const harness::Judged& judged = record.run.judged;
  const std::string place = place_of(report, record) + ": ";
  if (!stored.numbers().empty()) return place + print_trace(stored, {.last = kTraceLines});
  return place + fmt::format("{} events{}\n", judged.events,
                             judged.events == 0 ? "" : ", none of them kept");
}

// As a shell reads it.
std::string quoted(const std::string& word) {
  constexpr const char* kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=.,:@%/";
  if (word.find_first_not_of(kPlain) == std::string::npos) return word;
  std::string text = "'";
  for (const char c : word) {
    if (c == '\'') {
      text += "'\\''";
    } else {
      text += c;
    }
  }
  return text + "'";
}

// Values that no op names stand in no scenario file.
std::string again_by(const Report& report, const RunRecord& record, const std::string& file) {
  const harness::Configuration& configuration = report.configurations[record.spec.configuration];
  const std::string command = repeat_command(report.subject, file);
  return configuration.in_files() ? command : command + " --config " + quoted(configuration.name);
}

std::string verdict_file(const Report& report, const ClauseResult& clause, const std::string& again,
                         RecordTraces& traces) {
  std::string text;
  for (const std::size_t index : clause.ended_badly) {
    const RunRecord& record = report.records[index];
    fmt::format_to(std::back_inserter(text), "{}: {}: {}\n", place_of(report, record),
                   harness::name_of(record.run.outcome.kind), harness::summary_of_end(record.run));
  }
  for (std::size_t i = 0; i < std::min(clause.failures.size(), kVerdicts); ++i) {
    const RunRecord& record = report.records[clause.failures[i].record];
    const harness::VerdictPlace place{
        harness::place_name(record.spec), report.configurations[record.spec.configuration].name,
        i == 0 ? again : "", record.run.judged.platform.has_device_log};
    if (!text.empty()) text += '\n';
    const harness::Failure& failure = clause.failures[i].failure;
    text += print_verdict(failure, clause.rule, place,
                          chain_of(failure, traces.of(clause.failures[i].record)));
  }
  if (clause.failures.size() > kVerdicts) {
    text += fmt::format("\n{} more in results.json\n", clause.failures.size() - kVerdicts);
  }
  if (clause.failures.empty()) text += fmt::format("  again     {}\n", again);
  const std::string& output = report.records[*shown_by(clause)].run.outcome.output;
  if (!output.empty()) {
    fmt::format_to(std::back_inserter(text), "\nprinted by the process:\n{}\n",
                   output.substr(0, kOutputBytes));
  }
  return text;
}

std::string csv_word(ResultKind kind) {
  switch (kind) {
    case ResultKind::Fail:
      return "Fail";
    case ResultKind::Crash:
      return "Crash";
    case ResultKind::Hang:
      return "Hang";
    case ResultKind::Timeout:
      return "Timeout";
    case ResultKind::ExpectedFail:
      return "ExpectedFail";
    case ResultKind::UnexpectedPass:
      return "UnexpectedPass";
    case ResultKind::Flake:
      return "Flake";
    case ResultKind::Pass:
    case ResultKind::NotApplicable:
    case ResultKind::NotRun:
      break;
  }
  return {};
}

// Where runs ended badly and how; of what fired the verdict says it.
std::string csv_reason(const Report& report, const ClauseResult& clause) {
  const bool is_crash = clause.id == harness::kCrashFinding && !clause.failures.empty();
  if (clause.ended_badly.empty() && !is_crash) return {};
  const harness::RunOutcome& run = report.records[*shown_by(clause)].run;
  const std::string op = harness::op_of_end(run);
  if (op.empty()) return {};
  const std::string place = harness::end_place(run.outcome);
  return op + ": " + place.substr(0, place.find('\n'));
}

// As split_csv() reads it.
std::string csv_field(const std::string& text) {
  if (text.find_first_of(",\"") == std::string::npos) return text;
  std::string field = "\"";
  for (const char c : text) field.append(c == '"' ? 2U : 1U, c);
  return field + '"';
}

}  // namespace

std::string failures_csv(const Report& report) {
  std::string text;
  for (const auto* list : {&report.result.driver, &report.result.host}) {
    for (const ClauseResult& clause : *list) {
      // An expected failure is written as the failure it is, so that the file is a baseline again.
      const ResultKind kind = clause.kind == ResultKind::ExpectedFail && clause.expectation
                                  ? clause.expectation->result
                                  : clause.kind;
      const std::string word = csv_word(kind);
      if (word.empty()) continue;
      const std::string line =
          fmt::format("{},{},{}", clause.name, word, csv_field(csv_reason(report, clause)));
      for (const std::string& place : clause.places) {
        text += line + ",,,," + csv_field(place) + '\n';
      }
      if (clause.places.empty()) text += line.substr(0, line.find_last_not_of(',') + 1) + '\n';
    }
  }
  return text;
}

std::map<std::string, std::string> failure_files(const Report& report) {
  std::map<std::string, std::string> files;
  RecordTraces traces(report.records);
  for (const auto* list : {&report.result.driver, &report.result.host}) {
    for (const ClauseResult& clause : *list) {
      const std::optional<std::size_t> index = shown_by(clause);
      if (!index) continue;
      const RunRecord& record = report.records[*index];
      const std::string yaml = clause.name + ".yaml";
      files[yaml] = scenario_file(report, record, clause.name);
      if (const std::string& trace = record.run.judged.trace; !trace.empty())
        files[clause.name + ".trace"] = trace;
      files[clause.name + ".trace.txt"] = trace_text(report, record, traces.of(*index));
      files[clause.name + ".verdict.txt"] =
          verdict_file(report, clause, again_by(report, record, "failures/" + yaml), traces);
    }
  }
  return files;
}

std::string repeat_command(const Subject& subject, const std::string& file) {
  std::string command = "wddmcheck repro";
  for (const auto& [flag, value] :
       {std::pair("--driver", &subject.driver), std::pair("--device", &subject.device),
        std::pair("--client", &subject.client), std::pair("--inf", &subject.inf)}) {
    if (!value->empty()) command += fmt::format(" {} {}", flag, quoted(*value));
  }
  // What begins with a dash would be taken for a flag.
  return command + (file.starts_with('-') ? " ./" : " ") + quoted(file);
}

}  // namespace wddm::reports
