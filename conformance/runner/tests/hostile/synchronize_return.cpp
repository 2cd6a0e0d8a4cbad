// Returns from its synchronized routine at another level, with a lock held.
#include "after_start.h"

static KSPIN_LOCK lock;

static BOOLEAN routine(PVOID) {
  KIRQL before;
  KeAcquireSpinLockAtDpcLevel(&lock);
  KeRaiseIrql(HIGH_LEVEL, &before);
  return TRUE;
}

static void deed() {
  BOOLEAN result;
  dxgkrnl.DxgkCbSynchronizeExecution(dxgkrnl.DeviceHandle, routine, nullptr, 0, &result);
  lock = 0;
}
