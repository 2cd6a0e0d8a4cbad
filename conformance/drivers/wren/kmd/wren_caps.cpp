// What the adapter says of itself.
#include "wren_kmd.h"

// {8F1B1E0C-6C0F-4B52-9F0A-6A3C1B7E4D10} and the three behind it.
static const GUID g_ComponentGuid = {
    0x8f1b1e0c, 0x6c0f, 0x4b52, {0x9f, 0x0a, 0x6a, 0x3c, 0x1b, 0x7e, 0x4d, 0x10}};

static NTSTATUS DriverCaps(DXGK_DRIVERCAPS* caps) {
  RtlZeroMemory(caps, sizeof(*caps));
  caps->HighestAcceptableAddress.QuadPart = (1LL << WREN_PHYSICAL_BITS) - 1;
  caps->MaxAllocationListSlotId = WREN_SLOTS;
  caps->ApertureSegmentCommitLimit = WREN_APERTURE_BYTES;
  caps->SchedulingCaps.MultiEngineAware = 1;
  caps->SchedulingCaps.PreemptionAware = 1;
  caps->MemoryManagementCaps.PagingNode = WREN_NODE_COPY;
  caps->GpuEngineTopology.NbAsymetricProcessingNodes = WREN_NODES;
  caps->PreemptionCaps.GraphicsPreemptionGranularity =
      D3DKMDT_GRAPHICS_PREEMPTION_PRIMITIVE_BOUNDARY;
  caps->PreemptionCaps.ComputePreemptionGranularity = D3DKMDT_COMPUTE_PREEMPTION_DISPATCH_BOUNDARY;
  caps->SupportPerEngineTDR = TRUE;
  caps->SupportRuntimePowerManagement = TRUE;
  return STATUS_SUCCESS;
}

static NTSTATUS Segments(DXGK_QUERYSEGMENTOUT3* out) {
  if (!out->pSegmentDescriptor) {
    out->NbSegment = 1;
    return STATUS_SUCCESS;
  }
  if (out->NbSegment < 1) return STATUS_INVALID_PARAMETER;
  DXGK_SEGMENTDESCRIPTOR3* segment = out->pSegmentDescriptor;
  RtlZeroMemory(segment, sizeof(*segment));
  segment->Flags.Aperture = 1;
  segment->Flags.CacheCoherent = 1;
  segment->BaseAddress.QuadPart = WREN_APERTURE_BASE;
  segment->Size = WREN_APERTURE_BYTES;
  segment->CommitLimit = WREN_APERTURE_BYTES;
  out->NbSegment = 1;
  out->PagingBufferSegmentId = WREN_SEGMENT;
  out->PagingBufferSize = PAGE_SIZE;
  out->PagingBufferPrivateDataSize = 0;
  return STATUS_SUCCESS;
}

static NTSTATUS Component(UINT Index, DXGK_POWER_RUNTIME_COMPONENT* out) {
  static const char* const names[WREN_COMPONENTS] = {"Wren 3D", "Wren video", "Wren copy",
                                                     "Wren walker"};
  if (Index >= WREN_COMPONENTS) return STATUS_INVALID_PARAMETER;
  RtlZeroMemory(out, sizeof(*out));
  out->StateCount = 2;
  out->States[0].NominalPower = Index == WREN_NODE_3D ? 900000 : 200000;
  out->States[1].TransitionLatency = 500;      // 50 us
  out->States[1].ResidencyRequirement = 5000;  // 500 us
  out->States[1].NominalPower = 2000;
  out->Flags.TransitionTo_F0_OnDx = 1;
  if (Index == WREN_COMPONENT_WALKER) {
    out->ComponentMapping.ComponentType = DXGK_POWER_COMPONENT_MEMORY;
    out->ComponentMapping.MemoryDesc.SegmentID = WREN_SEGMENT;
  } else {
    out->ComponentMapping.ComponentType = DXGK_POWER_COMPONENT_ENGINE;
    out->ComponentMapping.EngineDesc.NodeIndex = Index;
    out->ProviderCount = 1;
    out->Providers[0] = WREN_COMPONENT_WALKER;
  }
  if (Index == WREN_NODE_VIDEO) out->Flags.DriverCompletesFStateTransition = 1;
  out->ComponentGuid = g_ComponentGuid;
  out->ComponentGuid.Data1 += Index;
  for (UINT i = 0; names[Index][i]; i++) out->ComponentName[i] = (UCHAR)names[Index][i];
  return STATUS_SUCCESS;
}

