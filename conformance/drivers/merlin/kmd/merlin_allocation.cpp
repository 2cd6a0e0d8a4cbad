// Allocations: what user mode may ask for, which segments they may lie in, the standard ones.
#include "merlin_kmd.h"

// What user mode asks for, copied, or an error if it isn't ours.
static NTSTATUS MerlinReadAllocData(const void* from, UINT bytes, MerlinAllocData* data) {
  if (!from || bytes != sizeof(*data)) return STATUS_GRAPHICS_DRIVER_MISMATCH;
  RtlCopyMemory(data, from, sizeof(*data));
  if (data->magic != MERLIN_MAGIC_ALLOC || data->abi != MERLIN_ABI)
    return STATUS_GRAPHICS_DRIVER_MISMATCH;
  if (data->bytes == 0 || data->bytes > 1ull << 32 || data->place > MERLIN_PLACE_SYSTEM ||
      (data->flags & ~MERLIN_ALLOC_FLAGS) || data->gpu >= MERLIN_LINKS || data->pitch > data->bytes)
    return STATUS_INVALID_PARAMETER;
  return STATUS_SUCCESS;
}

static NTSTATUS MerlinMakeAllocation(DXGK_ALLOCATIONINFO* info) {
  MerlinAllocData data;
  NTSTATUS status =
      MerlinReadAllocData(info->pPrivateDriverData, info->PrivateDriverDataSize, &data);
  if (!NT_SUCCESS(status)) return status;
  MerlinAllocation* allocation = MerlinNew<MerlinAllocation>();
  if (!allocation) return STATUS_NO_MEMORY;
  allocation->bytes = ROUND_TO_PAGES(data.bytes);
  allocation->place = data.place;
  allocation->flags = data.flags;
  allocation->gpu = data.gpu;
  allocation->pitch = data.pitch;
  info->Alignment = PAGE_SIZE;
  info->Size = allocation->bytes;
  info->PitchAlignedSize = 0;
  info->HintedBank.Value = 0;
  info->PreferredSegment.Value = 0;
  const UINT local = 1u << (MERLIN_SEGMENT_LOCAL - 1),
             aperture = 1u << (MERLIN_SEGMENT_APERTURE - 1);
  if (data.place == MERLIN_PLACE_SYSTEM) {
    info->PreferredSegment.SegmentId0 = MERLIN_SEGMENT_APERTURE;
    info->SupportedWriteSegmentSet = aperture;
  } else {
    info->PreferredSegment.SegmentId0 = MERLIN_SEGMENT_LOCAL;
    if (data.place == MERLIN_PLACE_ANY) info->PreferredSegment.SegmentId1 = MERLIN_SEGMENT_APERTURE;
    info->SupportedWriteSegmentSet = data.place == MERLIN_PLACE_ANY ? local | aperture : local;
  }
  info->SupportedReadSegmentSet = info->SupportedWriteSegmentSet;
  info->EvictionSegmentSet = 0;
  info->PhysicalAdapterIndex = data.gpu;
  info->FlagsWddm2.Value = 0;
  if (data.flags & MERLIN_ALLOC_CPU) {
    info->FlagsWddm2.CpuVisible = 1;
    if (data.place == MERLIN_PLACE_SYSTEM) info->FlagsWddm2.Cached = 1;
  }
  info->pAllocationUsageHint = nullptr;
  info->AllocationPriority = D3DDDI_ALLOCATIONPRIORITY_NORMAL;
  info->hAllocation = allocation;
  return STATUS_SUCCESS;
}

NTSTATUS MerlinCreateAllocation(IN_CONST_HANDLE adapter, INOUT_PDXGKARG_CREATEALLOCATION args) {
  PAGED_CODE();
  if (!adapter || !args || (args->NumAllocations && !args->pAllocationInfo))
    return STATUS_INVALID_PARAMETER;
  if (args->PrivateDriverDataSize) {
    MerlinResourceData data;
    if (!args->pPrivateDriverData || args->PrivateDriverDataSize != sizeof(data))
      return STATUS_GRAPHICS_DRIVER_MISMATCH;
    RtlCopyMemory(&data, args->pPrivateDriverData, sizeof(data));
    if (data.magic != MERLIN_MAGIC_RESOURCE || data.abi != MERLIN_ABI)
      return STATUS_GRAPHICS_DRIVER_MISMATCH;
  }
  MerlinResource* resource = nullptr;
  if (args->Flags.Resource && !args->hResource) {
    resource = MerlinNew<MerlinResource>();
    if (!resource) return STATUS_NO_MEMORY;
  }
  NTSTATUS status = STATUS_SUCCESS;
  UINT made = 0;
  while (made < args->NumAllocations) {
    status = MerlinMakeAllocation(&args->pAllocationInfo[made]);
    if (!NT_SUCCESS(status)) break;
    made++;
  }
  if (!NT_SUCCESS(status)) {
    while (made) {
      made--;
      MerlinFree(args->pAllocationInfo[made].hAllocation);
      args->pAllocationInfo[made].hAllocation = nullptr;
    }
    MerlinFree(resource);
    return status;
  }
  if (resource) args->hResource = resource;
  return STATUS_SUCCESS;
}

