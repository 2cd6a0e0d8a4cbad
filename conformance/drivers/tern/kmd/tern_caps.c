// What the driver says of the adapter.
#include "tern_kmd.h"

static NTSTATUS driver_caps(DXGK_DRIVERCAPS* caps) {
  RtlZeroMemory(caps, sizeof(*caps));
  caps->HighestAcceptableAddress.QuadPart = (1ll << 52) - 1;
  caps->SchedulingCaps.MultiEngineAware = 1;
  caps->SchedulingCaps.PreemptionAware = 1;
  caps->MemoryManagementCaps.VirtualAddressingSupported = 1;
  caps->MemoryManagementCaps.GpuMmuSupported = 1;
  caps->MemoryManagementCaps.PagingNode = 0;
  caps->GpuEngineTopology.NbAsymetricProcessingNodes = 1;
  caps->WDDMVersion = DXGKDDI_WDDMv2;
  caps->PreemptionCaps.GraphicsPreemptionGranularity =
      D3DKMDT_GRAPHICS_PREEMPTION_PRIMITIVE_BOUNDARY;
  caps->PreemptionCaps.ComputePreemptionGranularity = D3DKMDT_COMPUTE_PREEMPTION_DISPATCH_BOUNDARY;
  caps->SupportPerEngineTDR = TRUE;
  return STATUS_SUCCESS;
}

static NTSTATUS segments(TernAdapter* adapter, DXGK_QUERYSEGMENTOUT4* out) {
  DXGK_SEGMENTDESCRIPTOR4 descriptor;
  if (out->pSegmentDescriptor == NULL) {
    out->NbSegment = 2;
    return STATUS_SUCCESS;
  }
  if (out->NbSegment < 2 || out->SegmentDescriptorStride < sizeof(descriptor)) {
    return STATUS_INVALID_PARAMETER;
  }
  // System memory that page tables map; nothing reaches it by an address in the aperture.
  RtlZeroMemory(&descriptor, sizeof(descriptor));
  descriptor.Flags.Aperture = 1;
  descriptor.Flags.CacheCoherent = 1;
  descriptor.BaseAddress.QuadPart = 0x8000000000ll;
  descriptor.Size = descriptor.CommitLimit = 0x300000;
  RtlCopyMemory(out->pSegmentDescriptor, &descriptor, sizeof(descriptor));

  RtlZeroMemory(&descriptor, sizeof(descriptor));
  descriptor.Flags.CpuVisible = 1;
  descriptor.BaseAddress.QuadPart = TERN_LOCAL_BASE + TERN_RESERVED_BYTES;
  descriptor.CpuTranslatedAddress.QuadPart = adapter->LocalBus.QuadPart + TERN_RESERVED_BYTES;
  descriptor.Size = descriptor.CommitLimit = TERN_LOCAL_BYTES - TERN_RESERVED_BYTES;
  RtlCopyMemory(out->pSegmentDescriptor + out->SegmentDescriptorStride, &descriptor,
                sizeof(descriptor));
  out->NbSegment = 2;
  out->PagingBufferSegmentId = 0;
  out->PagingBufferSize = 8192;
  out->PagingBufferPrivateDataSize = 0;
  return STATUS_SUCCESS;
}

static NTSTATUS gpu_mmu_caps(const DXGK_QUERYGPUMMUCAPSIN* in, DXGK_GPUMMUCAPS* caps) {
  if (in->PhysicalAdapterIndex != 0) return STATUS_INVALID_PARAMETER;
  RtlZeroMemory(caps, sizeof(*caps));
  caps->ReadOnlyMemorySupported = 1;
  caps->ZeroInPteSupported = 1;
  caps->PageTableUpdateMode = DXGK_PAGETABLEUPDATE_GPU_PHYSICAL;
  caps->VirtualAddressBitCount = TERN_VA_BITS;
  caps->PageTableLevelCount = TERN_LEVELS;
  return STATUS_SUCCESS;
}