NTSTATUS WrenQueryAdapterInfo(IN_CONST_HANDLE, IN_CONST_PDXGKARG_QUERYADAPTERINFO Args) {
  PAGED_CODE();
  if (!Args || !Args->pOutputData) return STATUS_INVALID_PARAMETER;
  SIZE_T need = 0;
  switch (Args->Type) {
    case DXGKQAITYPE_UMDRIVERPRIVATE:
      need = sizeof(WrenUmdAdapter);
      break;
    case DXGKQAITYPE_DRIVERCAPS:
      need = sizeof(DXGK_DRIVERCAPS);
      break;
    case DXGKQAITYPE_QUERYSEGMENT3:
      need = sizeof(DXGK_QUERYSEGMENTOUT3);
      break;
    case DXGKQAITYPE_NUMPOWERCOMPONENTS:
      need = sizeof(UINT);
      break;
    case DXGKQAITYPE_POWERCOMPONENTINFO:
      need = sizeof(DXGK_POWER_RUNTIME_COMPONENT);
      break;
    default:
      return STATUS_INVALID_PARAMETER;
  }
  if (Args->OutputDataSize < need) return STATUS_INVALID_PARAMETER;
  switch (Args->Type) {
    case DXGKQAITYPE_UMDRIVERPRIVATE: {
      WrenUmdAdapter* info = (WrenUmdAdapter*)Args->pOutputData;
      RtlZeroMemory(info, sizeof(*info));
      info->magic = WREN_UMD_MAGIC;
      info->version = WREN_UMD_VERSION;
      info->nodes = WREN_NODES;
      info->slots = WREN_SLOTS;
      info->aperture_bytes = WREN_APERTURE_BYTES;
      return STATUS_SUCCESS;
    }
    case DXGKQAITYPE_DRIVERCAPS:
      return DriverCaps((DXGK_DRIVERCAPS*)Args->pOutputData);
    case DXGKQAITYPE_QUERYSEGMENT3:
      return Segments((DXGK_QUERYSEGMENTOUT3*)Args->pOutputData);
    case DXGKQAITYPE_NUMPOWERCOMPONENTS:
      *(UINT*)Args->pOutputData = WREN_COMPONENTS;
      return STATUS_SUCCESS;
    default:
      break;
  }
  if (!Args->pInputData || Args->InputDataSize < sizeof(UINT)) return STATUS_INVALID_PARAMETER;
  return Component(*(const UINT*)Args->pInputData,
                   (DXGK_POWER_RUNTIME_COMPONENT*)Args->pOutputData);
}

NTSTATUS WrenGetNodeMetadata(IN_CONST_HANDLE hAdapter, UINT NodeOrdinalAndAdapterIndex,
                             OUT_PDXGKARG_GETNODEMETADATA Out) {
  PAGED_CODE();
  static const DXGK_ENGINE_TYPE types[WREN_NODES] = {
      DXGK_ENGINE_TYPE_3D, DXGK_ENGINE_TYPE_VIDEO_DECODE, DXGK_ENGINE_TYPE_COPY};
  if (!hAdapter || !Out || NodeOrdinalAndAdapterIndex >= WREN_NODES)
    return STATUS_INVALID_PARAMETER;
  RtlZeroMemory(Out, sizeof(*Out));
  Out->EngineType = types[NodeOrdinalAndAdapterIndex];
  return STATUS_SUCCESS;
}
