// Returns from its interrupt routine at another level.
#include "hostile.h"

static BOOLEAN interrupt(IN_CONST_PVOID context, IN_ULONG message) {
  const BOOLEAN claimed = conforming.DxgkDdiInterruptRoutine(context, message);
  KIRQL before;
  KeRaiseIrql(HIGH_LEVEL, &before);
  return claimed;
}

void make_hostile(DRIVER_INITIALIZATION_DATA* table) {
  table->DxgkDdiInterruptRoutine = interrupt;
}
