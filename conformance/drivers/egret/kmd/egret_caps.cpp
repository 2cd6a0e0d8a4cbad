// What the driver says of the adapter.
#include "egret_kmd.h"

static void FillDriverCaps(DXGK_DRIVERCAPS* caps) {
  RtlZeroMemory(caps, sizeof(*caps));
  caps->HighestAcceptableAddress.QuadPart = -1;
  caps->SchedulingCaps.MultiEngineAware = 1;
  caps->SchedulingCaps.PreemptionAware = 1;
  caps->SchedulingCaps.NoDmaPatching = 1;
  caps->MemoryManagementCaps.VirtualAddressingSupported = 1;
  caps->MemoryManagementCaps.GpuMmuSupported = 1;
  caps->MemoryManagementCaps.PagingNode = EG_NODE_COPY;
  caps->GpuEngineTopology.NbAsymetricProcessingNodes = EG_NODES;
  caps->WDDMVersion = DXGKDDI_WDDMv2_6;
  caps->PreemptionCaps.GraphicsPreemptionGranularity =
      D3DKMDT_GRAPHICS_PREEMPTION_DMA_BUFFER_BOUNDARY;
  caps->PreemptionCaps.ComputePreemptionGranularity =
      D3DKMDT_COMPUTE_PREEMPTION_DMA_BUFFER_BOUNDARY;
  caps->SupportPerEngineTDR = TRUE;
}

static NTSTATUS QuerySegments(Adapter& adapter, const DXGKARG_QUERYADAPTERINFO* query) {
  if (query->OutputDataSize < sizeof(DXGK_QUERYSEGMENTOUT4)) return STATUS_INVALID_PARAMETER;
  if (query->pInputData && query->InputDataSize >= sizeof(DXGK_QUERYSEGMENTIN4) &&
      ((const DXGK_QUERYSEGMENTIN4*)query->pInputData)->PhysicalAdapterIndex != 0)
    return STATUS_INVALID_PARAMETER;
  DXGK_QUERYSEGMENTOUT4* out = (DXGK_QUERYSEGMENTOUT4*)query->pOutputData;
  if (!out->pSegmentDescriptor) {
    out->NbSegment = 2;
    return STATUS_SUCCESS;
  }
  if (out->NbSegment < 2 || out->SegmentDescriptorStride < sizeof(DXGK_SEGMENTDESCRIPTOR4))
    return STATUS_INVALID_PARAMETER;
  out->NbSegment = 2;
  out->PagingBufferSegmentId = 0;
  out->PagingBufferSize = kPagingBufferBytes;
  out->PagingBufferPrivateDataSize = 0;
  auto* local = (DXGK_SEGMENTDESCRIPTOR4*)out->pSegmentDescriptor;
  RtlZeroMemory(local, sizeof(*local));
  local->Flags.Use64KBPages = 1;
  local->Flags.SupportsCpuHostAperture = 1;
  local->Flags.ApplicationTarget = 1;
  local->Flags.LocalBudgetGroup = 1;
  local->BaseAddress.QuadPart = EG_VRAM_BASE;
  local->Size = EG_VRAM_SIZE;
  local->CommitLimit = EG_VRAM_SIZE;
  local->CpuHostAperture.PhysicalAddress = adapter.WindowAddress.QuadPart;
  local->CpuHostAperture.SizeInPages = EG_BAR1_SIZE / PAGE_SIZE;  // of the CPU, not of the segment
  auto* aperture =
      (DXGK_SEGMENTDESCRIPTOR4*)(out->pSegmentDescriptor + out->SegmentDescriptorStride);
  RtlZeroMemory(aperture, sizeof(*aperture));
  aperture->Flags.Aperture = 1;
  aperture->Flags.CacheCoherent = 1;
  aperture->Flags.NonLocalBudgetGroup = 1;
  aperture->BaseAddress.QuadPart = EG_GART_BASE;
  aperture->Size = (SIZE_T)EG_GART_PAGES * PAGE_SIZE;
  aperture->CommitLimit = (SIZE_T)EG_GART_PAGES * PAGE_SIZE;
  return STATUS_SUCCESS;
}

static NTSTATUS QueryLevel(const DXGKARG_QUERYADAPTERINFO* query) {
  if (!query->pInputData || query->InputDataSize < sizeof(DXGK_QUERYPAGETABLELEVELDESCIN) ||
      query->OutputDataSize < sizeof(DXGK_PAGE_TABLE_LEVEL_DESC))
    return STATUS_INVALID_PARAMETER;
  const auto* in = (const DXGK_QUERYPAGETABLELEVELDESCIN*)query->pInputData;
  if (in->LevelIndex >= EG_LEVELS || in->PhysicalAdapterIndex != 0) return STATUS_INVALID_PARAMETER;
  static const UINT bits[EG_LEVELS] = {EG_L0_BITS, EG_L1_BITS, EG_L2_BITS};
  static const UINT bytes[EG_LEVELS] = {EG_L0_BYTES, EG_L1_BYTES, EG_L2_BYTES};
  const WORD level = in->LevelIndex;
  auto* out = (DXGK_PAGE_TABLE_LEVEL_DESC*)query->pOutputData;
  RtlZeroMemory(out, sizeof(*out));
  out->PageTableIndexBitCount = bits[level];
  out->PageTableSegmentId = kSegmentLocal;
  out->PagingProcessPageTableSegmentId = kSegmentLocal;
  out->PageTableSizeInBytes = bytes[level];
  out->PageTableAlignmentInBytes = PAGE_SIZE;
  return STATUS_SUCCESS;
}

