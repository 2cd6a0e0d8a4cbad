// Processes, devices, contexts and allocations.
#include "tern_kmd.h"

// A number may have been another process's before: what the hardware kept for it goes.
NTSTATUS TernCreateProcess(HANDLE hAdapter, DXGKARG_CREATEPROCESS* args) {
  TernAdapter* adapter = (TernAdapter*)hAdapter;
  TernProcess* process = (TernProcess*)tern_allocate(sizeof(TernProcess));
  KIRQL irql;
  UINT number = 0;
  if (process == NULL) return STATUS_NO_MEMORY;
  KeAcquireSpinLock(&adapter->SpacesLock, &irql);
  while (number < TERN_MOST_PROCESSES && (adapter->SpacesInUse >> number & 1) != 0) ++number;
  if (number < TERN_MOST_PROCESSES) adapter->SpacesInUse |= 1ull << number;
  KeReleaseSpinLock(&adapter->SpacesLock, irql);
  if (number == TERN_MOST_PROCESSES) {
    tern_free(process);
    return STATUS_INSUFFICIENT_RESOURCES;
  }
  process->Adapter = adapter;
  process->Dxgk = args->hDxgkProcess;
  process->Space = number + 1;
  tern_write(adapter, TERN_REG_TLB_FLUSH, process->Space);
  tern_write(adapter, TERN_REG_TLB_FLUSH, TERN_KERNEL_SPACE(process));
  args->hKmdProcess = process;
  return STATUS_SUCCESS;
}

NTSTATUS TernDestroyProcess(HANDLE hAdapter, HANDLE hProcess) {
  TernAdapter* adapter = (TernAdapter*)hAdapter;
  TernProcess* process = (TernProcess*)hProcess;
  KIRQL irql;
  KeAcquireSpinLock(&adapter->SpacesLock, &irql);
  adapter->SpacesInUse &= ~(1ull << (process->Space - 1));
  KeReleaseSpinLock(&adapter->SpacesLock, irql);
  tern_free(process);
  return STATUS_SUCCESS;
}

NTSTATUS TernCreateDevice(HANDLE hAdapter, DXGKARG_CREATEDEVICE* args) {
  TernDevice* device;
  if (args->hKmdProcess == NULL) return STATUS_INVALID_PARAMETER;
  device = (TernDevice*)tern_allocate(sizeof(TernDevice));
  if (device == NULL) return STATUS_NO_MEMORY;
  device->Adapter = (TernAdapter*)hAdapter;
  device->Process = (TernProcess*)args->hKmdProcess;
  args->hDevice = device;
  return STATUS_SUCCESS;
}

NTSTATUS TernDestroyDevice(HANDLE hDevice) {
  tern_free(hDevice);
  return STATUS_SUCCESS;
}

NTSTATUS TernCreateContext(HANDLE hDevice, DXGKARG_CREATECONTEXT* args) {
  TernContext* context;
  if (args->NodeOrdinal != 0 || !args->Flags.VirtualAddressing) return STATUS_INVALID_PARAMETER;
  context = (TernContext*)tern_allocate(sizeof(TernContext));
  if (context == NULL) return STATUS_NO_MEMORY;
  context->Device = (TernDevice*)hDevice;
  context->IsSystem = args->Flags.SystemContext;
  RtlZeroMemory(&args->ContextInfo, sizeof(args->ContextInfo));
  args->ContextInfo.DmaBufferSize = 8192;
  args->ContextInfo.DmaBufferPrivateDataSize = TERN_MOST_PRIVATE;
  args->ContextInfo.Caps.NoPatchingRequired = 1;
  args->ContextInfo.PagingCompanionNodeId = 0;
  args->hContext = context;
  return STATUS_SUCCESS;
}

NTSTATUS TernDestroyContext(HANDLE hContext) {
  tern_free(hContext);
  return STATUS_SUCCESS;
}

// The context is idle: its packets find the root in their ring entries.
VOID TernSetRootPageTable(HANDLE hAdapter, const DXGKARG_SETROOTPAGETABLE* args) {
  TernContext* context = (TernContext*)args->hContext;
  UNREFERENCED_PARAMETER(hAdapter);
  context->Root = tern_gpu_address(args->Address.SegmentId, args->Address.SegmentOffset);
  context->RootEntries = args->NumEntries;
}

static NTSTATUS describe(DXGK_ALLOCATIONINFO* info) {
  const UINT aperture = 1u << (TERN_SEGMENT_APERTURE - 1), local = 1u << (TERN_SEGMENT_LOCAL - 1);
  TernAllocationData data;
  TernAllocation* allocation;
  if (info->pPrivateDriverData == NULL || info->PrivateDriverDataSize < sizeof(data)) {
    return STATUS_INVALID_PARAMETER;
  }
  RtlCopyMemory(&data, info->pPrivateDriverData, sizeof(data));
  if (data.magic != TERN_MAGIC || data.bytes == 0 || data.bytes > (1ull << 32)) {
    return STATUS_INVALID_PARAMETER;
  }
  allocation = (TernAllocation*)tern_allocate(sizeof(TernAllocation));
  if (allocation == NULL) return STATUS_NO_MEMORY;
  allocation->Data = data;
  info->Alignment = tern_big_pages && !data.system_only ? TERN_BLOCK_BYTES : PAGE_SIZE;
  info->Size = ROUND_TO_PAGES(data.bytes);
  info->PitchAlignedSize = 0;
  info->HintedBank.Value = 0;
  info->PreferredSegment.Value = 0;
  info->PreferredSegment.SegmentId0 = data.system_only ? TERN_SEGMENT_APERTURE : TERN_SEGMENT_LOCAL;
  info->SupportedReadSegmentSet = data.system_only ? aperture : aperture | local;
  info->SupportedWriteSegmentSet = info->SupportedReadSegmentSet;
  info->EvictionSegmentSet = 0;
  info->PhysicalAdapterIndex = 0;
  info->hAllocation = allocation;
  info->FlagsWddm2.Value = 0;
  info->FlagsWddm2.CpuVisible = data.cpu_visible != 0;
  info->pAllocationUsageHint = NULL;
  info->AllocationPriority = D3DDDI_ALLOCATIONPRIORITY_NORMAL;
  return STATUS_SUCCESS;
}

