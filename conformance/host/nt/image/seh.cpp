// Structured exceptions of drivers: the chain of frames per fiber, resumption, faults.
//
// A fault is an exception if its address is one that user mode could have passed in (the simulated
// process, the NULL page) and the running fiber has a frame; anything else is a crash, which the
// crash hook may look at before the process dies. The signal handler only redirects the faulting
// context; the frame is resumed after the signal has returned, on the fiber's own stack.
#include "conformance/host/nt/image/seh.h"

#include <ucontext.h>

#include <cstddef>

#include "conformance/host/memory/fault.h"
#include "conformance/host/memory/memory.h"
#include "conformance/host/nt/core/ddi_types.h"
#include "conformance/host/nt/core/fiber.h"
#include "conformance/host/nt/memory/paged_pool.h"

#if WDDM_NT_ASAN
#include <sanitizer/asan_interface.h>
extern "C" void __asan_handle_no_return();
#endif

// Offsets are those of WDDM_SEH_FRAME::registers.
asm(R"(
  .text
  .globl WddmSehSetjmp
  .type WddmSehSetjmp, @function
WddmSehSetjmp:
  endbr64
  movq %rbx, 0(%rdi)
  movq %rbp, 8(%rdi)
  movq %r12, 16(%rdi)
  movq %r13, 24(%rdi)
  movq %r14, 32(%rdi)
  movq %r15, 40(%rdi)
  leaq 8(%rsp), %rdx
  movq %rdx, 48(%rdi)
  movq (%rsp), %rdx
  movq %rdx, 56(%rdi)
  movq $0, 64(%rdi)
  stmxcsr 64(%rdi)
  fnstcw 68(%rdi)
  xorl %eax, %eax
  ret
  .size WddmSehSetjmp, .-WddmSehSetjmp

  .local wddm_seh_load
  .type wddm_seh_load, @function
wddm_seh_load:
  ldmxcsr 64(%rdi)
  fldcw 68(%rdi)
  movq 0(%rdi), %rbx
  movq 8(%rdi), %rbp
  movq 16(%rdi), %r12
  movq 24(%rdi), %r13
  movq 32(%rdi), %r14
  movq 40(%rdi), %r15
  movq 48(%rdi), %rsp
  movl $1, %eax
  jmp *56(%rdi)
  .size wddm_seh_load, .-wddm_seh_load
)");
extern "C" [[noreturn]] void wddm_seh_load(WDDM_SEH_FRAME* frame);

static_assert(offsetof(WDDM_SEH_FRAME, registers) == 0);