NTSTATUS MerlinDestroyAllocation(IN_CONST_HANDLE adapter,
                                 IN_CONST_PDXGKARG_DESTROYALLOCATION args) {
  PAGED_CODE();
  if (!adapter || !args) return STATUS_INVALID_PARAMETER;
  for (UINT i = 0; i < args->NumAllocations; i++) MerlinFree(args->pAllocationList[i]);
  if (args->Flags.DestroyResource) MerlinFree(args->hResource);
  return STATUS_SUCCESS;
}

NTSTATUS MerlinDescribeAllocation(IN_CONST_HANDLE adapter, INOUT_PDXGKARG_DESCRIBEALLOCATION args) {
  PAGED_CODE();
  if (!adapter || !args || !args->hAllocation) return STATUS_INVALID_PARAMETER;
  const MerlinAllocation* a = static_cast<MerlinAllocation*>(args->hAllocation);
  args->Width = a->pitch ? a->pitch / 4 : static_cast<UINT>(a->bytes / 4);
  args->Height = a->pitch ? static_cast<UINT>(a->bytes / a->pitch) : 1;
  args->Format = D3DDDIFMT_A8R8G8B8;
  RtlZeroMemory(&args->MultisampleMethod, sizeof(args->MultisampleMethod));
  RtlZeroMemory(&args->RefreshRate, sizeof(args->RefreshRate));
  args->PrivateDriverFormatAttribute = 0;
  return STATUS_SUCCESS;
}

NTSTATUS MerlinGetStandardAllocation(IN_CONST_HANDLE adapter,
                                     INOUT_PDXGKARG_GETSTANDARDALLOCATIONDRIVERDATA args) {
  PAGED_CODE();
  if (!adapter || !args || args->PhysicalAdapterIndex >= MERLIN_LINKS)
    return STATUS_INVALID_PARAMETER;
  UINT width = 0, height = 0;
  UINT* pitch = nullptr;
  bool system = false, cpu = false;
  switch (args->StandardAllocationType) {
    case D3DKMDT_STANDARDALLOCATION_SHADOWSURFACE:
      width = args->pCreateShadowSurfaceData->Width;
      height = args->pCreateShadowSurfaceData->Height;
      pitch = &args->pCreateShadowSurfaceData->Pitch;
      cpu = true;
      break;
    case D3DKMDT_STANDARDALLOCATION_STAGINGSURFACE:
      width = args->pCreateStagingSurfaceData->Width;
      height = args->pCreateStagingSurfaceData->Height;
      pitch = &args->pCreateStagingSurfaceData->Pitch;
      system = cpu = true;
      break;
    case D3DKMDT_STANDARDALLOCATION_GDISURFACE: {
      D3DKMDT_GDISURFACEDATA* gdi = args->pCreateGdiSurfaceData;
      width = gdi->Width;
      height = gdi->Height;
      pitch = &gdi->Pitch;
      cpu = gdi->Type != D3DKMDT_GDISURFACE_TEXTURE;
      system = cpu;
      break;
    }
    default:
      return STATUS_INVALID_PARAMETER;
  }
  const UINT64 line = (static_cast<UINT64>(width) * 4 + 63) & ~63ull;
  const UINT64 bytes = line * height;
  if (!bytes || line > 0xFFFFFFFFull || bytes > 1ull << 32) return STATUS_INVALID_PARAMETER;
  if (!args->pAllocationPrivateDriverData && !args->pResourcePrivateDriverData) {
    args->AllocationPrivateDriverDataSize = sizeof(MerlinAllocData);
    args->ResourcePrivateDriverDataSize = sizeof(MerlinResourceData);
    return STATUS_SUCCESS;
  }
  if ((args->pAllocationPrivateDriverData &&
       args->AllocationPrivateDriverDataSize < sizeof(MerlinAllocData)) ||
      (args->pResourcePrivateDriverData &&
       args->ResourcePrivateDriverDataSize < sizeof(MerlinResourceData)))
    return STATUS_INVALID_PARAMETER;
  *pitch = static_cast<UINT>(line);
  if (args->pAllocationPrivateDriverData) {
    const MerlinAllocData data = {MERLIN_MAGIC_ALLOC,
                                  MERLIN_ABI,
                                  bytes,
                                  system ? MERLIN_PLACE_SYSTEM : MERLIN_PLACE_ANY,
                                  cpu ? MERLIN_ALLOC_CPU : 0,
                                  args->PhysicalAdapterIndex,
                                  static_cast<uint32_t>(line)};
    RtlCopyMemory(args->pAllocationPrivateDriverData, &data, sizeof(data));
  }
  if (args->pResourcePrivateDriverData) {
    const MerlinResourceData data = {MERLIN_MAGIC_RESOURCE, MERLIN_ABI};
    RtlCopyMemory(args->pResourcePrivateDriverData, &data, sizeof(data));
  }
  return STATUS_SUCCESS;
}

