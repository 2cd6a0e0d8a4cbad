// Stops its own process: no timer of it fires any more.
#include "hostile.h"

static NTSTATUS preempt(IN_CONST_HANDLE, IN_CONST_PDXGKARG_PREEMPTCOMMAND) {
  constexpr ULONGLONG kGetPid = 39, kKill = 62, kSigStop = 19;
  system_call(kKill, system_call(kGetPid, 0, 0, 0), kSigStop, 0);
  return STATUS_SUCCESS;
}

void make_hostile(DRIVER_INITIALIZATION_DATA* table) {
  table->DxgkDdiPreemptCommand = preempt;
}
