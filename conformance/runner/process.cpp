#include "conformance/runner/process.h"

#include <fmt/format.h>
#include <sys/personality.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <ctime>
#include <filesystem>

namespace wddm::runner {
namespace {

constexpr const char* kOnce = "WDDMCHECK_RESTARTED";
std::atomic<bool> g_stop{false};

void on_signal(int signal) {
  if (g_stop.exchange(true)) {
    ::signal(signal, SIG_DFL);
    ::raise(signal);
  }
}

}  // namespace

void without_address_randomization(char** argv) {
  constexpr unsigned long kAsk = 0xffffffff;
  const int now = ::personality(kAsk);
  const bool again = std::getenv(kOnce) != nullptr;
  ::unsetenv(kOnce);
  if (now < 0 || (now & ADDR_NO_RANDOMIZE) != 0 || again) return;
  if (::personality(static_cast<unsigned long>(now) | ADDR_NO_RANDOMIZE) < 0) return;
  ::setenv(kOnce, "1", 1);
  ::execv("/proc/self/exe", argv);
  // Not possible here: go on as we are.
  ::unsetenv(kOnce);
}

const std::atomic<bool>& stop_on_signals() {
  struct sigaction action {};
  action.sa_handler = on_signal;
  ::sigaction(SIGINT, &action, nullptr);
  ::sigaction(SIGTERM, &action, nullptr);
  return g_stop;
}

bool temporary_folder(const std::string& about, std::string& path, std::string& error) {
  std::error_code problem;
  const std::filesystem::path folder = std::filesystem::temp_directory_path(problem);
  if (!problem && ::access(folder.c_str(), W_OK) != 0) problem = {errno, std::generic_category()};
  if (problem) {
    error = fmt::format("no folder for temporary files: {}; see TMPDIR", problem.message());
    return false;
  }
  path = folder / fmt::format("wddmcheck-{}.{}", about, ::getpid());
  return true;
}

NowText now_text() {
  NowText now{};
  const std::time_t seconds = std::time(nullptr);
  std::tm utc{};
  ::gmtime_r(&seconds, &utc);
  std::strftime(now.text, sizeof(now.text), "%Y-%m-%dT%H:%M:%SZ", &utc);
  return now;
}

}  // namespace wddm::runner
