// What the driver says of the adapter.
#include "plover_kmd.h"

static NTSTATUS DriverCaps(DXGK_DRIVERCAPS* c) {
  RtlZeroMemory(c, sizeof *c);
  c->HighestAcceptableAddress.QuadPart = (1ll << 52) - 1;
  c->SchedulingCaps.MultiEngineAware = 1;
  c->SchedulingCaps.PreemptionAware = 1;
  c->SchedulingCaps.LowIrqlPreemptCommand = 1;
  c->MemoryManagementCaps.VirtualAddressingSupported = 1;
  c->MemoryManagementCaps.GpuMmuSupported = 1;
  c->MemoryManagementCaps.ParavirtualizationSupported = 1;
  c->MemoryManagementCaps.PagingNode = PLOVER_COPY_NODE;
  c->GpuEngineTopology.NbAsymetricProcessingNodes = PLOVER_NODES;
  c->WDDMVersion = DXGKDDI_WDDMv2_7;
  c->PreemptionCaps.GraphicsPreemptionGranularity = D3DKMDT_GRAPHICS_PREEMPTION_DMA_BUFFER_BOUNDARY;
  c->PreemptionCaps.ComputePreemptionGranularity = D3DKMDT_COMPUTE_PREEMPTION_DISPATCH_BOUNDARY;
  c->SupportPerEngineTDR = TRUE;
  c->SupportRuntimePowerManagement = TRUE;
  c->MiscCaps.ComputeOnly = 1;
  return STATUS_SUCCESS;
}

static NTSTATUS Segments(Adapter* a, DXGK_QUERYSEGMENTOUT4* out) {
  if (!out->pSegmentDescriptor) {
    out->NbSegment = 1;
    return STATUS_SUCCESS;
  }
  DXGK_SEGMENTDESCRIPTOR4 d = {};
  d.Flags.CpuVisible = 1;
  d.BaseAddress.QuadPart = PLOVER_MEMORY_BASE;
  d.CpuTranslatedAddress = a->MemoryBus;
  d.Size = PLOVER_MEMORY_BYTES;
  d.NumInvalidMemoryRanges = 1;
  RtlCopyMemory(out->pSegmentDescriptor, &d,
                out->SegmentDescriptorStride < sizeof d ? out->SegmentDescriptorStride : sizeof d);
  out->NbSegment = 1;
  out->PagingBufferSegmentId = 0;
  out->PagingBufferSize = PLOVER_PAGING_BUFFER_BYTES;
  out->PagingBufferPrivateDataSize = 0;
  return STATUS_SUCCESS;
}

// What the firmware has.
static NTSTATUS InvalidMemory(DXGK_SEGMENTMEMORYSTATE* s) {
  if (s->DriverSegmentId != PLOVER_SEGMENT || s->PhysicalAdapterIndex)
    return STATUS_INVALID_PARAMETER;
  if (s->NumInvalidMemoryRanges < 1 || !s->pMemoryRanges) return STATUS_BUFFER_TOO_SMALL;
  s->NumInvalidMemoryRanges = 1;
  s->pMemoryRanges[0].SegmentOffset = PLOVER_FIRMWARE_OFFSET;
  s->pMemoryRanges[0].SizeInBytes = PLOVER_FIRMWARE_BYTES;
  return STATUS_SUCCESS;
}

static NTSTATUS MmuCaps(DXGK_GPUMMUCAPS* c) {
  RtlZeroMemory(c, sizeof *c);
  c->ReadOnlyMemorySupported = 1;
  c->NoExecuteMemorySupported = 1;
  c->ZeroInPteSupported = 1;
  c->CacheCoherentMemorySupported = 1;
  c->InvalidTlbEntriesNotCached = 1;
  c->PageTableUpdateMode = DXGK_PAGETABLEUPDATE_CPU_VIRTUAL;
  c->VirtualAddressBitCount = PLOVER_VA_BITS;
  c->PageTableLevelCount = PLOVER_LEVELS;
  return STATUS_SUCCESS;
}

