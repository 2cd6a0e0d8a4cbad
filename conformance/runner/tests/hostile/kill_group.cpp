// Kills its process group: the runner and the other scenarios must not be in it.
#include "hostile.h"

static NTSTATUS preempt(IN_CONST_HANDLE, IN_CONST_PDXGKARG_PREEMPTCOMMAND) {
  constexpr ULONGLONG kKill = 62, kSigKill = 9;
  system_call(kKill, 0, kSigKill, 0);
  return STATUS_SUCCESS;
}

void make_hostile(DRIVER_INITIALIZATION_DATA* table) {
  table->DxgkDdiPreemptCommand = preempt;
}
