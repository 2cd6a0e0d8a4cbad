// Allocations: their private data, what devices open of them, and the standard ones.
#include "wren_kmd.h"

static NTSTATUS Describe(DXGK_ALLOCATIONINFO* info) {
  const WrenUmdAllocation* data = (const WrenUmdAllocation*)info->pPrivateDriverData;
  if (!data || info->PrivateDriverDataSize != sizeof(*data)) return STATUS_INVALID_PARAMETER;
  if (data->magic != WREN_UMD_MAGIC || data->version != WREN_UMD_VERSION)
    return STATUS_GRAPHICS_DRIVER_MISMATCH;
  const ULONG64 bytes = data->bytes;
  if (bytes == 0 || bytes > WREN_APERTURE_BYTES || (data->flags & ~WREN_ALLOC_KNOWN))
    return STATUS_INVALID_PARAMETER;
  WREN_ALLOCATION* allocation = (WREN_ALLOCATION*)WrenAllocate(PagedPool, sizeof(WREN_ALLOCATION));
  if (!allocation) return STATUS_NO_MEMORY;
  allocation->Bytes = ROUND_TO_PAGES(bytes);
  allocation->Flags = data->flags;
  allocation->Width = data->width;
  allocation->Height = data->height;
  allocation->Pitch = data->pitch;
  info->Alignment = PAGE_SIZE;
  info->Size = (SIZE_T)allocation->Bytes;
  info->PitchAlignedSize = 0;
  info->HintedBank.Value = 0;
  info->PreferredSegment.Value = 0;
  info->PreferredSegment.SegmentId0 = WREN_SEGMENT;
  info->SupportedReadSegmentSet = 1u << (WREN_SEGMENT - 1);
  info->SupportedWriteSegmentSet = 1u << (WREN_SEGMENT - 1);
  info->EvictionSegmentSet = 0;
  info->MaximumRenamingListLength = 0;
  info->Flags.Value = 0;
  if (data->flags & WREN_ALLOC_CPU) {
    info->Flags.CpuVisible = 1;
    info->Flags.Cached = 1;
  }
  info->pAllocationUsageHint = NULL;
  info->AllocationPriority = D3DDDI_ALLOCATIONPRIORITY_NORMAL;
  info->hAllocation = allocation;
  return STATUS_SUCCESS;
}

NTSTATUS WrenCreateAllocation(IN_CONST_HANDLE, INOUT_PDXGKARG_CREATEALLOCATION Args) {
  PAGED_CODE();
  // No data of a resource are known.
  if (Args->PrivateDriverDataSize != 0) return STATUS_INVALID_PARAMETER;
  for (UINT i = 0; i < Args->NumAllocations; i++) {
    const NTSTATUS status = Describe(&Args->pAllocationInfo[i]);
    if (NT_SUCCESS(status)) continue;
    while (i-- > 0) {
      WrenFree(Args->pAllocationInfo[i].hAllocation);
      Args->pAllocationInfo[i].hAllocation = NULL;
    }
    return status;
  }
  return STATUS_SUCCESS;
}

NTSTATUS WrenDestroyAllocation(IN_CONST_HANDLE, IN_CONST_PDXGKARG_DESTROYALLOCATION Args) {
  PAGED_CODE();
  for (UINT i = 0; i < Args->NumAllocations; i++) WrenFree(Args->pAllocationList[i]);
  return STATUS_SUCCESS;
}

NTSTATUS WrenDescribeAllocation(IN_CONST_HANDLE, INOUT_PDXGKARG_DESCRIBEALLOCATION Args) {
  PAGED_CODE();
  const WREN_ALLOCATION* allocation = (const WREN_ALLOCATION*)Args->hAllocation;
  if (!allocation) return STATUS_INVALID_PARAMETER;
  Args->Width = allocation->Width;
  Args->Height = allocation->Height;
  Args->Format = allocation->Width ? D3DDDIFMT_A8R8G8B8 : D3DDDIFMT_UNKNOWN;
  RtlZeroMemory(&Args->MultisampleMethod, sizeof(Args->MultisampleMethod));
  Args->RefreshRate.Numerator = 0;
  Args->RefreshRate.Denominator = 0;
  Args->PrivateDriverFormatAttribute = 0;
  return STATUS_SUCCESS;
}

