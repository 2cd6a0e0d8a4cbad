// results.json: everything a program may want to know of a run. Schema: results.schema.json.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "conformance/harness/judge/causes.h"
#include "conformance/harness/judge/obstacles.h"
#include "conformance/harness/judge/verdict.h"
#include "conformance/rules/rule_registry.h"
#include "reports/record_traces.h"
#include "reports/report.h"

namespace wddm::reports {
namespace {

using Json = nlohmann::ordered_json;
using harness::ClauseResult;
using harness::FailureAt;
using harness::ResultKind;
using harness::RunRecord;

// A driver that breaks a clause everywhere needn't be told so a hundred times.
constexpr std::size_t kFailuresOfAClause = 20;

Json text_or_null(const std::string& text) {
  return text.empty() ? Json(nullptr) : Json(text);
}

Json run_json(const Report& report, const RunRecord& record) {
  Json json = {{"clause", nullptr},
               {"case", harness::name_of(record.spec.which)},
               {"configuration", report.configurations[record.spec.configuration].name}};
  if (record.spec.rule != nullptr) {
    json["clause"] = record.spec.rule->id;
  } else {
    json["scenario"] = record.spec.corpus->name;
  }
  return json;
}

void add_op(const harness::Failure& failure, Json& json) {
  json["op"] = failure.op == kNoOp ? Json(nullptr) : Json(failure.op);
  json["op_text"] = text_or_null(failure.op_text);
  json["line"] = failure.line == 0 ? Json(nullptr) : Json(failure.line);
}

Json failure_json(const Report& report, const FailureAt& at, RecordTraces& traces) {
  const harness::Failure& failure = at.failure;
  Json json = {{"run", run_json(report, report.records[at.record])}};
  add_op(failure, json);
  json["event"] = failure.event;
  json["expected"] = failure.expected;
  json["seen"] = failure.seen;
  json["provoked"] = text_or_null(failure.provoked);
  json["more"] = failure.more;
  json["chain"] = chain_of(failure, traces.of(at.record));
  return json;
}

Json expectation_json(const harness::Expectation& expectation) {
  return {{"result", harness::name_of(expectation.result)},
          {"reason", expectation.reason},
          {"link", expectation.link},
          {"owner", expectation.owner},
          {"expires", expectation.expires},
          {"file", expectation.file},
          {"line", expectation.line}};
}

Json clause_json(const Report& report, const ClauseResult& clause, RecordTraces& traces) {
  Json json = {{"name", clause.name},
               {"id", clause.id},
               {"area", std::string(area_of(clause.id))},
               {"result", harness::name_of(clause.kind)},
               {"expected", clause.expected},
               {"selected", clause.selected},
               {"reason", text_or_null(clause.reason)},
               {"reached", clause.reached},
               {"traces", clause.traces}};
  if (const Rule* rule = clause.rule) {
    json["title"] = rule->title;
    json["binds"] = harness::name_of(rule->binds);
    json["level"] = harness::name_of(rule->level);
    json["grade"] = harness::name_of(rule->grade);
    // Of what was not judged, what it would rest on.
    const bool judged = clause.kind == ResultKind::Pass || !clause.failures.empty();
    const bool has_log = !judged || report.result.platform.has_device_log;
    json["evidence"] = harness::evidence_of(*rule, has_log);
  }
  json["failure_count"] = clause.failures.size();
  json["failures"] = Json::array();
  for (std::size_t i = 0; i < std::min(clause.failures.size(), kFailuresOfAClause); ++i) {
    json["failures"].push_back(failure_json(report, clause.failures[i], traces));
  }
  json["ended_badly"] = Json::array();
  for (const std::size_t index : clause.ended_badly) {
    const RunRecord& record = report.records[index];
    Json run = run_json(report, record);
    run["outcome"] = harness::name_of(record.run.outcome.kind);
    run["about"] = record.run.outcome.about;
    const harness::Failure& end = record.run.judged.broken_off;
    if (end.event != kNone) add_op(end, run);
    run["provoked"] = text_or_null(end.provoked);
    json["ended_badly"].push_back(run);
  }
  json["expectation"] = clause.expectation ? expectation_json(*clause.expectation) : Json(nullptr);
  return json;
}

Json platform_json(const Platform& platform) {
  Json json = {{"started", platform.started},
               {"capabilities", platform.has_caps},
               {"device", platform.has_device},
               {"device_log", platform.has_device_log},
               {"client", platform.has_client},
               {"decoder", platform.has_decoder},
               {"patch_lists", platform.patch_list_model},
               {"virtual_addressing", platform.virtual_addressing},
               {"interface_version", platform.interface_version},
               {"wddm_version", platform.wddm_version},
               {"slots", platform.slots},
               {"nodes", platform.nodes},
               {"scheduling_caps", platform.scheduling.value}};
  json["segments"] = Json::array();
  for (const PlatformSegment& segment : platform.segments) {
    json["segments"].push_back({{"base", segment.base},
                                {"size", segment.size},
                                {"commit_limit", segment.commit_limit},
                                {"flags", segment.flags.value}});
  }
  return json;
}

// Names of clauses; what the others follow from comes first.
Json causes_json(const Report& report) {
  Json json = Json::array();
  for (const harness::Cause& cause : harness::causes_of(report.result, report.records)) {
    Json names = Json::array();
    for (const harness::Symptom& symptom : cause.symptoms) names.push_back(symptom.name());
    json.push_back(std::move(names));
  }
  return json;
}

Json reach_json(const Report& report) {
  Json json = Json::array();
  const harness::SuiteResult& result = report.result;
  for (const harness::Reach& one : harness::what_reaches_more(result.driver, result.platform)) {
    json.push_back({{"what", one.what}, {"clauses", one.clauses}});
  }
  return json;
}

Json summary_json(const Report& report) {
  const auto counts = harness::count(report.result);
  Json json = Json::object();
  for (std::size_t i = 0; i < harness::kResultKinds; ++i) {
    const auto kind = static_cast<ResultKind>(i);
    const auto found = counts.find(kind);
    json[harness::name_of(kind)] = found == counts.end() ? 0 : found->second;
  }
  return json;
}

Json decisions_json(const Report& report) {
  const harness::DecisionSet& possible = report.result.possible;
  const harness::DecisionSet missed = possible & ~report.result.decided;
  Json json = {{"possible", possible.count()}, {"never", Json::array()}};
  for (std::size_t i = 0; i < harness::kDecisions; ++i) {
    if (missed[i]) json["never"].push_back(harness::text_of(static_cast<harness::Decision>(i)));
  }
  return json;
}

// The functions themselves stand in code.tsv.
Json code_json(const Report& report) {
  const CodeCount code = code_of(report);
  return {{"blocks", code.blocks},
          {"reached", code.reached},
          {"functions", code.functions},
          {"never_entered", code.never_entered}};
}

Json times_json(const Report& report) {
  Json json = {{"started", report.times.started}, {"seconds", report.times.seconds}};
  json["clauses"] = Json::object();
  for (const ClauseResult& clause : report.result.driver) {
    if (clause.rule) json["clauses"][clause.name] = seconds_of(report, clause.rule);
  }
  return json;
}

}  // namespace

std::string results_json(const Report& report) {
  Json json = {{"schema", "wddmcheck-results-1"},
               {"tool", {{"name", "wddmcheck"}, {"version", report.version}}},
               {"driver", text_or_null(report.subject.driver)},
               {"device", text_or_null(report.subject.device)},
               {"client", text_or_null(report.subject.client)}};
  json["configurations"] = Json::array();
  for (const auto& configuration : report.configurations) {
    json["configurations"].push_back(configuration.name);
  }
  json["runs"] = report.records.size();
  if (const CorpusCount corpus = corpus_of(report); corpus.planned != 0) {
    json["corpus"] = {{"planned", corpus.planned}, {"played", corpus.played}};
    json["corpus"]["about"] = text_or_null(corpus.about);
  }
  json["decisions"] = decisions_json(report);
  if (!report.code.empty()) json["code"] = code_json(report);
  json["exit_code"] = report.exit_code;
  json["interrupted"] = report.result.interrupted;
  json["start_trouble"] = text_or_null(report.result.start_trouble);
  json["platform"] = platform_json(report.result.platform);
  json["summary"] = summary_json(report);
  json["causes"] = causes_json(report);
  json["reach"] = reach_json(report);
  json["harness"] = report.result.harness;
  RecordTraces traces(report.records);
  for (const auto& [key, list] :
       {std::pair("results", &report.result.driver), std::pair("host", &report.result.host)}) {
    json[key] = Json::array();
    for (const ClauseResult& clause : *list)
      json[key].push_back(clause_json(report, clause, traces));
  }
  if (report.times.wanted) json["times"] = times_json(report);
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

CorpusCount corpus_of(const Report& report) {
  CorpusCount count;
  for (const RunRecord& record : report.records) {
    if (record.spec.rule != nullptr) continue;
    ++count.planned;
    if (record.run.outcome.kind != harness::OutcomeKind::NotRun) {
      ++count.played;
    } else if (count.about.empty()) {
      count.about = record.run.outcome.about;
    }
  }
  return count;
}

double seconds_of(const Report& report, const Rule* rule) {
  double milliseconds = 0;
  for (const RunRecord& record : report.records) {
    if (rule != nullptr && record.spec.rule == rule) milliseconds += record.run.milliseconds;
  }
  return milliseconds / 1000;
}

}  // namespace wddm::reports
