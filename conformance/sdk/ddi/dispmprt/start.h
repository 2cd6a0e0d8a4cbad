// What StartDevice receives; device information.
//
// Layouts are those of WDDM 2.7 on x64, whatever DXGKDDI_INTERFACE_VERSION says.
#ifndef WDDM_DDI_DISPMPRT_START_H
#define WDDM_DDI_DISPMPRT_START_H

#include "../d3d_base.h"

// What StartDevice learns of the system.
typedef struct _DXGK_START_INFO {
  ULONG RequiredDmaQueueEntry;
  GUID AdapterGuid;
  LUID AdapterLuid;
} DXGK_START_INFO;
WDDM_DDI_PARAMETERS(DXGK_START_INFO);

typedef enum _DOCKING_STATE {
  DockStateUnsupported,
  DockStateUnDocked,
  DockStateDocked,
  DockStateUnknown,
} DOCKING_STATE;
WDDM_DDI_PARAMETERS(DOCKING_STATE);

// The answer of DxgkCbGetDeviceInformation: resources, registry path, memory size.
typedef struct _DXGK_DEVICE_INFO {
  PVOID MiniportDeviceContext;
  PDEVICE_OBJECT PhysicalDeviceObject;
  UNICODE_STRING DeviceRegistryPath;
  PCM_RESOURCE_LIST TranslatedResourceList;
  LARGE_INTEGER SystemMemorySize;
  PHYSICAL_ADDRESS HighestPhysicalAddress;
  PHYSICAL_ADDRESS AgpApertureBase;
  SIZE_T AgpApertureSize;
  DOCKING_STATE DockingState;
} DXGK_DEVICE_INFO;
WDDM_DDI_PARAMETERS(DXGK_DEVICE_INFO);

typedef NTSTATUS (*DXGKCB_GET_DEVICE_INFORMATION)(HANDLE DeviceHandle,
                                                  PDXGK_DEVICE_INFO DeviceInfo);

typedef enum _DXGK_FRAMEBUFFER_STATE {
  FrameBufferStateUnknown = 0,
  FrameBufferStateInitializedByFirmware = 1,
  FrameBufferStateInitializedByDriver = 2,
} DXGK_FRAMEBUFFER_STATE;
WDDM_DDI_PARAMETERS(DXGK_FRAMEBUFFER_STATE);

typedef struct _DXGK_DISPLAY_OWNERSHIP_FLAGS {
  union {
    struct {
      DXGK_FRAMEBUFFER_STATE FrameBufferState : 4;
    };
    UINT Value;
  };
} DXGK_DISPLAY_OWNERSHIP_FLAGS;
WDDM_DDI_PARAMETERS(DXGK_DISPLAY_OWNERSHIP_FLAGS);

// Place of an adapter in a chain of linked adapters.
typedef struct _LINKED_DEVICE {
  ULONG ChainUid;
  ULONG NumberOfLinksInChain;
  BOOLEAN LeadLink;
} LINKED_DEVICE;
WDDM_DDI_PARAMETERS(LINKED_DEVICE);

typedef struct _DXGK_PRE_START_INFO {
  union {
    struct {
      UINT ReservedIn;
    };
    UINT Input;
  };
  union {
    struct {
      UINT SupportPreserveBootDisplay : 1;
      UINT IsUEFIFrameBufferCpuAccessibleDuringStartup : 1;
      UINT ReservedOut : 30;
    };
    UINT Output;
  };
} DXGK_PRE_START_INFO;
WDDM_DDI_PARAMETERS(DXGK_PRE_START_INFO);

#endif
