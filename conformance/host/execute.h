// Runs one scenario against the driver under test and records what happened.
//
// The driver image is loaded once (by the zygote) and nothing in it is called before execute().
#pragma once

#include <csignal>
#include <cstdint>
#include <span>
#include <string>

#include "conformance/host/oracle_fault.h"
#include "conformance/host/service_value.h"
#include "reference/trace/op.h"
#include "reference/trace/trace.h"

namespace wddm {
class Interposer;  // conformance/host/interposer.h
}

namespace wddm::host {

/// Paths of the libraries; empty device or client: none. An empty driver means the built-in
/// reference driver with its own device, client and INF.
struct DriverUnderTest {
  std::string driver;
  std::string device;
  std::string client;
  std::string inf = {};  ///< of its package; empty: none is known
};

/// Loads driver, device and client into this process, and reads the INF. On failure one clear line
/// in `error`.
[[nodiscard]] bool load(const DriverUnderTest& what, std::string& error);

/// What the process is for: one run, or one after the other.
enum class Process : std::uint8_t {
  OneRun,    ///< a hang or bug check ends it, with the trace telling why
  SomeRuns,  ///< they end the run only; the driver's static variables are put back after each
  ManyRuns,  ///< the same, and less is watched: see GivenBack::Open and MemoryComparison
};

struct ExecuteOptions {
  const Scenario* scenario = nullptr;
  /// Settings written to the registry before ops run (the runner's configurations).
  std::span<const Op> configuration;
  /// Further values of the driver's service key, and the Windows that it is told of.
  std::span<const ServiceValue> values = {};
  WindowsRelease windows = {};
  /// Boundary fault, or null.
  Interposer* interposer = nullptr;
  OracleFault oracle_fault = OracleFault::None;
  Process process = Process::OneRun;
  /// Read what each allocation holds when it goes (ev::ContentsRead): for comparing two runs.
  bool read_contents = false;
};

/// From before DriverEntry to after DriverUnload. Returns when the scenario has ended, unless the
/// process ends with it. A crash ends the process, but for survive_crashes().
void execute(const ExecuteOptions& options, TraceWriter& trace);

/// From now on a memory fault in the driver's code ends its run, where the process is for more than
/// one: as a bug check does, with ev::Crashed in the trace.
void survive_crashes();
/// Where the driver was when the latest run ended so: code addresses, innermost first.
[[nodiscard]] std::span<const std::uintptr_t> survived_crash();

/// Writes into the trace that the process dies of `signal`, or of a sanitizer's report if it is 0:
/// the innermost DDI and the last kernel service. For handlers: async-signal-safe, and to be called
/// at most once, while execute() is under way.
void record_crash(int signal);

/// Where the running code came from within the driver: code addresses, innermost first, as many as
/// there are and `frames` has room for. `context`: the handler's ucontext_t, or null. For handlers:
/// async-signal-safe, but a broken stack may fault.
std::size_t driver_frames(const void* context, std::span<std::uintptr_t> frames);
/// The function of the driver at a code address; empty if the address is not the driver's.
[[nodiscard]] std::string driver_function(std::uintptr_t address);
/// "Patch.cpp:120" of such an address, as far as the driver has debug information.
[[nodiscard]] std::string driver_line(std::uintptr_t address);
/// What the access was that a signal came from, without an address: "a write 16 bytes behind the
/// patch-location list". Returns its length, 0 if the signal is of another kind. For handlers.
std::size_t fault_text(const siginfo_t& info, const void* context, std::span<char> text);

/// Exit codes of a child process that runs one scenario.
inline constexpr int kChildDone = 0;
inline constexpr int kChildStopped = 40;  ///< hang, bug check: the trace holds the reason

}  // namespace wddm::host
