// DriverEntry, and the life of the adapter. There is no display.
#include "tern_kmd.h"

BOOLEAN tern_big_pages;

// FALSE as long as the service's key says nothing else.
static BOOLEAN is_set(PUNICODE_STRING path, PCWSTR name) {
  OBJECT_ATTRIBUTES attributes;
  UNICODE_STRING text;
  union {
    KEY_VALUE_PARTIAL_INFORMATION information;
    UCHAR room[sizeof(KEY_VALUE_PARTIAL_INFORMATION) + sizeof(ULONG)];
  } buffer;
  ULONG length = 0, value = 0;
  HANDLE key;
  NTSTATUS status;
  InitializeObjectAttributes(&attributes, path, OBJ_KERNEL_HANDLE | OBJ_CASE_INSENSITIVE, NULL,
                             NULL);
  if (!NT_SUCCESS(ZwOpenKey(&key, KEY_READ, &attributes))) return FALSE;
  RtlInitUnicodeString(&text, name);
  status =
      ZwQueryValueKey(key, &text, KeyValuePartialInformation, &buffer, sizeof(buffer), &length);
  if (NT_SUCCESS(status) && buffer.information.Type == REG_DWORD &&
      buffer.information.DataLength == sizeof(value)) {
    RtlCopyMemory(&value, buffer.information.Data, sizeof(value));
  }
  ZwClose(key);
  return value != 0;
}

static NTSTATUS TernAddDevice(const PDEVICE_OBJECT pdo, PVOID* miniport) {
  TernAdapter* adapter = (TernAdapter*)tern_allocate(sizeof(TernAdapter));
  *miniport = adapter;
  if (adapter == NULL) return STATUS_NO_MEMORY;
  adapter->Pdo = pdo;
  KeInitializeSpinLock(&adapter->SpacesLock);
  return STATUS_SUCCESS;
}

static NTSTATUS TernRemoveDevice(const PVOID miniport) {
  tern_free(miniport);
  return STATUS_SUCCESS;
}

static void unmap(TernAdapter* adapter) {
  HANDLE dxgk = adapter->Dxgk.DeviceHandle;
  if (adapter->Registers != NULL) adapter->Dxgk.DxgkCbUnmapMemory(dxgk, adapter->Registers);
  if (adapter->Ring != NULL) adapter->Dxgk.DxgkCbUnmapMemory(dxgk, adapter->Ring);
  adapter->Registers = NULL;
  adapter->Ring = NULL;
}

// The first range of memory is BAR 0, the second BAR 1.
static NTSTATUS map(TernAdapter* adapter) {
  DXGK_DEVICE_INFO info;
  PHYSICAL_ADDRESS bar[2];
  ULONG found = 0, i;
  PVOID mapped = NULL;
  NTSTATUS status = adapter->Dxgk.DxgkCbGetDeviceInformation(adapter->Dxgk.DeviceHandle, &info);
  if (!NT_SUCCESS(status)) return status;
  if (info.TranslatedResourceList == NULL || info.TranslatedResourceList->Count == 0) {
    return STATUS_DEVICE_CONFIGURATION_ERROR;
  }
  const CM_PARTIAL_RESOURCE_LIST* list = &info.TranslatedResourceList->List[0].PartialResourceList;
  for (i = 0; i < list->Count && found < 2; ++i) {
    const CM_PARTIAL_RESOURCE_DESCRIPTOR* resource = &list->PartialDescriptors[i];
    if (resource->Type != CmResourceTypeMemory) continue;
    if (resource->u.Memory.Length != (found == 0 ? TERN_REGISTER_BYTES : TERN_LOCAL_BYTES)) break;
    bar[found++] = resource->u.Memory.Start;
  }
  if (found != 2) return STATUS_DEVICE_CONFIGURATION_ERROR;
  adapter->LocalBus = bar[1];
  status = adapter->Dxgk.DxgkCbMapMemory(adapter->Dxgk.DeviceHandle, bar[0], TERN_REGISTER_BYTES,
                                         FALSE, FALSE, MmNonCached, &mapped);
  if (!NT_SUCCESS(status)) return status;
  adapter->Registers = (PUCHAR)mapped;
  status = adapter->Dxgk.DxgkCbMapMemory(adapter->Dxgk.DeviceHandle, bar[1], TERN_RESERVED_BYTES,
                                         FALSE, FALSE, MmNonCached, &mapped);
  if (!NT_SUCCESS(status)) return status;
  adapter->Ring = (TernPacket*)mapped;
  return tern_read(adapter, TERN_REG_ID) == TERN_ID ? STATUS_SUCCESS : STATUS_NO_SUCH_DEVICE;
}

