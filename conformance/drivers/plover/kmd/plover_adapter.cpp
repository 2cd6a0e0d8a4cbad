// The life of the adapter: resources, start and stop, power.
#include "plover_kmd.h"

NTSTATUS PloverAddDevice(IN_CONST_PDEVICE_OBJECT physical_device, OUT_PPVOID context) {
  Adapter* a = (Adapter*)Allocate(sizeof(Adapter));
  if (!a) return STATUS_NO_MEMORY;
  a->PhysicalDevice = physical_device;
  KeInitializeSpinLock(&a->SubmitLock);
  KeInitializeSpinLock(&a->SpaceLock);
  *context = a;
  return STATUS_SUCCESS;
}

static void Unmap(Adapter* a) {
  if (a->Shared) MmFreeContiguousMemory(a->Shared);
  if (a->Registers) a->Dxgk.DxgkCbUnmapMemory(a->Dxgk.DeviceHandle, (PVOID)a->Registers);
  a->Shared = NULL;
  a->Registers = NULL;
}

static NTSTATUS FindResources(Adapter* a) {
  DXGK_DEVICE_INFO info = {};
  NTSTATUS status = a->Dxgk.DxgkCbGetDeviceInformation(a->Dxgk.DeviceHandle, &info);
  if (!NT_SUCCESS(status)) return status;
  if (!info.TranslatedResourceList || !info.TranslatedResourceList->Count)
    return STATUS_DEVICE_CONFIGURATION_ERROR;
  const CM_PARTIAL_RESOURCE_LIST* list = &info.TranslatedResourceList->List[0].PartialResourceList;
  PHYSICAL_ADDRESS registers = {}, memory = {};
  for (ULONG i = 0; i < list->Count; ++i) {
    const CM_PARTIAL_RESOURCE_DESCRIPTOR* d = &list->PartialDescriptors[i];
    if (d->Type != CmResourceTypeMemory) continue;
    if (d->u.Memory.Length == PLOVER_REGISTER_BYTES) registers = d->u.Memory.Start;
    if (d->u.Memory.Length == PLOVER_MEMORY_BYTES) memory = d->u.Memory.Start;
  }
  if (!registers.QuadPart || !memory.QuadPart) return STATUS_DEVICE_CONFIGURATION_ERROR;
  a->MemoryBus = memory;
  PVOID mapped = NULL;
  status = a->Dxgk.DxgkCbMapMemory(a->Dxgk.DeviceHandle, registers, PLOVER_REGISTER_BYTES, FALSE,
                                   FALSE, MmNonCached, &mapped);
  if (!NT_SUCCESS(status)) return status;
  a->Registers = (volatile UCHAR*)mapped;
  if (Read32(a, PLOVER_ID) != PLOVER_ID_VALUE) return STATUS_NO_SUCH_DEVICE;
  PHYSICAL_ADDRESS lowest = {}, highest = {}, boundary = {};
  highest.QuadPart = (1ll << 52) - 1;
  a->Shared = (UCHAR*)MmAllocateContiguousMemorySpecifyCache(PLOVER_SHARED_BYTES, lowest, highest,
                                                             boundary, MmCached);
  if (!a->Shared) return STATUS_NO_MEMORY;
  RtlZeroMemory(a->Shared, PLOVER_SHARED_BYTES);
  a->SharedPhysical = (ULONG64)MmGetPhysicalAddress(a->Shared).QuadPart;
  return STATUS_SUCCESS;
}

static BOOLEAN PowerOnSynchronized(PVOID context) {
  Adapter* a = (Adapter*)context;
  Write32(a, PLOVER_ADAPTER_RESET, 1);
  ProgramNodes(a);
  a->Powered = TRUE;
  Write32(a, PLOVER_INT_ENABLE, 1);
  return TRUE;
}

static BOOLEAN PowerOffSynchronized(PVOID context) {
  Adapter* a = (Adapter*)context;
  Write32(a, PLOVER_INT_ENABLE, 0);
  Write32(a, PLOVER_ADAPTER_RESET, 1);
  a->Powered = FALSE;
  return TRUE;
}

NTSTATUS PloverStartDevice(IN_CONST_PVOID context, IN_PDXGK_START_INFO start,
                           IN_PDXGKRNL_INTERFACE dxgk, OUT_PULONG sources, OUT_PULONG children) {
  Adapter* a = (Adapter*)context;
  a->Dxgk = *dxgk;
  a->StartInfo = *start;
  RtlZeroMemory(a->Nodes, sizeof a->Nodes);
  NTSTATUS status = FindResources(a);
  if (NT_SUCCESS(status)) status = Synchronize(a, PowerOnSynchronized, a);
  if (!NT_SUCCESS(status)) {
    Unmap(a);
    return status;
  }
  *sources = 0;
  *children = 0;
  return STATUS_SUCCESS;
}

NTSTATUS PloverStopDevice(IN_CONST_PVOID context) {
  Adapter* a = (Adapter*)context;
  if (a->Powered) Synchronize(a, PowerOffSynchronized, a);
  Unmap(a);
  return STATUS_SUCCESS;
}

NTSTATUS PloverRemoveDevice(IN_CONST_PVOID context) {
  Free((PVOID)context);
  return STATUS_SUCCESS;
}

// At any level, at a bug check too.
VOID PloverResetDevice(IN_CONST_PVOID context) {
  Adapter* a = (Adapter*)context;
  if (!a->Registers) return;
  Write32(a, PLOVER_INT_ENABLE, 0);
  Write32(a, PLOVER_ADAPTER_RESET, 1);
}

NTSTATUS PloverSetPowerState(IN_CONST_PVOID context, IN_ULONG uid, IN_DEVICE_POWER_STATE state,
                             IN_POWER_ACTION) {
  Adapter* a = (Adapter*)context;
  if (uid != DISPLAY_ADAPTER_HW_ID) return STATUS_SUCCESS;
  if (state == PowerDeviceD0) {
    for (UINT n = 0; n < PLOVER_NODES; ++n) a->Nodes[n].FState = 0;
    return Synchronize(a, PowerOnSynchronized, a);
  }
  if (a->Powered) return Synchronize(a, PowerOffSynchronized, a);
  return STATUS_SUCCESS;
}

// A component for each node; F1 stops its clock and keeps its registers.
NTSTATUS PloverSetPowerComponentFState(IN_CONST_HANDLE context, UINT component, UINT state) {
  Adapter* a = (Adapter*)context;
  if (component >= PLOVER_NODES || state > 1) return STATUS_INVALID_PARAMETER;
  a->Nodes[component].FState = state;
  if (a->Powered) Write32(a, PLOVER_NODE(component) + PLOVER_POWER, state);
  return STATUS_SUCCESS;
}
