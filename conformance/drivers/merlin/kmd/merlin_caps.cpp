// What the Merlin says of itself: capabilities, segments, the form of page tables, nodes.
#include "merlin_kmd.h"

template <class T>
static T* MerlinOut(const DXGKARG_QUERYADAPTERINFO* q) {
  return q->pOutputData && q->OutputDataSize >= sizeof(T) ? static_cast<T*>(q->pOutputData)
                                                          : nullptr;
}

template <class T>
static const T* MerlinIn(const DXGKARG_QUERYADAPTERINFO* q) {
  return q->pInputData && q->InputDataSize >= sizeof(T) ? static_cast<const T*>(q->pInputData)
                                                        : nullptr;
}

static void MerlinDriverCaps(DXGK_DRIVERCAPS* caps) {
  RtlZeroMemory(caps, sizeof(*caps));
  caps->HighestAcceptableAddress.QuadPart = static_cast<LONGLONG>(MPTE_ADDRESS | 0xFFF);
  caps->ApertureSegmentCommitLimit = MERLIN_APERTURE_BYTES;
  caps->SchedulingCaps.MultiEngineAware = 1;
  caps->SchedulingCaps.PreemptionAware = 1;
  caps->MemoryManagementCaps.VirtualAddressingSupported = 1;
  caps->MemoryManagementCaps.GpuMmuSupported = 1;
  caps->MemoryManagementCaps.PagingNode = MERLIN_NODE_COPY;
  caps->GpuEngineTopology.NbAsymetricProcessingNodes = MERLIN_NODES;
  caps->WDDMVersion = DXGKDDI_WDDMv2_4;
  caps->PreemptionCaps.GraphicsPreemptionGranularity =
      D3DKMDT_GRAPHICS_PREEMPTION_DMA_BUFFER_BOUNDARY;
  caps->PreemptionCaps.ComputePreemptionGranularity =
      D3DKMDT_COMPUTE_PREEMPTION_DMA_BUFFER_BOUNDARY;
  caps->SupportPerEngineTDR = TRUE;
}

static NTSTATUS MerlinSegments(const MerlinGpu* gpu, DXGK_QUERYSEGMENTOUT4* out) {
  if (!out->pSegmentDescriptor) {
    out->NbSegment = 2;
    return STATUS_SUCCESS;
  }
  if (out->NbSegment < 2 || out->SegmentDescriptorStride < sizeof(DXGK_SEGMENTDESCRIPTOR4))
    return STATUS_INVALID_PARAMETER;
  DXGK_SEGMENTDESCRIPTOR4* local =
      reinterpret_cast<DXGK_SEGMENTDESCRIPTOR4*>(out->pSegmentDescriptor);
  DXGK_SEGMENTDESCRIPTOR4* aperture = reinterpret_cast<DXGK_SEGMENTDESCRIPTOR4*>(
      out->pSegmentDescriptor + out->SegmentDescriptorStride);
  RtlZeroMemory(local, sizeof(*local));
  local->Flags.CpuVisible = 1;
  local->BaseAddress.QuadPart = MERLIN_VRAM_BASE;
  local->Size = gpu->vram_bytes;
  local->CommitLimit = gpu->vram_bytes;
  local->CpuTranslatedAddress = gpu->vram;
  RtlZeroMemory(aperture, sizeof(*aperture));
  aperture->Flags.Aperture = 1;
  aperture->Flags.CacheCoherent = 1;
  aperture->BaseAddress.QuadPart = MERLIN_APERTURE_BASE;
  aperture->Size = MERLIN_APERTURE_BYTES;
  aperture->CommitLimit = MERLIN_APERTURE_BYTES;
  out->NbSegment = 2;
  out->PagingBufferSegmentId = 0;
  out->PagingBufferSize = MERLIN_PAGING_BUFFER_BYTES;
  out->PagingBufferPrivateDataSize = MERLIN_PAGING_PRIVATE_BYTES;
  return STATUS_SUCCESS;
}

