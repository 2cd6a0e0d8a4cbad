/* What the hardware is told when its power comes and goes, and behind a reset. */
#include "heron_kmd.h"

VOID HeronProgram(HERON_ADAPTER* a) {
  HeronWrite(a, HREG_INT_ENABLE, 0);
  HeronWrite(a, HREG_CONTROL, HCONTROL_RESET);
  for (UINT tries = 0; tries < 1000 && (HeronRead(a, HREG_CONTROL) & HCONTROL_RESET); ++tries)
    KeStallExecutionProcessor(10);
  HeronWrite(a, HREG_INT_STATUS, HINT_ALL);
  for (UINT page = 0; page < HERON_APERTURE_PAGES; ++page) {
    HeronWrite(a, HREG_GART + page * 8, (ULONG)a->Gart[page]);
    HeronWrite(a, HREG_GART + page * 8 + 4, (ULONG)(a->Gart[page] >> 32));
  }
  HeronWrite(a, HREG_RING_LO, a->RingAddress.LowPart);
  HeronWrite(a, HREG_RING_HI, (ULONG)a->RingAddress.HighPart);
  HeronWrite(a, HREG_RING_ENTRIES, a->RingEntries);
  HeronWrite(a, HREG_FENCE_LO, a->FenceAddress.LowPart);
  HeronWrite(a, HREG_FENCE_HI, (ULONG)a->FenceAddress.HighPart);
  a->RingTail = 0;
  HeronWrite(a, HREG_RING_TAIL, 0);
  HeronWrite(a, HREG_CONTROL, HCONTROL_RUN);
}

BOOLEAN HeronPowerUpSync(PVOID context) {
  HERON_ADAPTER* a = context;
  InterlockedExchange(&a->Powered, 1);
  return TRUE;
}

BOOLEAN HeronPowerDownSync(PVOID context) {
  HERON_ADAPTER* a = context;
  HeronWrite(a, HREG_INT_ENABLE, 0);
  HeronWrite(a, HREG_CONTROL, HCONTROL_RESET);
  HeronWrite(a, HREG_INT_STATUS, HINT_ALL);
  InterlockedExchange(&a->Powered, 0);
  return TRUE;
}

NTSTATUS HeronSetPowerState(IN_CONST_PVOID MiniportDeviceContext, IN_ULONG DeviceUid,
                            IN_DEVICE_POWER_STATE DevicePowerState, IN_POWER_ACTION ActionType) {
  PAGED_CODE();
  HERON_ADAPTER* a = MiniportDeviceContext;
  UNREFERENCED_PARAMETER(ActionType);
  if (DeviceUid != DISPLAY_ADAPTER_HW_ID || !a->Started) return STATUS_SUCCESS;
  if (DevicePowerState == PowerDeviceD0) {
    if (!a->Powered) {
      HeronProgram(a);
      HeronSynchronize(a, HeronPowerUpSync, a);
      HeronWrite(a, HREG_INT_ENABLE, HINT_ALL);
    }
  } else if (a->Powered) {
    HeronSynchronize(a, HeronPowerDownSync, a);
  }
  return STATUS_SUCCESS;
}

/* At any level: the engine stops; there is no VGA to return to. */
VOID HeronResetDevice(IN_CONST_PVOID MiniportDeviceContext) {
  HERON_ADAPTER* a = MiniportDeviceContext;
  if (!a->Powered || !a->Registers) return;
  HeronWrite(a, HREG_INT_ENABLE, 0);
  HeronWrite(a, HREG_CONTROL, HCONTROL_RESET);
}
