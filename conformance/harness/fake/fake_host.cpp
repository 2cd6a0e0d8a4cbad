#include "conformance/harness/fake/fake_host.h"

#include <fcntl.h>
#include <unistd.h>

#include <chrono>
#include <cinttypes>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <thread>

#include "conformance/host/adapter/package.h"
#include "conformance/host/execute.h"
#include "conformance/host/nt/core/kernel.h"
#include "reference/harness_assert.h"
#include "reference/trace/names.h"

namespace wddm {
namespace {

std::map<std::string, std::string> g_script;
const char* g_call = "";
const char* g_service = "";

constexpr std::uint32_t kUnsuccessful = 0xC0000001;
constexpr std::uint32_t kRevisionMismatch = 0xC0000059;

[[noreturn]] void loop() {
  [[maybe_unused]] volatile int turns = 0;
  while (true) turns = 1;
}

class Run {
 public:
  Run(const host::ExecuteOptions& options, TraceWriter& trace) : options_(options), trace_(trace) {}

  void all() {
    const std::string behaviour = chosen();
    trace_.op = kNoOp;
    add(ev::PlugInsLoaded{.device = 1, .client = 1});
    add(ev::DdiEntered{.ddi = static_cast<std::uint32_t>(DdiId::DriverEntry)});
    if (!bring_up(behaviour)) return end();
    for (std::size_t i = 0; i < options_.scenario->ops.size(); ++i) {
      trace_.op = static_cast<std::uint16_t>(i);
      add(ev::OpStarted{.kind = static_cast<std::uint32_t>(options_.scenario->ops[i].kind)});
      if (i == 0) behave(behaviour);
      if (options_.scenario->ops[i].kind == OpKind::Preempt) preempt(behaviour);
    }
    if (options_.scenario->ops.empty()) behave(behaviour);
    end();
  }

 private:
  template <class Payload>
  void add(const Payload& payload, const std::string& blob = "") {
    trace_.add(payload, 0, 0, 0, blob.data(), blob.size());
  }

  std::string chosen() const {
    for (const std::string& key : {options_.scenario->name, std::string("*")}) {
      const auto found = g_script.find(key);
      if (found != g_script.end()) return found->second;
    }
    return options_.scenario->name;
  }

  bool bring_up(const std::string& behaviour) {
    ev::EntryReturned entry{.initialize_calls = 1, .version = 0x5023};
    if (behaviour == "no-start") entry.status = kUnsuccessful;
    if (behaviour == "old-version") {
      entry.status = entry.initialize_status = kRevisionMismatch;
      entry.version = 0x1052;
    }
    add(entry);
    if (entry.status != 0) return false;
    if (behaviour != "no-caps") {
      constexpr std::uint32_t kMultiEngineAware = 1;
      add(ev::CapsReported{
          .scheduling = kMultiEngineAware, .wddm_version = 0x2700, .slots = 16, .nodes = 2});
      add(ev::SegmentReported{.base = 0x10000, .size = 1 << 20, .segment = 1, .flags = 4});
    }
    add(ev::ContextCreated{.dma_bytes = 4096, .patches = 16});
    add(ev::Running{.start = 1});
    return true;
  }

  void end() {
    trace_.op = kNoOp;
    add(ev::Ended{.ops = static_cast<std::uint32_t>(options_.scenario->ops.size())});
  }

  // Events that the rules of fake_rules.cpp look for.
  void fire() { add(ev::MemoryDiffers{.expected = 1, .seen = 2}); }
  void apply(const Op& op) {
    if (op.kind != OpKind::Configure) return;
    const auto setting = static_cast<Setting>(op.a);
    if (setting == Setting::PreemptionAware && op.x == 0) add(ev::GpuAdvanced{.units = 1});
    if (setting == Setting::Variant && op.x == 7) add(ev::LeakJudged{.leaks = 1});
  }
  void settings() {
    for (const Op& op : options_.configuration) apply(op);
    for (const Op& op : options_.scenario->ops) apply(op);
  }

  void behave(const std::string& name) {
    settings();
    if (options_.oracle_fault == OracleFault::SortPageInsBySize) fire();
    if (options_.oracle_fault == OracleFault::LeakCheckIgnoresCap) add(ev::FenceQueried{});
    if (name == "fire" || name == "fire-and-crash" || name == "fire-and-flood") fire();
    if (name == "fire-os") add(ev::FenceQueried{});
    if (name == "find") {
      const auto kind = static_cast<std::uint32_t>(nt::FindingKind::PoolOverrun);
      add(ev::Finding{.kind = kind}, "tag 'Test' at \x1b[31mDriver+0x10");
      add(ev::Finding{.kind = kind}, "again");
    }
    if (name == "lie") add(ev::GuardDamaged{.area = 99});
    if (name == "throw") add(ev::GuardDamaged{.area = 98});
    if (name == "print") std::puts("a line of the driver");
    if (name == "flaky") flaky();
    if (name == "flood-events" || name == "fire-and-flood") flood_events();
    if (name == "hang" || name == "bugcheck") stop(name);
    leave(name);
  }

  // "preempt-fire" fires at each preemption, "preempt-crash" crashes there, and so on.
  void preempt(const std::string& behaviour) {
    const std::string mark = "preempt-";
    if (behaviour.rfind(mark, 0) == 0) behave(behaviour.substr(mark.size()));
  }

