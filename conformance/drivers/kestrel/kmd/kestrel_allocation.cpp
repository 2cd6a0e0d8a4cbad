// Allocations: where they may lie, and what user mode says of them.
#include "kestrel_kmd.h"

static UINT SegmentsOf(const KstAllocationData* data) {
  UINT set = KST_SET(KST_SEGMENT_APERTURE);
  if (data->flags & KST_ALLOCATION_APERTURE) return set;
  set |= KST_SET(KST_SEGMENT_VISIBLE);
  if (data->flags & KST_ALLOCATION_VISIBLE) return set;
  return set | KST_SET(KST_SEGMENT_HIDDEN);
}

// The one that user mode wishes, or the best.
static UINT FirstOf(const KstAllocationData* data, UINT set) {
  if (data->segment && (set & KST_SET(data->segment))) return data->segment;
  if (set & KST_SET(KST_SEGMENT_HIDDEN)) return KST_SEGMENT_HIDDEN;
  return set & KST_SET(KST_SEGMENT_VISIBLE) ? KST_SEGMENT_VISIBLE : KST_SEGMENT_APERTURE;
}

static NTSTATUS CreateOne(KstAdapter* a, DXGK_ALLOCATIONINFO* info) {
  if (!info->pPrivateDriverData || info->PrivateDriverDataSize < sizeof(KstAllocationData))
    return STATUS_GRAPHICS_DRIVER_MISMATCH;
  KstObject object;
  RtlZeroMemory(&object, sizeof(object));
  RtlCopyMemory(&object.Data, info->pPrivateDriverData, sizeof(object.Data));
  KstAllocationData* data = &object.Data;
  if (data->magic != KST_ALLOCATION_MAGIC || !data->bytes || data->bytes > KST_APERTURE_BYTES ||
      data->segment > KST_SEGMENT_VISIBLE)
    return STATUS_INVALID_PARAMETER;
  object.Bytes = ROUND_TO_PAGES(data->bytes);
  const UINT set = SegmentsOf(data);
  const UINT first = FirstOf(data, set);
  HANDLE handle = KstTableAdd(&a->Allocations, &object);
  if (!handle) return STATUS_NO_MEMORY;
  info->Alignment = PAGE_SIZE;
  info->Size = object.Bytes;
  info->PitchAlignedSize = 0;
  info->HintedBank.Value = 0;
  info->PreferredSegment.Value = 0;
  info->PreferredSegment.SegmentId0 = first;
  if (first != KST_SEGMENT_APERTURE) info->PreferredSegment.SegmentId1 = KST_SEGMENT_APERTURE;
  info->SupportedReadSegmentSet = info->SupportedWriteSegmentSet = set;
  // What the CPU never sees is evicted to the aperture, where the engines reach it.
  info->EvictionSegmentSet = set & KST_SET(KST_SEGMENT_HIDDEN) ? KST_SET(KST_SEGMENT_APERTURE) : 0;
  info->PhysicalAdapterIndex = 0;
  info->hAllocation = handle;
  info->FlagsWddm2.Value = 0;
  info->FlagsWddm2.AccessedPhysically = 1;  // there is no other way
  info->FlagsWddm2.CpuVisible = data->flags & KST_ALLOCATION_VISIBLE ? 1 : 0;
  info->pAllocationUsageHint = NULL;
  info->AllocationPriority = D3DDDI_ALLOCATIONPRIORITY_NORMAL;
  return STATUS_SUCCESS;
}

NTSTATUS KstCreateAllocation(IN_CONST_HANDLE hAdapter, INOUT_PDXGKARG_CREATEALLOCATION args) {
  KstAdapter* a = (KstAdapter*)hAdapter;
  for (UINT i = 0; i < args->NumAllocations; i++) {
    NTSTATUS status = CreateOne(a, &args->pAllocationInfo[i]);
    if (!NT_SUCCESS(status)) {
      while (i-- > 0) KstTableRemove(&a->Allocations, args->pAllocationInfo[i].hAllocation);
      return status;
    }
  }
  return STATUS_SUCCESS;
}

NTSTATUS KstDestroyAllocation(IN_CONST_HANDLE hAdapter, IN_CONST_PDXGKARG_DESTROYALLOCATION args) {
  KstAdapter* a = (KstAdapter*)hAdapter;
  for (UINT i = 0; i < args->NumAllocations; i++)
    KstTableRemove(&a->Allocations, args->pAllocationList[i]);
  return STATUS_SUCCESS;
}

NTSTATUS KstDescribeAllocation(IN_CONST_HANDLE hAdapter, INOUT_PDXGKARG_DESCRIBEALLOCATION args) {
  KstObject object;
  if (!KstTableGet(&((KstAdapter*)hAdapter)->Allocations, args->hAllocation, &object))
    return STATUS_INVALID_PARAMETER;
  args->Width = object.Data.width;
  args->Height = object.Data.height;
  args->Format = (D3DDDIFORMAT)object.Data.format;
  args->MultisampleMethod.NumSamples = 1;
  args->MultisampleMethod.NumQualityLevels = 0;
  args->RefreshRate.Numerator = args->RefreshRate.Denominator = 0;
  args->PrivateDriverFormatAttribute = 0;
  return STATUS_SUCCESS;
}

