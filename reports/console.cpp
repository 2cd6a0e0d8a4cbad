// The summary for people: areas, what did not apply and why, what is wrong, where the report lies.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <string>
#include <vector>

#include "conformance/harness/judge/causes.h"
#include "conformance/harness/judge/obstacles.h"
#include "conformance/harness/judge/verdict.h"
#include "conformance/rules/rule_registry.h"
#include "reports/report.h"

namespace wddm::reports {
namespace {

using harness::ClauseResult;
using harness::ResultKind;

constexpr std::size_t kLongestReason = 300;

struct Column {
  ResultKind kind;
  const char* head;
  bool always;  // shown even if every area has none
};
constexpr Column kColumns[] = {
    {ResultKind::Pass, "pass", true},
    {ResultKind::Fail, "fail", true},
    {ResultKind::Crash, "crash", false},
    {ResultKind::Hang, "hang", false},
    {ResultKind::Timeout, "timeout", false},
    {ResultKind::ExpectedFail, "expected-fail", false},
    {ResultKind::UnexpectedPass, "unexpected-pass", false},
    {ResultKind::Flake, "flake", false},
    {ResultKind::NotApplicable, "not-applicable", true},
    {ResultKind::NotRun, "not-run", false},
};

std::string plural(std::size_t count, const char* noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

std::string shortened(const std::string& text) {
  return text.size() <= kLongestReason ? text : text.substr(0, kLongestReason) + "...";
}

// A few are named: they say what a scenario, or a plug-in, would have to bring about.
constexpr std::size_t kFewDecisions = 8;

void add_decisions(const Report& report, bool verbose, std::string& text) {
  const harness::DecisionSet missed = report.result.possible & ~report.result.decided;
  if (missed.none()) return;
  const bool named = verbose || missed.count() <= kFewDecisions;
  fmt::format_to(std::back_inserter(text), "Of {} of the oracles' decisions {} never came up{}\n",
                 plural(report.result.possible.count(), "outcome"), missed.count(),
                 named ? ":" : "; --verbose names them.");
  for (std::size_t i = 0; named && i < harness::kDecisions; ++i) {
    if (!missed[i]) continue;
    fmt::format_to(std::back_inserter(text), "  {}\n",
                   harness::text_of(static_cast<harness::Decision>(i)));
  }
  text += '\n';
}

void add_code(const Report& report, const std::string& output, std::string& text) {
  const CodeCount code = code_of(report);
  if (code.blocks == 0) return;
  fmt::format_to(
      std::back_inserter(text),
      "Of the driver's code {} of {} were reached ({} %); {} of {} were never entered{}.\n\n",
      code.reached, plural(code.blocks, "block"), code.reached * 100 / code.blocks,
      code.never_entered, plural(code.functions, "function"),
      output.empty() ? "" : ", see " + output + "/code.tsv");
}

void add_corpus(const Report& report, std::string& text) {
  const CorpusCount corpus = corpus_of(report);
  if (corpus.planned == 0) return;
  fmt::format_to(std::back_inserter(text), "Of the runs {} are of the corpus, no clause's own",
                 corpus.planned);
  if (corpus.played != corpus.planned) {
    const std::string about = corpus.about.empty() ? "then it was stopped" : corpus.about;
    const bool is_of_the_others = about.starts_with("left out: ");
    fmt::format_to(std::back_inserter(text), "; {} were played{}{}", corpus.played,
                   is_of_the_others ? ", the others were " : ": ", about);
  }
  text += ".\n\n";
}

void add_table(const Report& report, std::string& text) {
  const auto counts = harness::count(report.result);
  std::vector<Column> columns;
  for (const Column& column : kColumns) {
    if (column.always || counts.count(column.kind) != 0) columns.push_back(column);
  }
  auto out = std::back_inserter(text);
  fmt::format_to(out, "{:<10}", "area");
  for (const Column& column : columns) {
    fmt::format_to(out, "  {:>{}}", column.head, std::string_view(column.head).size());
  }
  text += '\n';
  const auto row = [&](const std::string& name, auto takes) {
    fmt::format_to(out, "{:<10}", name);
    for (const Column& column : columns) {
      const auto number = std::count_if(
          report.result.driver.begin(), report.result.driver.end(),
          [&](const ClauseResult& clause) { return clause.kind == column.kind && takes(clause); });
      const std::string cell = number == 0 ? "." : fmt::format("{}", number);
      fmt::format_to(out, "  {:>{}}", cell, std::string_view(column.head).size());
    }
    text += '\n';
  };
  std::vector<std::string> areas;
  for (const ClauseResult& clause : report.result.driver) {
    const std::string area(area_of(clause.id));
    if (areas.empty() || areas.back() != area) areas.push_back(area);
  }
  for (const std::string& area : areas) {
    row(area.empty() ? "(ends)" : area,
        [&area](const ClauseResult& clause) { return area_of(clause.id) == area; });
  }
  row("all", [](const ClauseResult&) { return true; });
}

// "  12  no client: nothing can be rendered", most frequent first.
void add_reasons(const Report& report, ResultKind kind, const char* heading, std::string& text) {
  std::map<std::string, std::size_t> reasons;
  for (const ClauseResult& clause : report.result.driver) {
    if (clause.kind == kind) ++reasons[clause.reason];
  }
  if (reasons.empty()) return;
  std::vector<std::pair<std::string, std::size_t>> sorted(reasons.begin(), reasons.end());
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  fmt::format_to(std::back_inserter(text), "\n{}:\n", heading);
  for (const auto& [reason, number] : sorted) {
    fmt::format_to(std::back_inserter(text), "{:>5}  {}\n", number, shortened(reason));
  }
}

void add_reach(const Report& report, std::string& text) {
  const std::vector<harness::Reach> all =
      harness::what_reaches_more(report.result.driver, report.result.platform);
  if (all.empty()) return;
  text += "\nWould let more be judged:\n";
  for (const harness::Reach& one : all) {
    const std::string number = one.clauses == 0 ? "." : fmt::format("{}", one.clauses);
    fmt::format_to(std::back_inserter(text), "{:>5}  {}\n", number, shortened(one.what));
  }
}

const char* rests_on(const Report& report, const ClauseResult& clause) {
  return harness::evidence_of(*clause.rule, report.result.platform.has_device_log);
}

void add_evidence(const Report& report, std::string& text) {
  std::map<std::string, std::size_t> passes;
  for (const ClauseResult& clause : report.result.driver) {
    if (clause.kind == ResultKind::Pass) ++passes[rests_on(report, clause)];
  }
  if (passes.empty()) return;
  std::string list;
  for (const char* evidence : {"boundary", "memory", "boundary and memory", "device log"}) {
    const auto found = passes.find(evidence);
    if (found == passes.end()) continue;
    list += fmt::format("{}{} on {}", list.empty() ? "" : ", ", found->second, evidence);
  }
  fmt::format_to(std::back_inserter(text), "\nPasses rest on: {}\n", list);
}

std::string why(const Report& report, const ClauseResult& clause) {
  if (clause.kind != ResultKind::Pass) return shortened(clause.reason);
  return fmt::format("{} ({}, reached {}{})", clause.rule->title, rests_on(report, clause),
                     clause.reached, clause.reason.empty() ? "" : "; " + clause.reason);
}

void add_line(ResultKind kind, const std::string& name, const std::string& reason,
              std::string& text) {
  fmt::format_to(std::back_inserter(text), "  {:<15} {:<20} {}\n", harness::name_of(kind), name,
                 reason);
}

void add_clauses(const Report& report, std::string& text) {
  text += "\nClauses:\n";
  for (const auto* clauses : {&report.result.driver, &report.result.host}) {
    for (const ClauseResult& clause : *clauses) {
      if (clause.kind == ResultKind::NotApplicable) continue;
      add_line(clause.kind, clause.name, why(report, clause), text);
    }
  }
}

// A crash keeps many clauses from being judged: their names are enough.
bool is_kept_from_judging(const harness::Symptom& symptom) {
  return symptom.kind() == ResultKind::Crash;
}

void add_followers(const harness::Cause& cause, std::string& text) {
  std::vector<std::string> kept;
  for (std::size_t i = 1; i < cause.symptoms.size(); ++i) {
    const harness::Symptom& symptom = cause.symptoms[i];
    if (is_kept_from_judging(symptom)) {
      kept.push_back(symptom.name());
      continue;
    }
    fmt::format_to(std::back_inserter(text), "    then {:<8} {:<20} {}\n",
                   harness::name_of(symptom.kind()), symptom.name(), shortened(symptom.reason));
  }
  if (kept.empty()) return;
  fmt::format_to(std::back_inserter(text), "    then {:<8} {}\n",
                 harness::name_of(ResultKind::Crash), fmt::join(kept, ", "));
}

// What is documented needs no word.
std::string mark_of(Grade grade) {
  switch (grade) {
    case Grade::Documented:
      break;
    case Grade::UndocumentedReliance:
      return "(undocumented reliance) ";
    case Grade::Robustness:
      return "(robustness) ";
  }
  return {};
}

// ", of these 2 are undocumented reliance and 9 robustness against untrusted input".
std::string grades_of(const std::vector<harness::Cause>& causes) {
  std::string text;
  for (const Grade grade : {Grade::UndocumentedReliance, Grade::Robustness}) {
    const auto number = std::count_if(causes.begin(), causes.end(),
                                      [grade](const auto& cause) { return cause.grade == grade; });
    if (number == 0) continue;
    text += fmt::format("{}{} {}", text.empty() ? ", of these " : " and ", number,
                        harness::name_of(grade));
  }
  return text;
}

void add_wrong(const Report& report, std::string& text) {
  const std::vector<harness::Cause> causes = harness::causes_of(report.result, report.records);
  if (causes.empty()) return;
  fmt::format_to(std::back_inserter(text), "\nNot as expected, {}{}:\n",
                 plural(causes.size(), "cause"), grades_of(causes));
  for (const harness::Cause& cause : causes) {
    const harness::Symptom& first = cause.symptoms.front();
    add_line(first.kind(), first.name(), mark_of(cause.grade) + shortened(first.reason), text);
    add_followers(cause, text);
  }
}

void add_held(const Report& report, std::string& text) {
  const auto number = [&report](ResultKind kind) {
    return std::count_if(report.result.host.begin(), report.result.host.end(),
                         [kind](const ClauseResult& clause) { return clause.kind == kind; });
  };
  const auto held = number(ResultKind::Pass);
  const auto judged = held + number(ResultKind::Fail);
  if (judged == 0) return;
  const auto others = number(ResultKind::NotApplicable);
  fmt::format_to(std::back_inserter(text), "\nClauses of our own host that hold: {} of {}{}\n",
                 held, judged,
                 others == 0 ? "" : fmt::format("; {} more are not for this driver", others));
}

void add_defects(const Report& report, std::string& text) {
  if (report.result.harness.empty()) return;
  text += "\nHARNESS: defects of wddmcheck itself, please report them:\n";
  for (const std::string& defect : report.result.harness) {
    fmt::format_to(std::back_inserter(text), "  {}\n", shortened(defect));
  }
}

std::string conclusion(const Report& report) {
  switch (report.exit_code) {
    case 0:
      return "As expected.";
    case 1:
      return report.result.interrupted ? "Interrupted." : "Not as expected.";
    case 3:
      return report.result.start_trouble.empty()
                 ? "Nothing could be judged."
                 : "START failed, and nothing behind it could be judged.";
    case 4:
      return "wddmcheck itself is wrong: see HARNESS above.";
    default:
      return "";
  }
}

}  // namespace

std::string console_summary(const Report& report, const ConsoleOptions& options) {
  const std::size_t clauses = report.result.driver.size() + report.result.host.size();
  std::string text;
  if (!options.brief) {
    text = fmt::format(
        "wddmcheck {}: {}\n{}, {}, {}\n\n", report.version,
        report.subject.driver.empty() ? "the built-in reference driver" : report.subject.driver,
        plural(clauses, "clause"), plural(report.configurations.size(), "configuration"),
        plural(report.records.size(), "run"));
    add_corpus(report, text);
    add_decisions(report, options.verbose, text);
    add_code(report, options.output, text);
    add_table(report, text);
    add_reasons(report, ResultKind::NotApplicable, "Did not apply", text);
    add_reasons(report, ResultKind::NotRun, "Not run", text);
    add_evidence(report, text);
    add_held(report, text);
  }
  add_defects(report, text);
  if (options.verbose) add_clauses(report, text);
  add_wrong(report, text);
  if (!report.result.start_trouble.empty()) {
    text += fmt::format("\nThe driver did not start: {}\n", report.result.start_trouble);
  }
  if (!options.brief) {
    add_reach(report, text);
    text += '\n' + conclusion(report);
    if (report.times.wanted) text += fmt::format(" {:.1f} s.", report.times.seconds);
    text += '\n';
  }
  if (!options.output.empty()) text += fmt::format("Report: {}/results.json\n", options.output);
  return text;
}

}  // namespace wddm::reports
