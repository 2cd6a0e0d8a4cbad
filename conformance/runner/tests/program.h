// Runs a program as a user would: arguments and environment in; output and exit code out.
#pragma once

#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace wddm::runner {

struct Ended {
  int code = -1;  ///< exit code, or 1000 + signal
  std::string out, err;
};

/// A program under way.
class Program {
 public:
  Program(std::vector<std::string> arguments,
          const std::vector<std::pair<std::string, std::string>>& environment = {}) {
    int out[2], err[2];
    if (::pipe(out) != 0 || ::pipe(err) != 0) std::abort();
    std::fflush(nullptr);
    pid_ = ::fork();
    if (pid_ == 0) {
      ::dup2(out[1], STDOUT_FILENO);
      ::dup2(err[1], STDERR_FILENO);
      for (const int fd : {out[0], out[1], err[0], err[1]}) ::close(fd);
      for (const auto& [name, value] : environment) ::setenv(name.c_str(), value.c_str(), 1);
      std::vector<char*> argv;
      for (std::string& argument : arguments) argv.push_back(argument.data());
      argv.push_back(nullptr);
      ::execv(argv[0], argv.data());
      ::_exit(127);
    }
    ::close(out[1]);
    ::close(err[1]);
    out_ = out[0];
    err_ = err[0];
  }
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  [[nodiscard]] pid_t pid() const { return pid_; }

  Ended wait() {
    Ended ended;
    std::vector<pollfd> fds{{out_, POLLIN, 0}, {err_, POLLIN, 0}};
    std::string* const texts[] = {&ended.out, &ended.err};
    for (int open = 2; open > 0;) {
      ::poll(fds.data(), fds.size(), -1);
      for (std::size_t i = 0; i < fds.size(); ++i) {
        if (fds[i].fd < 0 || fds[i].revents == 0) continue;
        char buffer[4096];
        const ssize_t got = ::read(fds[i].fd, buffer, sizeof(buffer));
        if (got > 0) {
          texts[i]->append(buffer, static_cast<std::size_t>(got));
          continue;
        }
        ::close(fds[i].fd);
        fds[i].fd = -1;
        --open;
      }
    }
    int status = 0;
    ::waitpid(pid_, &status, 0);
    ended.code = WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
    return ended;
  }

 private:
  pid_t pid_ = -1;
  int out_ = -1, err_ = -1;
};

inline std::string contents(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

}  // namespace wddm::runner
