/* DriverEntry, and the entry points of which little follows without a display: there are no
 * children and no video present sources. */
#include "heron_kmd.h"

static NTSTATUS HeronDispatchIoRequest(IN_CONST_PVOID c, IN_ULONG source,
                                       IN_PVIDEO_REQUEST_PACKET packet) {
  PAGED_CODE();
  UNREFERENCED_PARAMETER(c);
  UNREFERENCED_PARAMETER(source);
  UNREFERENCED_PARAMETER(packet);
  return STATUS_NOT_SUPPORTED;
}
static NTSTATUS HeronQueryChildRelations(IN_CONST_PVOID c, PDXGK_CHILD_DESCRIPTOR relations,
                                         ULONG size) {
  PAGED_CODE();
  UNREFERENCED_PARAMETER(c);
  UNREFERENCED_PARAMETER(relations);
  UNREFERENCED_PARAMETER(size);
  return STATUS_SUCCESS; /* the one element is the zeroed end */
}
static NTSTATUS HeronQueryChildStatus(IN_CONST_PVOID c, INOUT_PDXGK_CHILD_STATUS status,
                                      IN_BOOLEAN nondestructive) {
  PAGED_CODE();
  UNREFERENCED_PARAMETER(c);
  UNREFERENCED_PARAMETER(status);
  UNREFERENCED_PARAMETER(nondestructive);
  return STATUS_INVALID_PARAMETER;
}
static NTSTATUS HeronQueryDeviceDescriptor(IN_CONST_PVOID c, IN_ULONG uid,
                                           INOUT_PDXGK_DEVICE_DESCRIPTOR descriptor) {
  PAGED_CODE();
  UNREFERENCED_PARAMETER(c);
  UNREFERENCED_PARAMETER(uid);
  UNREFERENCED_PARAMETER(descriptor);
  return STATUS_INVALID_PARAMETER;
}
static NTSTATUS HeronNotifyAcpiEvent(IN_CONST_PVOID c, IN_DXGK_EVENT_TYPE type, IN_ULONG event,
                                     IN_PVOID argument, OUT_PULONG flags) {
  PAGED_CODE();
  UNREFERENCED_PARAMETER(c);
  UNREFERENCED_PARAMETER(type);
  UNREFERENCED_PARAMETER(event);
  UNREFERENCED_PARAMETER(argument);
  if (flags) *flags = 0;
  return STATUS_SUCCESS;
}
static VOID HeronUnload(void) {
  PAGED_CODE();
}
static NTSTATUS HeronQueryInterface(IN_CONST_PVOID c, IN_PQUERY_INTERFACE query) {
  PAGED_CODE();
  UNREFERENCED_PARAMETER(c);
  UNREFERENCED_PARAMETER(query);
  return STATUS_NOT_SUPPORTED;
}
static VOID HeronControlEtwLogging(IN_BOOLEAN enable, IN_ULONG flags, IN_UCHAR level) {
  PAGED_CODE();
  UNREFERENCED_PARAMETER(enable);
  UNREFERENCED_PARAMETER(flags);
  UNREFERENCED_PARAMETER(level);
}
static NTSTATUS HeronSetPalette(IN_CONST_HANDLE h, IN_CONST_PDXGKARG_SETPALETTE p) {
  PAGED_CODE();
  UNREFERENCED_PARAMETER(h);
  UNREFERENCED_PARAMETER(p);
  return STATUS_GRAPHICS_INVALID_VIDEO_PRESENT_SOURCE;
}
static NTSTATUS HeronSetPointerPosition(IN_CONST_HANDLE h, IN_CONST_PDXGKARG_SETPOINTERPOSITION p) {
  PAGED_CODE();
  UNREFERENCED_PARAMETER(h);
  UNREFERENCED_PARAMETER(p);
  return STATUS_GRAPHICS_INVALID_VIDEO_PRESENT_SOURCE;
}
static NTSTATUS HeronSetPointerShape(IN_CONST_HANDLE h, IN_CONST_PDXGKARG_SETPOINTERSHAPE p) {
  PAGED_CODE();
  UNREFERENCED_PARAMETER(h);
  UNREFERENCED_PARAMETER(p);
  return STATUS_GRAPHICS_INVALID_VIDEO_PRESENT_SOURCE;
}
static NTSTATUS HeronIsSupportedVidPn(IN_CONST_HANDLE h, INOUT_PDXGKARG_ISSUPPORTEDVIDPN p) {
  PAGED_CODE();
  UNREFERENCED_PARAMETER(h);
  p->IsVidPnSupported = p->hDesiredVidPn == 0; /* only the empty one */
  return STATUS_SUCCESS;
}
static NTSTATUS HeronRecommendFunctionalVidPn(IN_CONST_HANDLE h,
                                              IN_CONST_PDXGKARG_RECOMMENDFUNCTIONALVIDPN_CONST p) {
  PAGED_CODE();
  UNREFERENCED_PARAMETER(h);
  UNREFERENCED_PARAMETER(p);
  return STATUS_GRAPHICS_NO_RECOMMENDED_FUNCTIONAL_VIDPN;
}
static NTSTATUS HeronEnumVidPnCofuncModality(IN_CONST_HANDLE h,
                                             IN_CONST_PDXGKARG_ENUMVIDPNCOFUNCMODALITY_CONST p) {
  PAGED_CODE();
  UNREFERENCED_PARAMETER(h);
  UNREFERENCED_PARAMETER(p);
  return STATUS_SUCCESS; /* no path constrains anything */
}
static NTSTATUS HeronSetVidPnSourceAddress(IN_CONST_HANDLE h,
                                           IN_CONST_PDXGKARG_SETVIDPNSOURCEADDRESS p) {
  UNREFERENCED_PARAMETER(h);
  UNREFERENCED_PARAMETER(p);
  return STATUS_GRAPHICS_INVALID_VIDEO_PRESENT_SOURCE;
}
static NTSTATUS HeronSetVidPnSourceVisibility(IN_CONST_HANDLE h,
                                              IN_CONST_PDXGKARG_SETVIDPNSOURCEVISIBILITY p) {
  PAGED_CODE();
  UNREFERENCED_PARAMETER(h);
  UNREFERENCED_PARAMETER(p);
  return STATUS_GRAPHICS_INVALID_VIDEO_PRESENT_SOURCE;
}
static NTSTATUS HeronCommitVidPn(IN_CONST_HANDLE h, IN_CONST_PDXGKARG_COMMITVIDPN_CONST p) {
  PAGED_CODE();
  UNREFERENCED_PARAMETER(h);
  UNREFERENCED_PARAMETER(p);
  return STATUS_SUCCESS;
}
static NTSTATUS HeronUpdateActiveVidPnPresentPath(
    IN_CONST_HANDLE h, IN_CONST_PDXGKARG_UPDATEACTIVEVIDPNPRESENTPATH_CONST p) {
  PAGED_CODE();
  UNREFERENCED_PARAMETER(h);
  UNREFERENCED_PARAMETER(p);
  return STATUS_GRAPHICS_INVALID_VIDEO_PRESENT_SOURCE;
}
static NTSTATUS HeronRecommendMonitorModes(IN_CONST_HANDLE h,
                                           IN_CONST_PDXGKARG_RECOMMENDMONITORMODES_CONST p) {
  PAGED_CODE();
  UNREFERENCED_PARAMETER(h);
  UNREFERENCED_PARAMETER(p);
  return STATUS_SUCCESS;
}
static NTSTATUS HeronRecommendVidPnTopology(IN_CONST_HANDLE h,
                                            IN_CONST_PDXGKARG_RECOMMENDVIDPNTOPOLOGY_CONST p) {
  PAGED_CODE();
  UNREFERENCED_PARAMETER(h);
  UNREFERENCED_PARAMETER(p);
  return STATUS_GRAPHICS_NO_RECOMMENDED_VIDPN_TOPOLOGY;
}
static NTSTATUS HeronGetScanLine(IN_CONST_HANDLE h, INOUT_PDXGKARG_GETSCANLINE p) {
  PAGED_CODE();
  UNREFERENCED_PARAMETER(h);
  UNREFERENCED_PARAMETER(p);
  return STATUS_GRAPHICS_INVALID_VIDEO_PRESENT_TARGET;
}
static NTSTATUS HeronStopCapture(IN_CONST_HANDLE h, IN_CONST_PDXGKARG_STOPCAPTURE p) {
  PAGED_CODE();
  UNREFERENCED_PARAMETER(h);
  UNREFERENCED_PARAMETER(p);
  return STATUS_SUCCESS;
}

