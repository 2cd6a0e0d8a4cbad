// Sends its own process SIGABRT, as abort() of a C library linked into it would.
#include "hostile.h"

static NTSTATUS preempt(IN_CONST_HANDLE, IN_CONST_PDXGKARG_PREEMPTCOMMAND) {
  constexpr ULONGLONG kGetPid = 39, kKill = 62, kAbort = 6;
  system_call(kKill, static_cast<ULONGLONG>(system_call(kGetPid, 0, 0, 0)), kAbort, 0);
  return STATUS_SUCCESS;
}

void make_hostile(DRIVER_INITIALIZATION_DATA* table) {
  table->DxgkDdiPreemptCommand = preempt;
}
