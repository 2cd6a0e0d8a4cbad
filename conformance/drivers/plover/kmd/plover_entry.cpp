// DriverEntry, and entry points that a device without a display must have all the same.
#include "plover_kmd.h"

static VOID PloverUnload(void) {
  HandlesDestroy();
}

static NTSTATUS PloverPowerRuntimeControlRequest(IN_CONST_HANDLE, LPCGUID, PVOID, SIZE_T, PVOID,
                                                 SIZE_T, PSIZE_T returned) {
  if (returned) *returned = 0;
  return STATUS_NOT_SUPPORTED;
}

static NTSTATUS PloverQueryChildRelations(IN_CONST_PVOID, PDXGK_CHILD_DESCRIPTOR, ULONG) {
  return STATUS_SUCCESS;
}
static NTSTATUS PloverQueryChildStatus(IN_CONST_PVOID, INOUT_PDXGK_CHILD_STATUS, IN_BOOLEAN) {
  return STATUS_INVALID_PARAMETER;
}
static NTSTATUS PloverQueryDeviceDescriptor(IN_CONST_PVOID, IN_ULONG,
                                            INOUT_PDXGK_DEVICE_DESCRIPTOR) {
  return STATUS_GRAPHICS_CHILD_DESCRIPTOR_NOT_SUPPORTED;
}
static NTSTATUS PloverQueryInterface(IN_CONST_PVOID, IN_PQUERY_INTERFACE) {
  return STATUS_NOT_SUPPORTED;
}
static NTSTATUS PloverDispatchIoRequest(IN_CONST_PVOID, IN_ULONG, IN_PVIDEO_REQUEST_PACKET) {
  return STATUS_NOT_SUPPORTED;
}
static VOID PloverSetStablePowerState(IN_CONST_HANDLE, IN_CONST_PDXGKARG_SETSTABLEPOWERSTATE) {}
static NTSTATUS PloverSetVirtualMachineData(IN_CONST_HANDLE,
                                            IN_CONST_PDXGKARG_SETVIRTUALMACHINEDATA) {
  return STATUS_SUCCESS;
}

static VOID PloverControlEtwLogging(IN_BOOLEAN, IN_ULONG, IN_UCHAR) {}

extern "C" NTSTATUS DriverEntry(PDRIVER_OBJECT driver, PUNICODE_STRING registry_path) {
  DRIVER_INITIALIZATION_DATA d = {};
  HandlesInitialize();
  d.Version = DXGKDDI_INTERFACE_VERSION;
  d.DxgkDdiAddDevice = PloverAddDevice;
  d.DxgkDdiStartDevice = PloverStartDevice;
  d.DxgkDdiStopDevice = PloverStopDevice;
  d.DxgkDdiRemoveDevice = PloverRemoveDevice;
  d.DxgkDdiDispatchIoRequest = PloverDispatchIoRequest;
  d.DxgkDdiInterruptRoutine = PloverInterrupt;
  d.DxgkDdiDpcRoutine = PloverDpc;
  d.DxgkDdiQueryChildRelations = PloverQueryChildRelations;
  d.DxgkDdiQueryChildStatus = PloverQueryChildStatus;
  d.DxgkDdiQueryDeviceDescriptor = PloverQueryDeviceDescriptor;
  d.DxgkDdiSetPowerState = PloverSetPowerState;
  d.DxgkDdiResetDevice = PloverResetDevice;
  d.DxgkDdiUnload = PloverUnload;
  d.DxgkDdiQueryInterface = PloverQueryInterface;
  d.DxgkDdiControlEtwLogging = PloverControlEtwLogging;
  d.DxgkDdiQueryAdapterInfo = PloverQueryAdapterInfo;
  d.DxgkDdiCreateDevice = PloverCreateDevice;
  d.DxgkDdiDestroyDevice = PloverDestroyDevice;
  d.DxgkDdiCreateContext = PloverCreateContext;
  d.DxgkDdiDestroyContext = PloverDestroyContext;
  d.DxgkDdiCreateProcess = PloverCreateProcess;
  d.DxgkDdiDestroyProcess = PloverDestroyProcess;
  d.DxgkDdiCreateAllocation = PloverCreateAllocation;
  d.DxgkDdiDestroyAllocation = PloverDestroyAllocation;
  d.DxgkDdiDescribeAllocation = PloverDescribeAllocation;
  d.DxgkDdiGetStandardAllocationDriverData = PloverGetStandardAllocationDriverData;
  d.DxgkDdiOpenAllocation = PloverOpenAllocation;
  d.DxgkDdiCloseAllocation = PloverCloseAllocation;
  d.DxgkDdiBuildPagingBuffer = PloverBuildPagingBuffer;
  d.DxgkDdiSetRootPageTable = PloverSetRootPageTable;
  d.DxgkDdiGetRootPageTableSize = PloverGetRootPageTableSize;
  d.DxgkDdiSubmitCommandVirtual = PloverSubmitCommandVirtual;
  d.DxgkDdiPreemptCommand = PloverPreemptCommand;
  d.DxgkDdiResetEngine = PloverResetEngine;
  d.DxgkDdiQueryEngineStatus = PloverQueryEngineStatus;
  d.DxgkDdiQueryDependentEngineGroup = PloverQueryDependentEngineGroup;
  d.DxgkDdiResetFromTimeout = PloverResetFromTimeout;
  d.DxgkDdiRestartFromTimeout = PloverRestartFromTimeout;
  d.DxgkDdiCollectDbgInfo = PloverCollectDbgInfo;
  d.DxgkDdiSetPowerComponentFState = PloverSetPowerComponentFState;
  d.DxgkDdiPowerRuntimeControlRequest = PloverPowerRuntimeControlRequest;
  d.DxgkDdiGetNodeMetadata = PloverGetNodeMetadata;
  d.DxgkDdiCalibrateGpuClock = PloverCalibrateGpuClock;
  d.DxgkDdiFormatHistoryBuffer = PloverFormatHistoryBuffer;
  d.DxgkDdiSetStablePowerState = PloverSetStablePowerState;
  d.DxgkDdiSetVirtualMachineData = PloverSetVirtualMachineData;
  return DxgkInitialize(driver, registry_path, &d);
}