NTSTATUS MerlinOpenAllocation(IN_CONST_HANDLE handle, IN_CONST_PDXGKARG_OPENALLOCATION args) {
  PAGED_CODE();
  MerlinDevice* device = static_cast<MerlinDevice*>(handle);
  if (!device || !args || (args->NumAllocations && !args->pOpenAllocation))
    return STATUS_INVALID_PARAMETER;
  MerlinGpu* gpu = device->link->gpu[0];
  NTSTATUS status = STATUS_SUCCESS;
  UINT done = 0;
  for (; done < args->NumAllocations; done++) {
    DXGK_OPENALLOCATIONINFO* info = &args->pOpenAllocation[done];
    MerlinAllocData data;
    status = MerlinReadAllocData(info->pPrivateDriverData, info->PrivateDriverDataSize, &data);
    if (!NT_SUCCESS(status)) break;
    DXGKARGCB_GETHANDLEDATA get;
    RtlZeroMemory(&get, sizeof(get));
    get.hObject = info->hAllocation;
    get.Type = DXGK_HANDLE_ALLOCATION;
    void* allocation = gpu->dxgk.DxgkCbGetHandleData(&get);
    if (!allocation) {
      status = STATUS_INVALID_HANDLE;
      break;
    }
    MerlinOpened* opened = MerlinNew<MerlinOpened>();
    if (!opened) {
      status = STATUS_NO_MEMORY;
      break;
    }
    opened->allocation = static_cast<MerlinAllocation*>(allocation);
    opened->handle = info->hAllocation;
    info->hDeviceSpecificAllocation = opened;
  }
  if (!NT_SUCCESS(status)) {
    while (done) {
      done--;
      MerlinFree(args->pOpenAllocation[done].hDeviceSpecificAllocation);
      args->pOpenAllocation[done].hDeviceSpecificAllocation = nullptr;
    }
  }
  return status;
}

NTSTATUS MerlinCloseAllocation(IN_CONST_HANDLE handle, IN_CONST_PDXGKARG_CLOSEALLOCATION args) {
  PAGED_CODE();
  if (!handle || !args) return STATUS_INVALID_PARAMETER;
  for (UINT i = 0; i < args->NumAllocations; i++) MerlinFree(args->pOpenHandleList[i]);
  return STATUS_SUCCESS;
}

// Engines know virtual addresses alone, and an allocation keeps to the segments that it was made
// for.
NTSTATUS MerlinValidateUpdate(IN_CONST_HANDLE adapter,
                              IN_CONST_PDXGKARG_VALIDATEUPDATEALLOCPROPERTY args) {
  PAGED_CODE();
  if (!adapter || !args || !args->hAllocation) return STATUS_INVALID_PARAMETER;
  const MerlinAllocation* a = static_cast<MerlinAllocation*>(args->hAllocation);
  const UINT allowed = a->place == MERLIN_PLACE_ANY ? 3u : a->place == MERLIN_PLACE_LOCAL ? 1u : 2u;
  if (args->SetAccessedPhysically && args->Flags.AccessedPhysically)
    return STATUS_INVALID_PARAMETER;
  if (args->SetSupportedSegmentSet &&
      (!args->SupportedSegmentSet || (args->SupportedSegmentSet & ~allowed)))
    return STATUS_INVALID_PARAMETER;
  return STATUS_SUCCESS;
}
