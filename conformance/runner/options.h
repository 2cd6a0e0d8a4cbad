// The command line of wddmcheck, understood.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "conformance/harness/isolate/isolate.h"
#include "conformance/harness/suite/selection.h"
#include "conformance/harness/suite/suite.h"
#include "reports/report.h"

namespace wddm::runner {

enum class Command : std::uint8_t {
  Run,
  List,
  Explain,
  SelfTest,
  Info,
  Repro,
  Minimize,
  Merge,
  Distill,
  Convert,
  Report,
  Trace,
  Fuzz
};

/// What `run` plays beside the scenarios of clauses, each judged by all rules.
enum class Depth : std::uint8_t {
  Quick,     ///< nothing; and of all clauses each in one configuration alone
  Normal,    ///< the distilled corpus
  Thorough,  ///< and many scenarios from a seed
};

/// What only `fuzz` is told.
struct FuzzOptions {
  std::string engine = "libfuzzer";  ///< or "afl"
  std::string family = "everything";
  double seconds = 0;      ///< 0: no limit
  std::uint64_t runs = 0;  ///< 0: no limit
  std::uint64_t seed = 1;
  std::string corpus;  ///< empty: OUTPUT/corpus
  std::vector<std::string> seeds;
};

/// What only `distill` is told.
struct DistillOptions {
  std::uint32_t candidates = 40;   ///< of each family in each configuration
  std::uint64_t events = 180'000;  ///< that are kept, of each addressing
  std::string mutants;             ///< file that names mutants to be killed; empty: none
};

struct Options {
  Command command = Command::Run;
  reports::Subject subject;  ///< paths as they were given
  harness::SelectionOptions selection;
  unsigned jobs = 1;
  double timeout_seconds = 10;
  harness::Isolate isolate = harness::Isolate::Fork;
  std::vector<std::string> configurations;  ///< of --config; empty: the driver's default ones
  std::string disguise;                     ///< of the built-in driver; empty: none
  bool matrix = false;  ///< each clause in every configuration of the built-in driver
  std::vector<std::string> baselines, skips, flakes;
  std::string output = "wddmcheck-results";
  std::uint32_t max_fails = 0;
  std::optional<Depth> depth;  ///< none: Normal, and Quick for a selection of clauses
  bool times = true;
  bool quiet = false;
  bool verbose = false;
  std::vector<std::string> explained;  ///< of explain: clauses, as they were named
  std::string clause;                  ///< of minimize
  std::string file;                    ///< of repro, minimize, convert, report and trace
  std::vector<std::string> inputs;     ///< of merge and distill: files and folders
  std::string result;      ///< of minimize and convert: the file to write; empty: the default one;
                           ///< of merge and distill: the folder
  std::string form;        ///< of convert: "yaml", "bytes", "gtest"; empty: the other one
  std::string trace_file;  ///< of repro
  std::optional<std::uint32_t> around, op;  ///< of trace: what is shown
  bool gdb = false;
  FuzzOptions fuzz;
  DistillOptions distill;
  bool by_fuzzing = false;    ///< of selftest
  bool by_mutants = false;    ///< of selftest
  bool by_corpus = false;     ///< of selftest
  bool sample = false;        ///< of selftest --mutants: some of them
  bool plays_listed = false;  ///< of selftest --mutants: those too that are no defects
  double least_score = 0;     ///< of selftest --mutants: percent
};

/// Whether only some clauses are asked for.
[[nodiscard]] bool is_narrowed(const harness::SelectionOptions& selection);
[[nodiscard]] Depth depth_of(const Options& options);
/// Less than thorough means fewer configurations too, but not where only some clauses are wanted.
[[nodiscard]] harness::PlayedIn played_in(const Options& options);

/// Exit codes of wddmcheck; 0..4 and nothing else. Never 77, which many take for "skipped".
inline constexpr int kExitGood = 0;
inline constexpr int kExitUnexpected = 1;
inline constexpr int kExitUsage = 2;
inline constexpr int kExitNothingJudged = 3;
inline constexpr int kExitHarness = 4;

/// True if there is a command to carry out. Otherwise help or a complaint has been printed and
/// `exit_code` is what to leave with.
[[nodiscard]] bool parse_command_line(int argc, const char* const* argv, Options& options,
                                      int& exit_code);

/// Prints "wddmcheck: what" on stderr and gives kExitUsage.
int complain(const std::string& what);

}  // namespace wddm::runner
