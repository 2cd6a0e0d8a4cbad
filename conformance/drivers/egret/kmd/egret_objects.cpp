// Processes, devices and contexts.
#include "egret_kmd.h"

NTSTATUS EgretCreateProcess(IN_CONST_HANDLE handle, INOUT_PDXGKARG_CREATEPROCESS args) {
  PAGED_CODE();
  Adapter& adapter = *(Adapter*)handle;
  Process* process = (Process*)AllocateZeroed(NonPagedPoolNx, sizeof(Process));
  if (!process) return STATUS_NO_MEMORY;
  process->Owner = &adapter;
  process->DxgkProcess = args->hDxgkProcess;
  process->System = args->Flags.SystemProcess;
  ExAcquireFastMutex(&adapter.SpaceLock);
  for (UINT i = 1; i < kMaxSpaces && !process->Number; ++i) {
    if (adapter.Spaces[i / 32] & (1u << (i % 32))) continue;
    adapter.Spaces[i / 32] |= 1u << (i % 32);
    process->Number = i;
  }
  ExReleaseFastMutex(&adapter.SpaceLock);
  if (!process->Number) {
    Free(process);
    return STATUS_NO_MEMORY;
  }
  args->hKmdProcess = process;
  return STATUS_SUCCESS;
}

NTSTATUS EgretDestroyProcess(IN_CONST_HANDLE handle, IN_CONST_HANDLE kmd_process) {
  PAGED_CODE();
  Adapter& adapter = *(Adapter*)handle;
  Process* process = (Process*)kmd_process;
  // The next process with this number must not find translations of this one.
  if (adapter.Started && adapter.Powered) {
    WriteReg(adapter.Registers, EG_REG_TLB_FLUSH, process->ApplicationSpace());
    WriteReg(adapter.Registers, EG_REG_TLB_FLUSH, process->PrivilegedSpace());
  }
  ExAcquireFastMutex(&adapter.SpaceLock);
  adapter.Spaces[process->Number / 32] &= ~(1u << (process->Number % 32));
  ExReleaseFastMutex(&adapter.SpaceLock);
  Free(process);
  return STATUS_SUCCESS;
}

NTSTATUS EgretCreateDevice(IN_CONST_HANDLE handle, INOUT_PDXGKARG_CREATEDEVICE args) {
  PAGED_CODE();
  Device* device = (Device*)AllocateZeroed(NonPagedPoolNx, sizeof(Device));
  if (!device) return STATUS_NO_MEMORY;
  device->Owner = (Adapter*)handle;
  device->DxgkDevice = args->hDevice;
  device->Space = (Process*)args->hKmdProcess;
  device->System = args->Flags.SystemDevice;
  args->hDevice = device;
  return STATUS_SUCCESS;
}

NTSTATUS EgretDestroyDevice(IN_CONST_HANDLE handle) {
  PAGED_CODE();
  Free((PVOID)handle);
  return STATUS_SUCCESS;
}

// Memory for the state of a context, and its address in the space of the process.
static NTSTATUS CreateSaveArea(Context* context, HANDLE dxgk_context) {
  Adapter& adapter = *context->Owner->Owner;
  DXGKARGCB_CREATECONTEXTALLOCATION create;
  RtlZeroMemory(&create, sizeof(create));
  create.ContextAllocationFlags.MapGpuVirtualAddress = 1;
  create.hAdapter = adapter.Dxgk.DeviceHandle;
  create.hDevice = context->Owner->DxgkDevice;
  create.hContext = dxgk_context;
  create.hDriverAllocation = context;
  create.Size = kPage64K;
  create.Alignment = kPage64K;
  create.SupportedSegmentSet = kLocalBit | kApertureBit;
  create.PreferredSegment.SegmentId0 = kSegmentLocal;
  create.PreferredSegment.SegmentId1 = kSegmentAperture;
  NTSTATUS status = adapter.Dxgk.DxgkCbCreateContextAllocation(&create);
  if (!NT_SUCCESS(status)) return STATUS_NO_MEMORY;
  DXGKARGCB_MAPCONTEXTALLOCATION map;
  RtlZeroMemory(&map, sizeof(map));
  map.hAllocation = create.hAllocation;
  map.SizeInPages = kPage64K / PAGE_SIZE;
  map.Protection.Write = 1;
  const ULONGLONG address =
      adapter.Dxgk.DxgkCbMapContextAllocation(adapter.Dxgk.DeviceHandle, &map);
  if (!address) {
    adapter.Dxgk.DxgkCbDestroyContextAllocation(adapter.Dxgk.DeviceHandle, create.hAllocation);
    return STATUS_NO_MEMORY;
  }
  context->SaveArea = create.hAllocation;
  context->SaveAddress = address;
  return STATUS_SUCCESS;
}