NTSTATUS TernCreateAllocation(HANDLE hAdapter, DXGKARG_CREATEALLOCATION* args) {
  NTSTATUS status = STATUS_SUCCESS;
  UINT made = 0;
  PVOID resource = NULL;
  UNREFERENCED_PARAMETER(hAdapter);
  if (args->Flags.Resource && args->hResource == NULL) {
    resource = tern_allocate(sizeof(UINT));
    if (resource == NULL) return STATUS_NO_MEMORY;
  }
  for (; made < args->NumAllocations && NT_SUCCESS(status); ++made) {
    status = describe(&args->pAllocationInfo[made]);
  }
  if (NT_SUCCESS(status)) {
    if (resource != NULL) args->hResource = resource;
    return status;
  }
  for (--made; made > 0; --made) {
    tern_free(args->pAllocationInfo[made - 1].hAllocation);
    args->pAllocationInfo[made - 1].hAllocation = NULL;
  }
  tern_free(resource);
  return status;
}

NTSTATUS TernDestroyAllocation(HANDLE hAdapter, const DXGKARG_DESTROYALLOCATION* args) {
  UINT i;
  UNREFERENCED_PARAMETER(hAdapter);
  for (i = 0; i < args->NumAllocations; ++i) tern_free(args->pAllocationList[i]);
  if (args->Flags.DestroyResource) tern_free(args->hResource);
  return STATUS_SUCCESS;
}

NTSTATUS TernDescribeAllocation(HANDLE hAdapter, DXGKARG_DESCRIBEALLOCATION* args) {
  const TernAllocation* allocation = (const TernAllocation*)args->hAllocation;
  UNREFERENCED_PARAMETER(hAdapter);
  args->Width = (UINT)(allocation->Data.bytes / 4);
  args->Height = 1;
  args->Format = D3DDDIFMT_UNKNOWN;
  args->PrivateDriverFormatAttribute = 0;
  return STATUS_SUCCESS;
}

// Surfaces are linear, 4 bytes a pixel, lines of whole 64 bytes.
NTSTATUS TernGetStandardAllocationDriverData(HANDLE hAdapter,
                                             DXGKARG_GETSTANDARDALLOCATIONDRIVERDATA* args) {
  TernAllocationData data = {TERN_MAGIC, 0, 0, 0, 0};
  UINT width, height, *pitch;
  UNREFERENCED_PARAMETER(hAdapter);
  switch (args->StandardAllocationType) {
    case D3DKMDT_STANDARDALLOCATION_SHADOWSURFACE:
      width = args->pCreateShadowSurfaceData->Width;
      height = args->pCreateShadowSurfaceData->Height;
      pitch = &args->pCreateShadowSurfaceData->Pitch;
      break;
    case D3DKMDT_STANDARDALLOCATION_STAGINGSURFACE:
      width = args->pCreateStagingSurfaceData->Width;
      height = args->pCreateStagingSurfaceData->Height;
      pitch = &args->pCreateStagingSurfaceData->Pitch;
      data.system_only = 1;
      break;
    default:
      return STATUS_NOT_SUPPORTED;
  }
  args->ResourcePrivateDriverDataSize = 0;
  if (args->pAllocationPrivateDriverData == NULL) {
    args->AllocationPrivateDriverDataSize = sizeof(data);
    return STATUS_SUCCESS;
  }
  if (args->AllocationPrivateDriverDataSize < sizeof(data)) return STATUS_INVALID_PARAMETER;
  *pitch = (width * 4 + 63) & ~63u;
  data.cpu_visible = 1;
  data.bytes = (ULONG64)*pitch * height;
  RtlCopyMemory(args->pAllocationPrivateDriverData, &data, sizeof(data));
  return STATUS_SUCCESS;
}

NTSTATUS TernOpenAllocation(HANDLE hDevice, const DXGKARG_OPENALLOCATION* args) {
  UINT i;
  UNREFERENCED_PARAMETER(hDevice);
  for (i = 0; i < args->NumAllocations; ++i) {
    DXGK_OPENALLOCATIONINFO* info = &args->pOpenAllocation[i];
    info->hDeviceSpecificAllocation = tern_allocate(sizeof(D3DKMT_HANDLE));
    if (info->hDeviceSpecificAllocation == NULL) {
      while (i-- > 0) {
        tern_free(args->pOpenAllocation[i].hDeviceSpecificAllocation);
        args->pOpenAllocation[i].hDeviceSpecificAllocation = NULL;
      }
      return STATUS_NO_MEMORY;
    }
    *(D3DKMT_HANDLE*)info->hDeviceSpecificAllocation = info->hAllocation;
  }
  return STATUS_SUCCESS;
}

NTSTATUS TernCloseAllocation(HANDLE hDevice, const DXGKARG_CLOSEALLOCATION* args) {
  UINT i;
  UNREFERENCED_PARAMETER(hDevice);
  for (i = 0; i < args->NumAllocations; ++i) tern_free(args->pOpenHandleList[i]);
  return STATUS_SUCCESS;
}