// Tables lie in system memory, so that the CPU can write them, and have a page each.
static NTSTATUS LevelDesc(const DXGK_QUERYPAGETABLELEVELDESCIN* in, DXGK_PAGE_TABLE_LEVEL_DESC* d) {
  static const UINT bits[PLOVER_LEVELS] = PLOVER_INDEX_BITS;
  if (in->LevelIndex >= PLOVER_LEVELS || in->PhysicalAdapterIndex) return STATUS_INVALID_PARAMETER;
  RtlZeroMemory(d, sizeof *d);
  d->PageTableIndexBitCount = bits[in->LevelIndex];
  d->PageTableSizeInBytes = PAGE_SIZE;
  d->PageTableAlignmentInBytes = PAGE_SIZE;
  return STATUS_SUCCESS;
}

// A component for each node: the clock of a node that has nothing to do may stand still.
static NTSTATUS PowerComponent(UINT index, DXGK_POWER_RUNTIME_COMPONENT* c) {
  static const GUID guid = {
      0x6e1a7a10, 0x2f5d, 0x4c1b, {0x9a, 0x31, 0x07, 0x5e, 0x4d, 0x88, 0x21, 0x00}};
  static const char* const names[PLOVER_NODES] = {"Compute 0", "Compute 1", "Copy"};
  if (index >= PLOVER_NODES) return STATUS_INVALID_PARAMETER;
  RtlZeroMemory(c, sizeof *c);
  c->StateCount = 2;
  c->States[0].NominalPower = 2000000;
  c->States[1].TransitionLatency = 500;
  c->States[1].ResidencyRequirement = 5000;
  c->States[1].NominalPower = 50000;
  c->ComponentMapping.ComponentType = DXGK_POWER_COMPONENT_ENGINE;
  c->ComponentMapping.EngineDesc.NodeIndex = index;
  c->Flags.TransitionTo_F0_OnDx = 1;
  c->ComponentGuid = guid;
  c->ComponentGuid.Data4[7] = (UCHAR)index;
  RtlCopyMemory(c->ComponentName, names[index], strlen(names[index]) + 1);
  return STATUS_SUCCESS;
}

