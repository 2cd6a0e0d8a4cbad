// The command line of `wddmcheck fuzz`.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdlib>

#include "conformance/runner/option_parts.h"
#include "fuzz/generators/generate.h"

namespace wddm::runner {
namespace {

constexpr const char* kNeeds =
    "Scenarios are played by programs beside wddmcheck, wddm_fuzz_FAMILY or wddm_afl_FAMILY. "
    "Builds "
    "by the\npresets dev and fuzz have them, those by release do not:\n"
    "  cmake --preset dev && cmake --build --preset dev --target wddmcheck fuzz_targets\n"
    "  build/dev/bin/wddmcheck fuzz ...\n\n";

std::string family_names() {
  std::string names;
  for (const fuzz::Family family : fuzz::families()) {
    names += (names.empty() ? "" : ", ") + std::string(fuzz::family_name(family));
  }
  return names;
}

}  // namespace

std::string read_time(const std::string& text, double& seconds) {
  const std::size_t digits = std::min(text.find_first_not_of("0123456789."), text.size());
  const std::string number = text.substr(0, digits);
  char* end = nullptr;
  seconds = std::strtod(number.c_str(), &end);
  const std::string unit = text.substr(digits);
  const double factor = unit.empty() || unit == "s" ? 1 : unit == "m" ? 60 : unit == "h" ? 3600 : 0;
  seconds *= factor;
  const bool good = *end == '\0' && factor != 0 && seconds > 0 && seconds <= 1e7;
  return good ? "" : fmt::format("'{}' is no time; expected 40s, 10m or 2h", text);
}

void add_fuzz(CLI::App& app, Options& options, std::string& driver, std::string& time) {
  FuzzOptions& fuzz = options.fuzz;
  app.footer(kNeeds + app.get_footer());
  add_driver(app, options, &driver);
  add_inf(app, options);
  const auto in_group = [](CLI::Option* option) { option->group("Fuzzing"); };
  in_group(
      app.add_option(
             "--time", time,
             "stop after this time: 40s, 10m, 2h; findings in hand are confirmed and minimized "
             "for a tenth longer, 10s at least, and what is left then lies in left/")
          ->type_name("TIME"));
  in_group(
      app.add_option("--runs", fuzz.runs,
                     "stop after this many scenarios, those of the corpus and the seeds included")
          ->type_name("N")
          ->check(kCount));
  in_group(app.add_option("--engine", fuzz.engine, "libfuzzer (default) or afl")
               ->type_name("ENGINE")
               ->check(CLI::IsMember({"libfuzzer", "afl"})));
  in_group(app.add_option(
                  "--family", fuzz.family,
                  "kind of scenarios to begin with: " + family_names() + " (default: everything)")
               ->type_name("FAMILY"));
  in_group(app.add_option("--seed", fuzz.seed, "where random numbers begin (default: 1)")
               ->type_name("N")
               ->check(kCount));
  in_group(app.add_option("--corpus", fuzz.corpus,
                          "folder of scenarios in either form that grows, by their bytes (default: "
                          "corpus in the output folder)")
               ->type_name("DIR")
               ->check(kPath));
  in_group(app.add_option("--seeds", fuzz.seeds,
                          "folder of scenarios to begin with, and all folders below it, only "
                          "read; may be repeated")
               ->type_name("DIR")
               ->check(kPath)
               ->allow_extra_args(false));
  add_jobs(app, options, "workers (default: processors)");
  add_timeout(app, options);
  add_configuration(app, options);
  app.add_option("--baseline", options.baselines,
                 "known failures, which are counted and do not fail the run; may be repeated")
      ->type_name("FILE")
      ->allow_extra_args(false)
      ->group("Known exceptions");
  app.add_option("--output", options.output, "folder of findings (default: wddmcheck-fuzz)")
      ->type_name("DIR")
      ->check(kPath)
      ->group("Report");
  app.add_flag("--quiet", options.quiet, "only what is found")->group("Report");
}

}  // namespace wddm::runner
