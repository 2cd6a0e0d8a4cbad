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

static void put_segment(DXGK_QUERYSEGMENTOUT4* out, UINT id,
                        const DXGK_SEGMENTDESCRIPTOR4* segment) {
  RtlCopyMemory(out->pSegmentDescriptor + (id - 1) * out->SegmentDescriptorStride, segment,
                sizeof(*segment));
}

static void put_video_memory(TernAdapter* adapter, DXGK_QUERYSEGMENTOUT4* out, UINT id, ULONG bytes,
                             BOOLEAN big_pages) {
  const ULONG start = tern_segment_start(id);
  DXGK_SEGMENTDESCRIPTOR4 descriptor;
  RtlZeroMemory(&descriptor, sizeof(descriptor));
  descriptor.Flags.CpuVisible = 1;
  descriptor.Flags.Use64KBPages = big_pages;
  descriptor.BaseAddress.QuadPart = TERN_LOCAL_BASE + start;
  descriptor.CpuTranslatedAddress.QuadPart = adapter->LocalBus.QuadPart + start;
  descriptor.Size = descriptor.CommitLimit = bytes;
  put_segment(out, id, &descriptor);
}

static NTSTATUS segments(TernAdapter* adapter, DXGK_QUERYSEGMENTOUT4* out) {
  const UINT count = tern_big_pages ? TERN_SEGMENT_TABLES : TERN_SEGMENT_LOCAL;
  DXGK_SEGMENTDESCRIPTOR4 descriptor;
  if (out->pSegmentDescriptor == NULL) {
    out->NbSegment = count;
    return STATUS_SUCCESS;
  }
  if (out->NbSegment < count || out->SegmentDescriptorStride < sizeof(descriptor)) {
    return STATUS_INVALID_PARAMETER;
  }
  // System memory that page tables map; nothing reaches it by an address in the aperture.
  RtlZeroMemory(&descriptor, sizeof(descriptor));
  descriptor.Flags.Aperture = 1;
  descriptor.Flags.CacheCoherent = 1;
  descriptor.BaseAddress.QuadPart = 0x8000000000ll;
  descriptor.Size = descriptor.CommitLimit = 0x300000;
  put_segment(out, TERN_SEGMENT_APERTURE, &descriptor);
  put_video_memory(adapter, out, TERN_SEGMENT_LOCAL,
                   tern_big_pages ? TERN_BIG_BYTES : TERN_SMALL_BYTES, tern_big_pages);
  if (tern_big_pages) put_video_memory(adapter, out, TERN_SEGMENT_TABLES, TERN_TABLES_BYTES, FALSE);
  out->NbSegment = count;
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
  // Pages of 64 KB are told in leaf tables of 4-KB pages: there are no others.
  caps->PageTableUpdateMode =
      tern_big_pages ? DXGK_PAGETABLEUPDATE_GPU_VIRTUAL : DXGK_PAGETABLEUPDATE_GPU_PHYSICAL;
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
  desc->PageTableSegmentId = tern_big_pages ? TERN_SEGMENT_TABLES : TERN_SEGMENT_LOCAL;
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
