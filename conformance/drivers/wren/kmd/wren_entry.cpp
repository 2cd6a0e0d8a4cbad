// DriverEntry, and the entry points in which an adapter without a display has little to say.
#include "wren_kmd.h"

static PDRIVER_OBJECT g_DriverObject;

static VOID WrenUnload(void) {
  PAGED_CODE();
  DxgkUnInitialize(g_DriverObject);
}

static NTSTATUS WrenDispatchIoRequest(IN_CONST_PVOID, IN_ULONG, IN_PVIDEO_REQUEST_PACKET Packet) {
  PAGED_CODE();
  if (Packet && Packet->StatusBlock) {
    Packet->StatusBlock->Information = 0;
    Packet->StatusBlock->Status = 1;  // ERROR_INVALID_FUNCTION
  }
  return STATUS_NOT_SUPPORTED;
}

static NTSTATUS WrenQueryChildRelations(IN_CONST_PVOID, PDXGK_CHILD_DESCRIPTOR, ULONG) {
  PAGED_CODE();
  return STATUS_SUCCESS;  // No children; the array ends with its first element.
}
static NTSTATUS WrenQueryChildStatus(IN_CONST_PVOID, INOUT_PDXGK_CHILD_STATUS, IN_BOOLEAN) {
  PAGED_CODE();
  return STATUS_INVALID_PARAMETER;
}
static NTSTATUS WrenQueryDeviceDescriptor(IN_CONST_PVOID, IN_ULONG, INOUT_PDXGK_DEVICE_DESCRIPTOR) {
  PAGED_CODE();
  return STATUS_GRAPHICS_CHILD_DESCRIPTOR_NOT_SUPPORTED;
}
static NTSTATUS WrenNotifyAcpiEvent(IN_CONST_PVOID, IN_DXGK_EVENT_TYPE, IN_ULONG, IN_PVOID,
                                    OUT_PULONG AcpiFlags) {
  PAGED_CODE();
  if (AcpiFlags) *AcpiFlags = 0;
  return STATUS_SUCCESS;
}
static NTSTATUS WrenQueryInterface(IN_CONST_PVOID, IN_PQUERY_INTERFACE) {
  PAGED_CODE();
  return STATUS_NOT_SUPPORTED;
}
static VOID WrenControlEtwLogging(IN_BOOLEAN, IN_ULONG, IN_UCHAR) {
  PAGED_CODE();
}
static NTSTATUS WrenControlInterrupt(IN_CONST_HANDLE, IN_CONST_DXGK_INTERRUPT_TYPE, IN_BOOLEAN) {
  PAGED_CODE();
  return STATUS_NOT_IMPLEMENTED;
}

extern "C" NTSTATUS DriverEntry(PDRIVER_OBJECT DriverObject, PUNICODE_STRING RegistryPath) {
  if (!DriverObject || !RegistryPath) return STATUS_INVALID_PARAMETER;
  DRIVER_INITIALIZATION_DATA data;
  RtlZeroMemory(&data, sizeof(data));
  data.Version = DXGKDDI_INTERFACE_VERSION;
  data.DxgkDdiAddDevice = WrenAddDevice;
  data.DxgkDdiStartDevice = WrenStartDevice;
  data.DxgkDdiStopDevice = WrenStopDevice;
  data.DxgkDdiRemoveDevice = WrenRemoveDevice;
  data.DxgkDdiDispatchIoRequest = WrenDispatchIoRequest;
  data.DxgkDdiInterruptRoutine = WrenInterruptRoutine;
  data.DxgkDdiDpcRoutine = WrenDpcRoutine;
  data.DxgkDdiQueryChildRelations = WrenQueryChildRelations;
  data.DxgkDdiQueryChildStatus = WrenQueryChildStatus;
  data.DxgkDdiQueryDeviceDescriptor = WrenQueryDeviceDescriptor;
  data.DxgkDdiSetPowerState = WrenSetPowerState;
  data.DxgkDdiNotifyAcpiEvent = WrenNotifyAcpiEvent;
  data.DxgkDdiResetDevice = WrenResetDevice;
  data.DxgkDdiUnload = WrenUnload;
  data.DxgkDdiQueryInterface = WrenQueryInterface;
  data.DxgkDdiControlEtwLogging = WrenControlEtwLogging;
  data.DxgkDdiQueryAdapterInfo = WrenQueryAdapterInfo;
  data.DxgkDdiCreateDevice = WrenCreateDevice;
  data.DxgkDdiCreateAllocation = WrenCreateAllocation;
  data.DxgkDdiDestroyAllocation = WrenDestroyAllocation;
  data.DxgkDdiDescribeAllocation = WrenDescribeAllocation;
  data.DxgkDdiGetStandardAllocationDriverData = WrenGetStandardAllocationDriverData;
  data.DxgkDdiPatch = WrenPatch;
  data.DxgkDdiSubmitCommand = WrenSubmitCommand;
  data.DxgkDdiPreemptCommand = WrenPreemptCommand;
  data.DxgkDdiBuildPagingBuffer = WrenBuildPagingBuffer;
  data.DxgkDdiResetFromTimeout = WrenResetFromTimeout;
  data.DxgkDdiRestartFromTimeout = WrenRestartFromTimeout;
  data.DxgkDdiEscape = WrenEscape;
  data.DxgkDdiCollectDbgInfo = WrenCollectDbgInfo;
  data.DxgkDdiQueryCurrentFence = WrenQueryCurrentFence;
  data.DxgkDdiControlInterrupt = WrenControlInterrupt;
  data.DxgkDdiDestroyDevice = WrenDestroyDevice;
  data.DxgkDdiOpenAllocation = WrenOpenAllocation;
  data.DxgkDdiCloseAllocation = WrenCloseAllocation;
  data.DxgkDdiRender = WrenRender;
  data.DxgkDdiCreateContext = WrenCreateContext;
  data.DxgkDdiDestroyContext = WrenDestroyContext;
  data.DxgkDdiQueryDependentEngineGroup = WrenQueryDependentEngineGroup;
  data.DxgkDdiQueryEngineStatus = WrenQueryEngineStatus;
  data.DxgkDdiResetEngine = WrenResetEngine;
  data.DxgkDdiGetNodeMetadata = WrenGetNodeMetadata;
  data.DxgkDdiSetPowerComponentFState = WrenSetPowerComponentFState;
  data.DxgkDdiPowerRuntimeControlRequest = WrenPowerRuntimeControlRequest;
  g_DriverObject = DriverObject;
  return DxgkInitialize(DriverObject, RegistryPath, &data);
}