static UINT PixelBytes(UINT format) {
  switch (format) {
    case D3DDDIFMT_R5G6B5:
    case D3DDDIFMT_X1R5G5B5:
    case D3DDDIFMT_A1R5G5B5:
      return 2;
    case D3DDDIFMT_A8:
    case D3DDDIFMT_P8:
    case D3DDDIFMT_L8:
      return 1;
    case D3DDDIFMT_A16B16G16R16:
    case D3DDDIFMT_A16B16G16R16F:
      return 8;
  }
  return 4;
}

NTSTATUS KstGetStandardAllocationDriverData(IN_CONST_HANDLE,
                                            INOUT_PDXGKARG_GETSTANDARDALLOCATIONDRIVERDATA args) {
  KstAllocationData data;
  RtlZeroMemory(&data, sizeof(data));
  data.magic = KST_ALLOCATION_MAGIC;
  data.flags = KST_ALLOCATION_VISIBLE;
  UINT* pitch = NULL;
  switch (args->StandardAllocationType) {
    case D3DKMDT_STANDARDALLOCATION_SHAREDPRIMARYSURFACE:
      data.width = args->pCreateSharedPrimarySurfaceData->Width;
      data.height = args->pCreateSharedPrimarySurfaceData->Height;
      data.format = args->pCreateSharedPrimarySurfaceData->Format;
      break;
    case D3DKMDT_STANDARDALLOCATION_SHADOWSURFACE:
      data.width = args->pCreateShadowSurfaceData->Width;
      data.height = args->pCreateShadowSurfaceData->Height;
      data.format = args->pCreateShadowSurfaceData->Format;
      pitch = &args->pCreateShadowSurfaceData->Pitch;
      break;
    case D3DKMDT_STANDARDALLOCATION_STAGINGSURFACE:
      data.width = args->pCreateStagingSurfaceData->Width;
      data.height = args->pCreateStagingSurfaceData->Height;
      data.format = D3DDDIFMT_A8R8G8B8;
      pitch = &args->pCreateStagingSurfaceData->Pitch;
      break;
    default:
      return STATUS_NOT_SUPPORTED;
  }
  data.pitch = (data.width * PixelBytes(data.format) + 255) & ~255u;
  data.bytes = (ULONGLONG)data.pitch * data.height;
  if (args->pAllocationPrivateDriverData) {
    if (args->AllocationPrivateDriverDataSize < sizeof(data)) return STATUS_BUFFER_TOO_SMALL;
    RtlCopyMemory(args->pAllocationPrivateDriverData, &data, sizeof(data));
    if (pitch) *pitch = data.pitch;
  }
  args->AllocationPrivateDriverDataSize = sizeof(data);
  args->ResourcePrivateDriverDataSize = 0;
  return STATUS_SUCCESS;
}

NTSTATUS KstOpenAllocation(IN_CONST_HANDLE hDevice, IN_CONST_PDXGKARG_OPENALLOCATION args) {
  KstDevice* device = (KstDevice*)hDevice;
  KstAdapter* a = device->Adapter;
  for (UINT i = 0; i < args->NumAllocations; i++) {
    DXGK_OPENALLOCATIONINFO* info = &args->pOpenAllocation[i];
    DXGKARGCB_GETHANDLEDATA get;
    RtlZeroMemory(&get, sizeof(get));
    get.hObject = info->hAllocation;
    get.Type = DXGK_HANDLE_ALLOCATION;
    KstObject object;
    NTSTATUS status = STATUS_INVALID_PARAMETER;
    if (KstTableGet(&a->Allocations, a->Dxgk.DxgkCbGetHandleData(&get), &object)) {
      object.Owner = device;
      info->hDeviceSpecificAllocation = KstTableAdd(&a->Opens, &object);
      status = info->hDeviceSpecificAllocation ? STATUS_SUCCESS : STATUS_NO_MEMORY;
    }
    if (!NT_SUCCESS(status)) {
      while (i-- > 0) KstTableRemove(&a->Opens, args->pOpenAllocation[i].hDeviceSpecificAllocation);
      return status;
    }
  }
  return STATUS_SUCCESS;
}

NTSTATUS KstCloseAllocation(IN_CONST_HANDLE hDevice, IN_CONST_PDXGKARG_CLOSEALLOCATION args) {
  KstAdapter* a = ((KstDevice*)hDevice)->Adapter;
  for (UINT i = 0; i < args->NumAllocations; i++)
    KstTableRemove(&a->Opens, args->pOpenHandleList[i]);
  return STATUS_SUCCESS;
}
