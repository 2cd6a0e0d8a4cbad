// The folder of a report: complete, readable, and without leftovers of an earlier run.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <pugixml.hpp>

#include "conformance/harness/suite/configurations.h"
#include "conformance/harness/suite/suite.h"
#include "conformance/host/execute.h"
#include "reference/trace/trace_file.h"
#include "reports/record_traces.h"
#include "reports/report.h"

namespace wddm::reports {
namespace {

namespace fs = std::filesystem;

Report report_of(const std::string& script, bool times = false) {
  const std::string driver = testing::TempDir() + "/write-driver.txt";
  std::ofstream(driver) << script;
  host::DriverUnderTest under_test;
  under_test.driver = driver;
  std::string error;
  EXPECT_TRUE(host::load(under_test, error)) << error;

  static const std::vector<const Rule*> rules(all_rules().begin(), all_rules().end());
  Report report;
  report.version = "1";
  report.subject.driver = "driver.so";
  report.configurations = harness::default_configurations(false);
  harness::SuiteOptions options;
  options.configurations = report.configurations;
  report.records = harness::run_suite(harness::plan(rules, options.configurations), options);
  harness::CollectOptions collect;
  collect.selected = rules;
  collect.configurations = report.configurations;
  report.result = harness::collect(report.records, collect);
  report.exit_code = harness::exit_code_of(report.result);
  report.times = {.wanted = times, .started = "2030-01-01T00:00:00Z", .seconds = 1.5};
  return report;
}

std::set<std::string> files_in(const fs::path& folder) {
  std::set<std::string> names;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.is_regular_file()) names.insert(fs::relative(entry.path(), folder));
  }
  return names;
}

TEST(Write, TellsWhyTheCorpusWasNotPlayedToItsEnd) {
  Report report = report_of("quiet: quiet\n");
  for (const char* const about : {"", "left out: too many runs before had crashed"}) {
    harness::Outcome& run = report.records.emplace_back().run.outcome;
    run.kind = about[0] == 0 ? harness::OutcomeKind::Finished : harness::OutcomeKind::NotRun;
    run.about = about;
  }
  EXPECT_NE(console_summary(report, {})
                .find("Of the runs 2 are of the corpus, no clause's own; 1 "
                      "were played, the others were left out: too many runs "
                      "before had crashed.\n"),
            std::string::npos);
}

TEST(Write, AFewOutcomesThatNeverCameUpAreNamed) {
  Report report;
  report.result.possible.set(0).set(1);
  report.result.decided.set(0);

  const std::string text = console_summary(report, {});

  EXPECT_NE(text.find("Of 2 outcomes of the oracles' decisions 1 never came up:\n  " +
                      std::string(harness::text_of(static_cast<harness::Decision>(1)))),
            std::string::npos)
      << text;
}

TEST(Write, TellsWhatOfTheDriverWasReached) {
  const fs::path folder = testing::TempDir() + "/report-code";
  Report report = report_of("quiet: quiet\n");
  report.code = {{"DriverEntry", "driver.c:7", 4, 3}, {"Unload", "driver.c:40", 2, 0}};
  std::string error;

  ASSERT_TRUE(write_report(report, folder, error)) << error;

  std::ifstream table(folder / "code.tsv");
  const std::string text((std::istreambuf_iterator<char>(table)), {});
  EXPECT_EQ(text,
            "reached\tblocks\tfunction\tline\n"
            "3\t4\tDriverEntry\tdriver.c:7\n"
            "0\t2\tUnload\tdriver.c:40\n");
  const auto json = nlohmann::json::parse(std::ifstream(folder / "results.json"));
  EXPECT_EQ(json["code"]["reached"], 3);
  EXPECT_EQ(json["code"]["never_entered"], 1);
  EXPECT_NE(console_summary(report, {}).find("3 of 6 blocks were reached (50 %); 1 of 2 functions"),
            std::string::npos);
}

TEST(Write, ACrashSaysItsOpInEveryForm) {
  const Report report = report_of("quiet: crash\n");
  const std::string where = "op 0 (start): ";

  const auto json = nlohmann::json::parse(results_json(report));
  const auto& ended = json["results"][0]["ended_badly"][0];
  EXPECT_EQ(ended["op"], 0);
  EXPECT_EQ(ended["op_text"], "start");
  EXPECT_EQ(ended["line"], 3);
  EXPECT_NE(console_summary(report, {}).find(where + "SIGSEGV in DxgkDdiRender"),
            std::string::npos);
  EXPECT_NE(failures_csv(report).find("Split.SPLIT_001,Crash," + where + "crashed SIGSEGV in "),
            std::string::npos)
      << failures_csv(report);
  EXPECT_NE(failure_files(report)["Split.SPLIT_001.verdict.txt"].find(where + "SIGSEGV in "),
            std::string::npos);
  EXPECT_NE(junit_xml(report).find(where + "SIGSEGV in "), std::string::npos);
}

