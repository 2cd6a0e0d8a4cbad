#include "conformance/runner/known_failures.h"

#include <iostream>

#include "conformance/runner/process.h"

namespace wddm::runner {

bool read_known_failures(const Options& options, harness::Expectations& known, std::string& error) {
  const std::string today = std::string(now_text().text).substr(0, 10);
  std::vector<std::string> expired;
  for (const std::string& path : options.baselines) {
    if (!read_baseline(path, today, known, expired, error)) return false;
  }
  for (const std::string& path : options.skips) {
    if (!read_patterns(path, known.skips, error)) return false;
  }
  for (const std::string& path : options.flakes) {
    if (!read_patterns(path, known.flakes, error)) return false;
  }
  for (const std::string& line : expired) std::cerr << "wddmcheck: note: " << line << '\n';
  return true;
}

}  // namespace wddm::runner
