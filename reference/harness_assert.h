// Always-on assertion for defects of our own, never of the driver under test.
//
// It ends the process with kHarnessExitCode after one line that starts with "HARNESS:", so that no
// runner, test or user can mistake it for a verdict.
#pragma once

#include <cstdio>
#include <cstdlib>

namespace wddm {

/// Exit code that means "wddmcheck itself is wrong".
inline constexpr int kHarnessExitCode = 4;

[[noreturn]] inline void harness_failure(const char* file, int line, const char* what) {
  std::fprintf(stderr, "HARNESS: %s:%d: %s\n", file, line, what);
  std::fflush(nullptr);
  std::_Exit(kHarnessExitCode);
}

}  // namespace wddm

#define HARNESS_ASSERT(condition) \
  ((condition) ? static_cast<void>(0) : ::wddm::harness_failure(__FILE__, __LINE__, #condition))
