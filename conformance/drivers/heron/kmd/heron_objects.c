/* Devices, contexts, and allocations that a device has opened. */
#include "heron_kmd.h"

NTSTATUS HeronCreateDevice(IN_CONST_HANDLE hAdapter, INOUT_PDXGKARG_CREATEDEVICE c) {
  PAGED_CODE();
  HERON_DEVICE* device = ExAllocatePoolWithTag(PagedPool, sizeof(*device), HERON_TAG);
  if (!device) return STATUS_NO_MEMORY;
  device->Adapter = hAdapter;
  device->hDxgk = c->hDevice;
  c->hDevice = device;
  return STATUS_SUCCESS;
}

NTSTATUS HeronDestroyDevice(IN_CONST_HANDLE hDevice) {
  PAGED_CODE();
  ExFreePoolWithTag(hDevice, HERON_TAG);
  return STATUS_SUCCESS;
}

NTSTATUS HeronCreateContext(IN_CONST_HANDLE hDevice, INOUT_PDXGKARG_CREATECONTEXT c) {
  PAGED_CODE();
  if (c->NodeOrdinal >= HERON_NODES || (c->EngineAffinity & ~1u)) return STATUS_INVALID_PARAMETER;
  if (c->PrivateDriverDataSize) {
    HeronContextData data;
    if (!c->pPrivateDriverData || c->PrivateDriverDataSize != sizeof(data))
      return STATUS_GRAPHICS_DRIVER_MISMATCH;
    RtlCopyMemory(&data, c->pPrivateDriverData, sizeof(data));
    if (data.magic != HERON_MAGIC_CONTEXT || data.version != HERON_UM_VERSION ||
        data.node != c->NodeOrdinal || data.reserved)
      return STATUS_GRAPHICS_DRIVER_MISMATCH;
  }
  /* SubmitCommand reads it at DISPATCH_LEVEL. */
  HERON_CONTEXT* context = ExAllocatePoolWithTag(NonPagedPool, sizeof(*context), HERON_TAG);
  if (!context) return STATUS_NO_MEMORY;
  context->Device = hDevice;
  context->Node = c->NodeOrdinal;
  c->hContext = context;
  RtlZeroMemory(&c->ContextInfo, sizeof(c->ContextInfo));
  c->ContextInfo.DmaBufferSize = HERON_DMA_BYTES;
  c->ContextInfo.DmaBufferSegmentSet = 1u << (HERON_SEGMENT_APERTURE - 1);
  c->ContextInfo.DmaBufferPrivateDataSize = sizeof(HERON_DMA_PRIVATE);
  c->ContextInfo.AllocationListSize =
      c->Flags.GdiContext ? DXGK_ALLOCATION_LIST_SIZE_GDICONTEXT : HERON_LIST_ENTRIES;
  c->ContextInfo.PatchLocationListSize = HERON_PATCH_ENTRIES;
  return STATUS_SUCCESS;
}

NTSTATUS HeronDestroyContext(IN_CONST_HANDLE hContext) {
  PAGED_CODE();
  ExFreePoolWithTag(hContext, HERON_TAG);
  return STATUS_SUCCESS;
}

NTSTATUS HeronOpenAllocation(IN_CONST_HANDLE hDevice, IN_CONST_PDXGKARG_OPENALLOCATION o) {
  PAGED_CODE();
  HERON_DEVICE* device = hDevice;
  for (UINT i = 0; i < o->NumAllocations; ++i) {
    NTSTATUS status = STATUS_INVALID_HANDLE;
    DXGKARGCB_GETHANDLEDATA get;
    RtlZeroMemory(&get, sizeof(get));
    get.hObject = o->pOpenAllocation[i].hAllocation;
    get.Type = DXGK_HANDLE_ALLOCATION;
    HERON_ALLOCATION* allocation = device->Adapter->Dxgk.DxgkCbGetHandleData(&get);
    if (allocation) {
      HERON_OPEN* open = ExAllocatePoolWithTag(PagedPool, sizeof(*open), HERON_TAG);
      if (open) {
        open->Device = device;
        open->Allocation = allocation;
        o->pOpenAllocation[i].hDeviceSpecificAllocation = open;
        continue;
      }
      status = STATUS_NO_MEMORY;
    }
    while (i--) {
      ExFreePoolWithTag(o->pOpenAllocation[i].hDeviceSpecificAllocation, HERON_TAG);
      o->pOpenAllocation[i].hDeviceSpecificAllocation = NULL;
    }
    return status;
  }
  return STATUS_SUCCESS;
}

NTSTATUS HeronCloseAllocation(IN_CONST_HANDLE hDevice, IN_CONST_PDXGKARG_CLOSEALLOCATION c) {
  PAGED_CODE();
  UNREFERENCED_PARAMETER(hDevice);
  for (UINT i = 0; i < c->NumAllocations; ++i) ExFreePoolWithTag(c->pOpenHandleList[i], HERON_TAG);
  return STATUS_SUCCESS;
}
