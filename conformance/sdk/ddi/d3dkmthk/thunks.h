// The few thunk-interface types that kernel drivers see.
//
// Layouts are those of WDDM 2.7 on x64, whatever DXGKDDI_INTERFACE_VERSION says.
#ifndef WDDM_DDI_D3DKMTHK_THUNKS_H
#define WDDM_DDI_D3DKMTHK_THUNKS_H

#include "../d3d_base.h"

typedef struct _D3DKMT_PAGE_TABLE_LEVEL_DESC {
  UINT IndexBitCount;
  UINT64 IndexMask;
  UINT64 IndexShift;
  UINT64 LowerLevelsMask;
  UINT64 EntryCoverageInPages;
} D3DKMT_PAGE_TABLE_LEVEL_DESC;
WDDM_DDI_PARAMETERS(D3DKMT_PAGE_TABLE_LEVEL_DESC);

typedef struct _DXGK_ESCAPE_GPUMMUCAPS {
  BOOLEAN ReadOnlyMemorySupported;
  BOOLEAN NoExecuteMemorySupported;
  BOOLEAN ZeroInPteSupported;
  BOOLEAN CacheCoherentMemorySupported;
  BOOLEAN LargePageSupported;
  BOOLEAN DualPteSupported;
  BOOLEAN AllowNonAlignedLargePageAddress;
  BOOLEAN Reserved : 7;
  UINT VirtualAddressBitCount;
  UINT PageTableLevelCount;
  D3DKMT_PAGE_TABLE_LEVEL_DESC PageTableLevelDesk[DXGK_MAX_PAGE_TABLE_LEVEL_COUNT];
} DXGK_ESCAPE_GPUMMUCAPS;
WDDM_DDI_PARAMETERS(DXGK_ESCAPE_GPUMMUCAPS);

typedef VOID (*PDXGK_POWER_NOTIFICATION)(PVOID GraphicsDeviceHandle,
                                         DEVICE_POWER_STATE NewGrfxPowerState,
                                         BOOLEAN PreNotification, PVOID PrivateHandle);

typedef VOID (*PDXGK_REMOVAL_NOTIFICATION)(PVOID GraphicsDeviceHandle, PVOID PrivateHandle);

typedef VOID (*PDXGK_FSTATE_NOTIFICATION)(PVOID GraphicsDeviceHandle, ULONG ComponentIndex,
                                          UINT NewFState, BOOLEAN PreNotification,
                                          PVOID PrivateHandle);

typedef VOID (*PDXGK_INITIAL_COMPONENT_STATE)(PVOID GraphicsDeviceHandle, PVOID PrivateHandle,
                                              ULONG ComponentIndex, BOOLEAN IsBlockingType,
                                              UINT InitialFState, GUID ComponentGuid,
                                              UINT PowerComponentMappingFlag);

typedef struct _DXGK_GRAPHICSPOWER_REGISTER_INPUT_V_1_2 {
  ULONG Version;
  PVOID PrivateHandle;
  PDXGK_POWER_NOTIFICATION PowerNotificationCb;
  PDXGK_REMOVAL_NOTIFICATION RemovalNotificationCb;
  PDXGK_FSTATE_NOTIFICATION FStateNotificationCb;
  PDXGK_INITIAL_COMPONENT_STATE InitialComponentStateCb;
} DXGK_GRAPHICSPOWER_REGISTER_INPUT_V_1_2;
WDDM_DDI_PARAMETERS(DXGK_GRAPHICSPOWER_REGISTER_INPUT_V_1_2);

typedef NTSTATUS (*PDXGK_SET_SHARED_POWER_COMPONENT_STATE)(PVOID DeviceHandle, PVOID PrivateHandle,
                                                           ULONG ComponentIndex, BOOLEAN Active);

typedef NTSTATUS (*PDXGK_GRAPHICSPOWER_UNREGISTER)(PVOID DeviceHandle, PVOID PrivateHandle);

typedef struct _DXGK_GRAPHICSPOWER_REGISTER_OUTPUT {
  PVOID DeviceHandle;
  DEVICE_POWER_STATE InitialGrfxPowerState;
  PDXGK_SET_SHARED_POWER_COMPONENT_STATE SetSharedPowerComponentStateCb;
  PDXGK_GRAPHICSPOWER_UNREGISTER UnregisterCb;
} DXGK_GRAPHICSPOWER_REGISTER_OUTPUT;
WDDM_DDI_PARAMETERS(DXGK_GRAPHICSPOWER_REGISTER_OUTPUT);

#endif