static NTSTATUS TernStartDevice(const PVOID miniport, DXGK_START_INFO* start,
                                DXGKRNL_INTERFACE* dxgk, ULONG* sources, ULONG* children) {
  TernAdapter* adapter = (TernAdapter*)miniport;
  NTSTATUS status;
  *sources = *children = 0;
  if (start->RequiredDmaQueueEntry >= TERN_RING_ENTRIES) return STATUS_INSUFFICIENT_RESOURCES;
  adapter->Dxgk = *dxgk;
  adapter->LastSubmitted = 0;
  status = map(adapter);
  if (!NT_SUCCESS(status)) {
    unmap(adapter);
    return status;
  }
  tern_write(adapter, TERN_REG_COMPLETED, 0);
  tern_power_on(adapter);
  return STATUS_SUCCESS;
}

static NTSTATUS TernStopDevice(const PVOID miniport) {
  TernAdapter* adapter = (TernAdapter*)miniport;
  tern_power_off(adapter);
  unmap(adapter);
  return STATUS_SUCCESS;
}

static NTSTATUS TernSetPowerState(const PVOID miniport, ULONG uid, DEVICE_POWER_STATE state,
                                  POWER_ACTION action) {
  UNREFERENCED_PARAMETER(action);
  if (uid != DISPLAY_ADAPTER_HW_ID) return STATUS_SUCCESS;
  if (state == PowerDeviceD0) {
    tern_power_on((TernAdapter*)miniport);
  } else {
    tern_power_off((TernAdapter*)miniport);
  }
  return STATUS_SUCCESS;
}

static VOID TernResetDevice(const PVOID miniport) {
  TernAdapter* adapter = (TernAdapter*)miniport;
  if (adapter->Registers != NULL) tern_write(adapter, TERN_REG_INT_ENABLE, 0);
}

static VOID TernUnload(void) {}

static NTSTATUS TernDispatchIoRequest(const PVOID miniport, ULONG source,
                                      VIDEO_REQUEST_PACKET* packet) {
  UNREFERENCED_PARAMETER(miniport);
  UNREFERENCED_PARAMETER(source);
  UNREFERENCED_PARAMETER(packet);
  return STATUS_NOT_SUPPORTED;
}

static NTSTATUS TernQueryChildRelations(const PVOID miniport, DXGK_CHILD_DESCRIPTOR* relations,
                                        ULONG bytes) {
  UNREFERENCED_PARAMETER(miniport);
  UNREFERENCED_PARAMETER(relations);
  UNREFERENCED_PARAMETER(bytes);
  return STATUS_SUCCESS;
}

static NTSTATUS TernQueryChildStatus(const PVOID miniport, DXGK_CHILD_STATUS* status,
                                     BOOLEAN non_destructive) {
  UNREFERENCED_PARAMETER(miniport);
  UNREFERENCED_PARAMETER(status);
  UNREFERENCED_PARAMETER(non_destructive);
  return STATUS_INVALID_PARAMETER;
}

static NTSTATUS TernQueryDeviceDescriptor(const PVOID miniport, ULONG child,
                                          DXGK_DEVICE_DESCRIPTOR* descriptor) {
  UNREFERENCED_PARAMETER(miniport);
  UNREFERENCED_PARAMETER(child);
  UNREFERENCED_PARAMETER(descriptor);
  return STATUS_INVALID_PARAMETER;
}

static NTSTATUS TernQueryInterface(const PVOID miniport, PQUERY_INTERFACE query) {
  UNREFERENCED_PARAMETER(miniport);
  UNREFERENCED_PARAMETER(query);
  return STATUS_NOT_SUPPORTED;
}

static VOID TernControlEtwLogging(BOOLEAN enable, ULONG flags, UCHAR level) {
  UNREFERENCED_PARAMETER(enable);
  UNREFERENCED_PARAMETER(flags);
  UNREFERENCED_PARAMETER(level);
}

