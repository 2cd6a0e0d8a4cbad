// Child devices and their status.
//
// Layouts are those of WDDM 2.7 on x64, whatever DXGKDDI_INTERFACE_VERSION says.
#ifndef WDDM_DDI_DISPMPRT_CHILDREN_H
#define WDDM_DDI_DISPMPRT_CHILDREN_H

#include "../d3d_base.h"
#include "../d3dkmdt/monitors.h"
#include "../d3dkmdt/vidpn.h"

// The uid of the adapter itself, where a child's could stand.
#define DISPLAY_ADAPTER_HW_ID 0xFFFFFFFFU

typedef enum _DXGK_CHILD_STATUS_TYPE {
  StatusUninitialized = 0,
  StatusConnection = 1,
  StatusRotation = 2,
  StatusMiracastConnection = 3,
} DXGK_CHILD_STATUS_TYPE;
WDDM_DDI_PARAMETERS(DXGK_CHILD_STATUS_TYPE);

typedef struct _DXGK_CHILD_STATUS {
  DXGK_CHILD_STATUS_TYPE Type;
  ULONG ChildUid;
  union {
    struct {
      BOOLEAN Connected;
    } HotPlug;
    struct {
      UCHAR Angle;
    } Rotation;
    struct {
      BOOLEAN Connected;
      D3DKMDT_VIDEO_OUTPUT_TECHNOLOGY MiracastMonitorType;
    } Miracast;
  };
} DXGK_CHILD_STATUS;
WDDM_DDI_PARAMETERS(DXGK_CHILD_STATUS);

typedef NTSTATUS (*DXGKCB_INDICATE_CHILD_STATUS)(HANDLE DeviceHandle,
                                                 PDXGK_CHILD_STATUS ChildStatus);

typedef enum _DXGK_CHILD_DEVICE_TYPE {
  TypeUninitialized = 0,
  TypeVideoOutput = 1,
  TypeOther = 2,
  TypeIntegratedDisplay = 3,
} DXGK_CHILD_DEVICE_TYPE;
WDDM_DDI_PARAMETERS(DXGK_CHILD_DEVICE_TYPE);

typedef struct _DXGK_VIDEO_OUTPUT_CAPABILITIES {
  D3DKMDT_VIDEO_OUTPUT_TECHNOLOGY InterfaceTechnology;
  D3DKMDT_MONITOR_ORIENTATION_AWARENESS MonitorOrientationAwareness;
  BOOLEAN SupportsSdtvModes;
} DXGK_VIDEO_OUTPUT_CAPABILITIES;
WDDM_DDI_PARAMETERS(DXGK_VIDEO_OUTPUT_CAPABILITIES);

typedef struct _DXGK_INTEGRATED_DISPLAY_CHILD {
  D3DKMDT_VIDEO_OUTPUT_TECHNOLOGY InterfaceTechnology;
  USHORT DescriptorLength;
} DXGK_INTEGRATED_DISPLAY_CHILD;
WDDM_DDI_PARAMETERS(DXGK_INTEGRATED_DISPLAY_CHILD);

typedef struct _DXGK_CHILD_CAPABILITIES {
  union {
    DXGK_VIDEO_OUTPUT_CAPABILITIES VideoOutput;
    struct {
      UINT MustBeZero;
    } Other;
    DXGK_INTEGRATED_DISPLAY_CHILD IntegratedDisplayChild;
  } Type;
  DXGK_CHILD_DEVICE_HPD_AWARENESS HpdAwareness;
} DXGK_CHILD_CAPABILITIES;
WDDM_DDI_PARAMETERS(DXGK_CHILD_CAPABILITIES);

typedef struct _DXGK_CHILD_DESCRIPTOR {
  DXGK_CHILD_DEVICE_TYPE ChildDeviceType;
  DXGK_CHILD_CAPABILITIES ChildCapabilities;
  ULONG AcpiUid;
  ULONG ChildUid;
} DXGK_CHILD_DESCRIPTOR;
WDDM_DDI_PARAMETERS(DXGK_CHILD_DESCRIPTOR);

typedef NTSTATUS DXGKDDI_QUERY_CHILD_RELATIONS(IN_CONST_PVOID MiniportDeviceContext,
                                               PDXGK_CHILD_DESCRIPTOR ChildRelations,
                                               ULONG ChildRelationsSize);
typedef DXGKDDI_QUERY_CHILD_RELATIONS* PDXGKDDI_QUERY_CHILD_RELATIONS;

typedef NTSTATUS DXGKDDI_QUERY_CHILD_STATUS(IN_CONST_PVOID MiniportDeviceContext,
                                            INOUT_PDXGK_CHILD_STATUS ChildStatus,
                                            IN_BOOLEAN NonDestructiveOnly);
typedef DXGKDDI_QUERY_CHILD_STATUS* PDXGKDDI_QUERY_CHILD_STATUS;

typedef struct _DXGK_DEVICE_DESCRIPTOR {
  ULONG DescriptorOffset;
  ULONG DescriptorLength;
  PVOID DescriptorBuffer;
} DXGK_DEVICE_DESCRIPTOR;
WDDM_DDI_PARAMETERS(DXGK_DEVICE_DESCRIPTOR);

typedef NTSTATUS DXGKDDI_QUERY_DEVICE_DESCRIPTOR(IN_CONST_PVOID MiniportDeviceContext,
                                                 IN_ULONG ChildUid,
                                                 INOUT_PDXGK_DEVICE_DESCRIPTOR DeviceDescriptor);
typedef DXGKDDI_QUERY_DEVICE_DESCRIPTOR* PDXGKDDI_QUERY_DEVICE_DESCRIPTOR;

typedef struct _DXGK_CHILD_CONTAINER_ID {
  GUID ContainerId;
  struct {
    ULONG64 PortId;
    USHORT ManufacturerName;
    USHORT ProductCode;
  } EldInfo;
} DXGK_CHILD_CONTAINER_ID;
WDDM_DDI_PARAMETERS(DXGK_CHILD_CONTAINER_ID);

typedef NTSTATUS DXGKDDI_GET_CHILD_CONTAINER_ID(PVOID MiniportDeviceContext, ULONG ChildUid,
                                                PDXGK_CHILD_CONTAINER_ID ContainerId);
typedef DXGKDDI_GET_CHILD_CONTAINER_ID* PDXGKDDI_GET_CHILD_CONTAINER_ID;

#endif
