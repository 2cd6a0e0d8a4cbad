// Allocations: plain bytes in the one segment there is.
#include "plover_kmd.h"

// Private data come from user mode.
static BOOLEAN GoodData(const VOID* data, UINT bytes) {
  const PloverAllocationData* d = (const PloverAllocationData*)data;
  return d && bytes >= sizeof *d && d->magic == PLOVER_ALLOCATION_MAGIC && d->bytes &&
         d->bytes <= PLOVER_MEMORY_BYTES && !(d->flags & ~PLOVER_ALLOCATION_CPU_VISIBLE);
}

NTSTATUS PloverCreateAllocation(IN_CONST_HANDLE hAdapter, INOUT_PDXGKARG_CREATEALLOCATION args) {
  Adapter* a = (Adapter*)hAdapter;
  Object* resource = NULL;
  UINT made = 0;
  NTSTATUS status = STATUS_SUCCESS;
  for (UINT i = 0; i < args->NumAllocations; ++i)
    if (!GoodData(args->pAllocationInfo[i].pPrivateDriverData,
                  args->pAllocationInfo[i].PrivateDriverDataSize))
      return STATUS_INVALID_PARAMETER;
  // Allocations may be added to a resource that there is.
  if (args->Flags.Resource && args->hResource) {
    if (!FindAs<Resource>(args->hResource)) return STATUS_INVALID_PARAMETER;
  } else if (args->Flags.Resource) {
    resource = Make<Resource>(a);
    if (!resource) return STATUS_NO_MEMORY;
  }
  for (; made < args->NumAllocations; ++made) {
    DXGK_ALLOCATIONINFO* info = &args->pAllocationInfo[made];
    const PloverAllocationData* data = (const PloverAllocationData*)info->pPrivateDriverData;
    Allocation* one = Make<Allocation>(a);
    if (!one) {
      status = STATUS_NO_MEMORY;
      break;
    }
    one->Bytes = ROUND_TO_PAGES(data->bytes);
    info->Alignment = PAGE_SIZE;
    info->Size = one->Bytes;
    info->PitchAlignedSize = 0;
    info->HintedBank.Value = 0;
    info->PreferredSegment.Value = 0;
    info->PreferredSegment.SegmentId0 = PLOVER_SEGMENT;
    info->SupportedReadSegmentSet = info->SupportedWriteSegmentSet = 1u << (PLOVER_SEGMENT - 1);
    info->EvictionSegmentSet = 0;
    info->PhysicalAdapterIndex = 0;
    info->hAllocation = one->Handle;
    info->FlagsWddm2.Value = 0;
    info->FlagsWddm2.CpuVisible = data->flags & PLOVER_ALLOCATION_CPU_VISIBLE ? 1 : 0;
    info->pAllocationUsageHint = NULL;
    info->AllocationPriority = D3DDDI_ALLOCATIONPRIORITY_NORMAL;
  }
  if (!NT_SUCCESS(status)) {
    while (made--) {
      Remove(FindAs<Allocation>(args->pAllocationInfo[made].hAllocation));
      args->pAllocationInfo[made].hAllocation = NULL;
    }
    Remove(resource);
  } else if (resource) {
    args->hResource = resource->Handle;
  }
  return status;
}

NTSTATUS PloverDestroyAllocation(IN_CONST_HANDLE, IN_CONST_PDXGKARG_DESTROYALLOCATION args) {
  for (UINT i = 0; i < args->NumAllocations; ++i)
    if (!FindAs<Allocation>(args->pAllocationList[i])) return STATUS_INVALID_PARAMETER;
  if (args->Flags.DestroyResource && !FindAs<Resource>(args->hResource))
    return STATUS_INVALID_PARAMETER;
  for (UINT i = 0; i < args->NumAllocations; ++i)
    Remove(FindAs<Allocation>(args->pAllocationList[i]));
  if (args->Flags.DestroyResource) Remove(FindAs<Resource>(args->hResource));
  return STATUS_SUCCESS;
}