TEST(Write, WhatABaselineWouldSplitIsQuoted) {
  Report report = report_of("quiet: crash\n");
  for (harness::RunRecord& record : report.records) {
    std::string& about = record.run.outcome.about;
    if (!about.empty()) about = "SIGSEGV in DxgkDdiRender (pair<int, int>::\"x\")";
  }

  EXPECT_NE(failures_csv(report).find(
                "SPLIT_001,Crash,\"op 0 (start): crashed SIGSEGV in DxgkDdiRender (pair<int, "
                "int>::\"\"x\"\")\""),
            std::string::npos)
      << failures_csv(report);
}

TEST(Write, ABaselineSaysWhereACrashWas) {
  const std::string csv = failures_csv(report_of("quiet: crash\n"));

  EXPECT_NE(csv.find(",,,,SIGSEGV in DxgkDdiRender"), std::string::npos) << csv;
}

TEST(Write, PutsEverythingIntoTheFolder) {
  const fs::path folder = testing::TempDir() + "/report";
  fs::remove_all(folder);
  std::string error;

  ASSERT_TRUE(write_report(report_of("quiet: fire\n"), folder, error)) << error;

  EXPECT_EQ(files_in(folder),
            (std::set<std::string>{
                "failures.csv", "junit.xml", "results.json", "failures/Split.SPLIT_001.yaml",
                "failures/Split.SPLIT_001.trace", "failures/Split.SPLIT_001.trace.txt",
                "failures/Split.SPLIT_001.verdict.txt"}));
}

TEST(Write, RemovesOnlyItsOwnLeftovers) {
  const fs::path folder = testing::TempDir() + "/report-again";
  fs::remove_all(folder);
  std::string error;
  ASSERT_TRUE(write_report(report_of("quiet: fire\n"), folder, error)) << error;
  std::ofstream(folder / "failures" / "notes") << "mine";

  ASSERT_TRUE(write_report(report_of(""), folder, error)) << error;

  EXPECT_EQ(files_in(folder),
            (std::set<std::string>{"failures.csv", "junit.xml", "results.json", "failures/notes"}));
}

TEST(Write, AFolderThatCannotBeIsNamed) {
  std::string error;

  EXPECT_FALSE(write_report(report_of(""), "/dev/null/report", error));

  EXPECT_EQ(error.rfind("/dev/null/report/failures: cannot be created", 0), 0u) << error;
}

TEST(Write, TwoRunsGiveEqualReports) {
  const std::string script = "quiet: fire\npage: crash\nbind: hang\ncaps: find\n";
  // From one place, since sanitizers print where calls came from.
  std::vector<Report> reports;
  for (int i = 0; i < 2; ++i) reports.push_back(report_of(script));

  EXPECT_EQ(results_json(reports[0]), results_json(reports[1]));
  EXPECT_EQ(junit_xml(reports[0]), junit_xml(reports[1]));
  EXPECT_EQ(failure_files(reports[0]), failure_files(reports[1]));
}

TEST(Write, TimesStandInOneFieldOfTheResults) {
  auto with = nlohmann::json::parse(results_json(report_of("", true)));
  const auto without = nlohmann::json::parse(results_json(report_of("", false)));

  ASSERT_TRUE(with.contains("times"));
  EXPECT_EQ(with["times"]["seconds"], 1.5);
  with.erase("times");
  EXPECT_EQ(with, without);
}

TEST(Write, ScenarioFilesCanBeReadAgain) {
  for (const auto& [name, text] : failure_files(report_of("*: fire\n"))) {
    if (name.find(".yaml") == std::string::npos) continue;
    Scenario scenario;
    TextError error;
    EXPECT_TRUE(parse_scenario(text, name, scenario, error)) << error.message;
  }
}

TEST(Write, TheTextOfATraceIsThatOfItsBytes) {
  const auto files = failure_files(report_of("quiet: fire\n"));
  StoredTrace stored;
  std::string error;

  ASSERT_TRUE(stored.read(files.at("Split.SPLIT_001.trace"), error)) << error;

  EXPECT_EQ("scenario of SPLIT-001, default: " + print_trace(stored),
            files.at("Split.SPLIT_001.trace.txt"));
}

