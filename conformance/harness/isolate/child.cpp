#include "conformance/harness/isolate/child.h"

#include <malloc.h>
#include <sys/resource.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <string>

#include "conformance/harness/isolate/code_reached.h"
#include "conformance/harness/isolate/process_pool.h"
#include "conformance/host/nt/core/kernel.h"
#include "reference/harness_assert.h"

// Present if a sanitizer is linked in: its reports end a process without a signal.
extern "C" void __sanitizer_set_death_callback(void (*callback)()) __attribute__((weak));

namespace wddm::harness {
namespace {

constexpr int kFatal[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGTRAP, SIGSYS};

// Of the run that is under way: handlers carry no context.
Note* g_note = nullptr;
struct sigaction g_before[NSIG];
alignas(16) char g_handler_stack[64 * 1024];

void note_place() {
  note_text(g_note->call, nt::innermost_call());
  note_text(g_note->service, nt::last_service());
}

void on_deadline(int) {
  note_place();
  gather_code_reached();
  ::_exit(kChildAsked);
}

// The note comes first: it is there even if the driver broke what the trace is written with.
void note_crash(int signal, const siginfo_t* info, const void* context) {
  note_place();
  gather_code_reached();
  if (g_note->stage != Stage::Executing) return;
  if (info != nullptr) {
    char text[sizeof g_note->access];
    note_text(g_note->access, {text, host::fault_text(*info, context, text)});
  }
  host::record_crash(signal);
  host::driver_frames(context, g_note->frames);
}

void on_fatal(int signal, siginfo_t* info, void* context) {
  std::uint32_t none = 0;
  // The SIGABRT that may follow on a sanitizer's report says less than the report.
  if (g_note->sanitizer == 0 &&
      g_note->signal.compare_exchange_strong(none, static_cast<std::uint32_t>(signal)))
    note_crash(signal, info, context);
  // Going back runs the faulting instruction again, now for whoever was here before us. A signal
  // that was sent, not caused, doesn't come again by itself.
  ::sigaction(signal, &g_before[signal], nullptr);
  if (info->si_code <= 0) ::raise(signal);
}

void on_sanitizer_death() {
  // A sanitizer reports signals too, and knows no more of them than what is noted.
  if (g_note->signal == 0 && g_note->sanitizer.exchange(1) == 0) note_crash(0, nullptr, nullptr);
}

void limit(int resource, rlim_t most) {
  rlimit now{};
  if (::getrlimit(resource, &now) != 0 || now.rlim_cur <= most) return;
  now.rlim_cur = most;
  if (now.rlim_max > most) now.rlim_max = most;
  ::setrlimit(resource, &now);
}

void install_handlers() {
  const stack_t stack{.ss_sp = g_handler_stack, .ss_flags = 0, .ss_size = sizeof(g_handler_stack)};
  ::sigaltstack(&stack, nullptr);
  struct sigaction action {};
  action.sa_flags = SA_ONSTACK;
  action.sa_handler = on_deadline;
  ::sigaction(deadline_signal(), &action, nullptr);
  action.sa_flags = SA_ONSTACK | SA_SIGINFO;
  action.sa_sigaction = on_fatal;
  for (const int signal : kFatal) ::sigaction(signal, &action, &g_before[signal]);
  if (__sanitizer_set_death_callback) __sanitizer_set_death_callback(on_sanitizer_death);
}

// The device looks there when it is made. What else runs in this process has none.
class SeatInDevice {
 public:
  explicit SeatInDevice(const RunRequest& request) {
    const Fault* const fault = request.fault;
    if (fault == nullptr || fault->seat != FaultSeat::Device) return;
    HARNESS_ASSERT(request.device_variable != nullptr);
    variable_ = request.device_variable;
    ::setenv(variable_, std::to_string(fault->variant).c_str(), 1);
  }
  ~SeatInDevice() {
    if (variable_ != nullptr) ::unsetenv(variable_);
  }
  SeatInDevice(const SeatInDevice&) = delete;
  SeatInDevice& operator=(const SeatInDevice&) = delete;

 private:
  const char* variable_ = nullptr;
};

}  // namespace

void execute_into(const RunRequest& request, Region& region, host::Process process) {
  std::vector<Op> settings = request.settings;
  std::shared_ptr<Interposer> interposer;
  host::ExecuteOptions options;
  options.scenario = request.scenario;
  options.process = process;
  options.read_contents = request.read_contents;
  options.values = request.values;
  options.windows = request.windows;
  if (const Fault* fault = request.fault) {
    switch (fault->seat) {
      case FaultSeat::Boundary:
        HARNESS_ASSERT(fault->interposer != nullptr);
        interposer = make_interposer(*fault);
        options.interposer = interposer.get();
        break;
      case FaultSeat::Oracle:
        options.oracle_fault = fault->oracle;
        break;
      case FaultSeat::Variant:
        settings.push_back({.kind = OpKind::Configure,
                            .a = static_cast<std::uint8_t>(Setting::Variant),
                            .x = fault->variant});
        break;
      case FaultSeat::Device:
        break;  // see SeatInDevice
    }
  }
  options.configuration = settings;
  TraceWriter writer = TraceWriter::create(region.trace_storage(), region.events(), region.blobs());
  const SeatInDevice seat(request);
  host::execute(options, writer);
}

void keep_what_is_freed() {
  ::mallopt(M_TRIM_THRESHOLD, 256 << 20);
  // What is larger is memory of the simulated machine, most of it never touched: zeros from the
  // system need no writing.
  ::mallopt(M_MMAP_THRESHOLD, 4 << 20);
}

int run_as_child(std::span<const Recorded> runs) {
  // No limit on memory or file sizes: the simulated machine is one large, sparse memory file.
  limit(RLIMIT_CORE, 0);
  const bool in_company = runs.size() > 1;
  install_handlers();
  // A driver that writes wherever it can must not reach the traces of other runs.
  for (const Recorded& run : runs) run.region->open(false);
  const Region* former = nullptr;
  for (const auto& [request, region] : runs) {
    region->open(true);
    g_note = &region->note();
    if (former != nullptr) former->open(false);
    former = region;
    g_note->stage = Stage::Executing;
    execute_into(*request, *region, in_company ? host::Process::SomeRuns : host::Process::OneRun);
    g_note->stage = Stage::Returned;
    gather_code_reached();
  }
  return host::kChildDone;
}

}  // namespace wddm::harness