NTSTATUS PloverDescribeAllocation(IN_CONST_HANDLE, INOUT_PDXGKARG_DESCRIBEALLOCATION args) {
  Allocation* one = FindAs<Allocation>(args->hAllocation);
  if (!one) return STATUS_INVALID_PARAMETER;
  args->Width = (UINT)one->Bytes;  // plain bytes
  args->Height = 1;
  args->Format = D3DDDIFMT_UNKNOWN;
  args->MultisampleMethod.NumSamples = args->MultisampleMethod.NumQualityLevels = 0;
  args->RefreshRate.Numerator = args->RefreshRate.Denominator = 0;
  args->PrivateDriverFormatAttribute = 0;
  return STATUS_SUCCESS;
}

NTSTATUS PloverGetStandardAllocationDriverData(
    IN_CONST_HANDLE, INOUT_PDXGKARG_GETSTANDARDALLOCATIONDRIVERDATA args) {
  if (args->StandardAllocationType != D3DKMDT_STANDARDALLOCATION_VGPU) return STATUS_NOT_SUPPORTED;
  if (args->pAllocationPrivateDriverData) {
    if (args->AllocationPrivateDriverDataSize < sizeof(PloverAllocationData))
      return STATUS_INVALID_PARAMETER;
    PloverAllocationData data = {PLOVER_ALLOCATION_MAGIC, 0,
                                 args->pCreateVirtualGpuSurfaceData->Size};
    RtlCopyMemory(args->pAllocationPrivateDriverData, &data, sizeof data);
  }
  args->AllocationPrivateDriverDataSize = sizeof(PloverAllocationData);
  args->ResourcePrivateDriverDataSize = 0;
  return STATUS_SUCCESS;
}

NTSTATUS PloverOpenAllocation(IN_CONST_HANDLE hDevice, IN_CONST_PDXGKARG_OPENALLOCATION args) {
  Device* d = FindAs<Device>(hDevice);
  UINT made = 0;
  NTSTATUS status = STATUS_SUCCESS;
  if (!d) return STATUS_INVALID_PARAMETER;
  for (; made < args->NumAllocations; ++made) {
    DXGK_OPENALLOCATIONINFO* info = &args->pOpenAllocation[made];
    DXGKARGCB_GETHANDLEDATA ask = {};
    ask.hObject = info->hAllocation;
    ask.Type = DXGK_HANDLE_ALLOCATION;
    HANDLE handle = (HANDLE)d->Owner->Dxgk.DxgkCbGetHandleData(&ask);
    Open* one = FindAs<Allocation>(handle) ? Make<Open>(d->Owner) : NULL;
    if (!one) {
      status = FindAs<Allocation>(handle) ? STATUS_NO_MEMORY : STATUS_INVALID_PARAMETER;
      break;
    }
    one->Parent = d;
    info->hDeviceSpecificAllocation = one->Handle;
  }
  if (!NT_SUCCESS(status))
    while (made--) {
      Remove(FindAs<Open>(args->pOpenAllocation[made].hDeviceSpecificAllocation));
      args->pOpenAllocation[made].hDeviceSpecificAllocation = NULL;
    }
  return status;
}

NTSTATUS PloverCloseAllocation(IN_CONST_HANDLE hDevice, IN_CONST_PDXGKARG_CLOSEALLOCATION args) {
  Device* d = FindAs<Device>(hDevice);
  if (!d) return STATUS_INVALID_PARAMETER;
  for (UINT i = 0; i < args->NumAllocations; ++i) {
    Open* one = FindAs<Open>(args->pOpenHandleList[i]);
    if (!one || one->Parent != d) return STATUS_INVALID_PARAMETER;
  }
  for (UINT i = 0; i < args->NumAllocations; ++i) Remove(FindAs<Open>(args->pOpenHandleList[i]));
  return STATUS_SUCCESS;
}
