// What the tests of the kernel share: an observer that keeps what it is told, and machines whose
// first thread is a lambda.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "conformance/host/memory/memory.h"
#include "conformance/host/nt/core/kernel.h"

namespace wddm::nt::test {

struct Seen {
  FindingKind kind;
  std::string service;
  std::string detail;
  std::string caller;
};

class Recorder : public Observer {
 public:
  void finding(FindingKind kind, std::string_view service, std::string_view detail,
               std::string_view caller) override {
    findings.push_back({kind, std::string(service), std::string(detail), std::string(caller)});
  }
  void debug_print(std::string_view line) override { printed.append(line); }
  [[noreturn]] void bug_check(std::uint32_t code, const std::uint64_t*) override {
    bug_check_code = code;
    stop_machine();
  }
  [[noreturn]] void hang(std::string_view who_waits) override {
    hang_report = who_waits;
    stop_machine();
  }
  void switched(std::uint8_t, std::uint32_t) override { ++switches; }

  std::vector<Seen> findings;
  std::string printed;
  std::string hang_report;
  std::uint32_t bug_check_code = 0;
  std::uint64_t switches = 0;

  [[nodiscard]] std::vector<FindingKind> kinds() const {
    std::vector<FindingKind> all;
    for (const Seen& seen : findings) all.push_back(seen.kind);
    return all;
  }
};

using Kinds = std::vector<FindingKind>;

/// Boots a fresh machine, runs `main` as application 0 and returns what was observed.
template <typename Main>
Recorder run_machine(Main main, SchedulePolicy* policy = nullptr) {
  Recorder recorder;
  memory::map();
  boot(recorder, policy);
  run([](void* context) { (*static_cast<Main*>(context))(); }, &main);
  return recorder;
}

/// Starts a host thread; `body` must live until the thread has ended.
template <typename Body>
void spawn(const char* name, Body& body) {
  spawn_host_thread(
      name, [](void* context) { (*static_cast<Body*>(context))(); }, &body);
}

}  // namespace wddm::nt::test
