// Crashes that end their run and not the process.
//
// A fault in the driver's own code, or in a function of a library that it has called (its memcpy is
// one of ours), leaves nothing of the host's half done: the run ends there as by a bug check. What
// the driver may have written before that, wherever it could, is left: whoever looks for crashes
// confirms them in a process of their own.
#include <ucontext.h>

#include <array>
#include <csignal>
#include <cstring>

#include "conformance/host/adapter/plug_ins.h"
#include "conformance/host/boundary/witness.h"
#include "conformance/host/execute.h"
#include "conformance/host/memory/in_order.h"
#include "conformance/host/nt/core/kernel.h"
#include "conformance/host/run/survived_crash.h"

namespace wddm::host {
namespace {

// Of the wddmcheck binary itself.
extern "C" const char __executable_start, etext;

struct SurvivedCrash {
  int signal = 0;  // 0: none in this run
  std::array<std::uintptr_t, 3> frames{};
  std::size_t count = 0;
};
SurvivedCrash g_survived;

bool is_code_of_ours(std::uintptr_t code) {
  const auto start = reinterpret_cast<std::uintptr_t>(&__executable_start);
  return code - start < reinterpret_cast<std::uintptr_t>(&etext) - start;
}

// Of a library's function by the registers alone: those that access memory keep no frame.
bool is_of_driver_or_called_by_it(const ucontext_t& context) {
  const auto code = static_cast<std::uintptr_t>(context.uc_mcontext.gregs[REG_RIP]);
  if (is_of_driver(reinterpret_cast<const void*>(code))) return true;
  if (is_code_of_ours(code)) return memory::is_in_order(reinterpret_cast<const void*>(code));
  const auto stack = static_cast<std::uintptr_t>(context.uc_mcontext.gregs[REG_RSP]);
  std::uintptr_t back = 0;
  std::memcpy(&back, reinterpret_cast<const void*>(stack), sizeof back);
  return is_of_driver(reinterpret_cast<const void*>(back - 1));
}

// Another one in the same run comes from what is left of the first.
bool takes_crash(int signal, const void* context) {
  if (g_survived.signal != 0) return false;
  if (!is_of_driver_or_called_by_it(*static_cast<const ucontext_t*>(context))) return false;
  g_survived.signal = signal;
  g_survived.count = driver_frames(context, g_survived.frames);
  return true;
}

void end_at_crash() {
  record_crash(g_survived.signal);
  end_run();
}

}  // namespace

void survive_crashes() {
  nt::set_crash_end({.takes = takes_crash, .end = end_at_crash});
}

void forget_crash() {
  g_survived = {};
}

std::span<const std::uintptr_t> survived_crash() {
  return std::span(g_survived.frames).first(g_survived.count);
}

}  // namespace wddm::host
