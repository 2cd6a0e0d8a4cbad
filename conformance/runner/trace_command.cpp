// `wddmcheck trace`: the binary trace of a failing run as text. It needs neither driver nor report.
#include <iostream>

#include "conformance/harness/suite/text_file.h"
#include "conformance/runner/commands.h"
#include "reference/trace/trace_file.h"

namespace wddm::runner {

int trace_command(const Options& options) {
  std::string bytes, error;
  StoredTrace stored;
  if (!harness::read_text_file(options.file, bytes, error)) return complain(error);
  if (!stored.read(bytes, error)) return complain(options.file + ": " + error);
  std::cout << print_trace(stored, {.around = options.around, .op = options.op}) << std::flush;
  return kExitGood;
}

}  // namespace wddm::runner
