// Memory and scheduling capabilities.
//
// Layouts are those of WDDM 2.7 on x64, whatever DXGKDDI_INTERFACE_VERSION says.
#ifndef WDDM_DDI_D3DKMDDI_MEMORY_CAPS_H
#define WDDM_DDI_D3DKMDDI_MEMORY_CAPS_H

#include "../d3d_base.h"

// What the scheduler may rely on.
typedef struct _DXGK_VIDSCHCAPS {
  union {
    struct {
      UINT MultiEngineAware : 1;
      UINT VSyncPowerSaveAware : 1;
      UINT PreemptionAware : 1;
      UINT NoDmaPatching : 1;
      UINT CancelCommandAware : 1;
      UINT No64BitAtomics : 1;
      UINT LowIrqlPreemptCommand : 1;
      UINT HwQueuePacketCap : 4;
      UINT Reserved : 21;
    };
    UINT Value;
  };
} DXGK_VIDSCHCAPS;
WDDM_DDI_PARAMETERS(DXGK_VIDSCHCAPS);

// What the memory manager may rely on.
typedef struct _DXGK_VIDMMCAPS {
  union {
    struct {
      UINT OutOfOrderLock : 1;
      UINT DedicatedPagingEngine : 1;
      UINT PagingEngineCanSwizzle : 1;
      UINT SectionBackedPrimary : 1;
      UINT CrossAdapterResource : 1;
      UINT VirtualAddressingSupported : 1;
      UINT GpuMmuSupported : 1;
      UINT IoMmuSupported : 1;
      UINT ReplicateGdiContent : 1;
      UINT NonCpuVisiblePrimary : 1;
      UINT ParavirtualizationSupported : 1;
      UINT IoMmuSecureModeSupported : 1;
      UINT DisableSelfRefreshVRAMInS3 : 1;
      UINT IoMmuSecureModeRequired : 1;
      UINT MapAperture2Supported : 1;
      UINT Reserved : 17;
    };
    UINT Value;
  };
  UINT PagingNode;
} DXGK_VIDMMCAPS;
WDDM_DDI_PARAMETERS(DXGK_VIDMMCAPS);

// How many nodes the adapter has.
typedef struct _DXGK_GPUENGINETOPOLOGY {
  UINT NbAsymetricProcessingNodes;
  UINT Reserved[DXGK_MAX_ASYMETRICAL_PROCESSING_NODES];
} DXGK_GPUENGINETOPOLOGY;
WDDM_DDI_PARAMETERS(DXGK_GPUENGINETOPOLOGY);

typedef enum _DXGK_WDDMVERSION {
  DXGKDDI_WDDMv1 = 4096,
  DXGKDDI_WDDMv1_2 = 4608,
  DXGKDDI_WDDMv1_3 = 4864,
  DXGKDDI_WDDMv2 = 8192,
  DXGKDDI_WDDMv2_1 = 8448,
  DXGKDDI_WDDMv2_1_5 = 8453,
  DXGKDDI_WDDMv2_1_6 = 8454,
  DXGKDDI_WDDMv2_2 = 8704,
  DXGKDDI_WDDMv2_3 = 8960,
  DXGKDDI_WDDMv2_4 = 9216,
  DXGKDDI_WDDMv2_5 = 9472,
  DXGKDDI_WDDMv2_6 = 9728,
  DXGKDDI_WDDMv2_7 = 9984,
  DXGKDDI_WDDMv2_8 = 10240,
  DXGKDDI_WDDMv2_9 = 10496,
  DXGKDDI_WDDMv3_0 = 12288,
  DXGKDDI_WDDMv3_1 = 12544,
  DXGKDDI_WDDMv3_2 = 12800,
  DXGKDDI_WDDM_LATEST = DXGKDDI_WDDMv2_7,
} DXGK_WDDMVERSION;
WDDM_DDI_PARAMETERS(DXGK_WDDMVERSION);

typedef struct _DXGK_VIRTUALADDRESSCAPS_DEPRECATED {
  union {
    struct {
      UINT PrivilegedMemorySupported : 1;
      UINT ReadOnlyMemorySupported : 1;
      UINT Reserved : 30;
    };
    UINT Value;
  };
  UINT VirtualAddressBitCount;
  UINT PageTableCoverageBitCount;
  UINT PageDirectoryEntrySize;
  UINT PageDirectorySegment;
  UINT PageTableSegment;
  UINT IdealGPUPageSize;
} DXGK_VIRTUALADDRESSCAPS_DEPRECATED;
WDDM_DDI_PARAMETERS(DXGK_VIRTUALADDRESSCAPS_DEPRECATED);

