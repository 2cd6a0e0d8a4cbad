// Reuses the memory of a timer that is set.
#include "hostile.h"

static NTSTATUS preempt(IN_CONST_HANDLE adapter, IN_CONST_PDXGKARG_PREEMPTCOMMAND args) {
  static KTIMER timer;
  LARGE_INTEGER hour;
  hour.QuadPart = -36'000'000'000;
  KeInitializeTimer(&timer);
  KeSetTimer(&timer, hour, nullptr);
  RtlFillMemory(&timer, sizeof timer, 0xA5);
  return conforming.DxgkDdiPreemptCommand(adapter, args);
}

void make_hostile(DRIVER_INITIALIZATION_DATA* table) {
  table->DxgkDdiPreemptCommand = preempt;
}