namespace wddm::nt {
namespace {

constexpr std::uint64_t kNullPages = 64 << 10;
constexpr std::uint32_t kUnhandledException = 0x1e;  // KMODE_EXCEPTION_NOT_HANDLED
constexpr std::uint64_t kRedZone = 128;

void (*g_crash_hook)(int, const void*) = nullptr;
CrashEnd g_crash_end;

WDDM_SEH_FRAME* top_of(const Fiber& fiber) {
  return static_cast<WDDM_SEH_FRAME*>(fiber.seh_top);
}

[[noreturn]] void resume(WDDM_SEH_FRAME* frame, NTSTATUS code) {
  Fiber& self = running();
  self.seh_top = frame->previous;
  self.seh_code = code;
  self.seh_resumed = true;
  frame->code = code;
#if WDDM_NT_ASAN
  __asan_handle_no_return();
#endif
  wddm_seh_load(frame);
}

// Where a fault continues once its signal has returned.
[[noreturn]] void resume_after_fault() {
  resume(top_of(running()), STATUS_ACCESS_VIOLATION);
}

bool user_address(const siginfo_t* info) {
  // A general protection fault has no address; the kernel reports 0.
  if (info->si_code == SI_KERNEL) return false;
  const auto address = reinterpret_cast<std::uint64_t>(info->si_addr);
  return address < kNullPages || address - memory::kUserBase < memory::kUserSize;
}

// As if the instruction that faulted had called `function`, which does not return.
void go_on_with(void (*function)(), void* context) {
  greg_t* const registers = static_cast<ucontext_t*>(context)->uc_mcontext.gregs;
  const auto stack = static_cast<std::uint64_t>(registers[REG_RSP]) - kRedZone;
  registers[REG_RSP] = static_cast<greg_t>((stack & ~std::uint64_t{15}) - 8);
  registers[REG_RIP] = reinterpret_cast<greg_t>(function);
  registers[REG_EFL] &= ~greg_t{0x400};  // direction flag: the ABI wants it clear at a call
}

bool on_fault(int signal, siginfo_t* info, void* context) {
  const Machine& m = machine();
  const bool memory_fault = signal == SIGSEGV || signal == SIGBUS;
  const greg_t at = static_cast<ucontext_t*>(context)->uc_mcontext.gregs[REG_RIP];
  if (memory_fault && paged_pool_fault(info->si_addr, reinterpret_cast<const void*>(at)))
    return true;
  if (memory_fault && m.running && m.current->seh_top != nullptr && user_address(info)) {
    go_on_with(&resume_after_fault, context);
    return true;
  }
  if (g_crash_hook != nullptr) g_crash_hook(signal, info->si_addr);
  // Where the stack is at its end nothing can be called.
  if (g_crash_end.takes == nullptr || !m.running || in_stack_guard(info->si_addr)) return false;
  if (!g_crash_end.takes(signal, context)) return false;
  go_on_with(g_crash_end.end, context);
  return true;
}

[[noreturn]] void raise_exception(NTSTATUS code) {
  if (WDDM_SEH_FRAME* frame = top_of(running())) resume(frame, code);
  const std::uint64_t parameters[4]{static_cast<std::uint32_t>(code), 0, 0, 0};
  machine().observer->bug_check(kUnhandledException, parameters);
  __builtin_unreachable();
}

}  // namespace

void seh_boot() {
  static_cast<void>(memory::set_fault_hook(on_fault));
}

void set_crash_hook(void (*hook)(int signal, const void* address)) {
  g_crash_hook = hook;
}

void set_crash_end(CrashEnd end) {
  g_crash_end = end;
}

FindingKind fault_kind(const void* address) {
  std::uint64_t bus_address = 0;
  if (in_stack_guard(address)) return FindingKind::StackOverflow;
  if (memory::register_of(address, &bus_address)) return FindingKind::RegisterByPointer;
  return FindingKind::None;
}

}  // namespace wddm::nt

using namespace wddm::nt;

void WddmSehEnter(WDDM_SEH_FRAME* frame) {
  Fiber& self = running();
  frame->previous = top_of(self);
  frame->code = STATUS_SUCCESS;
  self.seh_top = frame;
  self.seh_resumed = false;
}

void WddmSehLeave(WDDM_SEH_FRAME* frame) {
  Fiber& self = running();
  for (const WDDM_SEH_FRAME* at = top_of(self); at != nullptr; at = at->previous) {
    if (at != frame) continue;
    self.seh_top = frame->previous;
    return;
  }
}

int WddmSehFinish(void) {
  Fiber& self = running();
  if (self.seh_resumed) {
    self.seh_resumed = false;
    return 1;
  }
  if (WDDM_SEH_FRAME* frame = top_of(self)) self.seh_top = frame->previous;
  return 0;
}

NTSTATUS WddmSehCode(void) {
  return running().seh_code;
}

int WddmSehFilter(int disposition) {
  Fiber& self = running();
  // C++ has no WddmSehFinish that would have taken note of the resumption.
  self.seh_resumed = false;
  if (disposition == EXCEPTION_EXECUTE_HANDLER) return 1;
  if (disposition != EXCEPTION_CONTINUE_SEARCH)
    wddm::nt::report(FindingKind::BadParameter, "__except",
                     "the filter asks to continue execution, which is not possible here",
                     __builtin_return_address(0));
  raise_exception(self.seh_code);
}

void ExRaiseStatus(NTSTATUS Status) {
  NT_SERVICE(ExRaiseStatus);
  raise_exception(Status);
}

void ExRaiseAccessViolation(void) {
  NT_SERVICE(ExRaiseAccessViolation);
  raise_exception(STATUS_ACCESS_VIOLATION);
}

void ExRaiseDatatypeMisalignment(void) {
  NT_SERVICE(ExRaiseDatatypeMisalignment);
  raise_exception(STATUS_DATATYPE_MISALIGNMENT);
}
