// Structured exception handling for driver builds: `__try`, `__except`, GetExceptionCode.
//
// How it works. `__try` makes a frame, links it, and calls WddmSehSetjmp, which returns 0. When the
// driver faults or a service raises an exception, the host takes the innermost frame off the chain,
// stores the exception code in it, and resumes it: WddmSehSetjmp returns a second time, with 1, and
// the filter of `__except` is evaluated.
//
// Contract with the host:
// - The chain belongs to the current fiber. WddmSehEnter links a frame as the innermost
//   and forgets an earlier resumption; WddmSehLeave unlinks it, and everything linked after it, and
//   does nothing when the frame is not in the chain (the exception path took it off already).
// - WddmSehSetjmp(frame) fills frame->registers: [0] rbx, [1] rbp, [2] r12, [3] r13, [4] r14,
//   [5] r15, [6] rsp as it is after the return from WddmSehSetjmp, [7] the return address,
//   [8] mxcsr in bits 0..31 and the x87 control word in bits 32..47, [9] unused. It returns 0; it
//   saves no signal mask. It is written in assembly and must not touch the stack above its return
//   address. To resume a frame, the host loads all of these, sets eax to 1 and jumps to [7]. A
//   fault arrives in a signal handler, which must leave the signal context (unblock the signal)
//   before it resumes.
// - WddmSehCode returns the code stored in the frame resumed last on this fiber.
// - WddmSehFilter receives the value of the filter expression. For EXCEPTION_EXECUTE_HANDLER it
//   returns 1. For EXCEPTION_CONTINUE_SEARCH it raises the same exception in the next outer frame
//   and doesn't return; without one the exception is fatal to the driver.
//   EXCEPTION_CONTINUE_EXECUTION can't be honoured and is a finding; it counts as search.
//   Either way the resumption is taken note of.
// - WddmSehFinish (C only) is called where the guarded body ends or is skipped. If a frame was
//   resumed and nobody has taken note of it, it returns 1 and takes note; else it unlinks the
//   innermost frame and returns 0.
//
// `return`, `break` and `continue` may leave the body. Files that use `__try` are built without
// optimisation, because locals changed in the body and read in the handler live in memory only
// then.
//
// Left out: `__finally`, `__leave`, GetExceptionInformation beyond the code. In C, `__try` needs a
// block of its own (not the bare body of an `if`), and `goto` must not jump out of the body to a
// label in the same block.
#ifndef WDDM_DDI_SEH_H
#define WDDM_DDI_SEH_H

#include "ntdef.h"

#define EXCEPTION_EXECUTE_HANDLER 1
#define EXCEPTION_CONTINUE_SEARCH 0
#define EXCEPTION_CONTINUE_EXECUTION (-1)

struct WDDM_SEH_FRAME {
  ULONGLONG registers[10];
  struct WDDM_SEH_FRAME* previous;
  NTSTATUS code;
  ULONG state;  // The host's.
} __attribute__((aligned(16)));

WDDM_EXTERN_C_BEGIN
void WddmSehEnter(struct WDDM_SEH_FRAME* frame);
void WddmSehLeave(struct WDDM_SEH_FRAME* frame);
int WddmSehSetjmp(struct WDDM_SEH_FRAME* frame) __attribute__((returns_twice));
int WddmSehFilter(int disposition);
int WddmSehFinish(void);
NTSTATUS WddmSehCode(void);
/// Raises an exception with this status at the caller, as ProbeForRead does for a bad address.
__attribute__((noreturn)) void ExRaiseStatus(NTSTATUS Status);
__attribute__((noreturn)) void ExRaiseAccessViolation(void);
__attribute__((noreturn)) void ExRaiseDatatypeMisalignment(void);
WDDM_EXTERN_C_END

#define GetExceptionCode() ((ULONG)WddmSehCode())
#define exception_code() GetExceptionCode()

// clang-format takes __except for a keyword and would part it from its argument list.
// clang-format off
#ifdef WDDM_DRIVER_BUILD
// One name per line, so that nested bodies hide nothing.
#define WDDM_SEH_JOIN2(a, b) a##b
#define WDDM_SEH_JOIN(a, b) WDDM_SEH_JOIN2(a, b)
#define WDDM_SEH_NAME WDDM_SEH_JOIN(wddm_seh_frame_, __LINE__)

#ifdef __cplusplus
extern "C++" {
struct WddmSehScope {
  WDDM_SEH_FRAME frame;
  WddmSehScope() { WddmSehEnter(&frame); }
  ~WddmSehScope() { WddmSehLeave(&frame); }
  WddmSehScope(const WddmSehScope&) = delete;
  WddmSehScope& operator=(const WddmSehScope&) = delete;
};
}
#define __try if (WddmSehScope WDDM_SEH_NAME; WddmSehSetjmp(&WDDM_SEH_NAME.frame) == 0)
#define __except(filter) else if (WddmSehFilter(filter))
#else
FORCEINLINE struct WDDM_SEH_FRAME* WddmSehBegin(struct WDDM_SEH_FRAME* frame) {
  WddmSehEnter(frame);
  return frame;
}
#define __try                                                                 \
  struct WDDM_SEH_FRAME WDDM_SEH_NAME __attribute__((cleanup(WddmSehLeave))); \
  if (WddmSehSetjmp(WddmSehBegin(&WDDM_SEH_NAME)) == 0)
#define __except(filter) if (WddmSehFinish() && WddmSehFilter(filter))
#endif
#endif
// clang-format on

#endif
