// One line that moves, on a terminal only: a log stays quiet.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>

namespace wddm::runner {

class Progress {
 public:
  /// Shows nothing unless stderr is a terminal and `wanted`.
  Progress(std::size_t total, bool wanted);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// Puts a line of any other kind there.
  void show(const std::string& line);
  /// One more is done; `what` was the last. Appears after a second of work.
  void step(const std::string& what, std::size_t wrong);

 private:
  std::size_t total_;
  std::size_t done_ = 0;
  bool shown_ = false;
  bool wanted_;
  std::chrono::steady_clock::time_point begun_;
};

}  // namespace wddm::runner