static NTSTATUS level_desc(const DXGK_QUERYPAGETABLELEVELDESCIN* in,
                           DXGK_PAGE_TABLE_LEVEL_DESC* desc) {
  static const UINT bits[TERN_LEVELS] = {TERN_LEAF_BITS, TERN_MIDDLE_BITS, TERN_ROOT_BITS};
  if (in->PhysicalAdapterIndex != 0 || in->LevelIndex >= TERN_LEVELS) {
    return STATUS_INVALID_PARAMETER;
  }
  // Those of the paging process are written by the CPU before anything else runs.
  desc->PageTableIndexBitCount = bits[in->LevelIndex];
  desc->PageTableSegmentId = TERN_SEGMENT_LOCAL;
  desc->PagingProcessPageTableSegmentId = 0;
  desc->PageTableSizeInBytes = TERN_TABLE_BYTES;
  desc->PageTableAlignmentInBytes = TERN_TABLE_BYTES;
  return STATUS_SUCCESS;
}

static NTSTATUS physical_adapter_caps(const DXGK_QUERYPHYSICALADAPTERCAPSIN* in,
                                      DXGK_PHYSICALADAPTERCAPS* caps) {
  if (in->PhysicalAdapterIndex != 0) return STATUS_INVALID_PARAMETER;
  RtlZeroMemory(caps, sizeof(*caps));
  caps->NumExecutionNodes = 1;
  caps->PagingNodeIndex = 0;
  caps->Flags.GpuMmuSupported = 1;
  return STATUS_SUCCESS;
}

#define IN_FITS(type) (args->pInputData != NULL && args->InputDataSize >= sizeof(type))
#define OUT_FITS(type) (args->pOutputData != NULL && args->OutputDataSize >= sizeof(type))

NTSTATUS TernQueryAdapterInfo(HANDLE hAdapter, const DXGKARG_QUERYADAPTERINFO* args) {
  TernAdapter* adapter = (TernAdapter*)hAdapter;
  switch (args->Type) {
    case DXGKQAITYPE_DRIVERCAPS:
      if (!OUT_FITS(DXGK_DRIVERCAPS)) break;
      return driver_caps((DXGK_DRIVERCAPS*)args->pOutputData);
    case DXGKQAITYPE_QUERYSEGMENT4:
      if (!OUT_FITS(DXGK_QUERYSEGMENTOUT4)) break;
      return segments(adapter, (DXGK_QUERYSEGMENTOUT4*)args->pOutputData);
    case DXGKQAITYPE_GPUMMUCAPS:
      if (!IN_FITS(DXGK_QUERYGPUMMUCAPSIN) || !OUT_FITS(DXGK_GPUMMUCAPS)) break;
      return gpu_mmu_caps((const DXGK_QUERYGPUMMUCAPSIN*)args->pInputData,
                          (DXGK_GPUMMUCAPS*)args->pOutputData);
    case DXGKQAITYPE_PAGETABLELEVELDESC:
      if (!IN_FITS(DXGK_QUERYPAGETABLELEVELDESCIN) || !OUT_FITS(DXGK_PAGE_TABLE_LEVEL_DESC)) break;
      return level_desc((const DXGK_QUERYPAGETABLELEVELDESCIN*)args->pInputData,
                        (DXGK_PAGE_TABLE_LEVEL_DESC*)args->pOutputData);
    case DXGKQAITYPE_PHYSICALADAPTERCAPS:
      if (!IN_FITS(DXGK_QUERYPHYSICALADAPTERCAPSIN) || !OUT_FITS(DXGK_PHYSICALADAPTERCAPS)) break;
      return physical_adapter_caps((const DXGK_QUERYPHYSICALADAPTERCAPSIN*)args->pInputData,
                                   (DXGK_PHYSICALADAPTERCAPS*)args->pOutputData);
    default:
      return STATUS_NOT_SUPPORTED;
  }
  return STATUS_INVALID_PARAMETER;
}

NTSTATUS TernGetNodeMetadata(HANDLE hAdapter, UINT node, DXGKARG_GETNODEMETADATA* out) {
  static const WCHAR name[] = L"Tern";
  UNREFERENCED_PARAMETER(hAdapter);
  if (node != 0) return STATUS_INVALID_PARAMETER;
  RtlZeroMemory(out, sizeof(*out));
  out->EngineType = DXGK_ENGINE_TYPE_3D;
  RtlCopyMemory(out->FriendlyName, name, sizeof(name));
  out->GpuMmuSupported = TRUE;
  return STATUS_SUCCESS;
}

// Nobody asks: the root of three levels has one size.
SIZE_T TernGetRootPageTableSize(HANDLE hAdapter, DXGKARG_GETROOTPAGETABLESIZE* args) {
  UNREFERENCED_PARAMETER(hAdapter);
  args->NumberOfPte = 1u << TERN_ROOT_BITS;
  return TERN_TABLE_BYTES;
}