typedef struct _DXGK_DMABUFFERCAPS_DEPRECATED {
  struct {
    UINT Size;
    UINT PrivateDriverDataSize;
    UINT SegmentId;
    UINT Reserved1;
    UINT Reserved[16];
  } PresentDmaBuffer;
  struct {
    UINT Size;
    UINT PrivateDriverDataSize;
    UINT SegmentId;
    UINT Reserved1;
    UINT Reserved[16];
  } PagingDmaBuffer;
} DXGK_DMABUFFERCAPS_DEPRECATED;
WDDM_DDI_PARAMETERS(DXGK_DMABUFFERCAPS_DEPRECATED);

typedef enum _DXGK_MEMORY_CACHING_TYPE {
  DXGK_MEMORY_CACHING_TYPE_NON_CACHED = 0,
  DXGK_MEMORY_CACHING_TYPE_CACHED = 1,
  DXGK_MEMORY_CACHING_TYPE_WRITE_COMBINED = 2,
} DXGK_MEMORY_CACHING_TYPE;
WDDM_DDI_PARAMETERS(DXGK_MEMORY_CACHING_TYPE);

typedef struct _DXGK_KSR_MEMORY_RANGE {
  ULONGLONG MemoryRangeDesc;
} DXGK_KSR_MEMORY_RANGE;
WDDM_DDI_PARAMETERS(DXGK_KSR_MEMORY_RANGE);

typedef struct _DXGK_DEVICE_TYPE_CAPS {
  union {
    struct {
      UINT32 Discrete : 1;
      UINT32 Detachable : 1;
      UINT32 Reserved : 30;
    };
    UINT32 Value;
  };
} DXGK_DEVICE_TYPE_CAPS;
WDDM_DDI_PARAMETERS(DXGK_DEVICE_TYPE_CAPS);

typedef struct _DXGK_FRAMEBUFFERSAVEAREA {
  SIZE_T MaximumSize;
} DXGK_FRAMEBUFFERSAVEAREA;
WDDM_DDI_PARAMETERS(DXGK_FRAMEBUFFERSAVEAREA);

typedef struct _DXGK_GPUPCAPS {
  union {
    struct {
      UINT VirtualMachineHibernation : 1;
      UINT HotDriverUpdate : 1;
      UINT Reserved : 30;
    };
    UINT Value;
  } Caps;
} DXGK_GPUPCAPS;
WDDM_DDI_PARAMETERS(DXGK_GPUPCAPS);

typedef struct _DXGK_PHYSICAL_MEMORY_RANGE {
  PHYSICAL_ADDRESS BaseAddress;
  LARGE_INTEGER NumberOfBytes;
} DXGK_PHYSICAL_MEMORY_RANGE;
WDDM_DDI_PARAMETERS(DXGK_PHYSICAL_MEMORY_RANGE);

typedef struct _DXGK_HARDWARERESERVEDRANGES {
  UINT32 NumRanges;
  DXGK_PHYSICAL_MEMORY_RANGE* pPhysicalRanges;
} DXGK_HARDWARERESERVEDRANGES;
WDDM_DDI_PARAMETERS(DXGK_HARDWARERESERVEDRANGES);

typedef struct _DXGK_MEMORYRANGE {
  UINT64 SegmentOffset;
  UINT64 SizeInBytes;
} DXGK_MEMORYRANGE;
WDDM_DDI_PARAMETERS(DXGK_MEMORYRANGE);

typedef struct _DXGK_PHYSICALADAPTERFLAGS {
  union {
    struct {
      UINT IoMmuSupported : 1;
      UINT GpuMmuSupported : 1;
      UINT MovePagingSupported : 1;
      UINT VPRPagingContextRequired : 1;
      UINT AllowHardwareProtectedNoVpr : 1;
      UINT VirtualCopyEngineSupported : 1;
      UINT Reserved : 26;
    };
    UINT Value;
  };
} DXGK_PHYSICALADAPTERFLAGS;
WDDM_DDI_PARAMETERS(DXGK_PHYSICALADAPTERFLAGS);

typedef struct _DXGK_PHYSICALADAPTERCAPS {
  WORD NumExecutionNodes;
  WORD PagingNodeIndex;
  HANDLE DxgkPhysicalAdapterHandle;
  DXGK_PHYSICALADAPTERFLAGS Flags;
  UINT VPRPagingNode;
  UINT VirtualCopyNodeIndex;
} DXGK_PHYSICALADAPTERCAPS;
WDDM_DDI_PARAMETERS(DXGK_PHYSICALADAPTERCAPS);

typedef struct _DXGK_WDDMDEVICECAPS {
  DXGK_WDDMVERSION WDDMVersion;
} DXGK_WDDMDEVICECAPS;
WDDM_DDI_PARAMETERS(DXGK_WDDMDEVICECAPS);

typedef struct _DXGK_WDDMDEVICECAPSIN {
  ULONG DxgkrnlInterfaceVersion;
} DXGK_WDDMDEVICECAPSIN;
WDDM_DDI_PARAMETERS(DXGK_WDDMDEVICECAPSIN);

#endif
