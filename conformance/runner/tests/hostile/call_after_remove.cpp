// Queues its DPC when it has given up what the DPC would work on.
#include "hostile.h"

static DXGKRNL_INTERFACE dxgkrnl;

static NTSTATUS start(IN_CONST_PVOID context, IN_PDXGK_START_INFO info,
                      IN_PDXGKRNL_INTERFACE callbacks, OUT_PULONG sources, OUT_PULONG children) {
  dxgkrnl = *callbacks;
  return conforming.DxgkDdiStartDevice(context, info, callbacks, sources, children);
}

static NTSTATUS remove(IN_CONST_PVOID context) {
  const NTSTATUS status = conforming.DxgkDdiRemoveDevice(context);
  dxgkrnl.DxgkCbQueueDpc(dxgkrnl.DeviceHandle);
  return status;
}

void make_hostile(DRIVER_INITIALIZATION_DATA* table) {
  table->DxgkDdiStartDevice = start;
  table->DxgkDdiRemoveDevice = remove;
}
