// From the command line to a command, and nothing else.
#include <algorithm>
#include <exception>
#include <iostream>
#include <string>

#include "conformance/runner/commands.h"
#include "conformance/runner/process.h"
#include "reference/harness_assert.h"

namespace wddm::runner {
namespace {

int carry_out(const Options& options) {
  switch (options.command) {
    case Command::Run:
      return run_command(options);
    case Command::List:
      return list_command(options);
    case Command::Explain:
      return explain_command(options);
    case Command::SelfTest:
      return selftest_command(options);
    case Command::Info:
      return info_command(options);
    case Command::Repro:
      return repro_command(options);
    case Command::Fuzz:
      return fuzz_command(options);
    case Command::Minimize:
      return minimize_command(options);
    case Command::Merge:
      return merge_command(options);
    case Command::Distill:
      return distill_command(options);
    case Command::Convert:
      return convert_command(options);
    case Command::Report:
      return report_command(options);
    case Command::Trace:
      return trace_command(options);
  }
  return kExitUsage;
}

int carry_out_whatever_happens(const Options& options) {
  try {
    return carry_out(options);
  } catch (const std::exception& error) {
    // Whatever input made this happen, it should have been refused by name.
    const std::string what = std::string("not thought of: ") + error.what();
    harness_failure(__FILE__, __LINE__, what.c_str());
  }
}

}  // namespace

int wddmcheck(int argc, char** argv) {
  without_address_randomization(argv);
  Options options;
  int exit_code = kExitUsage;
  if (parse_command_line(argc, argv, options, exit_code)) {
    exit_code = carry_out_whatever_happens(options);
  }
  if (std::cout.flush()) return exit_code;
  return std::max(exit_code, complain("standard output cannot be written"));
}

}  // namespace wddm::runner
