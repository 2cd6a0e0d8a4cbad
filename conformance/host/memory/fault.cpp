// The fault handler, and the watch on a user buffer's byte.
//
// A watched page is inaccessible. The instruction that touches it faults, gets the page for one
// single step, and in the trap behind it the page is either changed (the watched byte was read) or
// closed again. Since the watched byte starts its page, "was it read" needs no decoding: every
// access to it faults at exactly that address, and no access to a later byte does.
#include "conformance/host/memory/fault.h"

#include <sys/mman.h>
#include <ucontext.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "conformance/host/memory/layout.h"
#include "reference/harness_assert.h"

namespace wddm::memory {
namespace internal {
namespace {

constexpr std::size_t kWatches = 16;
constexpr std::size_t kReplacementBytes = 4096;
constexpr std::uint64_t kFaultWasWrite = 2;  // page-fault error code of x86
constexpr greg_t kTrapFlag = 0x100;

struct Watch {
  std::uint8_t* byte;  // null: not in use
  bool fired;
  bool stepping;
  bool read;  // the step in progress reads *byte
  std::uint32_t bytes;
  std::array<std::uint8_t, kReplacementBytes> replacement;
};
std::array<Watch, kWatches> g_watches{};

std::array<std::uint64_t, 64> g_user_faults{};  // addresses
std::size_t g_user_fault_count = 0;

void note_user_fault(int signal, std::uint64_t address) {
  if (signal != SIGSEGV || !kUser.has_address(address)) return;
  if (g_user_fault_count < g_user_faults.size()) g_user_faults[g_user_fault_count++] = address;
}

bool g_installed = false;
FaultHook g_hook = nullptr;
struct sigaction g_before_segv {};
struct sigaction g_before_bus {};
struct sigaction g_before_trap {};
alignas(16) std::array<std::uint8_t, 64 << 10> g_signal_stack{};

Watch* find(const std::uint8_t* byte) {
  for (Watch& watch : g_watches)
    if (watch.byte == byte) return &watch;
  return nullptr;
}

void set_access(const Watch& watch, int protection) {
  protect(address_of(watch.byte), kPageSize, protection);
}

// The page becomes what it was before it was watched.
void disarm(Watch& watch) {
  set_access(watch, PROT_READ | PROT_WRITE);
  watch.byte = nullptr;
}

bool begin_step(const siginfo_t* info, ucontext_t* context) {
  const std::uint64_t fault = address_of(info->si_addr);
  for (Watch& watch : g_watches) {
    if (!watch.byte || watch.fired || watch.stepping) continue;
    if (fault - address_of(watch.byte) >= kPageSize) continue;
    const auto error = static_cast<std::uint64_t>(context->uc_mcontext.gregs[REG_ERR]);
    watch.stepping = true;
    watch.read = fault == address_of(watch.byte) && (error & kFaultWasWrite) == 0;
    set_access(watch, PROT_READ | PROT_WRITE);
    context->uc_mcontext.gregs[REG_EFL] |= kTrapFlag;
    return true;
  }
  return false;
}

bool end_step(ucontext_t* context) {
  bool any = false;
  for (Watch& watch : g_watches) {
    if (!watch.stepping) continue;
    any = true;
    watch.stepping = false;
    if (watch.read) {
      std::memcpy(watch.byte, watch.replacement.data(), watch.bytes);
      watch.fired = true;
    } else {
      set_access(watch, PROT_NONE);
    }
  }
  if (any) context->uc_mcontext.gregs[REG_EFL] &= ~kTrapFlag;
  return any;
}

bool opens_for_writing(int signal, const siginfo_t* info, const ucontext_t* context) {
  const auto error = static_cast<std::uint64_t>(context->uc_mcontext.gregs[REG_ERR]);
  return signal == SIGSEGV && (error & kFaultWasWrite) != 0 &&
         open_for_writing(address_of(info->si_addr));
}

void on_fault(int signal, siginfo_t* info, void* context) {
  auto* machine = static_cast<ucontext_t*>(context);
  if (signal == SIGTRAP ? end_step(machine) : begin_step(info, machine)) return;
  if (opens_for_writing(signal, info, machine)) return;
  note_user_fault(signal, address_of(info->si_addr));
  if (g_hook && g_hook(signal, info, context)) return;
  // Not ours: the instruction runs again under the former disposition. A trap would not come
  // again, so it is raised.
  sigaction(signal,
            signal == SIGTRAP  ? &g_before_trap
            : signal == SIGBUS ? &g_before_bus
                               : &g_before_segv,
            nullptr);
  g_installed = false;
  if (signal == SIGTRAP || info->si_code <= 0) raise(signal);
}

void install(int signal, struct sigaction* before) {
  struct sigaction action {};
  action.sa_sigaction = on_fault;
  // No signal is blocked while it runs, so that a hook may leave by siglongjmp without a mask.
  action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
  sigemptyset(&action.sa_mask);
  struct sigaction old {};
  HARNESS_ASSERT(sigaction(signal, &action, &old) == 0);
  const bool ours = (old.sa_flags & SA_SIGINFO) && old.sa_sigaction == on_fault;
  if (!ours) *before = old;
}

}  // namespace

void watch_first_read(std::uint8_t* byte, std::span<const std::uint8_t> replacement) {
  HARNESS_ASSERT(address_of(byte) % kPageSize == 0 && replacement.size() <= kReplacementBytes);
  Watch* watch = find(byte);
  if (!watch) watch = find(nullptr);
  HARNESS_ASSERT(watch);
  watch->byte = byte;
  watch->fired = watch->stepping = watch->read = false;
  watch->bytes = static_cast<std::uint32_t>(replacement.size());
  std::memcpy(watch->replacement.data(), replacement.data(), replacement.size());
  install_fault_handlers();
  set_access(*watch, PROT_NONE);
}

void unwatch(std::uint8_t* byte) {
  if (Watch* watch = find(byte)) disarm(*watch);
}

bool watch_fired(const std::uint8_t* byte) {
  const Watch* watch = find(byte);
  return watch && watch->fired;
}

bool take_user_fault(std::uint64_t begin, std::uint64_t end) {
  const auto first = g_user_faults.begin();
  const auto last = first + static_cast<std::ptrdiff_t>(g_user_fault_count);
  const auto kept = std::remove_if(
      first, last, [&](std::uint64_t address) { return address >= begin && address < end; });
  g_user_fault_count = static_cast<std::size_t>(kept - first);
  return kept != last;
}

void forget_user_faults() {
  g_user_fault_count = 0;
}

void reset_faults() {
  forget_user_faults();
  for (Watch& watch : g_watches) {
    if (watch.byte) disarm(watch);
  }
  install_fault_handlers();
}

}  // namespace internal

using namespace internal;

FaultHook set_fault_hook(FaultHook hook) {
  FaultHook before = g_hook;
  g_hook = hook;
  return before;
}

void install_fault_handlers() {
  if (g_installed) return;
  stack_t current{};
  HARNESS_ASSERT(sigaltstack(nullptr, &current) == 0);
  if (current.ss_flags & SS_DISABLE) {
    stack_t stack{};
    stack.ss_sp = g_signal_stack.data();
    stack.ss_size = g_signal_stack.size();
    HARNESS_ASSERT(sigaltstack(&stack, nullptr) == 0);
  }
  install(SIGSEGV, &g_before_segv);
  install(SIGBUS, &g_before_bus);
  install(SIGTRAP, &g_before_trap);
  g_installed = true;
}

}  // namespace wddm::memory
