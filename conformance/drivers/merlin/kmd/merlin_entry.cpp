// DriverEntry, and entry points that a device without a display must have all the same.
#include "merlin_kmd.h"

static NTSTATUS MerlinDispatchIoRequest(IN_CONST_PVOID, IN_ULONG, IN_PVIDEO_REQUEST_PACKET) {
  return STATUS_NOT_SUPPORTED;
}

static NTSTATUS MerlinQueryChildRelations(IN_CONST_PVOID, PDXGK_CHILD_DESCRIPTOR, ULONG) {
  return STATUS_SUCCESS;  // no children
}

static NTSTATUS MerlinQueryChildStatus(IN_CONST_PVOID, PDXGK_CHILD_STATUS, BOOLEAN) {
  return STATUS_INVALID_PARAMETER;
}

static NTSTATUS MerlinQueryDeviceDescriptor(IN_CONST_PVOID, ULONG, PDXGK_DEVICE_DESCRIPTOR) {
  return STATUS_INVALID_PARAMETER;
}

static NTSTATUS MerlinQueryInterface(IN_CONST_PVOID, IN_PQUERY_INTERFACE) {
  return STATUS_NOT_SUPPORTED;
}

static NTSTATUS MerlinNotifyAcpiEvent(IN_CONST_PVOID, IN_DXGK_EVENT_TYPE, IN_ULONG, IN_PVOID,
                                      OUT_PULONG flags) {
  if (flags) *flags = 0;
  return STATUS_SUCCESS;
}

static VOID MerlinControlEtwLogging(IN_BOOLEAN, IN_ULONG, IN_UCHAR) {}

static NTSTATUS MerlinControlInterrupt(IN_CONST_HANDLE, IN_CONST_DXGK_INTERRUPT_TYPE, IN_BOOLEAN) {
  return STATUS_NOT_IMPLEMENTED;  // no vertical syncs
}

static PDRIVER_OBJECT g_driver;

static VOID MerlinUnload(void) {
  DxgkUnInitialize(g_driver);
}

extern "C" NTSTATUS DriverEntry(PDRIVER_OBJECT driver, PUNICODE_STRING registry) {
  if (!driver || !registry) return STATUS_INVALID_PARAMETER;
  g_driver = driver;
  MerlinInitializeLinks();
  DRIVER_INITIALIZATION_DATA d;
  RtlZeroMemory(&d, sizeof(d));
  d.Version = DXGKDDI_INTERFACE_VERSION;
  d.DxgkDdiAddDevice = MerlinAddDevice;
  d.DxgkDdiStartDevice = MerlinStartDevice;
  d.DxgkDdiStopDevice = MerlinStopDevice;
  d.DxgkDdiRemoveDevice = MerlinRemoveDevice;
  d.DxgkDdiDispatchIoRequest = MerlinDispatchIoRequest;
  d.DxgkDdiInterruptRoutine = MerlinInterruptRoutine;
  d.DxgkDdiDpcRoutine = MerlinDpcRoutine;
  d.DxgkDdiQueryChildRelations = MerlinQueryChildRelations;
  d.DxgkDdiQueryChildStatus = MerlinQueryChildStatus;
  d.DxgkDdiQueryDeviceDescriptor = MerlinQueryDeviceDescriptor;
  d.DxgkDdiSetPowerState = MerlinSetPowerState;
  d.DxgkDdiNotifyAcpiEvent = MerlinNotifyAcpiEvent;
  d.DxgkDdiResetDevice = MerlinResetDevice;
  d.DxgkDdiUnload = MerlinUnload;
  d.DxgkDdiQueryInterface = MerlinQueryInterface;
  d.DxgkDdiControlEtwLogging = MerlinControlEtwLogging;
  d.DxgkDdiControlInterrupt = MerlinControlInterrupt;
  d.DxgkDdiLinkDevice = MerlinLinkDevice;
  d.DxgkDdiQueryAdapterInfo = MerlinQueryAdapterInfo;
  d.DxgkDdiGetNodeMetadata = MerlinGetNodeMetadata;
  d.DxgkDdiCalibrateGpuClock = MerlinCalibrateGpuClock;
  d.DxgkDdiEscape = MerlinEscapeCall;
  d.DxgkDdiCollectDbgInfo = MerlinCollectDbgInfo;
  d.DxgkDdiCreateProcess = MerlinCreateProcess;
  d.DxgkDdiDestroyProcess = MerlinDestroyProcess;
  d.DxgkDdiCreateDevice = MerlinCreateDevice;
  d.DxgkDdiDestroyDevice = MerlinDestroyDevice;
  d.DxgkDdiCreateContext = MerlinCreateContext;
  d.DxgkDdiDestroyContext = MerlinDestroyContext;
  d.DxgkDdiCreateAllocation = MerlinCreateAllocation;
  d.DxgkDdiDestroyAllocation = MerlinDestroyAllocation;
  d.DxgkDdiDescribeAllocation = MerlinDescribeAllocation;
  d.DxgkDdiGetStandardAllocationDriverData = MerlinGetStandardAllocation;
  d.DxgkDdiOpenAllocation = MerlinOpenAllocation;
  d.DxgkDdiCloseAllocation = MerlinCloseAllocation;
  d.DxgkDdiValidateUpdateAllocationProperty = MerlinValidateUpdate;
  d.DxgkDdiBuildPagingBuffer = MerlinBuildPagingBuffer;
  d.DxgkDdiSetRootPageTable = MerlinSetRootPageTable;
  d.DxgkDdiGetRootPageTableSize = MerlinGetRootPageTableSize;
  d.DxgkDdiSubmitCommandVirtual = MerlinSubmitCommandVirtual;
  d.DxgkDdiPreemptCommand = MerlinPreemptCommand;
  d.DxgkDdiQueryCurrentFence = MerlinQueryCurrentFence;
  d.DxgkDdiQueryDependentEngineGroup = MerlinQueryDependentEngineGroup;
  d.DxgkDdiQueryEngineStatus = MerlinQueryEngineStatus;
  d.DxgkDdiResetEngine = MerlinResetEngine;
  d.DxgkDdiResetFromTimeout = MerlinResetFromTimeout;
  d.DxgkDdiRestartFromTimeout = MerlinRestartFromTimeout;
  return DxgkInitialize(driver, registry, &d);
}
