#include "conformance/runner/progress.h"

#include <unistd.h>

#include <cstdio>

namespace wddm::runner {

Progress::Progress(std::size_t total, bool wanted)
    : total_(total),
      wanted_(wanted && ::isatty(STDERR_FILENO) != 0),
      begun_(std::chrono::steady_clock::now()) {}

Progress::~Progress() {
  if (shown_) std::fputs("\r\x1b[K", stderr);
}

void Progress::step(const std::string& what, std::size_t wrong) {
  ++done_;
  if (!wanted_ || std::chrono::steady_clock::now() - begun_ < std::chrono::seconds(1)) return;
  shown_ = true;
  std::fprintf(stderr, "\r\x1b[K[%zu/%zu] %s", done_, total_, what.c_str());
  if (wrong > 0) std::fprintf(stderr, ", %zu not as expected", wrong);
  std::fflush(stderr);
}

}  // namespace wddm::runner
