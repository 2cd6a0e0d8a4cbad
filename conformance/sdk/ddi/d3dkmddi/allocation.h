// Allocations: create, describe, open, close, destroy; swizzling ranges.
//
// Layouts are those of WDDM 2.7 on x64, whatever DXGKDDI_INTERFACE_VERSION says.
#ifndef WDDM_DDI_D3DKMDDI_ALLOCATION_H
#define WDDM_DDI_D3DKMDDI_ALLOCATION_H

#include "../d3d_base.h"
#include "../d3dkmdt/standard_allocations.h"
#include "../d3dukmdt/display.h"
#include "../d3dukmdt/formats.h"
#include "../d3dukmdt/gpu_va.h"
#include "../d3dukmdt/patch_location.h"
#include "segments.h"

#define D3DDDI_ALLOCATIONPRIORITY_MINIMUM 0x28000000
#define D3DDDI_ALLOCATIONPRIORITY_LOW 0x50000000
#define D3DDDI_ALLOCATIONPRIORITY_NORMAL 0x78000000
#define D3DDDI_ALLOCATIONPRIORITY_HIGH 0xa0000000
#define D3DDDI_ALLOCATIONPRIORITY_MAXIMUM 0xc8000000

typedef struct _DXGK_ALLOCATIONINFOFLAGS {
  union {
    struct {
      UINT CpuVisible : 1;
      UINT PermanentSysMem : 1;
      UINT Cached : 1;
      UINT Protected : 1;
      UINT ExistingSysMem : 1;
      UINT ExistingKernelSysMem : 1;
      UINT FromEndOfSegment : 1;
      UINT Swizzled : 1;
      UINT Overlay : 1;
      UINT Capture : 1;
      UINT UseAlternateVA : 1;
      UINT SynchronousPaging : 1;
      UINT LinkMirrored : 1;
      UINT LinkInstanced : 1;
      UINT HistoryBuffer : 1;
      UINT AccessedPhysically : 1;
      UINT ExplicitResidencyNotification : 1;
      UINT HardwareProtected : 1;
      UINT CpuVisibleOnDemand : 1;
      UINT DXGK_ALLOC_RESERVED16 : 1;
      UINT Reserved15 : 1;
      UINT Reserved14 : 1;
      UINT Reserved13 : 1;
      UINT Reserved12 : 1;
      UINT Reserved11 : 1;
      UINT Reserved10 : 1;
      UINT Reserved9 : 1;
      UINT Reserved4 : 1;
      UINT Reserved3 : 1;
      UINT Reserved2 : 1;
      UINT Reserved1 : 1;
      UINT Reserved0 : 1;
    };
    UINT Value;
  };
} DXGK_ALLOCATIONINFOFLAGS;
WDDM_DDI_PARAMETERS(DXGK_ALLOCATIONINFOFLAGS);

typedef struct _DXGK_ALLOCATIONINFOFLAGS_WDDM2_0 {
  union {
    struct {
      UINT CpuVisible : 1;
      UINT PermanentSysMem : 1;
      UINT Cached : 1;
      UINT Protected : 1;
      UINT ExistingSysMem : 1;
      UINT ExistingKernelSysMem : 1;
      UINT FromEndOfSegment : 1;
      UINT DisableLargePageMapping : 1;
      UINT Overlay : 1;
      UINT Capture : 1;
      UINT CreateInVpr : 1;
      UINT DXGK_ALLOC_RESERVED17 : 1;
      UINT Reserved02 : 1;
      UINT Reserved03 : 1;
      UINT HistoryBuffer : 1;
      UINT AccessedPhysically : 1;
      UINT ExplicitResidencyNotification : 1;
      UINT HardwareProtected : 1;
      UINT CpuVisibleOnDemand : 1;
      UINT DXGK_ALLOC_RESERVED16 : 1;
      UINT Reserved15 : 1;
      UINT Reserved14 : 1;
      UINT Reserved13 : 1;
      UINT Reserved12 : 1;
      UINT Reserved11 : 1;
      UINT Reserved10 : 1;
      UINT Reserved9 : 1;
      UINT Reserved4 : 1;
      UINT Reserved3 : 1;
      UINT Reserved2 : 1;
      UINT Reserved1 : 1;
      UINT Reserved0 : 1;
    };
    UINT Value;
  };
} DXGK_ALLOCATIONINFOFLAGS_WDDM2_0;
WDDM_DDI_PARAMETERS(DXGK_ALLOCATIONINFOFLAGS_WDDM2_0);

