// Devices and contexts.
#include "kestrel_kmd.h"

NTSTATUS KstCreateDevice(IN_CONST_HANDLE hAdapter, INOUT_PDXGKARG_CREATEDEVICE args) {
  KstDevice* device = (KstDevice*)ExAllocatePoolWithTag(NonPagedPoolNx, sizeof(KstDevice), KST_TAG);
  if (!device) return STATUS_NO_MEMORY;
  device->Adapter = (KstAdapter*)hAdapter;
  args->hDevice = device;
  return STATUS_SUCCESS;
}

NTSTATUS KstDestroyDevice(IN_CONST_HANDLE hDevice) {
  ExFreePoolWithTag(hDevice, KST_TAG);
  return STATUS_SUCCESS;
}

NTSTATUS KstCreateContext(IN_CONST_HANDLE hDevice, INOUT_PDXGKARG_CREATECONTEXT args) {
  if (args->NodeOrdinal >= KST_NODES || args->EngineAffinity > 1 || args->Flags.VirtualAddressing)
    return STATUS_INVALID_PARAMETER;
  KstContext* context =
      (KstContext*)ExAllocatePoolWithTag(NonPagedPoolNx, sizeof(KstContext), KST_TAG);
  if (!context) return STATUS_NO_MEMORY;
  context->Device = (KstDevice*)hDevice;
  context->Node = args->NodeOrdinal;
  RtlZeroMemory(&args->ContextInfo, sizeof(args->ContextInfo));
  args->ContextInfo.DmaBufferSize = KST_DMA_BYTES;
  // Buffers of the 3D engine are fetched through the aperture, those of the copy engine from the
  // bus.
  args->ContextInfo.DmaBufferSegmentSet =
      args->NodeOrdinal == 0 ? KST_SET(KST_SEGMENT_APERTURE) : 0;
  args->ContextInfo.DmaBufferPrivateDataSize = sizeof(KstDmaPrivate);
  args->ContextInfo.AllocationListSize =
      args->Flags.GdiContext ? DXGK_ALLOCATION_LIST_SIZE_GDICONTEXT : 64;
  args->ContextInfo.PatchLocationListSize = 512;
  args->hContext = context;
  return STATUS_SUCCESS;
}

NTSTATUS KstDestroyContext(IN_CONST_HANDLE hContext) {
  ExFreePoolWithTag(hContext, KST_TAG);
  return STATUS_SUCCESS;
}
