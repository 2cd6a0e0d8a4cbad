// Calls Dxgkrnl at levels that it may not be called at.
#include "after_start.h"

static void deed() {
  KIRQL before;
  DXGK_DEVICE_INFO information;
  KeRaiseIrql(DISPATCH_LEVEL, &before);
  dxgkrnl.DxgkCbGetDeviceInformation(dxgkrnl.DeviceHandle, &information);
  KeLowerIrql(before);
  dxgkrnl.DxgkCbNotifyDpc(dxgkrnl.DeviceHandle);
}