NTSTATUS WrenOpenAllocation(IN_CONST_HANDLE hDevice, IN_CONST_PDXGKARG_OPENALLOCATION Args) {
  PAGED_CODE();
  WREN_DEVICE_OBJECT* device = (WREN_DEVICE_OBJECT*)hDevice;
  NTSTATUS status = STATUS_SUCCESS;
  UINT done = 0;
  for (; done < Args->NumAllocations; done++) {
    DXGK_OPENALLOCATIONINFO* info = &Args->pOpenAllocation[done];
    DXGKARGCB_GETHANDLEDATA get;
    RtlZeroMemory(&get, sizeof(get));
    get.hObject = info->hAllocation;
    get.Type = DXGK_HANDLE_ALLOCATION;
    WREN_ALLOCATION* allocation = (WREN_ALLOCATION*)device->Adapter->Dxgk.DxgkCbGetHandleData(&get);
    if (!allocation) {
      status = STATUS_INVALID_HANDLE;
      break;
    }
    WREN_OPEN* open = (WREN_OPEN*)WrenAllocate(PagedPool, sizeof(WREN_OPEN));
    if (!open) {
      status = STATUS_NO_MEMORY;
      break;
    }
    open->Allocation = allocation;
    info->hDeviceSpecificAllocation = open;
  }
  if (NT_SUCCESS(status)) return status;
  while (done-- > 0) {
    WrenFree(Args->pOpenAllocation[done].hDeviceSpecificAllocation);
    Args->pOpenAllocation[done].hDeviceSpecificAllocation = NULL;
  }
  return status;
}

NTSTATUS WrenCloseAllocation(IN_CONST_HANDLE, IN_CONST_PDXGKARG_CLOSEALLOCATION Args) {
  PAGED_CODE();
  for (UINT i = 0; i < Args->NumAllocations; i++) WrenFree(Args->pOpenHandleList[i]);
  return STATUS_SUCCESS;
}

NTSTATUS WrenGetStandardAllocationDriverData(IN_CONST_HANDLE,
                                             INOUT_PDXGKARG_GETSTANDARDALLOCATIONDRIVERDATA Args) {
  PAGED_CODE();
  UINT width = 0, height = 0, flags = 0;
  UINT* pitch = NULL;
  switch (Args->StandardAllocationType) {
    case D3DKMDT_STANDARDALLOCATION_SHADOWSURFACE:
      width = Args->pCreateShadowSurfaceData->Width;
      height = Args->pCreateShadowSurfaceData->Height;
      pitch = &Args->pCreateShadowSurfaceData->Pitch;
      flags = WREN_ALLOC_CPU;
      break;
    case D3DKMDT_STANDARDALLOCATION_STAGINGSURFACE:
      width = Args->pCreateStagingSurfaceData->Width;
      height = Args->pCreateStagingSurfaceData->Height;
      pitch = &Args->pCreateStagingSurfaceData->Pitch;
      flags = WREN_ALLOC_CPU;
      break;
    case D3DKMDT_STANDARDALLOCATION_GDISURFACE:
      width = Args->pCreateGdiSurfaceData->Width;
      height = Args->pCreateGdiSurfaceData->Height;
      pitch = &Args->pCreateGdiSurfaceData->Pitch;
      flags = WREN_ALLOC_CPU | WREN_ALLOC_SHARED;
      break;
    default:
      return STATUS_NOT_SUPPORTED;  // Primaries are of adapters with sources.
  }
  if (!width || !height || width > 16384 || height > 16384) return STATUS_INVALID_PARAMETER;
  const UINT row = (width * 4 + 63) & ~63u;
  if ((ULONG64)row * height > WREN_APERTURE_BYTES) return STATUS_INVALID_PARAMETER;
  Args->ResourcePrivateDriverDataSize = 0;
  if (!Args->pAllocationPrivateDriverData) {
    Args->AllocationPrivateDriverDataSize = sizeof(WrenUmdAllocation);
    return STATUS_SUCCESS;
  }
  if (Args->AllocationPrivateDriverDataSize < sizeof(WrenUmdAllocation))
    return STATUS_INVALID_PARAMETER;
  WrenUmdAllocation* data = (WrenUmdAllocation*)Args->pAllocationPrivateDriverData;
  RtlZeroMemory(data, sizeof(*data));
  data->magic = WREN_UMD_MAGIC;
  data->version = WREN_UMD_VERSION;
  data->bytes = ROUND_TO_PAGES((ULONG64)row * height);
  data->flags = flags;
  data->width = width;
  data->height = height;
  data->pitch = row;
  *pitch = row;
  return STATUS_SUCCESS;
}
