// Allocations: what user mode says of them, and where they may lie.
#include "egret_kmd.h"

// Takes the user-mode driver's description apart; the copy was made by the caller.
static NTSTATUS CheckDescription(const eg_alloc_data& data) {
  if (data.magic != EG_ALLOC_MAGIC || data.version != EG_UMD_VERSION)
    return STATUS_GRAPHICS_DRIVER_MISMATCH;
  if (data.check != eg_checksum(&data, FIELD_OFFSET(eg_alloc_data, check)))
    return STATUS_INVALID_PARAMETER;
  if (!data.bytes || data.bytes > EG_MAX_ALLOC || (data.flags & ~EG_ALLOC_FLAGS))
    return STATUS_INVALID_PARAMETER;
  if ((data.flags & EG_ALLOC_SYSTEM) && (data.flags & EG_ALLOC_LOCAL))
    return STATUS_INVALID_PARAMETER;
  return STATUS_SUCCESS;
}

static NTSTATUS CreateOne(DXGK_ALLOCATIONINFO* info) {
  eg_alloc_data data;
  if (!info->pPrivateDriverData || info->PrivateDriverDataSize != sizeof(data))
    return STATUS_INVALID_PARAMETER;
  RtlCopyMemory(&data, info->pPrivateDriverData, sizeof(data));
  const NTSTATUS status = CheckDescription(data);
  if (!NT_SUCCESS(status)) return status;
  Allocation* allocation = (Allocation*)AllocateZeroed(PagedPool, sizeof(Allocation));
  if (!allocation) return STATUS_NO_MEMORY;
  const bool system = (data.flags & EG_ALLOC_SYSTEM) != 0;
  const ULONGLONG unit = system ? PAGE_SIZE : kPage64K;
  allocation->Bytes = (data.bytes + unit - 1) & ~(unit - 1);
  allocation->Flags = data.flags;
  allocation->Width = data.width;
  allocation->Height = data.height;
  allocation->Pitch = data.pitch;
  allocation->Format = data.format;
  info->Alignment = (UINT)unit;
  info->Size = allocation->Bytes;
  info->PitchAlignedSize = 0;
  info->HintedBank.Value = 0;
  info->PreferredSegment.Value = 0;
  if (system) {
    info->PreferredSegment.SegmentId0 = kSegmentAperture;
    info->SupportedReadSegmentSet = info->SupportedWriteSegmentSet = kApertureBit;
  } else {
    info->PreferredSegment.SegmentId0 = kSegmentLocal;
    info->PreferredSegment.SegmentId1 = kSegmentAperture;
    info->SupportedReadSegmentSet = info->SupportedWriteSegmentSet = kLocalBit | kApertureBit;
  }
  info->EvictionSegmentSet = 0;
  info->PhysicalAdapterIndex = 0;
  info->FlagsWddm2.Value = 0;
  if (data.flags & EG_ALLOC_CPU) {
    info->FlagsWddm2.CpuVisible = 1;
    info->FlagsWddm2.Cached = system;
  }
  info->pAllocationUsageHint = nullptr;
  info->AllocationPriority = D3DDDI_ALLOCATIONPRIORITY_NORMAL;
  info->hAllocation = allocation;
  return STATUS_SUCCESS;
}

NTSTATUS EgretCreateAllocation(IN_CONST_HANDLE, INOUT_PDXGKARG_CREATEALLOCATION args) {
  PAGED_CODE();
  for (UINT i = 0; i < args->NumAllocations; ++i) {
    const NTSTATUS status = CreateOne(&args->pAllocationInfo[i]);
    if (NT_SUCCESS(status)) continue;
    while (i--) {
      Free(args->pAllocationInfo[i].hAllocation);
      args->pAllocationInfo[i].hAllocation = nullptr;
    }
    return status;
  }
  return STATUS_SUCCESS;
}

NTSTATUS EgretDestroyAllocation(IN_CONST_HANDLE, IN_CONST_PDXGKARG_DESTROYALLOCATION args) {
  PAGED_CODE();
  for (UINT i = 0; i < args->NumAllocations; ++i) Free(args->pAllocationList[i]);
  return STATUS_SUCCESS;
}

NTSTATUS EgretDescribeAllocation(IN_CONST_HANDLE, INOUT_PDXGKARG_DESCRIBEALLOCATION args) {
  PAGED_CODE();
  const Allocation* allocation = (const Allocation*)args->hAllocation;
  args->Width = allocation->Width;
  args->Height = allocation->Height;
  args->Format = (D3DDDIFORMAT)allocation->Format;
  args->MultisampleMethod.NumSamples = 0;
  args->MultisampleMethod.NumQualityLevels = 0;
  args->RefreshRate.Numerator = 0;
  args->RefreshRate.Denominator = 0;
  args->PrivateDriverFormatAttribute = 0;
  return STATUS_SUCCESS;
}