typedef struct _DXGK_ALLOCATIONUSAGEINFO1 {
  union {
    struct {
      UINT PrivateFormat : 1;
      UINT Swizzled : 1;
      UINT MipMap : 1;
      UINT Cube : 1;
      UINT Volume : 1;
      UINT Vertex : 1;
      UINT Index : 1;
      UINT Reserved : 25;
    };
    UINT Value;
  } Flags;
  union {
    D3DDDIFORMAT Format;
    UINT PrivateFormat;
  };
  UINT SwizzledFormat;
  UINT ByteOffset;
  UINT Width;
  UINT Height;
  UINT Pitch;
  UINT Depth;
  UINT SlicePitch;
} DXGK_ALLOCATIONUSAGEINFO1;
WDDM_DDI_PARAMETERS(DXGK_ALLOCATIONUSAGEINFO1);

typedef struct _DXGK_ALLOCATIONUSAGEHINT {
  UINT Version;
  DXGK_ALLOCATIONUSAGEINFO1 v1;
} DXGK_ALLOCATIONUSAGEHINT;
WDDM_DDI_PARAMETERS(DXGK_ALLOCATIONUSAGEHINT);

// One allocation: where it may live and how large it is, filled in by the driver.
typedef struct _DXGK_ALLOCATIONINFO {
  VOID* pPrivateDriverData;
  UINT PrivateDriverDataSize;
  union {
    UINT Alignment;
  };
  SIZE_T Size;
  SIZE_T PitchAlignedSize;
  DXGK_SEGMENTBANKPREFERENCE HintedBank;
  DXGK_SEGMENTPREFERENCE PreferredSegment;
  union {
    UINT SupportedReadSegmentSet;
  };
  UINT SupportedWriteSegmentSet;
  UINT EvictionSegmentSet;
  union {
    UINT MaximumRenamingListLength;
    UINT PhysicalAdapterIndex;
  };
  HANDLE hAllocation;
  union {
    DXGK_ALLOCATIONINFOFLAGS Flags;
    DXGK_ALLOCATIONINFOFLAGS_WDDM2_0 FlagsWddm2;
  };
  DXGK_ALLOCATIONUSAGEHINT* pAllocationUsageHint;
  UINT AllocationPriority;
} DXGK_ALLOCATIONINFO;
WDDM_DDI_PARAMETERS(DXGK_ALLOCATIONINFO);

typedef struct _DXGK_CREATEALLOCATIONFLAGS {
  union {
    struct {
      UINT Resource : 1;
      UINT Reserved : 31;
    };
    UINT Value;
  };
} DXGK_CREATEALLOCATIONFLAGS;
WDDM_DDI_PARAMETERS(DXGK_CREATEALLOCATIONFLAGS);

// A set of allocations to create, with the private data of the user-mode driver.
typedef struct _DXGKARG_CREATEALLOCATION {
  const VOID* pPrivateDriverData;
  UINT PrivateDriverDataSize;
  UINT NumAllocations;
  DXGK_ALLOCATIONINFO* pAllocationInfo;
  HANDLE hResource;
  DXGK_CREATEALLOCATIONFLAGS Flags;
} DXGKARG_CREATEALLOCATION;
WDDM_DDI_PARAMETERS(DXGKARG_CREATEALLOCATION);

typedef struct _DXGK_OPENALLOCATIONINFO {
  D3DKMT_HANDLE hAllocation;
  VOID* pPrivateDriverData;
  UINT PrivateDriverDataSize;
  HANDLE hDeviceSpecificAllocation;
} DXGK_OPENALLOCATIONINFO;
WDDM_DDI_PARAMETERS(DXGK_OPENALLOCATIONINFO);

typedef struct _DXGK_OPENALLOCATIONFLAGS {
  union {
    struct {
      UINT Create : 1;
      UINT ReadOnly : 1;
      UINT Reserved : 30;
    };
    UINT Value;
  };
} DXGK_OPENALLOCATIONFLAGS;
WDDM_DDI_PARAMETERS(DXGK_OPENALLOCATIONFLAGS);

// Allocations opened on a device.
typedef struct _DXGKARG_OPENALLOCATION {
  UINT NumAllocations;
  DXGK_OPENALLOCATIONINFO* pOpenAllocation;
  VOID* pPrivateDriverData;
  UINT PrivateDriverSize;
  DXGK_OPENALLOCATIONFLAGS Flags;
  UINT SubresourceIndex;
  SIZE_T SubresourceOffset;
  UINT Pitch;
} DXGKARG_OPENALLOCATION;
WDDM_DDI_PARAMETERS(DXGKARG_OPENALLOCATION);

