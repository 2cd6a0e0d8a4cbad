// Entry points that the port driver calls.
//
// Layouts are those of WDDM 2.7 on x64, whatever DXGKDDI_INTERFACE_VERSION says.
#ifndef WDDM_DDI_DISPMPRT_PORT_ENTRIES_H
#define WDDM_DDI_DISPMPRT_PORT_ENTRIES_H

#include "../d3d_base.h"
#include "../d3dkmddi/display_caps.h"
#include "../d3dkmdt/monitors.h"
#include "../d3dukmdt/formats.h"
#include "interface.h"
#include "start.h"

typedef NTSTATUS DXGKDDI_ADD_DEVICE(IN_CONST_PDEVICE_OBJECT PhysicalDeviceObject,
                                    OUT_PPVOID MiniportDeviceContext);
typedef DXGKDDI_ADD_DEVICE* PDXGKDDI_ADD_DEVICE;

typedef NTSTATUS DXGKDDI_START_DEVICE(IN_CONST_PVOID MiniportDeviceContext,
                                      IN_PDXGK_START_INFO DxgkStartInfo,
                                      IN_PDXGKRNL_INTERFACE DxgkInterface,
                                      OUT_PULONG NumberOfVideoPresentSources,
                                      OUT_PULONG NumberOfChildren);
typedef DXGKDDI_START_DEVICE* PDXGKDDI_START_DEVICE;

typedef NTSTATUS DXGKDDI_STOP_DEVICE(IN_CONST_PVOID MiniportDeviceContext);
typedef DXGKDDI_STOP_DEVICE* PDXGKDDI_STOP_DEVICE;

typedef NTSTATUS DXGKDDI_REMOVE_DEVICE(IN_CONST_PVOID MiniportDeviceContext);
typedef DXGKDDI_REMOVE_DEVICE* PDXGKDDI_REMOVE_DEVICE;

typedef NTSTATUS DXGKDDI_DISPATCH_IO_REQUEST(IN_CONST_PVOID MiniportDeviceContext,
                                             IN_ULONG VidPnSourceId,
                                             IN_PVIDEO_REQUEST_PACKET VideoRequestPacket);
typedef DXGKDDI_DISPATCH_IO_REQUEST* PDXGKDDI_DISPATCH_IO_REQUEST;

typedef BOOLEAN DXGKDDI_INTERRUPT_ROUTINE(IN_CONST_PVOID MiniportDeviceContext,
                                          IN_ULONG MessageNumber);
typedef DXGKDDI_INTERRUPT_ROUTINE* PDXGKDDI_INTERRUPT_ROUTINE;

typedef VOID DXGKDDI_DPC_ROUTINE(IN_CONST_PVOID MiniportDeviceContext);
typedef DXGKDDI_DPC_ROUTINE* PDXGKDDI_DPC_ROUTINE;

typedef NTSTATUS DXGKDDI_SET_POWER_STATE(IN_CONST_PVOID MiniportDeviceContext, IN_ULONG DeviceUid,
                                         IN_DEVICE_POWER_STATE DevicePowerState,
                                         IN_POWER_ACTION ActionType);
typedef DXGKDDI_SET_POWER_STATE* PDXGKDDI_SET_POWER_STATE;

typedef enum _DXGK_EVENT_TYPE {
  DxgkUndefinedEvent = 0,
  DxgkAcpiEvent = 1,
  DxgkPowerStateEvent = 2,
  DxgkDockingEvent = 3,
  DxgkChainedAcpiEvent = 4,
} DXGK_EVENT_TYPE;
WDDM_DDI_PARAMETERS(DXGK_EVENT_TYPE);

typedef NTSTATUS DXGKDDI_NOTIFY_ACPI_EVENT(IN_CONST_PVOID MiniportDeviceContext,
                                           IN_DXGK_EVENT_TYPE EventType, IN_ULONG Event,
                                           IN_PVOID Argument, OUT_PULONG AcpiFlags);
typedef DXGKDDI_NOTIFY_ACPI_EVENT* PDXGKDDI_NOTIFY_ACPI_EVENT;

typedef VOID DXGKDDI_RESET_DEVICE(IN_CONST_PVOID MiniportDeviceContext);
typedef DXGKDDI_RESET_DEVICE* PDXGKDDI_RESET_DEVICE;

typedef VOID DXGKDDI_UNLOAD(void);
typedef DXGKDDI_UNLOAD* PDXGKDDI_UNLOAD;

typedef NTSTATUS DXGKDDI_QUERY_INTERFACE(IN_CONST_PVOID MiniportDeviceContext,
                                         IN_PQUERY_INTERFACE QueryInterface);
typedef DXGKDDI_QUERY_INTERFACE* PDXGKDDI_QUERY_INTERFACE;

typedef VOID DXGKDDI_CONTROL_ETW_LOGGING(IN_BOOLEAN Enable, IN_ULONG Flags, IN_UCHAR Level);
typedef DXGKDDI_CONTROL_ETW_LOGGING* PDXGKDDI_CONTROL_ETW_LOGGING;

