// Reports every packet as completed before SubmitCommand returns, and runs none.
#include "hostile.h"

static DXGKRNL_INTERFACE dxgkrnl;

static BOOLEAN report(PVOID data) {
  dxgkrnl.DxgkCbNotifyInterrupt(dxgkrnl.DeviceHandle,
                                static_cast<DXGKARGCB_NOTIFY_INTERRUPT_DATA*>(data));
  return dxgkrnl.DxgkCbQueueDpc(dxgkrnl.DeviceHandle);
}

static NTSTATUS submit(IN_CONST_HANDLE, IN_CONST_PDXGKARG_SUBMITCOMMAND args) {
  DXGKARGCB_NOTIFY_INTERRUPT_DATA data;
  RtlZeroMemory(&data, sizeof data);
  data.InterruptType = DXGK_INTERRUPT_DMA_COMPLETED;
  data.DmaCompleted.SubmissionFenceId = args->SubmissionFenceId;
  data.DmaCompleted.NodeOrdinal = args->NodeOrdinal;
  BOOLEAN result;
  dxgkrnl.DxgkCbSynchronizeExecution(dxgkrnl.DeviceHandle, report, &data, 0, &result);
  return STATUS_SUCCESS;
}

static VOID dpc(IN_CONST_PVOID) {
  dxgkrnl.DxgkCbNotifyDpc(dxgkrnl.DeviceHandle);
}

static NTSTATUS start(IN_CONST_PVOID context, IN_PDXGK_START_INFO info,
                      IN_PDXGKRNL_INTERFACE callbacks, OUT_PULONG sources, OUT_PULONG children) {
  dxgkrnl = *callbacks;
  return conforming.DxgkDdiStartDevice(context, info, callbacks, sources, children);
}

void make_hostile(DRIVER_INITIALIZATION_DATA* table) {
  table->DxgkDdiStartDevice = start;
  table->DxgkDdiSubmitCommand = submit;
  table->DxgkDdiDpcRoutine = dpc;
}
