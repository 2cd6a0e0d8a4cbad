#include "fuzz/session/engine_process.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <ctime>

namespace wddm::fuzz {
namespace {

constexpr int kPatienceTurns = 200;  // of 10 ms

void become(const EngineCommand& command) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  // Its own group, so that a ^C at the terminal is ours alone to answer.
  ::setpgid(0, 0);
  const int log = ::open(command.log.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0644);
  const int nothing = ::open("/dev/null", O_RDONLY);
  if (log < 0 || nothing < 0) ::_exit(127);
  ::dup2(nothing, STDIN_FILENO);
  ::dup2(log, STDOUT_FILENO);
  ::dup2(log, STDERR_FILENO);
  for (const auto& [name, value] : command.environment) ::setenv(name.c_str(), value.c_str(), 1);
  std::vector<char*> argv;
  for (const std::string& argument : command.arguments) {
    argv.push_back(const_cast<char*>(argument.c_str()));
  }
  argv.push_back(nullptr);
  ::execvp(argv[0], argv.data());
  ::_exit(127);
}

}  // namespace

bool EngineProcess::start(const EngineCommand& command) {
  end();
  pid_ = ::fork();
  if (pid_ == 0) become(command);
  // Here too: end() may come before the child has got so far.
  if (pid_ > 0) ::setpgid(pid_, pid_);
  return pid_ > 0;
}

bool EngineProcess::has_ended() {
  siginfo_t info{};
  if (pid_ <= 0 ||
      ::waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOHANG | WNOWAIT) != 0 ||
      info.si_pid != pid_) {
    return false;
  }
  reap();
  return true;
}

void EngineProcess::end() {
  if (pid_ <= 0) return;
  ::kill(-pid_, SIGINT);
  for (int turn = 0; turn < kPatienceTurns; ++turn) {
    if (has_ended()) return;
    const timespec pause{0, 10'000'000};
    ::nanosleep(&pause, nullptr);
  }
  reap();
}

// With what the driver has started and left: until it is reaped, the group has no other owner.
void EngineProcess::reap() {
  ::kill(-pid_, SIGKILL);
  ::waitpid(pid_, &status_, 0);
  pid_ = -1;
}

}  // namespace wddm::fuzz
