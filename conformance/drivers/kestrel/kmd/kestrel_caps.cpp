// What the driver says of the adapter.
#include "kestrel_kmd.h"

template <class T>
static T* Output(IN_CONST_PDXGKARG_QUERYADAPTERINFO args) {
  return args->OutputDataSize >= sizeof(T) ? (T*)args->pOutputData : NULL;
}

static NTSTATUS DriverCaps(IN_CONST_PDXGKARG_QUERYADAPTERINFO args) {
  DXGK_DRIVERCAPS* caps = Output<DXGK_DRIVERCAPS>(args);
  if (!caps) return STATUS_BUFFER_TOO_SMALL;
  RtlZeroMemory(caps, sizeof(*caps));
  caps->HighestAcceptableAddress.QuadPart = 0x7fffffffffffll;
  caps->MaxAllocationListSlotId = KST_SLOTS;
  caps->ApertureSegmentCommitLimit = KST_APERTURE_BYTES;
  caps->SchedulingCaps.MultiEngineAware = 1;
  caps->SchedulingCaps.PreemptionAware = 1;
  caps->SchedulingCaps.CancelCommandAware = 1;
  caps->MemoryManagementCaps.PagingNode = 1;
  caps->GpuEngineTopology.NbAsymetricProcessingNodes = KST_NODES;
  caps->WDDMVersion = DXGKDDI_WDDMv2;
  caps->PreemptionCaps.GraphicsPreemptionGranularity =
      D3DKMDT_GRAPHICS_PREEMPTION_PRIMITIVE_BOUNDARY;
  caps->PreemptionCaps.ComputePreemptionGranularity = D3DKMDT_COMPUTE_PREEMPTION_DISPATCH_BOUNDARY;
  caps->SupportPerEngineTDR = TRUE;
  return STATUS_SUCCESS;
}

static NTSTATUS Segments(KstAdapter* a, IN_CONST_PDXGKARG_QUERYADAPTERINFO args) {
  DXGK_QUERYSEGMENTOUT4* out = Output<DXGK_QUERYSEGMENTOUT4>(args);
  if (!out) return STATUS_BUFFER_TOO_SMALL;
  if (!out->pSegmentDescriptor) {
    out->NbSegment = 3;
    return STATUS_SUCCESS;
  }
  DXGK_SEGMENTDESCRIPTOR4 s[3];
  RtlZeroMemory(s, sizeof(s));
  DXGK_SEGMENTDESCRIPTOR4* aperture = &s[KST_SEGMENT_APERTURE - 1];
  aperture->Flags.Aperture = 1;
  aperture->Flags.CacheCoherent = 1;
  aperture->BaseAddress.QuadPart = KST_APERTURE_BASE;
  aperture->Size = aperture->CommitLimit = KST_APERTURE_BYTES;
  DXGK_SEGMENTDESCRIPTOR4* hidden = &s[KST_SEGMENT_HIDDEN - 1];
  hidden->BaseAddress.QuadPart = KST_HIDDEN_BASE;
  hidden->Size = hidden->CommitLimit = KST_HIDDEN_BYTES;
  DXGK_SEGMENTDESCRIPTOR4* visible = &s[KST_SEGMENT_VISIBLE - 1];
  visible->Flags.CpuVisible = 1;
  visible->BaseAddress.QuadPart = KST_VISIBLE_BASE;
  visible->CpuTranslatedAddress = a->Visible;
  visible->Size = visible->CommitLimit = KST_VISIBLE_BYTES;
  for (ULONG i = 0; i < 3; i++)
    RtlCopyMemory(out->pSegmentDescriptor + i * out->SegmentDescriptorStride, &s[i],
                  min(out->SegmentDescriptorStride, sizeof(s[i])));
  out->NbSegment = 3;
  out->PagingBufferSegmentId = 0;
  out->PagingBufferSize = 0x4000;
  out->PagingBufferPrivateDataSize = 0;
  return STATUS_SUCCESS;
}

NTSTATUS KstQueryAdapterInfo(IN_CONST_HANDLE hAdapter, IN_CONST_PDXGKARG_QUERYADAPTERINFO args) {
  KstAdapter* a = (KstAdapter*)hAdapter;
  // A number that these headers may not know yet.
  switch (*(const UINT*)&args->Type) {
    case DXGKQAITYPE_UMDRIVERPRIVATE: {
      ULONG* id = Output<ULONG>(args);
      if (!id) return STATUS_BUFFER_TOO_SMALL;
      *id = KST_ID_VALUE;
      return STATUS_SUCCESS;
    }
    case DXGKQAITYPE_DRIVERCAPS:
      return DriverCaps(args);
    case DXGKQAITYPE_QUERYSEGMENT4:
      return Segments(a, args);
    case DXGKQAITYPE_PHYSICALADAPTERCAPS: {
      DXGK_PHYSICALADAPTERCAPS* caps = Output<DXGK_PHYSICALADAPTERCAPS>(args);
      if (!caps) return STATUS_BUFFER_TOO_SMALL;
      RtlZeroMemory(caps, sizeof(*caps));
      caps->NumExecutionNodes = KST_NODES;
      caps->PagingNodeIndex = 1;
      caps->DxgkPhysicalAdapterHandle = a->Dxgk.DeviceHandle;
      return STATUS_SUCCESS;
    }
    case DXGKQAITYPE_NUMPOWERCOMPONENTS: {
      UINT* count = Output<UINT>(args);
      if (!count) return STATUS_BUFFER_TOO_SMALL;
      *count = 0;
      return STATUS_SUCCESS;
    }
    default:
      return STATUS_NOT_SUPPORTED;
  }
}

NTSTATUS KstGetNodeMetadata(IN_CONST_HANDLE, UINT node, OUT_PDXGKARG_GETNODEMETADATA out) {
  if (node >= KST_NODES) return STATUS_INVALID_PARAMETER;  // of the one adapter
  RtlZeroMemory(out, sizeof(*out));
  out->EngineType = node ? DXGK_ENGINE_TYPE_COPY : DXGK_ENGINE_TYPE_3D;
  return STATUS_SUCCESS;
}

NTSTATUS KstCalibrateGpuClock(IN_CONST_HANDLE hAdapter, UINT32 node, UINT32 engine,
                              OUT_PDXGKARG_CALIBRATEGPUCLOCK clock) {
  KstAdapter* a = (KstAdapter*)hAdapter;
  if (node >= KST_NODES || engine) return STATUS_INVALID_PARAMETER;
  LARGE_INTEGER now = KeQueryPerformanceCounter(NULL);
  RtlZeroMemory(clock, sizeof(*clock));
  clock->GpuFrequency = KST_CLOCK_HZ;
  clock->GpuClockCounter = READ_REGISTER_ULONG64((volatile ULONG64*)(a->Regs + KST_CLOCK));
  clock->CpuClockCounter = now.QuadPart;
  return STATUS_SUCCESS;
}