NTSTATUS EgretCreateContext(IN_CONST_HANDLE handle, INOUT_PDXGKARG_CREATECONTEXT args) {
  PAGED_CODE();
  Device* device = (Device*)handle;
  Adapter& adapter = *device->Owner;
  if (args->NodeOrdinal >= EG_NODES) return STATUS_INVALID_PARAMETER;
  // Without a system device it is a paging companion, in the privileged space of its process.
  const bool system = args->Flags.SystemContext || device->System;
  if (args->PrivateDriverDataSize) {
    eg_ctx_data data;
    if (!args->pPrivateDriverData || args->PrivateDriverDataSize != sizeof(data))
      return STATUS_GRAPHICS_DRIVER_MISMATCH;
    RtlCopyMemory(&data, args->pPrivateDriverData, sizeof(data));
    if (data.magic != EG_CTX_MAGIC || data.version != EG_UMD_VERSION ||
        data.node != args->NodeOrdinal || data.flags != 0)
      return STATUS_GRAPHICS_DRIVER_MISMATCH;
  }
  Context* context = (Context*)AllocateZeroed(NonPagedPoolNx, sizeof(Context));
  if (!context) return STATUS_NO_MEMORY;
  context->Owner = device;
  context->NodeIndex = args->NodeOrdinal;
  context->System = system;
  if (!system) {
    const NTSTATUS status = CreateSaveArea(context, args->hContext);
    if (!NT_SUCCESS(status)) {
      Free(context);
      return status;
    }
  } else if (device->System) {
    adapter.Nodes[args->NodeOrdinal].SystemContext = context;
  }
  args->hContext = context;
  DXGK_CONTEXTINFO& info = args->ContextInfo;
  RtlZeroMemory(&info, sizeof(info));
  info.DmaBufferSize = 0x10000;
  info.DmaBufferPrivateDataSize = sizeof(eg_submit_data);
  info.AllocationListSize = args->Flags.GdiContext ? DXGK_ALLOCATION_LIST_SIZE_GDICONTEXT : 16;
  info.Caps.NoPatchingRequired = 1;
  info.PagingCompanionNodeId = EG_NODE_COPY;
  return STATUS_SUCCESS;
}

NTSTATUS EgretDestroyContext(IN_CONST_HANDLE handle) {
  PAGED_CODE();
  Context* context = (Context*)handle;
  Adapter& adapter = *context->Owner->Owner;
  Node& node = adapter.Nodes[context->NodeIndex];
  if (node.SystemContext == context) node.SystemContext = nullptr;
  if (context->SaveArea)
    adapter.Dxgk.DxgkCbDestroyContextAllocation(adapter.Dxgk.DeviceHandle, context->SaveArea);
  Free(context);
  return STATUS_SUCCESS;
}

VOID EgretSetRootPageTable(IN_CONST_HANDLE, IN_CONST_PDXGKARG_SETROOTPAGETABLE args) {
  Context* context = (Context*)args->hContext;
  context->Root = HardwareAddress(args->Address.SegmentId, args->Address.SegmentOffset);
  context->RootEntries = args->NumEntries;
}

SIZE_T EgretGetRootPageTableSize(IN_CONST_HANDLE, INOUT_PDXGKARG_GETROOTPAGETABLESIZE args) {
  args->NumberOfPte = 1u << EG_L2_BITS;
  return EG_L2_BYTES;
}