NTSTATUS EgretGetStandardAllocationDriverData(IN_CONST_HANDLE,
                                              INOUT_PDXGKARG_GETSTANDARDALLOCATIONDRIVERDATA args) {
  PAGED_CODE();
  UINT width, height, format = D3DDDIFMT_A8R8G8B8, flags = EG_ALLOC_CPU | EG_ALLOC_SHARED;
  UINT* pitch = nullptr;
  switch (args->StandardAllocationType) {
    case D3DKMDT_STANDARDALLOCATION_SHAREDPRIMARYSURFACE:
      width = args->pCreateSharedPrimarySurfaceData->Width;
      height = args->pCreateSharedPrimarySurfaceData->Height;
      format = args->pCreateSharedPrimarySurfaceData->Format;
      break;
    case D3DKMDT_STANDARDALLOCATION_SHADOWSURFACE:
      width = args->pCreateShadowSurfaceData->Width;
      height = args->pCreateShadowSurfaceData->Height;
      format = args->pCreateShadowSurfaceData->Format;
      pitch = &args->pCreateShadowSurfaceData->Pitch;
      flags |= EG_ALLOC_SYSTEM;
      break;
    case D3DKMDT_STANDARDALLOCATION_STAGINGSURFACE:
      width = args->pCreateStagingSurfaceData->Width;
      height = args->pCreateStagingSurfaceData->Height;
      pitch = &args->pCreateStagingSurfaceData->Pitch;
      flags |= EG_ALLOC_SYSTEM;
      break;
    case D3DKMDT_STANDARDALLOCATION_GDISURFACE:
      width = args->pCreateGdiSurfaceData->Width;
      height = args->pCreateGdiSurfaceData->Height;
      format = args->pCreateGdiSurfaceData->Format;
      pitch = &args->pCreateGdiSurfaceData->Pitch;
      break;
    default:
      return STATUS_NOT_SUPPORTED;
  }
  const ULONGLONG row = ((ULONGLONG)width * 4 + 255) & ~255ull;
  if (!width || !height || row > 0xffffffffull || row * height > EG_MAX_ALLOC)
    return STATUS_INVALID_PARAMETER;
  if (args->pAllocationPrivateDriverData) {
    if (args->AllocationPrivateDriverDataSize < sizeof(eg_alloc_data))
      return STATUS_INVALID_PARAMETER;
    eg_alloc_data data;
    RtlZeroMemory(&data, sizeof(data));
    data.magic = EG_ALLOC_MAGIC;
    data.version = EG_UMD_VERSION;
    data.bytes = row * height;
    data.flags = flags;
    data.width = width;
    data.height = height;
    data.pitch = (UINT)row;
    data.format = format;
    data.check = eg_checksum(&data, FIELD_OFFSET(eg_alloc_data, check));
    RtlCopyMemory(args->pAllocationPrivateDriverData, &data, sizeof(data));
    if (pitch) *pitch = (UINT)row;
  }
  args->AllocationPrivateDriverDataSize = sizeof(eg_alloc_data);
  args->ResourcePrivateDriverDataSize = 0;
  return STATUS_SUCCESS;
}

NTSTATUS EgretOpenAllocation(IN_CONST_HANDLE handle, IN_CONST_PDXGKARG_OPENALLOCATION args) {
  PAGED_CODE();
  Device* device = (Device*)handle;
  const DXGKRNL_INTERFACE& dxgk = device->Owner->Dxgk;
  for (UINT i = 0; i < args->NumAllocations; ++i) {
    DXGK_OPENALLOCATIONINFO& info = args->pOpenAllocation[i];
    DXGKARGCB_GETHANDLEDATA get;
    RtlZeroMemory(&get, sizeof(get));
    get.hObject = info.hAllocation;
    get.Type = DXGK_HANDLE_ALLOCATION;
    NTSTATUS status = STATUS_SUCCESS;
    Allocation* allocation = (Allocation*)dxgk.DxgkCbGetHandleData(&get);
    OpenedAllocation* opened = nullptr;
    if (!allocation) {
      status = STATUS_INVALID_HANDLE;
    } else {
      opened = (OpenedAllocation*)AllocateZeroed(PagedPool, sizeof(OpenedAllocation));
      if (!opened) status = STATUS_NO_MEMORY;
    }
    if (!NT_SUCCESS(status)) {
      while (i--) {
        Free(args->pOpenAllocation[i].hDeviceSpecificAllocation);
        args->pOpenAllocation[i].hDeviceSpecificAllocation = nullptr;
      }
      return status;
    }
    opened->Owner = device;
    opened->Of = allocation;
    info.hDeviceSpecificAllocation = opened;
  }
  return STATUS_SUCCESS;
}

NTSTATUS EgretCloseAllocation(IN_CONST_HANDLE, IN_CONST_PDXGKARG_CLOSEALLOCATION args) {
  PAGED_CODE();
  for (UINT i = 0; i < args->NumAllocations; ++i) Free(args->pOpenHandleList[i]);
  return STATUS_SUCCESS;
}
