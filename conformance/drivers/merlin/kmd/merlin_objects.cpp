// Processes, devices and contexts.
//
// A process has two address spaces, the second of them for what the kernel runs in it.
#include "merlin_kmd.h"

NTSTATUS MerlinCreateProcess(IN_CONST_HANDLE adapter, INOUT_PDXGKARG_CREATEPROCESS args) {
  PAGED_CODE();
  MerlinGpu* gpu = static_cast<MerlinGpu*>(adapter);
  if (!gpu || !args) return STATUS_INVALID_PARAMETER;
  MerlinLink* link = gpu->link;
  MerlinProcess* process = MerlinNew<MerlinProcess>();
  if (!process) return STATUS_NO_MEMORY;
  UINT space = 0;
  ExAcquireFastMutex(&link->lock);
  for (UINT i = 1; i < MERLIN_MAX_SPACES && !space; i++) {
    if (link->spaces[i / 32] & (1u << (i % 32))) continue;
    link->spaces[i / 32] |= 1u << (i % 32);
    space = i;
  }
  ExReleaseFastMutex(&link->lock);
  if (!space) {
    MerlinFree(process);
    return STATUS_INSUFFICIENT_RESOURCES;
  }
  process->link = link;
  process->dxgk = args->hDxgkProcess;
  process->space = space;
  args->hKmdProcess = process;
  return STATUS_SUCCESS;
}

NTSTATUS MerlinDestroyProcess(IN_CONST_HANDLE adapter, IN_CONST_HANDLE handle) {
  PAGED_CODE();
  MerlinProcess* process = static_cast<MerlinProcess*>(handle);
  if (!adapter || !process) return STATUS_INVALID_PARAMETER;
  MerlinLink* link = process->link;
  // The number goes to the next process: nothing cached of this one may be found then.
  for (UINT i = 0; i < MERLIN_LINKS; i++) {
    MerlinGpu* gpu = link->gpu[i];
    if (!gpu || !gpu->powered) continue;
    MerlinWrite(gpu, MR_TLB_FLUSH, 2 * process->space);
    MerlinWrite(gpu, MR_TLB_FLUSH, 2 * process->space + 1);
  }
  ExAcquireFastMutex(&link->lock);
  link->spaces[process->space / 32] &= ~(1u << (process->space % 32));
  ExReleaseFastMutex(&link->lock);
  MerlinFree(process);
  return STATUS_SUCCESS;
}

NTSTATUS MerlinCreateDevice(IN_CONST_HANDLE adapter, INOUT_PDXGKARG_CREATEDEVICE args) {
  PAGED_CODE();
  MerlinGpu* gpu = static_cast<MerlinGpu*>(adapter);
  if (!gpu || !args || !args->hKmdProcess) return STATUS_INVALID_PARAMETER;
  MerlinDevice* device = MerlinNew<MerlinDevice>();
  if (!device) return STATUS_NO_MEMORY;
  device->link = gpu->link;
  device->dxgk = args->hDevice;
  device->process = static_cast<MerlinProcess*>(args->hKmdProcess);
  device->system = args->Flags.SystemDevice != 0;
  args->hDevice = device;
  return STATUS_SUCCESS;
}

NTSTATUS MerlinDestroyDevice(IN_CONST_HANDLE handle) {
  PAGED_CODE();
  if (!handle) return STATUS_INVALID_PARAMETER;
  MerlinFree(handle);
  return STATUS_SUCCESS;
}

NTSTATUS MerlinCreateContext(IN_CONST_HANDLE handle, INOUT_PDXGKARG_CREATECONTEXT args) {
  PAGED_CODE();
  MerlinDevice* device = static_cast<MerlinDevice*>(handle);
  if (!device || !args || args->NodeOrdinal >= MERLIN_NODES) return STATUS_INVALID_PARAMETER;
  UINT index = 0;
  while (index < MERLIN_LINKS && args->EngineAffinity != 1u << index) index++;
  if (index == MERLIN_LINKS || !device->link->gpu[index] || args->Flags.HwQueueSupported)
    return STATUS_INVALID_PARAMETER;
  const bool kernel = args->Flags.SystemContext || args->Flags.GdiContext;
  if (!kernel) {
    if (!args->pPrivateDriverData || args->PrivateDriverDataSize != sizeof(MerlinContextData))
      return STATUS_GRAPHICS_DRIVER_MISMATCH;
    MerlinContextData data;
    RtlCopyMemory(&data, args->pPrivateDriverData, sizeof(data));
    if (data.magic != MERLIN_MAGIC_CONTEXT || data.abi != MERLIN_ABI || data.reserved ||
        data.node != args->NodeOrdinal)
      return STATUS_GRAPHICS_DRIVER_MISMATCH;
  }
  MerlinContext* context = MerlinNew<MerlinContext>();
  if (!context) return STATUS_NO_MEMORY;
  context->device = device;
  context->gpu = device->link->gpu[index];
  context->node = args->NodeOrdinal;
  context->system = args->Flags.SystemContext != 0;
  // Paging companions of others work in the privileged address space of their process.
  const bool companion = context->system && !device->system;
  context->space = 2 * device->process->space + (companion ? 1 : 0);
  if (context->system && !companion) context->gpu->engine[context->node].system = context;
  RtlZeroMemory(&args->ContextInfo, sizeof(args->ContextInfo));
  args->ContextInfo.DmaBufferSize = MERLIN_PAGING_BUFFER_BYTES;
  args->ContextInfo.DmaBufferPrivateDataSize =
      context->system ? MERLIN_PAGING_PRIVATE_BYTES : MERLIN_DMA_PRIVATE_BYTES;
  args->ContextInfo.AllocationListSize =
      args->Flags.GdiContext ? DXGK_ALLOCATION_LIST_SIZE_GDICONTEXT : 16;
  args->ContextInfo.Caps.NoPatchingRequired = 1;
  args->ContextInfo.PagingCompanionNodeId = MERLIN_NODE_COPY;
  args->hContext = context;
  return STATUS_SUCCESS;
}

NTSTATUS MerlinDestroyContext(IN_CONST_HANDLE handle) {
  PAGED_CODE();
  MerlinContext* context = static_cast<MerlinContext*>(handle);
  if (!context) return STATUS_INVALID_PARAMETER;
  MerlinEngine* engine = &context->gpu->engine[context->node];
  if (engine->system == context) engine->system = nullptr;
  MerlinFree(context);
  return STATUS_SUCCESS;
}
