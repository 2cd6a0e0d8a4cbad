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

void Progress::show(const std::string& line) {
  if (!wanted_ || std::chrono::steady_clock::now() - begun_ < std::chrono::seconds(1)) return;
  shown_ = true;
  std::fprintf(stderr, "\r\x1b[K%s", line.c_str());
  std::fflush(stderr);
}

void Progress::step(const std::string& what, std::size_t wrong) {
  ++done_;
  std::string line = "[" + std::to_string(done_) + "/" + std::to_string(total_) + "] " + what;
  if (wrong > 0) line += ", " + std::to_string(wrong) + " not as expected";
  show(line);
}

}  // namespace wddm::runner
