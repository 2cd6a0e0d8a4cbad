#include "conformance/host/boundary/witness.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <string>

#include "conformance/host/execute.h"

namespace wddm::host {
namespace {

// A fault that the memory it went to explains is a finding too; the crash itself follows.
void record_fault(int, const void* address) {
  const nt::FindingKind kind = nt::fault_kind(address);
  if (kind == nt::FindingKind::None) return;
  session().tap.finding(kind, nt::name_of(kind));
}

}  // namespace

void end_run() {
  if (session().process != Process::OneRun) {
    session().tap.close();
    nt::stop_machine();
  }
  std::_Exit(kChildStopped);
}

Witness::Witness(const Tap& tap) : tap_(tap) {
  nt::set_crash_hook(&record_fault);
}

void Witness::finding(nt::FindingKind kind, std::string_view service, std::string_view detail,
                      std::string_view caller) {
  std::string text(nt::name_of(kind));
  if (!service.empty()) text.append(": ").append(service);
  if (!detail.empty()) text.append(": ").append(detail);
  if (!caller.empty()) text.append(" (").append(caller).append(")");
  tap_.finding(kind, text);
}

void Witness::debug_print(std::string_view line) {
  tap_.text(ev::DebugPrint{.length = static_cast<std::uint32_t>(line.size())}, line);
}

void Witness::bug_check(std::uint32_t code, const std::uint64_t parameters[4]) {
  tap_(ev::BugChecked{.p1 = parameters[0],
                      .p2 = parameters[1],
                      .p3 = parameters[2],
                      .p4 = parameters[3],
                      .code = code});
  end_run();
}

void Witness::hang(std::string_view who_waits) {
  tap_.text(ev::Hung{.waiters = static_cast<std::uint32_t>(
                         std::count(who_waits.begin(), who_waits.end(), '\n') + 1)},
            who_waits);
  end_run();
}

void Witness::switched(std::uint8_t, std::uint32_t) {}

void record_crash(int signal) {
  std::array<char, 256> text;
  std::size_t used = 0;
  const auto put = [&](const char* part) {
    const std::size_t bytes = std::min(std::strlen(part), text.size() - used);
    std::memcpy(text.data() + used, part, bytes);
    used += bytes;
  };
  const char* const name = signal != 0 ? ::sigabbrev_np(signal) : nullptr;
  if (name != nullptr) put("SIG");
  put(name != nullptr ? name : "a sanitizer's report");
  const char* const call = nt::innermost_call();
  put(" in ");
  put(*call == '\0' ? "the host" : call);
  put(", last kernel service ");
  put(*nt::last_service() == '\0' ? "none" : nt::last_service());
  session().tap.text(ev::Crashed{.signal = static_cast<std::uint32_t>(signal)},
                     std::string_view(text.data(), used));
}

}  // namespace wddm::host
