// The life of the adapter: resources, start and stop, power.
#include "egret_kmd.h"

void StartNode(Node& node) {
  WriteReg(node.Registers, EG_N_CONTROL, EG_N_RESET);
  WriteReg64(node.Registers, EG_N_RING_BASE, node.RingAddress.QuadPart);
  WriteReg(node.Registers, EG_N_RING_ENTRIES, node.RingEntries);
  node.Tail = 0;
  WriteReg(node.Registers, EG_N_TAIL, 0);
  WriteReg(node.Registers, EG_N_CONTROL, EG_N_RUN);
}

static BOOLEAN StartHardwareRoutine(PVOID argument) {
  Adapter& adapter = *(Adapter*)argument;
  WriteReg(adapter.Registers, EG_REG_INTR_ENABLE, 0);
  for (Node& node : adapter.Nodes) {
    StartNode(node);
    node.PreemptPending = FALSE;
    node.ProgressSeen = ReadReg(node.Registers, EG_N_PROGRESS);
  }
  WriteReg(adapter.Registers, EG_REG_TLB_FLUSH, ~0u);
  for (UINT i = 0; i < EG_WINDOW_PAGES; ++i) {
    WriteReg(adapter.Registers, EG_REG_WIN_INDEX, i);
    WriteReg(adapter.Registers, EG_REG_WIN_PAGE, adapter.Window[i]);
  }
  for (UINT i = 0; i < EG_GART_PAGES; ++i) {
    if (!adapter.Gart[i]) continue;
    WriteReg(adapter.Registers, EG_REG_GART_INDEX, i);
    WriteReg64(adapter.Registers, EG_REG_GART_ENTRY, adapter.Gart[i]);
  }
  WriteReg(adapter.Registers, EG_REG_INTR_STATUS, EG_INTR_ALL);
  adapter.Powered = TRUE;
  WriteReg(adapter.Registers, EG_REG_INTR_ENABLE, EG_INTR_ALL);
  return TRUE;
}

static BOOLEAN StopHardwareRoutine(PVOID argument) {
  Adapter& adapter = *(Adapter*)argument;
  WriteReg(adapter.Registers, EG_REG_INTR_ENABLE, 0);
  for (Node& node : adapter.Nodes) WriteReg(node.Registers, EG_N_CONTROL, EG_N_RESET);
  WriteReg(adapter.Registers, EG_REG_INTR_STATUS, EG_INTR_ALL);
  adapter.Powered = FALSE;
  return TRUE;
}

static void ReleaseResources(Adapter& adapter) {
  for (Node& node : adapter.Nodes) {
    if (node.Ring) MmFreeContiguousMemory(node.Ring);
    Free(node.Queue);
    RtlZeroMemory(&node, sizeof(node));
  }
  Free(adapter.Gart);
  adapter.Gart = nullptr;
  if (adapter.Registers)
    adapter.Dxgk.DxgkCbUnmapMemory(adapter.Dxgk.DeviceHandle, (PVOID)adapter.Registers);
  adapter.Registers = nullptr;
}

// Finds both BARs among the resources.
static NTSTATUS FindBars(Adapter& adapter, const DXGK_DEVICE_INFO& info, PHYSICAL_ADDRESS* bar0) {
  PCM_RESOURCE_LIST list = info.TranslatedResourceList;
  UINT found = 0;
  if (!list || !list->Count) return STATUS_DEVICE_CONFIGURATION_ERROR;
  CM_PARTIAL_RESOURCE_LIST& partial = list->List[0].PartialResourceList;
  CM_PARTIAL_RESOURCE_DESCRIPTOR* descriptors = partial.PartialDescriptors;
  for (ULONG i = 0; i < partial.Count; ++i) {
    const CM_PARTIAL_RESOURCE_DESCRIPTOR& d = descriptors[i];
    if (d.Type != CmResourceTypeMemory) continue;
    if (found == EG_BAR_REGISTERS) {
      if (d.u.Memory.Length < EG_BAR0_SIZE) return STATUS_DEVICE_CONFIGURATION_ERROR;
      *bar0 = d.u.Memory.Start;
    } else if (found == EG_BAR_WINDOW) {
      adapter.WindowAddress = d.u.Memory.Start;
      adapter.WindowBytes = d.u.Memory.Length;
    }
    ++found;
  }
  return found >= 2 && adapter.WindowBytes >= EG_BAR1_SIZE ? STATUS_SUCCESS
                                                           : STATUS_DEVICE_CONFIGURATION_ERROR;
}

