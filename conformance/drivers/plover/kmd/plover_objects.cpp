// Processes, devices and contexts.
#include "plover_kmd.h"

NTSTATUS PloverCreateProcess(IN_CONST_HANDLE hAdapter, INOUT_PDXGKARG_CREATEPROCESS args) {
  Adapter* a = (Adapter*)hAdapter;
  Process* p = Make<Process>(a);
  if (!p) return STATUS_NO_MEMORY;
  KIRQL irql;
  KeAcquireSpinLock(&a->SpaceLock, &irql);
  UINT space = 1;
  while (space < PLOVER_SPACES && a->DxgkProcesses[space]) ++space;
  if (space < PLOVER_SPACES) a->DxgkProcesses[space] = args->hDxgkProcess;
  KeReleaseSpinLock(&a->SpaceLock, irql);
  if (space == PLOVER_SPACES) {
    Remove(p);
    return STATUS_NO_MEMORY;
  }
  p->Space = space;
  args->hKmdProcess = p->Handle;
  return STATUS_SUCCESS;
}

NTSTATUS PloverDestroyProcess(IN_CONST_HANDLE hAdapter, IN_CONST_HANDLE hKmdProcess) {
  Adapter* a = (Adapter*)hAdapter;
  Process* p = FindAs<Process>(hKmdProcess);
  if (!p) return STATUS_INVALID_PARAMETER;
  if (a->Powered) Write32(a, PLOVER_TLB_INVALIDATE, p->Space);
  a->DxgkProcesses[p->Space] = NULL;
  Remove(p);
  return STATUS_SUCCESS;
}

NTSTATUS PloverCreateDevice(IN_CONST_HANDLE hAdapter, INOUT_PDXGKARG_CREATEDEVICE args) {
  Process* p = FindAs<Process>(args->hKmdProcess);
  if (args->hKmdProcess && !p) return STATUS_INVALID_PARAMETER;
  Device* d = Make<Device>((Adapter*)hAdapter);
  if (!d) return STATUS_NO_MEMORY;
  d->DxgkDevice = args->hDevice;
  d->Parent = p;
  args->hDevice = d->Handle;
  return STATUS_SUCCESS;
}

NTSTATUS PloverDestroyDevice(IN_CONST_HANDLE hDevice) {
  Device* d = FindAs<Device>(hDevice);
  if (!d) return STATUS_INVALID_PARAMETER;
  Remove(d);
  return STATUS_SUCCESS;
}

// The save area of a context: where the hardware writes how far a preempted packet came. Contexts
// of the system have none: what they were asked to do must not be done twice in part.
static NTSTATUS MakeSaveArea(Context* c, HANDLE dxgk_context) {
  Adapter* a = c->Owner;
  DXGKARGCB_CREATECONTEXTALLOCATION make = {};
  make.ContextAllocationFlags.MapGpuVirtualAddress = 1;
  make.hAdapter = a->Dxgk.DeviceHandle;
  make.hDevice = c->Parent->DxgkDevice;
  make.hContext = dxgk_context;
  make.hDriverAllocation = c->Handle;
  make.Size = PAGE_SIZE;
  make.Alignment = PAGE_SIZE;
  make.SupportedSegmentSet = 1u << (PLOVER_SEGMENT - 1);
  make.PreferredSegment.SegmentId0 = PLOVER_SEGMENT;
  NTSTATUS status = a->Dxgk.DxgkCbCreateContextAllocation(&make);
  if (!NT_SUCCESS(status)) return status;
  DXGKARGCB_MAPCONTEXTALLOCATION map = {};
  map.hAllocation = make.hAllocation;
  map.SizeInPages = 1;
  map.Protection.Write = 1;
  c->SaveAddress = a->Dxgk.DxgkCbMapContextAllocation(a->Dxgk.DeviceHandle, &map);
  if (c->SaveAddress == D3DGPU_NULL) {
    a->Dxgk.DxgkCbDestroyContextAllocation(a->Dxgk.DeviceHandle, make.hAllocation);
    return STATUS_NO_MEMORY;
  }
  c->SaveAllocation = make.hAllocation;
  return STATUS_SUCCESS;
}

NTSTATUS PloverCreateContext(IN_CONST_HANDLE hDevice, INOUT_PDXGKARG_CREATECONTEXT args) {
  Device* d = FindAs<Device>(hDevice);
  const PloverContextData* data = (const PloverContextData*)args->pPrivateDriverData;
  if (!d || args->NodeOrdinal >= PLOVER_NODES || (args->EngineAffinity & ~1u))
    return STATUS_INVALID_PARAMETER;
  if (args->PrivateDriverDataSize &&
      (args->PrivateDriverDataSize < sizeof *data || data->magic != PLOVER_CONTEXT_MAGIC ||
       data->node != args->NodeOrdinal))
    return STATUS_INVALID_PARAMETER;
  Context* c = Make<Context>(d->Owner);
  if (!c) return STATUS_NO_MEMORY;
  c->Parent = d;
  c->Node = args->NodeOrdinal;
  c->System = (BOOLEAN)args->Flags.SystemContext;
  if (!c->System) {
    NTSTATUS status = MakeSaveArea(c, args->hContext);
    if (!NT_SUCCESS(status)) {
      Remove(c);
      return status;
    }
  } else if (!d->Owner->SystemContexts[c->Node]) {  // the first is that of the paging process
    d->Owner->SystemContexts[c->Node] = c;
  }
  args->hContext = c->Handle;
  RtlZeroMemory(&args->ContextInfo, sizeof args->ContextInfo);
  args->ContextInfo.DmaBufferSize = PLOVER_PAGING_BUFFER_BYTES;
  args->ContextInfo.DmaBufferPrivateDataSize = c->System ? 0 : sizeof(PloverSubmitData);
  args->ContextInfo.Caps.NoPatchingRequired = 1;
  args->ContextInfo.PagingCompanionNodeId = PLOVER_COPY_NODE;
  return STATUS_SUCCESS;
}

NTSTATUS PloverDestroyContext(IN_CONST_HANDLE hContext) {
  Context* c = FindAs<Context>(hContext);
  if (!c) return STATUS_INVALID_PARAMETER;
  Adapter* a = c->Owner;
  if (a->SystemContexts[c->Node] == c) a->SystemContexts[c->Node] = NULL;
  if (c->SaveAllocation)
    a->Dxgk.DxgkCbDestroyContextAllocation(a->Dxgk.DeviceHandle, c->SaveAllocation);
  Remove(c);
  return STATUS_SUCCESS;
}
