// What a run leaves behind: results.json, junit.xml, failures.csv, failures/, code.tsv of a driver
// that counts what it reaches, and a summary.
//
// Every writer takes the same Report and gives text, so that all of them are tested with stored raw
// results and no driver. Times stand in one place of each form and can be left out; everything else
// is equal for equal runs. docs: README.md beside this file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "conformance/harness/isolate/code_reached.h"
#include "conformance/harness/judge/collect.h"
#include "conformance/harness/judge/result.h"

namespace wddm::reports {

/// What was run, in the words of the command line.
struct Subject {
  std::string driver;  ///< empty: the built-in reference driver
  std::string device, client;
  std::string inf = {};  ///< of its package; empty: none is known
};

struct Times {
  bool wanted = false;  ///< false: no times anywhere
  std::string started;  ///< "2026-11-21T09:23:23Z"
  double seconds = 0;
};

struct Report {
  std::string version;  ///< of wddmcheck
  Subject subject;
  std::vector<harness::Configuration> configurations;
  std::vector<harness::RunRecord> records;
  harness::SuiteResult result;
  std::vector<harness::FunctionReached> code;  ///< empty: the driver does not count
  int exit_code = 0;
  Times times;
};

/// results.json, as results.schema.json has it.
[[nodiscard]] std::string results_json(const Report& report);
/// junit.xml in the dialect that CI systems read.
[[nodiscard]] std::string junit_xml(const Report& report);
/// A line "Split.SPLIT_007,Fail" for each result that is not as expected or excused: a baseline.
[[nodiscard]] std::string failures_csv(const Report& report);

struct ConsoleOptions {
  bool verbose = false;  ///< every clause, with what its pass rests on
  bool brief = false;    ///< only what is wrong, and where the report lies
  std::string output;    ///< folder of the report; empty: none was written
};
[[nodiscard]] std::string console_summary(const Report& report, const ConsoleOptions& options);

/// Files of failures/ by name: for each clause that something speaks against its scenario, its
/// trace (bytes, and the end of it as text) and the verdicts.
[[nodiscard]] std::map<std::string, std::string> failure_files(const Report& report);

/// Writes everything into `folder`, creating it; older files of ours in it go. False with one line
/// in `error`.
[[nodiscard]] bool write_report(const Report& report, const std::string& folder,
                                std::string& error);

/// Command that repeats a scenario file, for a shell: "wddmcheck repro [--driver ...] FILE".
[[nodiscard]] std::string repeat_command(const Subject& subject, const std::string& file);
/// Runs of scenarios of the corpus, and why some were not played.
struct CorpusCount {
  std::size_t planned = 0, played = 0;
  std::string about;
};
[[nodiscard]] CorpusCount corpus_of(const Report& report);
/// What of the driver's code was reached.
struct CodeCount {
  std::size_t functions = 0, never_entered = 0;
  std::size_t blocks = 0, reached = 0;
};
[[nodiscard]] CodeCount code_of(const Report& report);
/// Each function in a line, in the order of the image: blocks reached, blocks, name, place.
[[nodiscard]] std::string code_tsv(const Report& report);
/// Wall clock of all runs of a clause, in seconds.
[[nodiscard]] double seconds_of(const Report& report, const Rule* rule);

}  // namespace wddm::reports