static NTSTATUS TernEscape(const HANDLE hAdapter, const DXGKARG_ESCAPE* escape) {
  UNREFERENCED_PARAMETER(hAdapter);
  UNREFERENCED_PARAMETER(escape);
  return STATUS_NOT_SUPPORTED;
}

static NTSTATUS TernCollectDbgInfo(const HANDLE hAdapter, const DXGKARG_COLLECTDBGINFO* info) {
  UNREFERENCED_PARAMETER(hAdapter);
  if (info->pBuffer != NULL) RtlZeroMemory(info->pBuffer, info->BufferSize);
  return STATUS_SUCCESS;
}

NTSTATUS DriverEntry(PDRIVER_OBJECT driver, PUNICODE_STRING path) {
  DRIVER_INITIALIZATION_DATA table;
  tern_big_pages = is_set(path, L"BigPages");
  RtlZeroMemory(&table, sizeof(table));
  table.Version = DXGKDDI_INTERFACE_VERSION_WDDM2_0;
  table.DxgkDdiAddDevice = TernAddDevice;
  table.DxgkDdiStartDevice = TernStartDevice;
  table.DxgkDdiStopDevice = TernStopDevice;
  table.DxgkDdiRemoveDevice = TernRemoveDevice;
  table.DxgkDdiDispatchIoRequest = TernDispatchIoRequest;
  table.DxgkDdiInterruptRoutine = TernInterruptRoutine;
  table.DxgkDdiDpcRoutine = TernDpcRoutine;
  table.DxgkDdiQueryChildRelations = TernQueryChildRelations;
  table.DxgkDdiQueryChildStatus = TernQueryChildStatus;
  table.DxgkDdiQueryDeviceDescriptor = TernQueryDeviceDescriptor;
  table.DxgkDdiSetPowerState = TernSetPowerState;
  table.DxgkDdiResetDevice = TernResetDevice;
  table.DxgkDdiUnload = TernUnload;
  table.DxgkDdiQueryInterface = TernQueryInterface;
  table.DxgkDdiControlEtwLogging = TernControlEtwLogging;
  table.DxgkDdiQueryAdapterInfo = TernQueryAdapterInfo;
  table.DxgkDdiGetNodeMetadata = TernGetNodeMetadata;
  table.DxgkDdiGetRootPageTableSize = TernGetRootPageTableSize;
  table.DxgkDdiCreateProcess = TernCreateProcess;
  table.DxgkDdiDestroyProcess = TernDestroyProcess;
  table.DxgkDdiCreateDevice = TernCreateDevice;
  table.DxgkDdiDestroyDevice = TernDestroyDevice;
  table.DxgkDdiCreateContext = TernCreateContext;
  table.DxgkDdiDestroyContext = TernDestroyContext;
  table.DxgkDdiSetRootPageTable = TernSetRootPageTable;
  table.DxgkDdiCreateAllocation = TernCreateAllocation;
  table.DxgkDdiDestroyAllocation = TernDestroyAllocation;
  table.DxgkDdiDescribeAllocation = TernDescribeAllocation;
  table.DxgkDdiGetStandardAllocationDriverData = TernGetStandardAllocationDriverData;
  table.DxgkDdiOpenAllocation = TernOpenAllocation;
  table.DxgkDdiCloseAllocation = TernCloseAllocation;
  table.DxgkDdiBuildPagingBuffer = TernBuildPagingBuffer;
  table.DxgkDdiSubmitCommandVirtual = TernSubmitCommandVirtual;
  table.DxgkDdiPreemptCommand = TernPreemptCommand;
  table.DxgkDdiQueryCurrentFence = TernQueryCurrentFence;
  table.DxgkDdiResetFromTimeout = TernResetFromTimeout;
  table.DxgkDdiRestartFromTimeout = TernRestartFromTimeout;
  table.DxgkDdiQueryDependentEngineGroup = TernQueryDependentEngineGroup;
  table.DxgkDdiQueryEngineStatus = TernQueryEngineStatus;
  table.DxgkDdiResetEngine = TernResetEngine;
  table.DxgkDdiEscape = TernEscape;
  table.DxgkDdiCollectDbgInfo = TernCollectDbgInfo;
  return DxgkInitialize(driver, path, &table);
}