static bool FirstAdapter(const DXGKARG_QUERYADAPTERINFO* query) {
  return !query->pInputData || query->InputDataSize < sizeof(UINT) ||
         *(const UINT*)query->pInputData == 0;
}

NTSTATUS EgretQueryAdapterInfo(IN_CONST_HANDLE handle, IN_CONST_PDXGKARG_QUERYADAPTERINFO query) {
  PAGED_CODE();
  Adapter& adapter = *(Adapter*)handle;
  if (!query || !query->pOutputData) return STATUS_INVALID_PARAMETER;
  const UINT room = query->OutputDataSize;
  switch (query->Type) {
    case DXGKQAITYPE_UMDRIVERPRIVATE: {
      if (room < sizeof(eg_adapter_data)) return STATUS_INVALID_PARAMETER;
      auto* out = (eg_adapter_data*)query->pOutputData;
      RtlZeroMemory(out, sizeof(*out));
      out->magic = EG_INFO_MAGIC;
      out->version = EG_UMD_VERSION;
      out->vram_bytes = EG_VRAM_SIZE;
      out->nodes = EG_NODES;
      out->slots = EG_SLOTS;
      return STATUS_SUCCESS;
    }
    case DXGKQAITYPE_DRIVERCAPS:
      if (room < sizeof(DXGK_DRIVERCAPS)) return STATUS_INVALID_PARAMETER;
      FillDriverCaps((DXGK_DRIVERCAPS*)query->pOutputData);
      return STATUS_SUCCESS;
    case DXGKQAITYPE_QUERYSEGMENT4:
      return QuerySegments(adapter, query);
    case DXGKQAITYPE_NUMPOWERCOMPONENTS:
      if (room < sizeof(UINT)) return STATUS_INVALID_PARAMETER;
      *(UINT*)query->pOutputData = 0;
      return STATUS_SUCCESS;
    case DXGKQAITYPE_HISTORYBUFFERPRECISION: {
      const UINT n = room / sizeof(DXGKARG_HISTORYBUFFERPRECISION);
      if (n < EG_NODES || !FirstAdapter(query)) return STATUS_INVALID_PARAMETER;
      for (UINT i = 0; i < EG_NODES; ++i)
        ((DXGKARG_HISTORYBUFFERPRECISION*)query->pOutputData)[i].PrecisionBits = 64;
      return STATUS_SUCCESS;
    }
    case DXGKQAITYPE_GPUMMUCAPS: {
      if (room < sizeof(DXGK_GPUMMUCAPS) || !FirstAdapter(query)) return STATUS_INVALID_PARAMETER;
      auto* out = (DXGK_GPUMMUCAPS*)query->pOutputData;
      RtlZeroMemory(out, sizeof(*out));
      out->ReadOnlyMemorySupported = 1;
      out->ZeroInPteSupported = 1;
      out->CacheCoherentMemorySupported = 1;
      out->DualPteSupported = 1;
      out->InvalidTlbEntriesNotCached = 1;
      out->PageTableUpdateMode = DXGK_PAGETABLEUPDATE_GPU_PHYSICAL;
      out->VirtualAddressBitCount = EG_VA_BITS;
      out->LeafPageTableSizeFor64KPagesInBytes = EG_L0_64K_BYTES;
      out->PageTableLevelCount = EG_LEVELS;
      return STATUS_SUCCESS;
    }
    case DXGKQAITYPE_PAGETABLELEVELDESC:
      return QueryLevel(query);
    case DXGKQAITYPE_PHYSICALADAPTERCAPS: {
      if (room < sizeof(DXGK_PHYSICALADAPTERCAPS) || !FirstAdapter(query))
        return STATUS_INVALID_PARAMETER;
      auto* out = (DXGK_PHYSICALADAPTERCAPS*)query->pOutputData;
      RtlZeroMemory(out, sizeof(*out));
      out->NumExecutionNodes = EG_NODES;
      out->PagingNodeIndex = EG_NODE_COPY;
      out->DxgkPhysicalAdapterHandle = adapter.Dxgk.DeviceHandle;
      out->Flags.GpuMmuSupported = 1;
      return STATUS_SUCCESS;
    }
    case DXGKQAITYPE_WDDMDEVICECAPS:
      if (room < sizeof(DXGK_WDDMDEVICECAPS)) return STATUS_INVALID_PARAMETER;
      ((DXGK_WDDMDEVICECAPS*)query->pOutputData)->WDDMVersion = DXGKDDI_WDDMv2_6;
      return STATUS_SUCCESS;
    default:
      return STATUS_INVALID_PARAMETER;
  }
}

NTSTATUS EgretGetNodeMetadata(IN_CONST_HANDLE handle, UINT ordinal,
                              OUT_PDXGKARG_GETNODEMETADATA out) {
  PAGED_CODE();
  if (!handle || !out || ordinal >= EG_NODES) return STATUS_INVALID_PARAMETER;
  RtlZeroMemory(out, sizeof(*out));
  out->EngineType = ordinal == EG_NODE_RENDER ? DXGK_ENGINE_TYPE_3D : DXGK_ENGINE_TYPE_COPY;
  out->GpuMmuSupported = TRUE;
  return STATUS_SUCCESS;
}