NTSTATUS MerlinQueryAdapterInfo(IN_CONST_HANDLE adapter, IN_CONST_PDXGKARG_QUERYADAPTERINFO q) {
  PAGED_CODE();
  if (!adapter || !q) return STATUS_INVALID_PARAMETER;
  switch (q->Type) {
    case DXGKQAITYPE_UMDRIVERPRIVATE: {
      MerlinUmdInfo* out = MerlinOut<MerlinUmdInfo>(q);
      if (!out) return STATUS_INVALID_PARAMETER;
      out->abi = MERLIN_ABI;
      out->gpus = MERLIN_LINKS;
      out->vram_bytes = MERLIN_VRAM_BYTES;
      return STATUS_SUCCESS;
    }
    case DXGKQAITYPE_DRIVERCAPS: {
      DXGK_DRIVERCAPS* out = MerlinOut<DXGK_DRIVERCAPS>(q);
      if (!out) return STATUS_INVALID_PARAMETER;
      MerlinDriverCaps(out);
      return STATUS_SUCCESS;
    }
    case DXGKQAITYPE_QUERYSEGMENT4: {
      const DXGK_QUERYSEGMENTIN4* in = MerlinIn<DXGK_QUERYSEGMENTIN4>(q);
      DXGK_QUERYSEGMENTOUT4* out = MerlinOut<DXGK_QUERYSEGMENTOUT4>(q);
      MerlinGpu* gpu = in ? MerlinGpuOf(adapter, in->PhysicalAdapterIndex) : nullptr;
      return gpu && gpu->started && out ? MerlinSegments(gpu, out) : STATUS_INVALID_PARAMETER;
    }
    case DXGKQAITYPE_NUMPOWERCOMPONENTS: {
      UINT* out = MerlinOut<UINT>(q);
      if (!out) return STATUS_INVALID_PARAMETER;
      *out = 0;
      return STATUS_SUCCESS;
    }
    case DXGKQAITYPE_GPUMMUCAPS: {
      const DXGK_QUERYGPUMMUCAPSIN* in = MerlinIn<DXGK_QUERYGPUMMUCAPSIN>(q);
      DXGK_GPUMMUCAPS* out = MerlinOut<DXGK_GPUMMUCAPS>(q);
      if (!in || !out || !MerlinGpuOf(adapter, in->PhysicalAdapterIndex))
        return STATUS_INVALID_PARAMETER;
      RtlZeroMemory(out, sizeof(*out));
      out->ReadOnlyMemorySupported = 1;
      out->NoExecuteMemorySupported = 1;
      out->ZeroInPteSupported = 1;
      out->CacheCoherentMemorySupported = 1;
      out->PageTableUpdateMode = DXGK_PAGETABLEUPDATE_GPU_VIRTUAL;
      out->VirtualAddressBitCount = MERLIN_VA_BITS;
      out->PageTableLevelCount = 2;
      return STATUS_SUCCESS;
    }
    case DXGKQAITYPE_PAGETABLELEVELDESC: {
      const DXGK_QUERYPAGETABLELEVELDESCIN* in = MerlinIn<DXGK_QUERYPAGETABLELEVELDESCIN>(q);
      DXGK_PAGE_TABLE_LEVEL_DESC* out = MerlinOut<DXGK_PAGE_TABLE_LEVEL_DESC>(q);
      if (!in || !out || in->LevelIndex > 1 || !MerlinGpuOf(adapter, in->PhysicalAdapterIndex))
        return STATUS_INVALID_PARAMETER;
      RtlZeroMemory(out, sizeof(*out));
      out->PageTableIndexBitCount = in->LevelIndex ? MERLIN_ROOT_INITIAL_BITS : MERLIN_LEAF_BITS;
      out->PageTableSegmentId = MERLIN_SEGMENT_LOCAL;
      out->PagingProcessPageTableSegmentId = MERLIN_SEGMENT_LOCAL;
      out->PageTableSizeInBytes = 8u << out->PageTableIndexBitCount;
      out->PageTableAlignmentInBytes = PAGE_SIZE;
      return STATUS_SUCCESS;
    }
    case DXGKQAITYPE_PHYSICALADAPTERCAPS: {
      const DXGK_QUERYPHYSICALADAPTERCAPSIN* in = MerlinIn<DXGK_QUERYPHYSICALADAPTERCAPSIN>(q);
      DXGK_PHYSICALADAPTERCAPS* out = MerlinOut<DXGK_PHYSICALADAPTERCAPS>(q);
      MerlinGpu* gpu = in ? MerlinGpuOf(adapter, in->PhysicalAdapterIndex) : nullptr;
      if (!gpu || !gpu->started || !out) return STATUS_INVALID_PARAMETER;
      RtlZeroMemory(out, sizeof(*out));
      out->NumExecutionNodes = MERLIN_NODES;
      out->PagingNodeIndex = MERLIN_NODE_COPY;
      out->DxgkPhysicalAdapterHandle = gpu->dxgk.DeviceHandle;
      out->Flags.GpuMmuSupported = 1;
      return STATUS_SUCCESS;
    }
    default:
      return STATUS_INVALID_PARAMETER;
  }
}

// The node in the low half, the GPU of the link in the high one.
NTSTATUS MerlinGetNodeMetadata(IN_CONST_HANDLE adapter, UINT which,
                               OUT_PDXGKARG_GETNODEMETADATA out) {
  PAGED_CODE();
  static const WCHAR names[MERLIN_NODES][8] = {L"3D", L"Copy"};
  const UINT node = which & 0xFFFF;
  if (!out || node >= MERLIN_NODES || !MerlinGpuOf(adapter, which >> 16))
    return STATUS_INVALID_PARAMETER;
  RtlZeroMemory(out, sizeof(*out));
  out->EngineType = node == MERLIN_NODE_3D ? DXGK_ENGINE_TYPE_3D : DXGK_ENGINE_TYPE_COPY;
  RtlCopyMemory(out->FriendlyName, names[node], sizeof(names[node]));
  out->GpuMmuSupported = TRUE;
  return STATUS_SUCCESS;
}