typedef struct _DXGK_CREATECONTEXTALLOCATIONFLAGS {
  union {
    struct {
      UINT SharedAcrossContexts : 1;
      UINT MapGpuVirtualAddress : 1;
      UINT Reserved : 30;
    };
    UINT Value;
  };
} DXGK_CREATECONTEXTALLOCATIONFLAGS;
WDDM_DDI_PARAMETERS(DXGK_CREATECONTEXTALLOCATIONFLAGS);

typedef NTSTATUS DXGKDDI_CREATEALLOCATION(IN_CONST_HANDLE hAdapter,
                                          INOUT_PDXGKARG_CREATEALLOCATION pCreateAllocation);
typedef DXGKDDI_CREATEALLOCATION* PDXGKDDI_CREATEALLOCATION;

typedef struct _DXGK_DESTROYALLOCATIONFLAGS {
  union {
    struct {
      UINT DestroyResource : 1;
      UINT Reserved : 31;
    };
    UINT Value;
  };
} DXGK_DESTROYALLOCATIONFLAGS;
WDDM_DDI_PARAMETERS(DXGK_DESTROYALLOCATIONFLAGS);

typedef struct _DXGKARG_DESTROYALLOCATION {
  UINT NumAllocations;
  const HANDLE* pAllocationList;
  HANDLE hResource;
  DXGK_DESTROYALLOCATIONFLAGS Flags;
} DXGKARG_DESTROYALLOCATION;
WDDM_DDI_PARAMETERS(DXGKARG_DESTROYALLOCATION);

typedef NTSTATUS DXGKDDI_DESTROYALLOCATION(IN_CONST_HANDLE hAdapter,
                                           IN_CONST_PDXGKARG_DESTROYALLOCATION pDestroyAllocation);
typedef DXGKDDI_DESTROYALLOCATION* PDXGKDDI_DESTROYALLOCATION;

typedef struct _DXGK_DESCRIBEALLOCATIONFLAGS {
  union {
    struct {
      UINT CheckDisplayMode : 1;
      UINT Reserved : 31;
    };
    UINT Value;
  };
} DXGK_DESCRIBEALLOCATIONFLAGS;
WDDM_DDI_PARAMETERS(DXGK_DESCRIBEALLOCATIONFLAGS);

// What the driver tells of an allocation for presenting it.
typedef struct _DXGKARG_DESCRIBEALLOCATION {
  HANDLE hAllocation;
  UINT Width;
  UINT Height;
  D3DDDIFORMAT Format;
  D3DDDI_MULTISAMPLINGMETHOD MultisampleMethod;
  D3DDDI_RATIONAL RefreshRate;
  UINT PrivateDriverFormatAttribute;
  DXGK_DESCRIBEALLOCATIONFLAGS Flags;
  D3DDDI_ROTATION Rotation;
} DXGKARG_DESCRIBEALLOCATION;
WDDM_DDI_PARAMETERS(DXGKARG_DESCRIBEALLOCATION);

typedef NTSTATUS DXGKDDI_DESCRIBEALLOCATION(IN_CONST_HANDLE hAdapter,
                                            INOUT_PDXGKARG_DESCRIBEALLOCATION pDescribeAllocation);
typedef DXGKDDI_DESCRIBEALLOCATION* PDXGKDDI_DESCRIBEALLOCATION;

// Private data for an allocation that no user-mode driver describes.
typedef struct _DXGKARG_GETSTANDARDALLOCATIONDRIVERDATA {
  D3DKMDT_STANDARDALLOCATION_TYPE StandardAllocationType;
  union {
    D3DKMDT_SHAREDPRIMARYSURFACEDATA* pCreateSharedPrimarySurfaceData;
    D3DKMDT_SHADOWSURFACEDATA* pCreateShadowSurfaceData;
    D3DKMDT_STAGINGSURFACEDATA* pCreateStagingSurfaceData;
    D3DKMDT_GDISURFACEDATA* pCreateGdiSurfaceData;
    D3DKMDT_VIRTUALGPUSURFACEDATA* pCreateVirtualGpuSurfaceData;
  };
  VOID* pAllocationPrivateDriverData;
  UINT AllocationPrivateDriverDataSize;
  VOID* pResourcePrivateDriverData;
  UINT ResourcePrivateDriverDataSize;
  UINT PhysicalAdapterIndex;
} DXGKARG_GETSTANDARDALLOCATIONDRIVERDATA;
WDDM_DDI_PARAMETERS(DXGKARG_GETSTANDARDALLOCATIONDRIVERDATA);

