/* Allocations: what user mode asks for, what the memory manager is told of it. */
#include "heron_kmd.h"

static BOOLEAN HeronValidData(const HeronAllocationData* d) {
  if (d->magic != HERON_MAGIC_ALLOCATION || d->version != HERON_UM_VERSION) return FALSE;
  if (d->bytes == 0 || d->bytes > HERON_MAX_ALLOCATION) return FALSE;
  if (d->flags & ~HERON_ALLOC_KNOWN) return FALSE;
  if ((d->flags & HERON_ALLOC_APERTURE_ONLY) && (d->flags & HERON_ALLOC_LOCAL_ONLY)) return FALSE;
  if (d->preferred_segment > HERON_SEGMENT_LOCAL) return FALSE;
  if (d->pitch || d->width || d->height) {
    if (!d->width || !d->height || d->width > 8192 || d->height > 8192) return FALSE;
    if (d->pitch < d->width * 4 || (d->pitch & 3)) return FALSE;
    if ((UINT64)d->pitch * d->height > d->bytes) return FALSE;
  }
  return TRUE;
}

static VOID HeronDescribe(const HeronAllocationData* d, DXGK_ALLOCATIONINFO* info) {
  const UINT aperture = 1u << (HERON_SEGMENT_APERTURE - 1);
  const UINT local = 1u << (HERON_SEGMENT_LOCAL - 1);
  UINT set = aperture | local;
  UINT first = d->preferred_segment ? d->preferred_segment : HERON_SEGMENT_LOCAL;
  if (d->flags & HERON_ALLOC_APERTURE_ONLY) set = aperture;
  if (d->flags & (HERON_ALLOC_LOCAL_ONLY | HERON_ALLOC_PRIMARY)) set = local;
  if (!(set & (1u << (first - 1))))
    first = set == aperture ? HERON_SEGMENT_APERTURE : HERON_SEGMENT_LOCAL;
  info->Alignment = PAGE_SIZE;
  info->Size = (SIZE_T)ROUND_TO_PAGES(d->bytes);
  info->PitchAlignedSize = 0;
  info->HintedBank.Value = 0;
  info->PreferredSegment.Value = 0;
  info->PreferredSegment.SegmentId0 = first;
  if (set == (aperture | local))
    info->PreferredSegment.SegmentId1 = HERON_SEGMENT_APERTURE + HERON_SEGMENT_LOCAL - first;
  info->SupportedReadSegmentSet = set;
  info->SupportedWriteSegmentSet = set;
  /* What is large is worth an aperture on its way out. */
  info->EvictionSegmentSet = (set & local) && info->Size >= 32 * PAGE_SIZE ? aperture : 0;
  info->MaximumRenamingListLength = 0;
  info->Flags.Value = 0;
  if (d->flags & HERON_ALLOC_CPU_VISIBLE) info->Flags.CpuVisible = 1;
  if ((d->flags & HERON_ALLOC_CACHED) && set == aperture) info->Flags.Cached = 1;
  info->pAllocationUsageHint = NULL;
  info->AllocationPriority = D3DDDI_ALLOCATIONPRIORITY_NORMAL;
}

NTSTATUS HeronCreateAllocation(IN_CONST_HANDLE hAdapter, INOUT_PDXGKARG_CREATEALLOCATION c) {
  PAGED_CODE();
  UNREFERENCED_PARAMETER(hAdapter);
  if (!c->NumAllocations || !c->pAllocationInfo) return STATUS_INVALID_PARAMETER;
  for (UINT i = 0; i < c->NumAllocations; ++i) {
    const DXGK_ALLOCATIONINFO* info = &c->pAllocationInfo[i];
    if (!info->pPrivateDriverData || info->PrivateDriverDataSize != sizeof(HeronAllocationData))
      return STATUS_GRAPHICS_DRIVER_MISMATCH;
  }
  for (UINT i = 0; i < c->NumAllocations; ++i) {
    DXGK_ALLOCATIONINFO* info = &c->pAllocationInfo[i];
    NTSTATUS status = STATUS_NO_MEMORY;
    HERON_ALLOCATION* allocation = ExAllocatePoolWithTag(PagedPool, sizeof(*allocation), HERON_TAG);
    if (allocation) {
      RtlCopyMemory(&allocation->Data, info->pPrivateDriverData, sizeof(allocation->Data));
      if (HeronValidData(&allocation->Data)) {
        HeronDescribe(&allocation->Data, info);
        info->hAllocation = allocation;
        continue;
      }
      status = STATUS_INVALID_PARAMETER;
      ExFreePoolWithTag(allocation, HERON_TAG);
    }
    while (i--) {
      ExFreePoolWithTag(c->pAllocationInfo[i].hAllocation, HERON_TAG);
      c->pAllocationInfo[i].hAllocation = NULL;
    }
    return status;
  }
  return STATUS_SUCCESS;
}

