// Debugger output, break points, assertions, paged-code checks. In a driver these become findings.
#ifndef WDDM_DDI_NT_DEBUG_H
#define WDDM_DDI_NT_DEBUG_H

#include "../ntdef.h"

#define DPFLTR_ERROR_LEVEL 0
#define DPFLTR_WARNING_LEVEL 1
#define DPFLTR_TRACE_LEVEL 2
#define DPFLTR_INFO_LEVEL 3
#define DPFLTR_MASK 0x80000000U
typedef enum _DPFLTR_TYPE {
  DPFLTR_SYSTEM_ID = 0,
  DPFLTR_VIDEO_ID = 5,
  DPFLTR_PNPMEM_ID = 69,
  DPFLTR_IHVVIDEO_ID = 78,
  DPFLTR_IHVDRIVER_ID = 77,
  DPFLTR_DEFAULT_ID = 101
} DPFLTR_TYPE;

WDDM_EXTERN_C_BEGIN
ULONG DbgPrint(PCSTR Format, ...);
ULONG DbgPrintEx(ULONG ComponentId, ULONG Level, PCSTR Format, ...);
ULONG vDbgPrintEx(ULONG ComponentId, ULONG Level, PCSTR Format, __builtin_va_list arglist);
ULONG DbgPrompt(PCSTR Prompt, PCHAR Response, ULONG Length);
VOID DbgBreakPoint(void);
VOID DbgBreakPointWithStatus(ULONG Status);
BOOLEAN KdRefreshDebuggerNotPresent(void);
// Both point at a byte of the host, as the kernel exports them.
extern PBOOLEAN KdDebuggerEnabled;
extern PBOOLEAN KdDebuggerNotPresent;
#define KD_DEBUGGER_ENABLED (*KdDebuggerEnabled)
#define KD_DEBUGGER_NOT_PRESENT (*KdDebuggerNotPresent)

/// NT_ASSERT failed: reported as a finding with its place; execution goes on.
VOID WddmAssertionFailed(const char* expression, const char* file, ULONG line, const char* message);
/// PAGED_CODE(): a finding when the IRQL is DISPATCH_LEVEL or above.
VOID WddmPagedCode(const char* function);
WDDM_EXTERN_C_END

// Driver sources leave a trailing comma in argument lists that the Microsoft preprocessor drops.
#ifdef WDDM_DRIVER_BUILD
#define DbgPrint(format, ...) (DbgPrint)(format __VA_OPT__(, ) __VA_ARGS__)
#define DbgPrintEx(component, level, format, ...) \
  (DbgPrintEx)(component, level, format __VA_OPT__(, ) __VA_ARGS__)
#define DBG_EXPAND_ARGUMENTS(...) __VA_ARGS__
#if defined(DBG) && DBG
#define KdPrint(arguments) DbgPrint arguments
#define KdPrintEx(arguments) DbgPrintEx arguments
#define KdBreakPoint() DbgBreakPoint()
#define WDDM_ASSERT(e, message) \
  ((e) ? (void)0 : WddmAssertionFailed(#e, __FILE__, __LINE__, message))
#define PAGED_CODE() WddmPagedCode(__func__)
#else
#define KdPrint(arguments) ((void)0)
#define KdPrintEx(arguments) ((void)0)
#define KdBreakPoint() ((void)0)
#define WDDM_ASSERT(e, message) ((void)0)
#define PAGED_CODE() ((void)0)
#endif
#define NT_ASSERT(e) WDDM_ASSERT(e, 0)
#define NT_ASSERTMSG(message, e) WDDM_ASSERT(e, message)
#define NT_VERIFY(e) ((e) ? 1 : (WddmAssertionFailed(#e, __FILE__, __LINE__, 0), 0))
#define NT_FRE_ASSERT(e) ((e) ? (void)0 : WddmAssertionFailed(#e, __FILE__, __LINE__, 0))
#define NT_ANALYSIS_ASSUME(e) ((void)0)
#define ASSERT(e) WDDM_ASSERT(e, 0)
#define ASSERTMSG(message, e) WDDM_ASSERT(e, message)
#define RTL_VERIFY(e) NT_VERIFY(e)
#define RTL_SOFT_ASSERT(e) WDDM_ASSERT(e, 0)
#define PAGED_CODE_LOCKED() ((void)0)
#define __debugbreak() DbgBreakPoint()
#endif

#endif