typedef NTSTATUS DXGKDDI_GETSTANDARDALLOCATIONDRIVERDATA(
    IN_CONST_HANDLE hAdapter,
    INOUT_PDXGKARG_GETSTANDARDALLOCATIONDRIVERDATA pGetStandardAllocationDriverData);
typedef DXGKDDI_GETSTANDARDALLOCATIONDRIVERDATA* PDXGKDDI_GETSTANDARDALLOCATIONDRIVERDATA;

typedef struct _DXGKARG_ACQUIRESWIZZLINGRANGE {
  HANDLE hAllocation;
  UINT PrivateDriverData;
  UINT RangeId;
  UINT SegmentId;
  SIZE_T RangeSize;
  PHYSICAL_ADDRESS CPUTranslatedAddress;
} DXGKARG_ACQUIRESWIZZLINGRANGE;
WDDM_DDI_PARAMETERS(DXGKARG_ACQUIRESWIZZLINGRANGE);

typedef NTSTATUS DXGKDDI_ACQUIRESWIZZLINGRANGE(
    IN_CONST_HANDLE hAdapter, INOUT_PDXGKARG_ACQUIRESWIZZLINGRANGE pAcquireSwizzlingRange);
typedef DXGKDDI_ACQUIRESWIZZLINGRANGE* PDXGKDDI_ACQUIRESWIZZLINGRANGE;

typedef struct _DXGKARG_RELEASESWIZZLINGRANGE {
  HANDLE hAllocation;
  UINT PrivateDriverData;
  UINT RangeId;
} DXGKARG_RELEASESWIZZLINGRANGE;
WDDM_DDI_PARAMETERS(DXGKARG_RELEASESWIZZLINGRANGE);

typedef NTSTATUS DXGKDDI_RELEASESWIZZLINGRANGE(
    IN_CONST_HANDLE hAdapter, IN_CONST_PDXGKARG_RELEASESWIZZLINGRANGE pReleaseSwizzlingRange);
typedef DXGKDDI_RELEASESWIZZLINGRANGE* PDXGKDDI_RELEASESWIZZLINGRANGE;

typedef NTSTATUS DXGKDDI_OPENALLOCATIONINFO(IN_CONST_HANDLE hDevice,
                                            IN_CONST_PDXGKARG_OPENALLOCATION pOpenAllocation);
typedef DXGKDDI_OPENALLOCATIONINFO* PDXGKDDI_OPENALLOCATIONINFO;

typedef struct _DXGKARG_CLOSEALLOCATION {
  UINT NumAllocations;
  const HANDLE* pOpenHandleList;
} DXGKARG_CLOSEALLOCATION;
WDDM_DDI_PARAMETERS(DXGKARG_CLOSEALLOCATION);

typedef NTSTATUS DXGKDDI_CLOSEALLOCATION(IN_CONST_HANDLE hDevice,
                                         IN_CONST_PDXGKARG_CLOSEALLOCATION pCloseAllocation);
typedef DXGKDDI_CLOSEALLOCATION* PDXGKDDI_CLOSEALLOCATION;

typedef struct _DXGKARG_VALIDATEUPDATEALLOCPROPERTY {
  HANDLE hAllocation;
  UINT SupportedSegmentSet;
  D3DDDI_SEGMENTPREFERENCE PreferredSegment;
  D3DDDI_UPDATEALLOCPROPERTY_FLAGS Flags;
  union {
    struct {
      UINT SetAccessedPhysically : 1;
      UINT SetSupportedSegmentSet : 1;
      UINT SetPreferredSegment : 1;
      UINT Reserved : 29;
    };
    UINT PropertyMaskValue;
  };
} DXGKARG_VALIDATEUPDATEALLOCPROPERTY;
WDDM_DDI_PARAMETERS(DXGKARG_VALIDATEUPDATEALLOCPROPERTY);

typedef NTSTATUS DXGKDDI_VALIDATEUPDATEALLOCATIONPROPERTY(
    IN_CONST_HANDLE hAdapter,
    IN_CONST_PDXGKARG_VALIDATEUPDATEALLOCPROPERTY pValidateUpdateAllocProperty);
typedef DXGKDDI_VALIDATEUPDATEALLOCATIONPROPERTY* PDXGKDDI_VALIDATEUPDATEALLOCATIONPROPERTY;

#endif
