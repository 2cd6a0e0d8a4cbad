// Writes where nothing is, at DISPATCH_LEVEL.
#include "hostile.h"

static NTSTATUS preempt(IN_CONST_HANDLE, IN_CONST_PDXGKARG_PREEMPTCOMMAND) {
  *reinterpret_cast<volatile ULONG*>(0xDEAD00000000ull) = 1;
  return STATUS_SUCCESS;
}

void make_hostile(DRIVER_INITIALIZATION_DATA* table) {
  table->DxgkDdiPreemptCommand = preempt;
}