// The second time nothing is left to read.
TEST(RecordTraces, ReadsTheTraceOfARunOnce) {
  Report report = report_of("quiet: fire\n");
  const std::size_t record = report.result.driver.at(0).failures.at(0).record;
  RecordTraces traces(report.records);
  const std::size_t events = traces.of(record).numbers().size();
  report.records[record].run.judged.trace.clear();

  EXPECT_NE(events, 0u);
  EXPECT_EQ(traces.of(record).numbers().size(), events);
}

TEST(RepeatCommand, IsReadByAShellAsItIsMeant) {
  Subject subject;
  subject.driver = "my driver.so";

  EXPECT_EQ(repeat_command({}, "a/plain_name-1.yaml"), "wddmcheck repro a/plain_name-1.yaml");
  EXPECT_EQ(repeat_command(subject, "sp ace/b'c.yaml"),
            "wddmcheck repro --driver 'my driver.so' 'sp ace/b'\\''c.yaml'");
  subject.inf = "a/b.inf";
  EXPECT_EQ(repeat_command(subject, "x.yaml"),
            "wddmcheck repro --driver 'my driver.so' --inf a/b.inf x.yaml");
  EXPECT_EQ(repeat_command({}, "-x.yaml"), "wddmcheck repro ./-x.yaml");
  EXPECT_EQ(repeat_command({}, "$(x)~"), "wddmcheck repro '$(x)~'");
}

TEST(Write, JunitIsXmlWithTheRightCounts) {
  pugi::xml_document document;
  const std::string xml = junit_xml(report_of("quiet: fire\npage: crash\n"));

  ASSERT_TRUE(document.load_string(xml.c_str())) << xml;

  unsigned failures = 0, errors = 0, tests = 0;
  for (const pugi::xml_node suite : document.child("testsuites")) {
    failures += suite.attribute("failures").as_uint();
    errors += suite.attribute("errors").as_uint();
    tests += suite.attribute("tests").as_uint();
  }
  EXPECT_EQ(failures, 1u);
  EXPECT_EQ(errors, 1u);
  EXPECT_EQ(tests, all_rules().size());
}

// A small reading of JSON schemas: type, required, properties, items, enum and $ref.
void expect_valid(const nlohmann::json& value, const nlohmann::json& schema,
                  const nlohmann::json& root, const std::string& where) {
  if (schema.contains("$ref")) {
    const std::string reference = schema["$ref"].get<std::string>().substr(1);
    return expect_valid(value, root[nlohmann::json::json_pointer(reference)], root, where);
  }
  if (schema.contains("enum")) {
    const auto& values = schema["enum"];
    EXPECT_NE(std::find(values.begin(), values.end(), value), values.end()) << where << value;
  }
  if (schema.contains("type")) {
    const auto types = schema["type"].is_array() ? schema["type"] : nlohmann::json{schema["type"]};
    const auto is = [&value](const std::string& type) {
      return (type == "object" && value.is_object()) || (type == "array" && value.is_array()) ||
             (type == "string" && value.is_string()) || (type == "null" && value.is_null()) ||
             (type == "boolean" && value.is_boolean()) ||
             (type == "integer" && value.is_number_integer()) ||
             (type == "number" && value.is_number());
    };
    EXPECT_TRUE(std::any_of(types.begin(), types.end(), is)) << where << " is " << value;
  }
  const auto required = schema.value("required", nlohmann::json::array());
  for (const auto& name : value.is_object() ? required : nlohmann::json::array()) {
    EXPECT_TRUE(value.contains(name)) << where << " lacks " << name;
  }
  if (value.is_object() && schema.contains("properties")) {
    for (const auto& [name, member] : value.items()) {
      if (schema["properties"].contains(name)) {
        expect_valid(member, schema["properties"][name], root, where + "/" + name);
      } else {
        EXPECT_NE(schema.value("additionalProperties", nlohmann::json(true)), false)
            << where << " has " << name;
      }
    }
  }
  if (value.is_array() && schema.contains("items")) {
    for (const auto& item : value) expect_valid(item, schema["items"], root, where + "[]");
  }
}

TEST(Schema, DescribesEveryResult) {
  std::ifstream in(std::string(WDDM_REPORTS) + "/results.schema.json");
  const nlohmann::json schema = nlohmann::json::parse(in);

  for (const char* script : {"", "quiet: fire\npage: crash\nbind: hang\ncaps: find\n",
                             "*: no-start\n", "page: harness\nquiet: fire-os\n"}) {
    expect_valid(nlohmann::json::parse(results_json(report_of(script, true))), schema, schema, "");
  }
}

}  // namespace
}  // namespace wddm::reports
