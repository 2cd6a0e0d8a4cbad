// Breaks into the debugger where the handle of an allocation passes for that of a resource.
#include "hostile.h"

static DXGKRNL_INTERFACE dxgkrnl;

static NTSTATUS start(IN_CONST_PVOID context, IN_PDXGK_START_INFO info,
                      IN_PDXGKRNL_INTERFACE callbacks, OUT_PULONG sources, OUT_PULONG children) {
  dxgkrnl = *callbacks;
  return conforming.DxgkDdiStartDevice(context, info, callbacks, sources, children);
}

static NTSTATUS open_allocation(IN_CONST_HANDLE device, IN_CONST_PDXGKARG_OPENALLOCATION args) {
  DXGKARGCB_GETHANDLEDATA query;
  RtlZeroMemory(&query, sizeof query);
  query.hObject = args->pOpenAllocation[0].hAllocation;
  query.Type = DXGK_HANDLE_RESOURCE;
  if (dxgkrnl.DxgkCbGetHandleData(&query) != nullptr) DbgBreakPoint();
  return conforming.DxgkDdiOpenAllocation(device, args);
}

void make_hostile(DRIVER_INITIALIZATION_DATA* table) {
  table->DxgkDdiStartDevice = start;
  table->DxgkDdiOpenAllocation = open_allocation;
}
