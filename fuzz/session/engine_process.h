// One engine at work: a fuzz target as a child process, started again when the driver ends it.
#pragma once

#include <sys/types.h>

#include <string>
#include <utility>
#include <vector>

namespace wddm::fuzz {

/// What runs of libFuzzer want; a later flag overrides. Entropic scheduling is off: with thousands
/// of features a run, its bookkeeping costs a third of all time, and fewer of them are found for
/// it.
inline constexpr const char* kLibFuzzerFlags[] = {"-max_len=2048", "-len_control=0", "-entropic=0",
                                                  "-detect_leaks=0"};

struct EngineCommand {
  std::vector<std::string> arguments;                            ///< program first
  std::vector<std::pair<std::string, std::string>> environment;  ///< set in the child
  std::string log;  ///< file that its output is appended to
};

/// The child dies with us. Not copied: it is one process.
class EngineProcess {
 public:
  EngineProcess() = default;
  ~EngineProcess() { end(); }
  EngineProcess(const EngineProcess&) = delete;
  EngineProcess& operator=(const EngineProcess&) = delete;

  /// False if there can be no process.
  [[nodiscard]] bool start(const EngineCommand& command);
  [[nodiscard]] bool running() const { return pid_ > 0; }
  /// True once, when it has ended by itself since the last call; then status() holds.
  [[nodiscard]] bool has_ended();
  /// As waitpid gives it.
  [[nodiscard]] int status() const { return status_; }
  /// Asks it to end, waits a little, then makes it.
  void end();

 private:
  void reap();

  pid_t pid_ = -1;
  int status_ = 0;
};

}  // namespace wddm::fuzz
