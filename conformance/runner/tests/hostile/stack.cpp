// Calls itself until the kernel stack is used up.
#include "hostile.h"

static ULONG deeper(volatile ULONG* above) {
  volatile ULONG room[256];
  room[0] = *above + 1;
  return deeper(room) + room[0];
}

static NTSTATUS preempt(IN_CONST_HANDLE, IN_CONST_PDXGKARG_PREEMPTCOMMAND) {
  volatile ULONG start = 0;
  return static_cast<NTSTATUS>(deeper(&start));
}

void make_hostile(DRIVER_INITIALIZATION_DATA* table) {
  table->DxgkDdiPreemptCommand = preempt;
}
