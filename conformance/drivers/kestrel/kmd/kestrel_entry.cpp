// DriverEntry, and entry points of displays, of which there is none.
#include "kestrel_kmd.h"

static NTSTATUS KstQueryChildRelations(IN_CONST_PVOID, PDXGK_CHILD_DESCRIPTOR, ULONG) {
  return STATUS_SUCCESS;
}
static NTSTATUS KstQueryChildStatus(IN_CONST_PVOID, INOUT_PDXGK_CHILD_STATUS, BOOLEAN) {
  return STATUS_INVALID_PARAMETER;
}
static NTSTATUS KstQueryDeviceDescriptor(IN_CONST_PVOID, ULONG, INOUT_PDXGK_DEVICE_DESCRIPTOR) {
  return STATUS_INVALID_PARAMETER;
}
static NTSTATUS KstDispatchIoRequest(IN_CONST_PVOID, ULONG, PVIDEO_REQUEST_PACKET) {
  return STATUS_NOT_SUPPORTED;
}
static NTSTATUS KstQueryInterface(IN_CONST_PVOID, PQUERY_INTERFACE) {
  return STATUS_NOT_SUPPORTED;
}
static NTSTATUS KstNotifyAcpiEvent(IN_CONST_PVOID, DXGK_EVENT_TYPE, ULONG, PVOID,
                                   OUT_PULONG flags) {
  *flags = 0;
  return STATUS_SUCCESS;
}
static VOID KstControlEtwLogging(BOOLEAN, ULONG, UCHAR) {}
static NTSTATUS KstEscape(IN_CONST_HANDLE, IN_CONST_PDXGKARG_ESCAPE) {
  return STATUS_NOT_SUPPORTED;
}
static VOID KstUnload(void) {}

extern "C" NTSTATUS DriverEntry(PDRIVER_OBJECT driver, PUNICODE_STRING path) {
  DRIVER_INITIALIZATION_DATA d;
  RtlZeroMemory(&d, sizeof(d));
  d.Version = DXGKDDI_INTERFACE_VERSION;
  d.DxgkDdiAddDevice = KstAddDevice;
  d.DxgkDdiStartDevice = KstStartDevice;
  d.DxgkDdiStopDevice = KstStopDevice;
  d.DxgkDdiRemoveDevice = KstRemoveDevice;
  d.DxgkDdiDispatchIoRequest = KstDispatchIoRequest;
  d.DxgkDdiInterruptRoutine = KstInterrupt;
  d.DxgkDdiDpcRoutine = KstDpc;
  d.DxgkDdiQueryChildRelations = KstQueryChildRelations;
  d.DxgkDdiQueryChildStatus = KstQueryChildStatus;
  d.DxgkDdiQueryDeviceDescriptor = KstQueryDeviceDescriptor;
  d.DxgkDdiSetPowerState = KstSetPowerState;
  d.DxgkDdiNotifyAcpiEvent = KstNotifyAcpiEvent;
  d.DxgkDdiResetDevice = KstResetDevice;
  d.DxgkDdiUnload = KstUnload;
  d.DxgkDdiQueryInterface = KstQueryInterface;
  d.DxgkDdiControlEtwLogging = KstControlEtwLogging;
  d.DxgkDdiEscape = KstEscape;
  d.DxgkDdiQueryAdapterInfo = KstQueryAdapterInfo;
  d.DxgkDdiGetNodeMetadata = KstGetNodeMetadata;
  d.DxgkDdiCreateDevice = KstCreateDevice;
  d.DxgkDdiDestroyDevice = KstDestroyDevice;
  d.DxgkDdiCreateContext = KstCreateContext;
  d.DxgkDdiDestroyContext = KstDestroyContext;
  d.DxgkDdiCreateAllocation = KstCreateAllocation;
  d.DxgkDdiDestroyAllocation = KstDestroyAllocation;
  d.DxgkDdiDescribeAllocation = KstDescribeAllocation;
  d.DxgkDdiGetStandardAllocationDriverData = KstGetStandardAllocationDriverData;
  d.DxgkDdiOpenAllocation = KstOpenAllocation;
  d.DxgkDdiCloseAllocation = KstCloseAllocation;
  d.DxgkDdiRender = KstRender;
  d.DxgkDdiPatch = KstPatch;
  d.DxgkDdiSubmitCommand = KstSubmitCommand;
  d.DxgkDdiPreemptCommand = KstPreemptCommand;
  d.DxgkDdiCancelCommand = KstCancelCommand;
  d.DxgkDdiBuildPagingBuffer = KstBuildPagingBuffer;
  d.DxgkDdiQueryCurrentFence = KstQueryCurrentFence;
  d.DxgkDdiResetEngine = KstResetEngine;
  d.DxgkDdiQueryEngineStatus = KstQueryEngineStatus;
  d.DxgkDdiQueryDependentEngineGroup = KstQueryDependentEngineGroup;
  d.DxgkDdiResetFromTimeout = KstResetFromTimeout;
  d.DxgkDdiRestartFromTimeout = KstRestartFromTimeout;
  d.DxgkDdiCollectDbgInfo = KstCollectDbgInfo;
  d.DxgkDdiCalibrateGpuClock = KstCalibrateGpuClock;
  return DxgkInitialize(driver, path, &d);
}