  void stop(const std::string& name) {
    if (name == "hang") {
      add(ev::Hung{.waiters = 1}, "thread 1 waits for event 3");
    } else {
      add(ev::BugChecked{.p1 = 1, .code = 0x117});
    }
    ::_exit(host::kChildStopped);
  }

  // Ways to end a process that no driver should know.
  void leave(const std::string& name) {
    g_call = "DxgkDdiRender";
    g_service = "KeSetEvent";
    if (name == "crash" || name == "fire-and-crash") {
      volatile int* volatile nowhere = nullptr;
      *nowhere = 1;
    }
    if (name == "raise") ::raise(SIGSEGV);
    if (name == "loop") loop();
    if (name == "deaf") deaf();
    if (name == "abort") std::abort();
    if (name == "exit") std::exit(3);
    if (name == "exit-0") ::_exit(0);
    if (name == "exit-4") ::_exit(4);
    if (name == "harness") HARNESS_ASSERT(name.empty());
    if (name == "flood") flood();
    if (name == "closed") closed();
    if (name == "leave-child") leave_child();
    if (name == "scribble") scribble();
    if (name == "overrun") overrun();
    g_call = g_service = "";
  }

  [[noreturn]] static void deaf() {
    for (int signal = 1; signal < NSIG; ++signal) ::signal(signal, SIG_IGN);
    loop();
  }

  static void flood() {
    const std::string line(1000, 'x');
    for (int i = 0; i < 10000; ++i) std::puts(line.c_str());
  }

  [[noreturn]] static void closed() {
    ::close(STDOUT_FILENO);
    ::close(STDERR_FILENO);
    loop();
  }

  // A process in a session of its own that keeps our output open.
  static void leave_child() {
    if (::fork() != 0) return;
    ::setsid();
    std::this_thread::sleep_for(std::chrono::seconds(20));
    ::_exit(0);
  }

  // Every shared mapping, as a wild pointer might hit them.
  static void scribble() {
    std::ifstream maps("/proc/self/maps");
    for (std::string line; std::getline(maps, line);) {
      std::uintptr_t from = 0;
      std::uintptr_t to = 0;
      char flags[5] = {};
      if (std::sscanf(line.c_str(), "%" SCNxPTR "-%" SCNxPTR " %4s", &from, &to, flags) != 3) {
        continue;
      }
      if (std::string(flags) != "rw-s") continue;
      volatile unsigned char* const bytes = reinterpret_cast<volatile unsigned char*>(from);
      const std::size_t length = std::min<std::size_t>(to - from, 1 << 20);
      for (std::size_t i = 0; i < length; ++i) bytes[i] = static_cast<unsigned char>(i * 37 + 5);
    }
  }

  // Seen by AddressSanitizer only.
  static void overrun() {
    volatile char* const block = new char[8];
    for (int i = 0; i < 16; ++i) block[i] = 1;
    delete[] block;
  }

  void flood_events() {
    for (int i = 0; i < 300000; ++i) add(ev::GpuAdvanced{});
  }

  void flaky() {
    const char* const path = std::getenv(fake::kFlakyFile);
    HARNESS_ASSERT(path != nullptr);
    const bool again = ::access(path, F_OK) == 0;
    ::close(::open(path, O_CREAT | O_WRONLY, 0600));
    if (!again) fire();
  }

  const host::ExecuteOptions& options_;
  TraceWriter& trace_;
};

}  // namespace

namespace host {

bool load(const DriverUnderTest& what, std::string& error) {
  g_script.clear();
  if (what.driver.empty()) return true;
  std::ifstream in(what.driver);
  for (std::string line; std::getline(in, line);) {
    const std::size_t colon = line.find(": ");
    if (colon != std::string::npos) g_script[line.substr(0, colon)] = line.substr(colon + 2);
  }
  const std::string how = g_script["load"];
  if (how == "crash") std::abort();
  if (how == "loop") loop();
  if (how.rfind("refuse ", 0) == 0) {
    error = how.substr(7);
    return false;
  }
  return true;
}

bool read_package(const std::string&, std::string&, std::string&) {
  return true;
}

void execute(const ExecuteOptions& options, TraceWriter& trace) {
  Run(options, trace).all();
}

void record_crash(int) {}

// A crash ends the process here always.
void survive_crashes() {}
std::span<const std::uintptr_t> survived_crash() {
  return {};
}

std::size_t driver_frames(const void*, std::span<std::uintptr_t>) {
  return 0;
}

// The driver of this host lies from 1 on to where nothing else can lie.
std::string driver_function(std::uintptr_t address) {
  return address == 0 || address >= 4096 ? std::string{} : "function" + std::to_string(address);
}

std::string driver_line(std::uintptr_t address) {
  return driver_function(address).empty() ? std::string{} : "driver.c:" + std::to_string(address);
}

std::size_t fault_text(const siginfo_t&, const void*, std::span<char>) {
  return 0;
}

}  // namespace host

namespace nt {

const char* name_of(FindingKind kind) {
  if (kind == FindingKind::PoolOverrun) return "PoolOverrun";
  if (kind == FindingKind::PoolLeak) return "PoolLeak";
  static std::string names[64];
  std::string& name = names[static_cast<std::size_t>(kind) % 64];
  if (name.empty()) name = "Kind" + std::to_string(static_cast<int>(kind));
  return name.c_str();
}
const char* innermost_call() {
  return g_call;
}
const char* last_service() {
  return g_service;
}

}  // namespace nt
}  // namespace wddm
