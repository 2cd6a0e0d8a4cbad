// DXGKRNL_INTERFACE: everything Dxgkrnl offers a driver.
//
// Layouts are those of WDDM 2.7 on x64, whatever DXGKDDI_INTERFACE_VERSION says.
#ifndef WDDM_DDI_DISPMPRT_INTERFACE_H
#define WDDM_DDI_DISPMPRT_INTERFACE_H

#include "../d3d_base.h"
#include "../d3dkmddi/display_targets.h"
#include "../d3dkmddi/handle_callbacks.h"
#include "../d3dkmddi/interrupts.h"
#include "../d3dkmddi/memory_callbacks.h"
#include "../d3dkmddi/monitor_interface.h"
#include "../d3dkmddi/overlays.h"
#include "../d3dkmddi/power.h"
#include "../d3dkmddi/scheduling.h"
#include "../d3dkmddi/vidpn_topology.h"
#include "children.h"
#include "diagnostics.h"
#include "port_callbacks.h"
#include "start.h"

// Callbacks, passed to DxgkDdiStartDevice; valid until the device is removed.
typedef struct _DXGKRNL_INTERFACE {
  ULONG Size;
  ULONG Version;
  HANDLE DeviceHandle;
  DXGKCB_EVAL_ACPI_METHOD DxgkCbEvalAcpiMethod;
  DXGKCB_GET_DEVICE_INFORMATION DxgkCbGetDeviceInformation;
  DXGKCB_INDICATE_CHILD_STATUS DxgkCbIndicateChildStatus;
  DXGKCB_MAP_MEMORY DxgkCbMapMemory;
  DXGKCB_QUEUE_DPC DxgkCbQueueDpc;
  DXGKCB_QUERY_SERVICES DxgkCbQueryServices;
  DXGKCB_READ_DEVICE_SPACE DxgkCbReadDeviceSpace;
  DXGKCB_SYNCHRONIZE_EXECUTION DxgkCbSynchronizeExecution;
  DXGKCB_UNMAP_MEMORY DxgkCbUnmapMemory;
  DXGKCB_WRITE_DEVICE_SPACE DxgkCbWriteDeviceSpace;
  DXGKCB_IS_DEVICE_PRESENT DxgkCbIsDevicePresent;
  DXGKCB_GETHANDLEDATA DxgkCbGetHandleData;
  DXGKCB_GETHANDLEPARENT DxgkCbGetHandleParent;
  DXGKCB_ENUMHANDLECHILDREN DxgkCbEnumHandleChildren;
  DXGKCB_NOTIFY_INTERRUPT DxgkCbNotifyInterrupt;
  DXGKCB_NOTIFY_DPC DxgkCbNotifyDpc;
  DXGKCB_QUERYVIDPNINTERFACE DxgkCbQueryVidPnInterface;
  DXGKCB_QUERYMONITORINTERFACE DxgkCbQueryMonitorInterface;
  DXGKCB_GETCAPTUREADDRESS DxgkCbGetCaptureAddress;
  DXGKCB_LOG_ETW_EVENT DxgkCbLogEtwEvent;
  DXGKCB_EXCLUDE_ADAPTER_ACCESS DxgkCbExcludeAdapterAccess;
  DXGKCB_CREATECONTEXTALLOCATION DxgkCbCreateContextAllocation;
  DXGKCB_DESTROYCONTEXTALLOCATION DxgkCbDestroyContextAllocation;
  DXGKCB_SETPOWERCOMPONENTACTIVE DxgkCbSetPowerComponentActive;
  DXGKCB_SETPOWERCOMPONENTIDLE DxgkCbSetPowerComponentIdle;
  DXGKCB_ACQUIRE_POST_DISPLAY_OWNERSHIP DxgkCbAcquirePostDisplayOwnership;
  DXGKCB_POWERRUNTIMECONTROLREQUEST DxgkCbPowerRuntimeControlRequest;
  DXGKCB_SETPOWERCOMPONENTLATENCY DxgkCbSetPowerComponentLatency;
  DXGKCB_SETPOWERCOMPONENTRESIDENCY DxgkCbSetPowerComponentResidency;
  DXGKCB_COMPLETEFSTATETRANSITION DxgkCbCompleteFStateTransition;
  DXGKCB_COMPLETEPSTATETRANSITION DxgkCbCompletePStateTransition;
  DXGKCB_MAPCONTEXTALLOCATION DxgkCbMapContextAllocation;
  DXGKCB_UPDATECONTEXTALLOCATION DxgkCbUpdateContextAllocation;
  DXGKCB_RESERVEGPUVIRTUALADDRESSRANGE DxgkCbReserveGpuVirtualAddressRange;
  DXGKCB_ACQUIREHANDLEDATA DxgkCbAcquireHandleData;
  DXGKCB_RELEASEHANDLEDATA DxgkCbReleaseHandleData;
  DXGKCB_HARDWARECONTENTPROTECTIONTEARDOWN DxgkCbHardwareContentProtectionTeardown;
  DXGKCB_MULTIPLANEOVERLAYDISABLED DxgkCbMultiPlaneOverlayDisabled;
  DXGKCB_DXGKCB_MITIGATEDRANGEUPDATE DxgkCbMitigatedRangeUpdate;
  DXGKCB_INVALIDATEHWCONTEXT DxgkCbInvalidateHwContext;
  DXGKCB_INDICATE_CONNECTOR_CHANGE DxgkCbIndicateConnectorChange;
  DXGKCB_UNBLOCKUEFIFRAMEBUFFERRANGES DxgkCbUnblockUEFIFrameBufferRanges;
  DXGKCB_ACQUIRE_POST_DISPLAY_OWNERSHIP2 DxgkCbAcquirePostDisplayOwnership2;
  DXGKCB_SETPROTECTEDSESSIONSTATUS DxgkCbSetProtectedSessionStatus;
  DXGKCB_ALLOCATECONTIGUOUSMEMORY DxgkCbAllocateContiguousMemory;
  DXGKCB_FREECONTIGUOUSMEMORY DxgkCbFreeContiguousMemory;
  DXGKCB_ALLOCATEPAGESFORMDL DxgkCbAllocatePagesForMdl;
  DXGKCB_FREEPAGESFROMMDL DxgkCbFreePagesFromMdl;
  DXGKCB_PINFRAMEBUFFERFORSAVE DxgkCbPinFrameBufferForSave;
  DXGKCB_UNPINFRAMEBUFFERFORSAVE DxgkCbUnpinFrameBufferForSave;
  DXGKCB_MAPFRAMEBUFFERPOINTER DxgkCbMapFrameBufferPointer;
  DXGKCB_UNMAPFRAMEBUFFERPOINTER DxgkCbUnmapFrameBufferPointer;
  DXGKCB_MAPMDLTOIOMMU DxgkCbMapMdlToIoMmu;
  DXGKCB_UNMAPMDLFROMIOMMU DxgkCbUnmapMdlFromIoMmu;
  DXGKCB_REPORT_DIAGNOSTIC DxgkCbReportDiagnostic;
  DXGKCB_SIGNALEVENT DxgkCbSignalEvent;
  DXGKCB_ISFEATUREENABLED DxgkCbIsFeatureEnabled;
  DXGKCB_SAVEMEMORYFORHOTUPDATE DxgkCbSaveMemoryForHotUpdate;
} DXGKRNL_INTERFACE;
WDDM_DDI_PARAMETERS(DXGKRNL_INTERFACE);

#endif
