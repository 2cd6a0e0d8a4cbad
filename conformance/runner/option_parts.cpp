#include "conformance/runner/option_parts.h"

#include <CLI/CLI.hpp>
#include <string>

#include "conformance/harness/suite/disguises.h"

namespace wddm::runner {

void add_driver(CLI::App& app, Options& options, std::string* positional) {
  if (positional != nullptr) {
    app.add_option("DRIVER", *positional, "the driver, a shared library (.so)")->type_name("");
  }
  auto* const driver =
      app.add_option("--driver", options.subject.driver, "the driver, a shared library (.so)")
          ->envname(kDriverVariable);
  auto* const device =
      app.add_option("--device", options.subject.device, "model of its device, a plug-in")
          ->envname("WDDM_DEVICE");
  auto* const client =
      app.add_option("--client", options.subject.client, "its user-mode side, a plug-in")
          ->envname("WDDM_CLIENT");
  for (auto* const option : {driver, device, client}) option->type_name("FILE")->group("Driver");
}

// A number that counts: CLI11 takes "-1" for the largest one.
extern const CLI::Validator kCount(
    [](std::string& text) {
      const bool digits = !text.empty() && text.size() <= 18 &&
                          text.find_first_not_of("0123456789") == std::string::npos;
      return digits ? std::string{} : "'" + text + "' is no number from 0 on";
    },
    "");

// An empty path would be taken for the folder we are in, or for none.
extern const CLI::Validator kPath(
    [](std::string& text) { return text.empty() ? "a path is missing" : std::string{}; }, "");

// Neither "nan" nor "1e9".
extern const CLI::Validator kPlainNumber(
    [](std::string& text) {
      const bool plain = text.find_first_not_of("0123456789.") == std::string::npos;
      return plain ? std::string{} : "'" + text + "' is no plain number";
    },
    "");

void add_inf(CLI::App& app, Options& options) {
  app.add_option("--inf", options.subject.inf,
                 "INF of the driver's package, for what clauses ask of it")
      ->type_name("FILE")
      ->check(kPath)
      ->group("Driver");
}

void add_selection(CLI::App& app, Options& options) {
  harness::SelectionOptions& selection = options.selection;
  const auto in_group = [](CLI::Option* option) { option->group("Selection"); };
  in_group(app.add_option("--filter,--gtest_filter", selection.filter,
                          "as GoogleTest: POS[:POS]-NEG[:NEG], * and ?; SPLIT-007 and "
                          "Split.SPLIT_007 are the same")
               ->type_name("FILTER"));
  in_group(app.add_option("-t,--include-tests", selection.include,
                          "only clauses that match; may be repeated")
               ->type_name("REGEX")
               ->allow_extra_args(false));
  in_group(app.add_option("-x,--exclude-tests", selection.exclude,
                          "no clauses that match; may be repeated")
               ->type_name("REGEX")
               ->allow_extra_args(false));
  in_group(app.add_option("--test-list,--caselist", selection.lists,
                          "only clauses named in the file, one a line; may be repeated")
               ->type_name("FILE")
               ->allow_extra_args(false));
  in_group(app.add_option("--fraction", selection.fraction, "only every N-th clause ...")
               ->type_name("N")
               ->check(CLI::Range(1u, 1000000u)));
  in_group(app.add_option("--fraction-start", selection.fraction_start,
                          "... beginning with this one, from 1")
               ->type_name("I")
               ->check(CLI::Range(1u, 1000000u)));
}

void add_jobs(CLI::App& app, Options& options, const char* about) {
  app.add_option("-j,--jobs", options.jobs, about)
      ->type_name("N")
      ->check(CLI::Range(1u, 1024u))
      ->group("Execution");
}

void add_timeout(CLI::App& app, Options& options) {
  app.add_option("--timeout", options.timeout_seconds,
                 "CPU time of one scenario (default: 10); what uses none ends by the wall clock, "
                 "soon behind that, and what uses little after ten times as much")
      ->type_name("SECONDS")
      ->check(kPlainNumber & CLI::Range(0.001, 86400.0))
      ->group("Execution");
}

void add_execution(CLI::App& app, Options& options) {
  add_jobs(app, options, "scenarios at once (default: processors)");
  add_timeout(app, options);
}

void add_disguise(CLI::App& app, Options& options) {
  std::string names;
  for (const harness::Disguise& one : harness::disguises()) {
    names += (names.empty() ? "" : ", ") + std::string(one.name);
  }
  app.add_option(
         "--disguise", options.disguise,
         "the built-in driver with other numbers, or another client, on which no clause may "
         "depend: " +
             names)
      ->type_name("NAME")
      ->group("Execution");
}

CLI::Option* add_configuration(CLI::App& app, Options& options, const std::string& more) {
  return app
      .add_option(
          "--config,--settings", options.configurations,
          "settings of the driver's service key: \"default\" or NAME=VALUE[,NAME=VALUE]" + more)
      ->type_name("SETTINGS")
      ->allow_extra_args(false)
      ->group("Execution");
}

void add_settings_of_info(CLI::App& app, Options& options) {
  add_configuration(
      app, options,
      "; without any, and without a driver: what each setting of the built-in one means")
      ->expected(0, 1);
}

}  // namespace wddm::runner