NTSTATUS DriverEntry(PDRIVER_OBJECT DriverObject, PUNICODE_STRING RegistryPath) {
  PAGED_CODE();
  if (!DriverObject || !RegistryPath) return STATUS_INVALID_PARAMETER;
  DRIVER_INITIALIZATION_DATA d;
  RtlZeroMemory(&d, sizeof(d));
  d.Version = DXGKDDI_INTERFACE_VERSION;
  d.DxgkDdiAddDevice = HeronAddDevice;
  d.DxgkDdiStartDevice = HeronStartDevice;
  d.DxgkDdiStopDevice = HeronStopDevice;
  d.DxgkDdiRemoveDevice = HeronRemoveDevice;
  d.DxgkDdiDispatchIoRequest = HeronDispatchIoRequest;
  d.DxgkDdiInterruptRoutine = HeronInterruptRoutine;
  d.DxgkDdiDpcRoutine = HeronDpcRoutine;
  d.DxgkDdiQueryChildRelations = HeronQueryChildRelations;
  d.DxgkDdiQueryChildStatus = HeronQueryChildStatus;
  d.DxgkDdiQueryDeviceDescriptor = HeronQueryDeviceDescriptor;
  d.DxgkDdiSetPowerState = HeronSetPowerState;
  d.DxgkDdiNotifyAcpiEvent = HeronNotifyAcpiEvent;
  d.DxgkDdiResetDevice = HeronResetDevice;
  d.DxgkDdiUnload = HeronUnload;
  d.DxgkDdiQueryInterface = HeronQueryInterface;
  d.DxgkDdiControlEtwLogging = HeronControlEtwLogging;
  d.DxgkDdiQueryAdapterInfo = HeronQueryAdapterInfo;
  d.DxgkDdiCreateDevice = HeronCreateDevice;
  d.DxgkDdiCreateAllocation = HeronCreateAllocation;
  d.DxgkDdiDestroyAllocation = HeronDestroyAllocation;
  d.DxgkDdiDescribeAllocation = HeronDescribeAllocation;
  d.DxgkDdiGetStandardAllocationDriverData = HeronGetStandardAllocationDriverData;
  d.DxgkDdiAcquireSwizzlingRange = HeronAcquireSwizzlingRange;
  d.DxgkDdiReleaseSwizzlingRange = HeronReleaseSwizzlingRange;
  d.DxgkDdiPatch = HeronPatch;
  d.DxgkDdiSubmitCommand = HeronSubmitCommand;
  d.DxgkDdiPreemptCommand = HeronPreemptCommand;
  d.DxgkDdiBuildPagingBuffer = HeronBuildPagingBuffer;
  d.DxgkDdiSetPalette = HeronSetPalette;
  d.DxgkDdiSetPointerPosition = HeronSetPointerPosition;
  d.DxgkDdiSetPointerShape = HeronSetPointerShape;
  d.DxgkDdiResetFromTimeout = HeronResetFromTimeout;
  d.DxgkDdiRestartFromTimeout = HeronRestartFromTimeout;
  d.DxgkDdiEscape = HeronEscapeCall;
  d.DxgkDdiCollectDbgInfo = HeronCollectDbgInfo;
  d.DxgkDdiQueryCurrentFence = HeronQueryCurrentFence;
  d.DxgkDdiIsSupportedVidPn = HeronIsSupportedVidPn;
  d.DxgkDdiRecommendFunctionalVidPn = HeronRecommendFunctionalVidPn;
  d.DxgkDdiEnumVidPnCofuncModality = HeronEnumVidPnCofuncModality;
  d.DxgkDdiSetVidPnSourceAddress = HeronSetVidPnSourceAddress;
  d.DxgkDdiSetVidPnSourceVisibility = HeronSetVidPnSourceVisibility;
  d.DxgkDdiCommitVidPn = HeronCommitVidPn;
  d.DxgkDdiUpdateActiveVidPnPresentPath = HeronUpdateActiveVidPnPresentPath;
  d.DxgkDdiRecommendMonitorModes = HeronRecommendMonitorModes;
  d.DxgkDdiRecommendVidPnTopology = HeronRecommendVidPnTopology;
  d.DxgkDdiGetScanLine = HeronGetScanLine;
  d.DxgkDdiStopCapture = HeronStopCapture;
  d.DxgkDdiControlInterrupt = HeronControlInterrupt;
  d.DxgkDdiDestroyDevice = HeronDestroyDevice;
  d.DxgkDdiOpenAllocation = HeronOpenAllocation;
  d.DxgkDdiCloseAllocation = HeronCloseAllocation;
  d.DxgkDdiRender = HeronRender;
  d.DxgkDdiPresent = HeronPresent;
  d.DxgkDdiCreateContext = HeronCreateContext;
  d.DxgkDdiDestroyContext = HeronDestroyContext;
  return DxgkInitialize(DriverObject, RegistryPath, &d);
}
