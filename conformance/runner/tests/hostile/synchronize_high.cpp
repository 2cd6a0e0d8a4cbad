// Asks to be synchronized with the interrupt above its level.
#include "after_start.h"

static BOOLEAN routine(PVOID) {
  return TRUE;
}

static void deed() {
  KIRQL before;
  BOOLEAN result;
  KeRaiseIrql(HIGH_LEVEL, &before);
  dxgkrnl.DxgkCbSynchronizeExecution(dxgkrnl.DeviceHandle, routine, nullptr, 0, &result);
  KeSynchronizeExecution(nullptr, routine, nullptr);
  KeLowerIrql(before);
}
