// DriverEntry, and entry points that an adapter without displays must have all the same.
#include "egret_kmd.h"

static VOID EgretUnload() {}

static NTSTATUS EgretDispatchIoRequest(IN_CONST_PVOID, IN_ULONG, IN_PVIDEO_REQUEST_PACKET) {
  return STATUS_NOT_SUPPORTED;
}
static NTSTATUS EgretQueryChildRelations(IN_CONST_PVOID, PDXGK_CHILD_DESCRIPTOR, ULONG) {
  return STATUS_SUCCESS;  // there are none
}
static NTSTATUS EgretQueryChildStatus(IN_CONST_PVOID, INOUT_PDXGK_CHILD_STATUS, IN_BOOLEAN) {
  return STATUS_INVALID_PARAMETER;
}
static NTSTATUS EgretQueryDeviceDescriptor(IN_CONST_PVOID, IN_ULONG,
                                           INOUT_PDXGK_DEVICE_DESCRIPTOR) {
  return STATUS_MONITOR_NO_DESCRIPTOR;
}

extern "C" NTSTATUS DriverEntry(PDRIVER_OBJECT driver, PUNICODE_STRING path) {
  DRIVER_INITIALIZATION_DATA init;
  RtlZeroMemory(&init, sizeof(init));
  init.Version = DXGKDDI_INTERFACE_VERSION_WDDM2_6;
  init.DxgkDdiAddDevice = EgretAddDevice;
  init.DxgkDdiStartDevice = EgretStartDevice;
  init.DxgkDdiStopDevice = EgretStopDevice;
  init.DxgkDdiRemoveDevice = EgretRemoveDevice;
  init.DxgkDdiDispatchIoRequest = EgretDispatchIoRequest;
  init.DxgkDdiInterruptRoutine = EgretInterruptRoutine;
  init.DxgkDdiDpcRoutine = EgretDpcRoutine;
  init.DxgkDdiQueryChildRelations = EgretQueryChildRelations;
  init.DxgkDdiQueryChildStatus = EgretQueryChildStatus;
  init.DxgkDdiQueryDeviceDescriptor = EgretQueryDeviceDescriptor;
  init.DxgkDdiSetPowerState = EgretSetPowerState;
  init.DxgkDdiResetDevice = EgretResetDevice;
  init.DxgkDdiUnload = EgretUnload;
  init.DxgkDdiQueryAdapterInfo = EgretQueryAdapterInfo;
  init.DxgkDdiGetNodeMetadata = EgretGetNodeMetadata;
  init.DxgkDdiCalibrateGpuClock = EgretCalibrateGpuClock;
  init.DxgkDdiFormatHistoryBuffer = EgretFormatHistoryBuffer;
  init.DxgkDdiCreateProcess = EgretCreateProcess;
  init.DxgkDdiDestroyProcess = EgretDestroyProcess;
  init.DxgkDdiCreateDevice = EgretCreateDevice;
  init.DxgkDdiDestroyDevice = EgretDestroyDevice;
  init.DxgkDdiCreateContext = EgretCreateContext;
  init.DxgkDdiDestroyContext = EgretDestroyContext;
  init.DxgkDdiSetRootPageTable = EgretSetRootPageTable;
  init.DxgkDdiGetRootPageTableSize = EgretGetRootPageTableSize;
  init.DxgkDdiCreateAllocation = EgretCreateAllocation;
  init.DxgkDdiDestroyAllocation = EgretDestroyAllocation;
  init.DxgkDdiDescribeAllocation = EgretDescribeAllocation;
  init.DxgkDdiGetStandardAllocationDriverData = EgretGetStandardAllocationDriverData;
  init.DxgkDdiOpenAllocation = EgretOpenAllocation;
  init.DxgkDdiCloseAllocation = EgretCloseAllocation;
  init.DxgkDdiMapCpuHostAperture = EgretMapCpuHostAperture;
  init.DxgkDdiUnmapCpuHostAperture = EgretUnmapCpuHostAperture;
  init.DxgkDdiBuildPagingBuffer = EgretBuildPagingBuffer;
  init.DxgkDdiSubmitCommandVirtual = EgretSubmitCommandVirtual;
  init.DxgkDdiPreemptCommand = EgretPreemptCommand;
  init.DxgkDdiQueryCurrentFence = EgretQueryCurrentFence;
  init.DxgkDdiQueryDependentEngineGroup = EgretQueryDependentEngineGroup;
  init.DxgkDdiQueryEngineStatus = EgretQueryEngineStatus;
  init.DxgkDdiResetEngine = EgretResetEngine;
  init.DxgkDdiResetFromTimeout = EgretResetFromTimeout;
  init.DxgkDdiRestartFromTimeout = EgretRestartFromTimeout;
  init.DxgkDdiCollectDbgInfo = EgretCollectDbgInfo;
  return DxgkInitialize(driver, path, &init);
}