NTSTATUS EgretStartDevice(IN_CONST_PVOID context, IN_PDXGK_START_INFO start,
                          IN_PDXGKRNL_INTERFACE dxgk, OUT_PULONG sources, OUT_PULONG children) {
  PAGED_CODE();
  Adapter& adapter = *(Adapter*)context;
  RtlCopyMemory(&adapter.Dxgk, dxgk, sizeof(adapter.Dxgk));
  *sources = 0;
  *children = 0;

  DXGK_DEVICE_INFO info;
  RtlZeroMemory(&info, sizeof(info));
  NTSTATUS status = adapter.Dxgk.DxgkCbGetDeviceInformation(adapter.Dxgk.DeviceHandle, &info);
  if (!NT_SUCCESS(status)) return status;
  PHYSICAL_ADDRESS bar0;
  status = FindBars(adapter, info, &bar0);
  if (!NT_SUCCESS(status)) return status;
  PVOID registers = nullptr;
  status = adapter.Dxgk.DxgkCbMapMemory(adapter.Dxgk.DeviceHandle, bar0, EG_BAR0_SIZE, FALSE, FALSE,
                                        MmNonCached, &registers);
  if (!NT_SUCCESS(status)) return status;
  adapter.Registers = (volatile UCHAR*)registers;
  if (ReadReg(adapter.Registers, EG_REG_ID) != EG_ID_VALUE) {
    ReleaseResources(adapter);
    return STATUS_DEVICE_CONFIGURATION_ERROR;
  }

  UINT entries = 64;
  while (entries < start->RequiredDmaQueueEntry * 2 + 2 && entries < 0x4000) entries *= 2;
  PHYSICAL_ADDRESS low, high, boundary;
  low.QuadPart = 0;
  high.QuadPart = -1;
  boundary.QuadPart = 0;
  adapter.Gart = (ULONGLONG*)AllocateZeroed(NonPagedPoolNx, EG_GART_PAGES * sizeof(ULONGLONG));
  bool complete = adapter.Gart != nullptr;
  for (UINT i = 0; i < EG_NODES; ++i) {
    Node& node = adapter.Nodes[i];
    RtlZeroMemory(&node, sizeof(node));
    node.Index = i;
    node.Registers = adapter.Registers + EG_NODE_REGS(i);
    node.RingEntries = entries;
    node.QueueEntries = entries * 2;
    node.Ring = (PUCHAR)MmAllocateContiguousMemorySpecifyCache((SIZE_T)entries * EG_JOB_SLOT, low,
                                                               high, boundary, MmCached);
    node.Queue = (Pending*)AllocateZeroed(NonPagedPoolNx, node.QueueEntries * sizeof(Pending));
    if (!node.Ring || !node.Queue) complete = false;
    if (node.Ring) node.RingAddress = MmGetPhysicalAddress(node.Ring);
  }
  if (!complete) {
    ReleaseResources(adapter);
    return STATUS_NO_MEMORY;
  }
  RtlZeroMemory(adapter.Window, sizeof(adapter.Window));
  adapter.Started = TRUE;
  AtInterruptLevel(adapter, StartHardwareRoutine, &adapter);
  return STATUS_SUCCESS;
}

NTSTATUS EgretStopDevice(IN_CONST_PVOID context) {
  PAGED_CODE();
  Adapter& adapter = *(Adapter*)context;
  if (!adapter.Started) return STATUS_SUCCESS;
  if (adapter.Powered) AtInterruptLevel(adapter, StopHardwareRoutine, &adapter);
  adapter.Started = FALSE;
  ReleaseResources(adapter);
  return STATUS_SUCCESS;
}

NTSTATUS EgretAddDevice(IN_CONST_PDEVICE_OBJECT pdo, OUT_PPVOID context) {
  PAGED_CODE();
  *context = nullptr;
  Adapter* adapter = (Adapter*)AllocateZeroed(NonPagedPoolNx, sizeof(Adapter));
  if (!adapter) return STATUS_NO_MEMORY;
  adapter->Pdo = pdo;
  KeInitializeSpinLock(&adapter->MmioLock);
  ExInitializeFastMutex(&adapter->SpaceLock);
  adapter->Spaces[0] = 1;
  *context = adapter;
  return STATUS_SUCCESS;
}

NTSTATUS EgretRemoveDevice(IN_CONST_PVOID context) {
  PAGED_CODE();
  Free((PVOID)context);
  return STATUS_SUCCESS;
}

VOID EgretResetDevice(IN_CONST_PVOID context) {
  Adapter& adapter = *(Adapter*)context;
  if (!adapter.Started || !adapter.Powered) return;
  WriteReg(adapter.Registers, EG_REG_INTR_ENABLE, 0);
  for (Node& node : adapter.Nodes) WriteReg(node.Registers, EG_N_CONTROL, EG_N_RESET);
}

NTSTATUS EgretSetPowerState(IN_CONST_PVOID context, IN_ULONG uid, IN_DEVICE_POWER_STATE state,
                            IN_POWER_ACTION) {
  PAGED_CODE();
  Adapter& adapter = *(Adapter*)context;
  if (uid != DISPLAY_ADAPTER_HW_ID || !adapter.Started) return STATUS_SUCCESS;
  if (state == PowerDeviceD0) {
    if (!adapter.Powered) AtInterruptLevel(adapter, StartHardwareRoutine, &adapter);
  } else if (adapter.Powered) {
    AtInterruptLevel(adapter, StopHardwareRoutine, &adapter);
  }
  return STATUS_SUCCESS;
}
