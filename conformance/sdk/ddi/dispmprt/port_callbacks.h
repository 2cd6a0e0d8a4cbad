// Callbacks of the port driver.
//
// Layouts are those of WDDM 2.7 on x64, whatever DXGKDDI_INTERFACE_VERSION says.
#ifndef WDDM_DDI_DISPMPRT_PORT_CALLBACKS_H
#define WDDM_DDI_DISPMPRT_PORT_CALLBACKS_H

#include "../acpiioct.h"
#include "../d3d_base.h"
#include "../d3dkmdt/monitors.h"
#include "start.h"

// Spaces that DxgkCbReadDeviceSpace and DxgkCbWriteDeviceSpace reach.
#define DXGK_WHICHSPACE_CONFIG PCI_WHICHSPACE_CONFIG
#define DXGK_WHICHSPACE_ROM PCI_WHICHSPACE_ROM
#define DXGK_WHICHSPACE_MCH 0x80000000U
#define DXGK_WHICHSPACE_BRIDGE 0x80000001U

// Attributes of DxgkCbExcludeAdapterAccess.
#define DXGK_EXCLUDE_EVICT_ALL 0x00000001U
#define DXGK_EXCLUDE_CALL_SYNCHRONOUS 0x00000002U
#define DXGK_EXCLUDE_BRIDGE_ACCESS 0x00000004U

typedef NTSTATUS (*DXGKCB_EVAL_ACPI_METHOD)(HANDLE DeviceHandle, ULONG DeviceUid,
                                            PACPI_EVAL_INPUT_BUFFER_COMPLEX AcpiInputBuffer,
                                            ULONG AcpiInputSize,
                                            PACPI_EVAL_OUTPUT_BUFFER AcpiOutputBuffer,
                                            ULONG AcpiOutputSize);

typedef NTSTATUS (*DXGKCB_MAP_MEMORY)(HANDLE DeviceHandle, PHYSICAL_ADDRESS TranslatedAddress,
                                      ULONG Length, BOOLEAN InIoSpace, BOOLEAN MapToUserMode,
                                      MEMORY_CACHING_TYPE CacheType, PVOID* VirtualAddress);

typedef BOOLEAN (*DXGKCB_QUEUE_DPC)(HANDLE DeviceHandle);

typedef enum _DXGK_SERVICES {
  DxgkServicesAgp,
  DxgkServicesDebugReport,
  DxgkServicesTimedOperation,
  DxgkServicesSPB,
  DxgkServicesBDD,
  DxgkServicesFirmwareTable,
  DxgkServicesIDD,
  DxgkServicesFeature,
} DXGK_SERVICES;
WDDM_DDI_PARAMETERS(DXGK_SERVICES);

typedef NTSTATUS (*DXGKCB_QUERY_SERVICES)(HANDLE DeviceHandle, DXGK_SERVICES ServicesType,
                                          PINTERFACE Interface);

typedef NTSTATUS (*DXGKCB_READ_DEVICE_SPACE)(HANDLE DeviceHandle, ULONG DataType, PVOID Buffer,
                                             ULONG Offset, ULONG Length, PULONG BytesRead);

typedef NTSTATUS (*DXGKCB_SYNCHRONIZE_EXECUTION)(HANDLE DeviceHandle,
                                                 PKSYNCHRONIZE_ROUTINE SynchronizeRoutine,
                                                 PVOID Context, ULONG MessageNumber,
                                                 PBOOLEAN ReturnValue);

typedef NTSTATUS (*DXGKCB_UNMAP_MEMORY)(HANDLE DeviceHandle, PVOID VirtualAddress);

typedef NTSTATUS (*DXGKCB_WRITE_DEVICE_SPACE)(HANDLE DeviceHandle, ULONG DataType, PVOID Buffer,
                                              ULONG Offset, ULONG Length, PULONG BytesWritten);

typedef NTSTATUS (*DXGKCB_IS_DEVICE_PRESENT)(
    HANDLE DeviceHandle, PPCI_DEVICE_PRESENCE_PARAMETERS DevicePresenceParameters,
    PBOOLEAN DevicePresent);

typedef VOID (*DXGKCB_LOG_ETW_EVENT)(const LPCGUID EventGuid, UCHAR Type, USHORT EventBufferSize,
                                     PVOID EventBuffer);

typedef VOID (*DXGKDDI_PROTECTED_CALLBACK)(IN_CONST_PVOID MiniportDeviceContext,
                                           PVOID ProtectedCallbackContext,
                                           NTSTATUS ProtectionStatus);

typedef NTSTATUS (*DXGKCB_EXCLUDE_ADAPTER_ACCESS)(HANDLE DeviceHandle, ULONG Attributes,
                                                  DXGKDDI_PROTECTED_CALLBACK DxgkProtectedCallback,
                                                  PVOID ProtectedCallbackContext);

typedef NTSTATUS (*DXGKCB_ACQUIRE_POST_DISPLAY_OWNERSHIP)(HANDLE DeviceHandle,
                                                          PDXGK_DISPLAY_INFORMATION DisplayInfo);

typedef NTSTATUS (*DXGKCB_ACQUIRE_POST_DISPLAY_OWNERSHIP2)(HANDLE DeviceHandle,
                                                           PDXGK_DISPLAY_INFORMATION DisplayInfo,
                                                           PDXGK_DISPLAY_OWNERSHIP_FLAGS Flags);

#endif