NTSTATUS HeronDestroyAllocation(IN_CONST_HANDLE hAdapter, IN_CONST_PDXGKARG_DESTROYALLOCATION d) {
  PAGED_CODE();
  UNREFERENCED_PARAMETER(hAdapter);
  for (UINT i = 0; i < d->NumAllocations; ++i) ExFreePoolWithTag(d->pAllocationList[i], HERON_TAG);
  return STATUS_SUCCESS;
}

NTSTATUS HeronDescribeAllocation(IN_CONST_HANDLE hAdapter, INOUT_PDXGKARG_DESCRIBEALLOCATION d) {
  PAGED_CODE();
  UNREFERENCED_PARAMETER(hAdapter);
  const HERON_ALLOCATION* allocation = d->hAllocation;
  if (!allocation) return STATUS_INVALID_PARAMETER;
  const HeronAllocationData* data = &allocation->Data;
  d->Width = data->width ? data->width : (UINT)(data->bytes / 4);
  d->Height = data->height ? data->height : 1;
  d->Format = data->format ? (D3DDDIFORMAT)data->format : D3DDDIFMT_A8R8G8B8;
  d->MultisampleMethod.NumSamples = 0;
  d->MultisampleMethod.NumQualityLevels = 0;
  d->RefreshRate.Numerator = data->refresh_numerator;
  d->RefreshRate.Denominator = data->refresh_denominator;
  d->PrivateDriverFormatAttribute = 0;
  return STATUS_SUCCESS;
}

NTSTATUS HeronGetStandardAllocationDriverData(IN_CONST_HANDLE hAdapter,
                                              INOUT_PDXGKARG_GETSTANDARDALLOCATIONDRIVERDATA s) {
  PAGED_CODE();
  UNREFERENCED_PARAMETER(hAdapter);
  HeronAllocationData data;
  BOOLEAN fill = s->pAllocationPrivateDriverData != NULL;
  UINT* pitch = NULL;
  RtlZeroMemory(&data, sizeof(data));
  data.magic = HERON_MAGIC_ALLOCATION;
  data.version = HERON_UM_VERSION;
  switch (s->StandardAllocationType) {
    case D3DKMDT_STANDARDALLOCATION_SHAREDPRIMARYSURFACE:
      data.width = s->pCreateSharedPrimarySurfaceData->Width;
      data.height = s->pCreateSharedPrimarySurfaceData->Height;
      data.format = s->pCreateSharedPrimarySurfaceData->Format;
      data.refresh_numerator = s->pCreateSharedPrimarySurfaceData->RefreshRate.Numerator;
      data.refresh_denominator = s->pCreateSharedPrimarySurfaceData->RefreshRate.Denominator;
      data.flags = HERON_ALLOC_PRIMARY | HERON_ALLOC_CPU_VISIBLE;
      break;
    case D3DKMDT_STANDARDALLOCATION_SHADOWSURFACE:
      data.width = s->pCreateShadowSurfaceData->Width;
      data.height = s->pCreateShadowSurfaceData->Height;
      data.format = s->pCreateShadowSurfaceData->Format;
      data.flags = HERON_ALLOC_CPU_VISIBLE;
      pitch = &s->pCreateShadowSurfaceData->Pitch;
      break;
    case D3DKMDT_STANDARDALLOCATION_STAGINGSURFACE:
      data.width = s->pCreateStagingSurfaceData->Width;
      data.height = s->pCreateStagingSurfaceData->Height;
      data.format = D3DDDIFMT_A8R8G8B8;
      data.flags = HERON_ALLOC_CPU_VISIBLE | HERON_ALLOC_APERTURE_ONLY;
      pitch = &s->pCreateStagingSurfaceData->Pitch;
      break;
    default: /* no GDI acceleration was reported */
      return STATUS_INVALID_PARAMETER;
  }
  data.pitch = (data.width * 4 + 63) & ~63u;
  data.bytes = (UINT64)data.pitch * data.height;
  if (!HeronValidData(&data)) return STATUS_INVALID_PARAMETER;
  if (fill) {
    if (s->AllocationPrivateDriverDataSize < sizeof(data)) return STATUS_INVALID_PARAMETER;
    RtlCopyMemory(s->pAllocationPrivateDriverData, &data, sizeof(data));
    if (pitch) *pitch = data.pitch;
  }
  s->AllocationPrivateDriverDataSize = sizeof(data);
  s->ResourcePrivateDriverDataSize = 0;
  return STATUS_SUCCESS;
}
