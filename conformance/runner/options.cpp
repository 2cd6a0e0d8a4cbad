#include "conformance/runner/options.h"

#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdlib>
#include <iostream>
#include <thread>

#include "conformance/runner/option_parts.h"

namespace wddm::runner {
namespace {

constexpr const char* kAbout =
    "Conformance suite for WDDM-style display drivers: plays Dxgkrnl against a kernel-mode driver\n"
    "built as a shared library and says clause by clause where it departs from the driver model.\n"
    "Without a driver, the built-in reference driver is used.";
constexpr const char* kExitCodes =
    "Exit codes: 0 as expected; 1 a clause fired or a result was unexpected; 2 usage or bad "
    "input;\n"
    "3 nothing could be judged; 4 a defect of wddmcheck itself.";

// What stands on the command line counts for more than the environment.
std::string choose_driver(const std::string& positional, std::string& driver) {
  if (positional.empty()) return {};
  const char* const of_environment = std::getenv(kDriverVariable);
  const bool by_flag = !driver.empty() && (of_environment == nullptr || driver != of_environment);
  if (by_flag && driver != positional) {
    return fmt::format("two drivers are named: {} and --driver {}", positional, driver);
  }
  driver = positional;
  return {};
}

void add_isolation(CLI::App& app, Options& options) {
  const std::map<std::string, harness::Isolate> names{{"fork", harness::Isolate::Fork},
                                                      {"none", harness::Isolate::None}};
  app.add_option("--isolate", options.isolate,
                 "fork: a process for each scenario; none: for debuggers")
      ->type_name("fork|none")
      ->transform(CLI::CheckedTransformer(names).description(""))
      ->group("Execution");
}

void add_run(CLI::App& app, Options& options, std::string& driver, bool& no_times) {
  add_driver(app, options, &driver);
  add_inf(app, options);
  add_selection(app, options);
  add_execution(app, options);
  add_configuration(app, options, "; each --config is one pass over the clauses");
  app.add_flag("--matrix", options.matrix,
               "the built-in driver: each clause in every configuration, not only where it differs")
      ->excludes("--config")
      ->group("Execution");
  add_disguise(app, options);
  add_isolation(app, options);
  app.add_option("--max-fails", options.max_fails, "stop after N clauses that failed unexpectedly")
      ->type_name("N")
      ->check(kCount)
      ->group("Execution");
  const std::map<std::string, Depth> depths{
      {"quick", Depth::Quick}, {"normal", Depth::Normal}, {"thorough", Depth::Thorough}};
  app.add_option(
         "--depth", options.depth,
         "what is played beside the scenarios of clauses and judged by all of them: quick: "
         "nothing, and of all clauses each in one configuration of the built-in driver alone; "
         "normal: the distilled corpus; thorough: 2000 more scenarios from a seed, "
         "sweeps of what can fail or be too short, and clauses in all of their configurations "
         "(default: normal; quick if only some clauses are selected)")
      ->type_name("quick|normal|thorough")
      ->transform(CLI::CheckedTransformer(depths).description(""))
      ->group("Execution");
  const auto file = [&app](const char* name, std::vector<std::string>& list, const char* about) {
    app.add_option(name, list, about)
        ->type_name("FILE")
        ->allow_extra_args(false)
        ->group("Known exceptions");
  };
  file("--baseline", options.baselines,
       "known failures: lines TEST,RESULT or YAML; a failures.csv will do; may be repeated");
  file("--skips", options.skips, "clauses not to run: a regular expression a line");
  file("--flakes", options.flakes, "clauses known to vary: a regular expression a line");
  app.add_option("--output", options.output, "folder of the report (default: wddmcheck-results)")
      ->type_name("DIR")
      ->check(kPath)
      ->group("Report");
  app.add_flag("--no-times", no_times, "leave times out: equal runs give equal files")
      ->group("Report");
  app.add_flag("--quiet", options.quiet, "only what is wrong, and where the report lies")
      ->group("Report");
  app.add_flag("-v,--verbose", options.verbose, "every clause, with what its pass rests on")
      ->group("Report");
}

void add_file(CLI::App& app, Options& options) {
  app.add_option("FILE", options.file,
                 "a scenario: YAML, or the bytes of a fuzzer (crash-..., id:...)")
      ->required();
}

void add_repro(CLI::App& app, Options& options, std::string& driver) {
  add_file(app, options);
  add_driver(app, options, &driver);
  add_inf(app, options);
  add_timeout(app, options);
  add_configuration(app, options);
  app.add_option("--trace", options.trace_file, "write the whole trace to this file")
      ->type_name("FILE")
      ->check(kPath);
  app.add_flag("--gdb", options.gdb,
               "no process of its own, no handlers: a crash is left to the debugger");
  app.add_flag("-v,--verbose", options.verbose, "every event, not only what matters most");
}

void add_minimize(CLI::App& app, Options& options, std::string& driver) {
  add_file(app, options);
  add_driver(app, options, &driver);
  add_inf(app, options);
  add_timeout(app, options);
  add_configuration(app, options);
  app.add_option("--clause", options.clause,
                 "keep that this clause fires (default: what goes wrong first)")
      ->type_name("ID");
  app.add_option("--output", options.result, "the file to write (default: FILE.min.yaml)")
      ->type_name("FILE")
      ->check(kPath);
}

void add_merge(CLI::App& app, Options& options) {
  app.add_option("OUT", options.result, "the folder to write, as bytes; it must be new or empty")
      ->required()
      ->check(kPath);
  app.add_option("IN", options.inputs,
                 "scenarios in either form: files, and folders with all files below them")
      ->required();
  add_driver(app, options);
  add_timeout(app, options);
  add_configuration(app, options);
}

void add_distill(CLI::App& app, Options& options) {
  DistillOptions& distill = options.distill;
  app.add_option("OUT", options.result,
                 "the folder to write; it must be new, empty, or a distilled corpus, which goes")
      ->required()
      ->check(kPath);
  app.add_option("IN", options.inputs,
                 "scenarios to keep in any case: files, and folders with all files below them");
  const auto in_group = [](CLI::Option* option) { option->group("Distilling"); };
  in_group(app.add_option("--candidates", distill.candidates,
                          "scenarios to invent of each family in each configuration (default: 40)")
               ->type_name("N")
               ->check(kCount));
  in_group(app.add_option("--seed", options.fuzz.seed, "where random numbers begin (default: 1)")
               ->type_name("N")
               ->check(kCount));
  in_group(app.add_option("--events", distill.events,
                          "events that are kept of each addressing, the measure of what playing "
                          "them takes (default: 180000)")
               ->type_name("N")
               ->check(kCount));
  in_group(app.add_option("--mutants", distill.mutants,
                          "then keep what kills mutants that this file names: the table of "
                          "selftest --mutants, of which those that were killed are left out, or "
                          "names; takes long")
               ->type_name("FILE")
               ->check(kPath));
  in_group(app.add_option("--runs", options.fuzz.runs,
                          "with --mutants: scenarios that each is played in (default: 150)")
               ->type_name("N")
               ->check(kCount));
  add_jobs(app, options, "processes (default: processors)");
  add_timeout(app, options);
  app.add_flag("--quiet", options.quiet, "no progress");
}

void add_convert(CLI::App& app, Options& options) {
  add_file(app, options);
  app.add_option("--to", options.form,
                 "form to write: gtest is a GoogleTest case in C++ (default: bytes for YAML, YAML "
                 "for bytes)")
      ->type_name("yaml|bytes|gtest")
      ->check(CLI::IsMember({"yaml", "bytes", "gtest"}).description(""));
  app.add_option("--output", options.result, "the file to write (default: standard output)")
      ->type_name("FILE")
      ->check(kPath);
}

void add_trace(CLI::App& app, Options& options) {
  app.add_option("FILE", options.file, "a binary trace: failures/X.trace of a report")->required();
  app.add_option("--around", options.around, "only the events near the one of this number")
      ->type_name("N")
      ->check(kCount);
  app.add_option("--op", options.op, "only the events of this op, by its index from 0")
      ->type_name("N")
      ->check(kCount);
}

std::string inconsistency(const Options& options) {
  const bool plug_in = !options.subject.device.empty() || !options.subject.client.empty();
  if (options.subject.driver.empty() && plug_in) {
    return "--device and --client belong to a driver; name it with --driver or WDDM_DRIVER";
  }
  if (!options.disguise.empty() && !options.subject.driver.empty()) {
    return "--disguise is for the built-in driver";
  }
  if (options.selection.fraction_start > options.selection.fraction) {
    return fmt::format("--fraction-start {} is beyond --fraction {}",
                       options.selection.fraction_start, options.selection.fraction);
  }
  const bool one_pass = options.command == Command::Repro || options.command == Command::Fuzz ||
                        options.command == Command::Minimize || options.command == Command::Merge ||
                        options.command == Command::List || options.command == Command::Info;
  if (one_pass && options.configurations.size() > 1) {
    return "only run takes more than one --config";
  }
  return {};
}

bool plays_some(const Options& options) {
  return is_narrowed(options.selection) || !options.disguise.empty();
}

}  // namespace

bool is_narrowed(const harness::SelectionOptions& selection) {
  return !selection.filter.empty() || !selection.include.empty() || !selection.exclude.empty() ||
         !selection.lists.empty() || selection.fraction > 1;
}

Depth depth_of(const Options& options) {
  return options.depth.value_or(plays_some(options) ? Depth::Quick : Depth::Normal);
}

harness::PlayedIn played_in(const Options& options) {
  const bool as_it_is = options.configurations.empty() && !options.matrix && !plays_some(options);
  const Depth depth = depth_of(options);
  if (!as_it_is || depth == Depth::Thorough) return harness::PlayedIn::Each;
  return depth == Depth::Quick ? harness::PlayedIn::First : harness::PlayedIn::Apart;
}

int complain(const std::string& what) {
  std::cout.flush();
  std::cerr << "wddmcheck: " << what << std::endl;
  return kExitUsage;
}

bool parse_command_line(int argc, const char* const* argv, Options& options, int& exit_code) {
  options.jobs = std::max(1u, std::thread::hardware_concurrency());
  bool no_times = false;
  CLI::App app(kAbout, "wddmcheck");
  app.footer(kExitCodes);
  app.set_version_flag("--version", "wddmcheck " WDDMCHECK_VERSION);
  app.require_subcommand(1);
  const auto command = [&](const char* name, const char* about, Command which) {
    CLI::App* const sub = app.add_subcommand(name, about);
    sub->footer(kExitCodes);
    sub->parse_complete_callback([&options, which] { options.command = which; });
    return sub;
  };
  std::string driver;  // by its place on the command line
  add_run(*command("run", "judge a driver by every clause", Command::Run), options, driver,
          no_times);
  CLI::App* const list = command(
      "list",
      "names and titles of the clauses; with a driver, or with settings of the built-in one, which "
      "do not apply to it and why",
      Command::List);
  add_driver(*list, options, &driver);
  add_configuration(*list, options);
  add_selection(*list, options);
  list->add_flag("-v,--verbose", options.verbose, "with who is bound, level, grade and evidence");
  CLI::App* const explain =
      command("explain", "clauses, their sources, their scenarios, their faults", Command::Explain);
  explain->add_option("ID", options.explained, "SPLIT-007, Split.SPLIT_007 or an alias, or several")
      ->required();
  CLI::App* const selftest = command(
      "selftest", "every seeded fault against the suite: who caught what", Command::SelfTest);
  add_driver(*selftest, options, &driver);
  add_selection(*selftest, options);
  add_execution(*selftest, options);
  add_disguise(*selftest, options);
  selftest->add_flag("--quiet", options.quiet, "only what is wrong");
  selftest->add_flag("--fuzz", options.by_fuzzing,
                     "instead: executions that fuzzing takes to find each fault; with --mutants: "
                     "what survives is fuzzed too");
  selftest
      ->add_option("--runs", options.fuzz.runs,
                   "before a search gives up: executions with --fuzz (default: 10000), else runs "
                   "of each with --mutants (default: all)")
      ->type_name("N")
      ->check(kCount);
  selftest->add_flag("--corpus", options.by_corpus,
                     "instead: which clause fires with each fault in the distilled corpus; "
                     "with --mutants: these are played in nothing else");
  CLI::Option* const mutants =
      selftest->add_flag("--mutants", options.by_mutants,
                         "instead: mutants of the reference driver and device, and which clause "
                         "kills each; --filter and --test-list are "
                         "about their names");
  selftest->add_flag("--sample", options.sample, "with --mutants: some of them, always the same")
      ->needs(mutants);
  selftest
      ->add_flag("--listed", options.plays_listed,
                 "with --mutants: those too that are listed as no defects, to see that they still "
                 "are none; this takes four times as long")
      ->needs(mutants);
  selftest
      ->add_option("--least-score", options.least_score,
                   "with --mutants: percent killed that are expected")
      ->type_name("PERCENT")
      ->needs(mutants);
  selftest
      ->add_option(
          "--output", options.output,
          "with --mutants: folder of the table and the journal, from which the same command "
          "goes on (default: wddmcheck-mutants)")
      ->type_name("DIR")
      ->check(kPath)
      ->needs(mutants);
  CLI::App* const info =
      command("info", "what a driver says of itself, and what it needs", Command::Info);
  add_driver(*info, options, &driver);
  add_execution(*info, options);
  add_settings_of_info(*info, options);
  add_repro(*command("repro", "run one scenario and tell what each op did", Command::Repro),
            options, driver);
  std::string fuzz_time;
  CLI::App* const fuzz = command("fuzz", "look for scenarios that break a clause", Command::Fuzz);
  add_fuzz(*fuzz, options, driver, fuzz_time);
  add_minimize(
      *command("minimize", "the shortest scenario that still shows the same", Command::Minimize),
      options, driver);
  add_merge(*command("merge", "few inputs that reach what many do", Command::Merge), options);
  add_distill(*command("distill",
                       "the corpus that run plays beside the scenarios of clauses, on the built-in "
                       "driver",
                       Command::Distill),
              options);
  add_convert(
      *command("convert", "a scenario as YAML, as bytes or as a GoogleTest case", Command::Convert),
      options);
  add_trace(*command("trace", "the trace of a failing run as text", Command::Trace), options);
  CLI::App* const report =
      command("report", "make the report of a run that was broken off", Command::Report);
  report->add_option("DIR", options.file, "folder with the journal.jsonl of the run")->required();
  report->add_flag("--no-times", no_times, "leave times out");

  exit_code = kExitUsage;
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& help) {
    exit_code = app.exit(help);
    return false;
  } catch (const CLI::ParseError& error) {
    const auto used = app.get_subcommands();
    complain(fmt::format("{}; see wddmcheck {}--help", error.what(),
                         used.empty() ? "" : used.front()->get_name() + " "));
    return false;
  }
  options.times = !no_times;
  std::string wrong = choose_driver(driver, options.subject.driver);
  if (wrong.empty()) wrong = inconsistency(options);
  if (wrong.empty() && fuzz->count("--time") != 0) {
    wrong = read_time(fuzz_time, options.fuzz.seconds);
    if (!wrong.empty()) wrong = "--time: " + wrong;
  }
  if (options.command == Command::Fuzz && fuzz->count("--output") == 0) {
    options.output = "wddmcheck-fuzz";
  }
  if (options.by_mutants && selftest->count("--output") == 0) {
    options.output = "wddmcheck-mutants";
  }
  if (!wrong.empty()) complain(wrong);
  return wrong.empty();
}

}  // namespace wddm::runner
