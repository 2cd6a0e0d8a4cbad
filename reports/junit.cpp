// junit.xml: a suite for each area, a case for each clause.
//
// What fired unexpectedly is a failure, what ended badly an error, what didn't apply or was excused
// is skipped with its reason. Defects of ours are errors of a suite of their own.
#include <fmt/format.h>

#include <pugixml.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "conformance/harness/judge/verdict.h"
#include "conformance/harness/suite/scenario_book.h"
#include "conformance/rules/rule_registry.h"
#include "reports/report.h"

namespace wddm::reports {
namespace {

using harness::ClauseResult;
using harness::ResultKind;

struct Counts {
  unsigned tests = 0, failures = 0, errors = 0, skipped = 0;
  double seconds = 0;
};

const char* element_of(const ClauseResult& clause) {
  switch (clause.kind) {
    case ResultKind::Pass:
      return "";
    case ResultKind::Fail:
    case ResultKind::UnexpectedPass:
      return "failure";
    case ResultKind::Crash:
    case ResultKind::Hang:
    case ResultKind::Timeout:
      return "error";
    case ResultKind::Flake:
      return clause.expected ? "skipped" : "failure";
    case ResultKind::NotApplicable:
    case ResultKind::ExpectedFail:
    case ResultKind::NotRun:
      break;
  }
  return "skipped";
}

std::string details_of(const Report& report, const ClauseResult& clause) {
  std::string text;
  for (const harness::FailureAt& at : clause.failures) {
    const harness::RunRecord& record = report.records[at.record];
    const harness::VerdictPlace place{harness::place_name(record.spec),
                                      report.configurations[record.spec.configuration].name, "",
                                      record.run.judged.platform.has_device_log};
    text += print_verdict(at.failure, clause.rule, place,
                          chain_of(at.failure, StoredTrace(record.run.judged.trace)));
    break;  // the first explains it; results.json has the others
  }
  return text;
}

void set_counts(pugi::xml_node node, const Counts& counts, bool times) {
  node.append_attribute("tests") = counts.tests;
  node.append_attribute("failures") = counts.failures;
  node.append_attribute("errors") = counts.errors;
  node.append_attribute("skipped") = counts.skipped;
  if (times) node.append_attribute("time") = fmt::format("{:.3f}", counts.seconds).c_str();
}

void add_case(pugi::xml_node suite, const Report& report, const ClauseResult& clause,
              Counts& counts) {
  pugi::xml_node node = suite.append_child("testcase");
  const std::size_t dot = clause.name.find('.');
  node.append_attribute("classname") = clause.name.substr(0, dot).c_str();
  node.append_attribute("name") = clause.name.substr(dot + 1).c_str();
  if (report.times.wanted) {
    const double seconds = clause.rule ? seconds_of(report, clause.rule) : 0;
    node.append_attribute("time") = fmt::format("{:.3f}", seconds).c_str();
    counts.seconds += seconds;
  }
  ++counts.tests;
  const std::string element = element_of(clause);
  if (element.empty()) return;
  pugi::xml_node child = node.append_child(element.c_str());
  child.append_attribute("message") = clause.reason.c_str();
  if (element == "skipped") {
    ++counts.skipped;
    return;
  }
  ++(element == "error" ? counts.errors : counts.failures);
  child.append_attribute("type") = harness::name_of(clause.kind);
  const std::string details = details_of(report, clause);
  if (!details.empty()) child.append_child(pugi::node_pcdata).set_value(details.c_str());
}

void add_suites(pugi::xml_node root, const Report& report, const std::vector<ClauseResult>& clauses,
                const std::string& prefix) {
  std::vector<std::string> areas;
  for (const ClauseResult& clause : clauses) {
    const std::string area(area_of(clause.id));
    if (areas.empty() || areas.back() != area) areas.push_back(area);
  }
  for (const std::string& area : areas) {
    pugi::xml_node suite = root.append_child("testsuite");
    suite.append_attribute("name") = (prefix + area).c_str();
    Counts counts;
    for (const ClauseResult& clause : clauses) {
      if (area_of(clause.id) == area) add_case(suite, report, clause, counts);
    }
    set_counts(suite, counts, report.times.wanted);
  }
}

void add_defects(pugi::xml_node root, const Report& report) {
  if (report.result.harness.empty()) return;
  pugi::xml_node suite = root.append_child("testsuite");
  suite.append_attribute("name") = "HARNESS";
  Counts counts;
  for (const std::string& defect : report.result.harness) {
    ++counts.tests;
    ++counts.errors;
    pugi::xml_node node = suite.append_child("testcase");
    node.append_attribute("classname") = "Harness";
    node.append_attribute("name") = fmt::format("defect_{}", counts.tests).c_str();
    node.append_child("error").append_attribute("message") = defect.c_str();
  }
  set_counts(suite, counts, false);
}

}  // namespace

std::string junit_xml(const Report& report) {
  pugi::xml_document document;
  pugi::xml_node declaration = document.append_child(pugi::node_declaration);
  declaration.append_attribute("version") = "1.0";
  declaration.append_attribute("encoding") = "UTF-8";
  pugi::xml_node root = document.append_child("testsuites");
  root.append_attribute("name") = "wddmcheck";
  if (report.times.wanted) {
    root.append_attribute("timestamp") = report.times.started.c_str();
    root.append_attribute("time") = fmt::format("{:.3f}", report.times.seconds).c_str();
  }
  add_suites(root, report, report.result.driver, "");
  add_suites(root, report, report.result.host, "host.");
  add_defects(root, report);
  std::ostringstream out;
  document.save(out, "  ");
  return out.str();
}

}  // namespace wddm::reports