NTSTATUS PloverQueryAdapterInfo(IN_CONST_HANDLE hAdapter, IN_CONST_PDXGKARG_QUERYADAPTERINFO q) {
  Adapter* a = (Adapter*)hAdapter;
#define OUT_AS(T) (q->pOutputData && q->OutputDataSize >= sizeof(T) ? (T*)q->pOutputData : NULL)
#define IN_AS(T) (q->pInputData && q->InputDataSize >= sizeof(T) ? (const T*)q->pInputData : NULL)
#define NEED(x) \
  if (!(x)) return STATUS_BUFFER_TOO_SMALL
  // A number that these headers may not know yet.
  switch (*(const UINT*)&q->Type) {
    case DXGKQAITYPE_DRIVERCAPS:
      NEED(OUT_AS(DXGK_DRIVERCAPS));
      return DriverCaps(OUT_AS(DXGK_DRIVERCAPS));
    case DXGKQAITYPE_QUERYSEGMENT4:
      NEED(OUT_AS(DXGK_QUERYSEGMENTOUT4));
      if (IN_AS(DXGK_QUERYSEGMENTIN4) && IN_AS(DXGK_QUERYSEGMENTIN4)->PhysicalAdapterIndex)
        return STATUS_INVALID_PARAMETER;
      return Segments(a, OUT_AS(DXGK_QUERYSEGMENTOUT4));
    case DXGKQAITYPE_SEGMENTMEMORYSTATE:
      NEED(OUT_AS(DXGK_SEGMENTMEMORYSTATE));
      return InvalidMemory(OUT_AS(DXGK_SEGMENTMEMORYSTATE));
    case DXGKQAITYPE_GPUMMUCAPS:
      NEED(OUT_AS(DXGK_GPUMMUCAPS));
      if (IN_AS(DXGK_QUERYGPUMMUCAPSIN) && IN_AS(DXGK_QUERYGPUMMUCAPSIN)->PhysicalAdapterIndex)
        return STATUS_INVALID_PARAMETER;
      return MmuCaps(OUT_AS(DXGK_GPUMMUCAPS));
    case DXGKQAITYPE_PAGETABLELEVELDESC:
      NEED(OUT_AS(DXGK_PAGE_TABLE_LEVEL_DESC));
      NEED(IN_AS(DXGK_QUERYPAGETABLELEVELDESCIN));
      return LevelDesc(IN_AS(DXGK_QUERYPAGETABLELEVELDESCIN), OUT_AS(DXGK_PAGE_TABLE_LEVEL_DESC));
    case DXGKQAITYPE_PHYSICALADAPTERCAPS: {
      NEED(OUT_AS(DXGK_PHYSICALADAPTERCAPS));
      DXGK_PHYSICALADAPTERCAPS* c = OUT_AS(DXGK_PHYSICALADAPTERCAPS);
      RtlZeroMemory(c, sizeof *c);
      c->NumExecutionNodes = PLOVER_NODES;
      c->PagingNodeIndex = PLOVER_COPY_NODE;
      c->DxgkPhysicalAdapterHandle = a->Dxgk.DeviceHandle;
      c->Flags.GpuMmuSupported = 1;
      return STATUS_SUCCESS;
    }
    case DXGKQAITYPE_NUMPOWERCOMPONENTS:
      NEED(OUT_AS(UINT));
      *OUT_AS(UINT) = PLOVER_NODES;
      return STATUS_SUCCESS;
    case DXGKQAITYPE_POWERCOMPONENTINFO:
      NEED(OUT_AS(DXGK_POWER_RUNTIME_COMPONENT));
      NEED(IN_AS(UINT));
      return PowerComponent(*IN_AS(UINT), OUT_AS(DXGK_POWER_RUNTIME_COMPONENT));
    case DXGKQAITYPE_HISTORYBUFFERPRECISION:
      NEED(OUT_AS(DXGKARG_HISTORYBUFFERPRECISION));
      for (UINT i = 0; i < q->OutputDataSize / sizeof(DXGKARG_HISTORYBUFFERPRECISION); ++i)
        ((DXGKARG_HISTORYBUFFERPRECISION*)q->pOutputData)[i].PrecisionBits = 64;
      return STATUS_SUCCESS;
    case DXGKQAITYPE_WDDMDEVICECAPS:
      NEED(OUT_AS(DXGK_WDDMDEVICECAPS));
      OUT_AS(DXGK_WDDMDEVICECAPS)->WDDMVersion = DXGKDDI_WDDMv2_7;
      return STATUS_SUCCESS;
    default:
      return STATUS_NOT_SUPPORTED;
  }
}

NTSTATUS PloverGetNodeMetadata(IN_CONST_HANDLE, UINT node, OUT_PDXGKARG_GETNODEMETADATA m) {
  static const WCHAR compute[] = L"Plover compute", copy[] = L"Plover copy";
  // The upper half is the adapter of a link, of which there is one.
  if (node >= PLOVER_NODES) return STATUS_INVALID_PARAMETER;
  RtlZeroMemory(m, sizeof *m);
  m->EngineType = node == PLOVER_COPY_NODE ? DXGK_ENGINE_TYPE_COPY : DXGK_ENGINE_TYPE_OTHER;
  if (node == PLOVER_COPY_NODE)
    RtlCopyMemory(m->FriendlyName, copy, sizeof copy);
  else
    RtlCopyMemory(m->FriendlyName, compute, sizeof compute);
  m->GpuMmuSupported = TRUE;
  return STATUS_SUCCESS;
}
