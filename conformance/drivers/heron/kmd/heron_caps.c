/* What the adapter says of itself: to the system by QueryAdapterInfo, to user mode by escapes. */
#include "heron_kmd.h"

static NTSTATUS HeronQuerySegment(HERON_ADAPTER* a, IN_CONST_PDXGKARG_QUERYADAPTERINFO q) {
  if (!q->pInputData || q->InputDataSize < sizeof(DXGK_QUERYSEGMENTIN) || !q->pOutputData ||
      q->OutputDataSize < sizeof(DXGK_QUERYSEGMENTOUT))
    return STATUS_INVALID_PARAMETER;
  DXGK_QUERYSEGMENTOUT* out = q->pOutputData;
  DXGK_SEGMENTDESCRIPTOR* d = out->pSegmentDescriptor;
  if (!d) { /* the first of two calls wants the number alone */
    out->NbSegment = 2;
    return STATUS_SUCCESS;
  }
  if (out->NbSegment < 2) return STATUS_INVALID_PARAMETER;
  RtlZeroMemory(d, 2 * sizeof(*d));
  d[0].BaseAddress.QuadPart = HERON_APERTURE_BASE;
  d[0].Size = HERON_APERTURE_BYTES;
  d[0].CommitLimit = HERON_APERTURE_BYTES;
  d[0].Flags.Aperture = 1;
  d[0].Flags.CacheCoherent = 1;
  d[1].BaseAddress.QuadPart = HERON_VRAM_BASE;
  d[1].CpuTranslatedAddress = a->LocalBase;
  d[1].Flags.CpuVisible = 1;
  d[1].Size = HERON_VRAM_BYTES;
  d[1].CommitLimit = HERON_VRAM_BYTES;
  out->NbSegment = 2;
  out->PagingBufferSegmentId = HERON_SEGMENT_APERTURE;
  out->PagingBufferSize = HERON_PAGING_BYTES;
  out->PagingBufferPrivateDataSize = 0;
  return STATUS_SUCCESS;
}

NTSTATUS HeronQueryAdapterInfo(IN_CONST_HANDLE hAdapter, IN_CONST_PDXGKARG_QUERYADAPTERINFO q) {
  PAGED_CODE();
  HERON_ADAPTER* a = hAdapter;
  if (!a || !q) return STATUS_INVALID_PARAMETER;
  switch (q->Type) {
    case DXGKQAITYPE_UMDRIVERPRIVATE: {
      if (!q->pOutputData || q->OutputDataSize < sizeof(HeronAdapterData))
        return STATUS_INVALID_PARAMETER;
      HeronAdapterData* out = q->pOutputData;
      RtlZeroMemory(out, sizeof(*out));
      out->magic = HERON_MAGIC_ADAPTER;
      out->version = HERON_UM_VERSION;
      out->windows = HERON_WINDOWS;
      out->nodes = HERON_NODES;
      out->local_bytes = HERON_VRAM_BYTES;
      out->aperture_bytes = HERON_APERTURE_BYTES;
      return STATUS_SUCCESS;
    }
    case DXGKQAITYPE_DRIVERCAPS: {
      if (!q->pOutputData || q->OutputDataSize < sizeof(DXGK_DRIVERCAPS))
        return STATUS_INVALID_PARAMETER;
      DXGK_DRIVERCAPS* caps = q->pOutputData;
      RtlZeroMemory(caps, sizeof(*caps));
      caps->HighestAcceptableAddress.QuadPart = 0xffffffffffll;
      caps->MaxAllocationListSlotId = HERON_WINDOWS;
      caps->ApertureSegmentCommitLimit = HERON_APERTURE_BYTES;
      caps->SchedulingCaps.MultiEngineAware = 1;
      caps->GpuEngineTopology.NbAsymetricProcessingNodes = HERON_NODES;
      return STATUS_SUCCESS;
    }
    case DXGKQAITYPE_QUERYSEGMENT:
      return HeronQuerySegment(a, q);
    default:
      return STATUS_INVALID_PARAMETER;
  }
}

NTSTATUS HeronEscapeCall(IN_CONST_HANDLE hAdapter, IN_CONST_PDXGKARG_ESCAPE e) {
  PAGED_CODE();
  HERON_ADAPTER* a = hAdapter;
  HeronEscape* data = e->pPrivateDriverData;
  if (!data || e->PrivateDriverDataSize != sizeof(*data)) return STATUS_INVALID_PARAMETER;
  if (data->magic != HERON_MAGIC_ESCAPE) return STATUS_GRAPHICS_DRIVER_MISMATCH;
  switch (data->code) {
    case HERON_ESCAPE_VERSION:
      data->result[0] = HERON_UM_VERSION;
      data->result[1] = HERON_WINDOWS;
      return STATUS_SUCCESS;
    case HERON_ESCAPE_FENCES:
      for (UINT node = 0; node < HERON_NODES; ++node) data->result[node] = a->Fences[node].done;
      return STATUS_SUCCESS;
    default:
      return STATUS_INVALID_PARAMETER;
  }
}
