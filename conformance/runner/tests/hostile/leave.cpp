// Ends the process with exit code 0, as if all were well.
#include "hostile.h"

static NTSTATUS preempt(IN_CONST_HANDLE, IN_CONST_PDXGKARG_PREEMPTCOMMAND) {
  constexpr ULONGLONG kExitGroup = 231;
  system_call(kExitGroup, 0, 0, 0);
  return STATUS_SUCCESS;
}

void make_hostile(DRIVER_INITIALIZATION_DATA* table) {
  table->DxgkDdiPreemptCommand = preempt;
}
