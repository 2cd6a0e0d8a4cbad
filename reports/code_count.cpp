// What of the driver's own code the runs have reached: code.tsv, and the figures of it.
#include <fmt/format.h>

#include <iterator>

#include "reports/report.h"

namespace wddm::reports {

CodeCount code_of(const Report& report) {
  CodeCount count;
  for (const harness::FunctionReached& function : report.code) {
    ++count.functions;
    count.blocks += function.blocks;
    count.reached += function.reached;
    if (function.reached == 0) ++count.never_entered;
  }
  return count;
}

std::string code_tsv(const Report& report) {
  std::string text = "reached\tblocks\tfunction\tline\n";
  for (const harness::FunctionReached& function : report.code) {
    fmt::format_to(std::back_inserter(text), "{}\t{}\t{}\t{}\n", function.reached, function.blocks,
                   function.function, function.line);
  }
  return text;
}

}  // namespace wddm::reports