typedef NTSTATUS DXGKDDI_LINK_DEVICE(IN_CONST_PDEVICE_OBJECT PhysicalDeviceObject,
                                     IN_CONST_PVOID MiniportDeviceContext,
                                     INOUT_PLINKED_DEVICE LinkedDevice);
typedef DXGKDDI_LINK_DEVICE* PDXGKDDI_LINK_DEVICE;

typedef NTSTATUS DXGKDDI_STOP_DEVICE_AND_RELEASE_POST_DISPLAY_OWNERSHIP(
    PVOID MiniportDeviceContext, D3DDDI_VIDEO_PRESENT_TARGET_ID TargetId,
    PDXGK_DISPLAY_INFORMATION DisplayInfo);
typedef DXGKDDI_STOP_DEVICE_AND_RELEASE_POST_DISPLAY_OWNERSHIP*
    PDXGKDDI_STOP_DEVICE_AND_RELEASE_POST_DISPLAY_OWNERSHIP;

typedef struct _DXGKARG_SYSTEM_DISPLAY_ENABLE_FLAGS {
  union {
    struct {
      UINT Reserved : 32;
    };
    UINT Value;
  };
} DXGKARG_SYSTEM_DISPLAY_ENABLE_FLAGS;
WDDM_DDI_PARAMETERS(DXGKARG_SYSTEM_DISPLAY_ENABLE_FLAGS);

typedef NTSTATUS DXGKDDI_SYSTEM_DISPLAY_ENABLE(PVOID MiniportDeviceContext,
                                               D3DDDI_VIDEO_PRESENT_TARGET_ID TargetId,
                                               PDXGKARG_SYSTEM_DISPLAY_ENABLE_FLAGS Flags,
                                               UINT* Width, UINT* Height,
                                               D3DDDIFORMAT* ColorFormat);
typedef DXGKDDI_SYSTEM_DISPLAY_ENABLE* PDXGKDDI_SYSTEM_DISPLAY_ENABLE;

typedef VOID DXGKDDI_SYSTEM_DISPLAY_WRITE(PVOID MiniportDeviceContext, PVOID Source,
                                          UINT SourceWidth, UINT SourceHeight, UINT SourceStride,
                                          UINT PositionX, UINT PositionY);
typedef DXGKDDI_SYSTEM_DISPLAY_WRITE* PDXGKDDI_SYSTEM_DISPLAY_WRITE;

typedef enum _DXGK_SURPRISE_REMOVAL_TYPE {
  DxgkRemovalHibernation = 0,
  DxgkRemovalPnPNotify = 1,
} DXGK_SURPRISE_REMOVAL_TYPE;
WDDM_DDI_PARAMETERS(DXGK_SURPRISE_REMOVAL_TYPE);

typedef NTSTATUS DXGKDDI_NOTIFY_SURPRISE_REMOVAL(PVOID MiniportDeviceContext,
                                                 DXGK_SURPRISE_REMOVAL_TYPE RemovalType);
typedef DXGKDDI_NOTIFY_SURPRISE_REMOVAL* PDXGKDDI_NOTIFY_SURPRISE_REMOVAL;

typedef NTSTATUS DXGKDDI_SETTARGETADJUSTEDCOLORIMETRY(IN_CONST_HANDLE hAdapter,
                                                      D3DDDI_VIDEO_PRESENT_TARGET_ID TargetId,
                                                      DXGK_COLORIMETRY AdjustedColorimetry);
typedef DXGKDDI_SETTARGETADJUSTEDCOLORIMETRY* PDXGKDDI_SETTARGETADJUSTEDCOLORIMETRY;

typedef NTSTATUS DXGKDDI_EXCHANGEPRESTARTINFO(IN_CONST_HANDLE hAdapter,
                                              IN_OUT_PDXGK_PRE_START_INFO pPreStartInfo);
typedef DXGKDDI_EXCHANGEPRESTARTINFO* PDXGKDDI_EXCHANGEPRESTARTINFO;

typedef struct _DXGKARG_SETTARGETADJUSTEDCOLORIMETRY2 {
  D3DDDI_VIDEO_PRESENT_TARGET_ID TargetId;
  DXGK_COLORIMETRY AdjustedColorimetry;
  UINT SdrWhiteLevel;
} DXGKARG_SETTARGETADJUSTEDCOLORIMETRY2;
WDDM_DDI_PARAMETERS(DXGKARG_SETTARGETADJUSTEDCOLORIMETRY2);

typedef NTSTATUS DXGKDDI_SETTARGETADJUSTEDCOLORIMETRY2(
    IN_CONST_HANDLE hAdapter,
    IN_PDXGKARG_SETTARGETADJUSTEDCOLORIMETRY2 pArgSetTargetAdjustedColorimetry);
typedef DXGKDDI_SETTARGETADJUSTEDCOLORIMETRY2* PDXGKDDI_SETTARGETADJUSTEDCOLORIMETRY2;

#endif
