// Devices and contexts.
#include "wren_kmd.h"

NTSTATUS WrenCreateDevice(IN_CONST_HANDLE hAdapter, INOUT_PDXGKARG_CREATEDEVICE Args) {
  PAGED_CODE();
  WREN_DEVICE_OBJECT* device =
      (WREN_DEVICE_OBJECT*)WrenAllocate(NonPagedPoolNx, sizeof(WREN_DEVICE_OBJECT));
  if (!device) return STATUS_NO_MEMORY;
  device->Adapter = (WREN_ADAPTER*)hAdapter;
  device->hDevice = Args->hDevice;
  Args->hDevice = device;
  return STATUS_SUCCESS;
}

NTSTATUS WrenDestroyDevice(IN_CONST_HANDLE hDevice) {
  PAGED_CODE();
  WrenFree(hDevice);
  return STATUS_SUCCESS;
}

NTSTATUS WrenCreateContext(IN_CONST_HANDLE hDevice, INOUT_PDXGKARG_CREATECONTEXT Args) {
  PAGED_CODE();
  if (Args->NodeOrdinal >= WREN_NODES || Args->EngineAffinity > 1) return STATUS_INVALID_PARAMETER;
  if (!Args->Flags.SystemContext && !Args->Flags.GdiContext) {
    const WrenUmdContext* data = (const WrenUmdContext*)Args->pPrivateDriverData;
    if (!data || Args->PrivateDriverDataSize != sizeof(*data) || data->magic != WREN_UMD_MAGIC ||
        data->version != WREN_UMD_VERSION || data->node != Args->NodeOrdinal || data->reserved)
      return STATUS_GRAPHICS_DRIVER_MISMATCH;
  }
  WREN_CONTEXT* context = (WREN_CONTEXT*)WrenAllocate(NonPagedPoolNx, sizeof(WREN_CONTEXT));
  if (!context) return STATUS_NO_MEMORY;
  context->Device = (WREN_DEVICE_OBJECT*)hDevice;
  context->Node = Args->NodeOrdinal;
  if (context->Node == WREN_NODE_3D) {
    context->Save = WrenContiguous(PAGE_SIZE, &context->SaveAddress);
    if (!context->Save) {
      WrenFree(context);
      return STATUS_NO_MEMORY;
    }
    WrenAwaitTimer();  // the firmware takes the save area
  }
  DXGK_CONTEXTINFO* info = &Args->ContextInfo;
  RtlZeroMemory(info, sizeof(*info));
  info->DmaBufferSize = 4 * PAGE_SIZE;
  info->DmaBufferSegmentSet = 1u << (WREN_SEGMENT - 1);
  info->DmaBufferPrivateDataSize = sizeof(WREN_DMA_PRIVATE);
  info->AllocationListSize = Args->Flags.GdiContext ? DXGK_ALLOCATION_LIST_SIZE_GDICONTEXT : 128;
  info->PatchLocationListSize = 512;
  Args->hContext = context;
  return STATUS_SUCCESS;
}

NTSTATUS WrenDestroyContext(IN_CONST_HANDLE hContext) {
  PAGED_CODE();
  WREN_CONTEXT* context = (WREN_CONTEXT*)hContext;
  if (context->Save) MmFreeContiguousMemory(context->Save);
  WrenFree(context);
  return STATUS_SUCCESS;
}
