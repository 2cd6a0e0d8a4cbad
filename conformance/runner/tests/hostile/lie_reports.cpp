// Reports every kind of interrupt, with fences, nodes and pointers of its own invention.
#include "hostile.h"

static DXGKRNL_INTERFACE dxgkrnl;

static NTSTATUS start(IN_CONST_PVOID context, IN_PDXGK_START_INFO info,
                      IN_PDXGKRNL_INTERFACE callbacks, OUT_PULONG sources, OUT_PULONG children) {
  dxgkrnl = *callbacks;
  return conforming.DxgkDdiStartDevice(context, info, callbacks, sources, children);
}

static NTSTATUS submit(IN_CONST_HANDLE adapter, IN_CONST_PDXGKARG_SUBMITCOMMAND args) {
  for (UINT type = 0; type < 24; ++type) {
    DXGKARGCB_NOTIFY_INTERRUPT_DATA data;
    RtlFillMemory(&data, sizeof data, 0xFF);
    data.InterruptType = static_cast<DXGK_INTERRUPT_TYPE>(type);
    dxgkrnl.DxgkCbNotifyInterrupt(dxgkrnl.DeviceHandle, &data);
    dxgkrnl.DxgkCbNotifyInterrupt(nullptr, nullptr);
    dxgkrnl.DxgkCbNotifyDpc(reinterpret_cast<HANDLE>(~0ull));
  }
  return conforming.DxgkDdiSubmitCommand(adapter, args);
}

static NTSTATUS query_fence(IN_CONST_HANDLE, INOUT_PDXGKARG_QUERYCURRENTFENCE args) {
  args->CurrentFence = ~0u;
  return STATUS_SUCCESS;
}

void make_hostile(DRIVER_INITIALIZATION_DATA* table) {
  table->DxgkDdiStartDevice = start;
  table->DxgkDdiSubmitCommand = submit;
  table->DxgkDdiQueryCurrentFence = query_fence;
}
