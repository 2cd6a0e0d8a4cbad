// Render and present: from command buffer to DMA buffer.
//
// Layouts are those of WDDM 2.7 on x64, whatever DXGKDDI_INTERFACE_VERSION says.
#ifndef WDDM_DDI_D3DKMDDI_RENDER_H
#define WDDM_DDI_D3DKMDDI_RENDER_H

#include "../d3d_base.h"
#include "../d3dukmdt/patch_location.h"
#include "../d3dukmdt/queues.h"

// Fixed places in the allocation list of a present; element 0 is empty.
#define DXGK_PRESENT_SOURCE_INDEX 1
#define DXGK_PRESENT_DESTINATION_INDEX 2
#define DXGK_PRESENT_MAX_INDEX DXGK_PRESENT_DESTINATION_INDEX

// What the kernel passes for each allocation of a DMA buffer.
typedef struct _DXGK_ALLOCATIONLIST {
  HANDLE hDeviceSpecificAllocation;
  struct {
    UINT WriteOperation : 1;
    UINT SegmentId : 5;
    UINT Reserved : 26;
  };
  union {
    PHYSICAL_ADDRESS PhysicalAddress;
    D3DGPU_VIRTUAL_ADDRESS VirtualAddress;
  };
} DXGK_ALLOCATIONLIST;
WDDM_DDI_PARAMETERS(DXGK_ALLOCATIONLIST);

// A command buffer to be turned into a DMA buffer with its lists.
typedef struct _DXGKARG_RENDER {
  const VOID* pCommand;
  UINT CommandLength;
  VOID* pDmaBuffer;
  UINT DmaSize;
  VOID* pDmaBufferPrivateData;
  UINT DmaBufferPrivateDataSize;
  DXGK_ALLOCATIONLIST* pAllocationList;
  UINT AllocationListSize;
  D3DDDI_PATCHLOCATIONLIST* pPatchLocationListIn;
  UINT PatchLocationListInSize;
  D3DDDI_PATCHLOCATIONLIST* pPatchLocationListOut;
  UINT PatchLocationListOutSize;
  UINT MultipassOffset;
  UINT DmaBufferSegmentId;
  PHYSICAL_ADDRESS DmaBufferPhysicalAddress;
} DXGKARG_RENDER;
WDDM_DDI_PARAMETERS(DXGKARG_RENDER);

typedef NTSTATUS DXGKDDI_RENDER(IN_CONST_HANDLE hContext, INOUT_PDXGKARG_RENDER pRender);
typedef DXGKDDI_RENDER* PDXGKDDI_RENDER;

typedef struct _DXGK_PRESENTALLOCATIONINFO {
  HANDLE hDeviceSpecificAllocation;
  D3DGPU_VIRTUAL_ADDRESS AllocationVirtualAddress;
  PHYSICAL_ADDRESS PhysicalAddress;
  WORD SegmentId;
  WORD PhysicalAdapterIndex;
} DXGK_PRESENTALLOCATIONINFO;
WDDM_DDI_PARAMETERS(DXGK_PRESENTALLOCATIONINFO);

typedef struct _DXGK_PRESENTMULTIPLANEOVERLAYLIST {
  UINT LayerIndex;
  BOOL Enabled;
  HANDLE hDeviceSpecificAllocation;
  struct {
    UINT SegmentId : 5;
    UINT Reserved : 27;
  };
  PHYSICAL_ADDRESS PhysicalAddress;
} DXGK_PRESENTMULTIPLANEOVERLAYLIST;
WDDM_DDI_PARAMETERS(DXGK_PRESENTMULTIPLANEOVERLAYLIST);

typedef struct _DXGK_PRESENTMULTIPLANEOVERLAYINFO {
  D3DDDI_VIDEO_PRESENT_SOURCE_ID VidPnSourceId;
  UINT PlaneListCount;
  DXGK_PRESENTMULTIPLANEOVERLAYLIST* pPlaneList;
} DXGK_PRESENTMULTIPLANEOVERLAYINFO;
WDDM_DDI_PARAMETERS(DXGK_PRESENTMULTIPLANEOVERLAYINFO);

typedef struct _DXGK_PRESENTFLAGS {
  union {
    struct {
      UINT Blt : 1;
      UINT ColorFill : 1;
      UINT Flip : 1;
      UINT FlipWithNoWait : 1;
      UINT SrcColorKey : 1;
      UINT DstColorKey : 1;
      UINT LinearToSrgb : 1;
      UINT Rotate : 1;
      UINT FlipStereo : 1;
      UINT FlipStereoTemporaryMono : 1;
      UINT FlipStereoPreferRight : 1;
      UINT BltStereoUseRight : 1;
      UINT FlipWithMultiPlaneOverlay : 1;
      UINT RedirectedFlip : 1;
      UINT Reserved : 18;
    };
    UINT Value;
  };
} DXGK_PRESENTFLAGS;
WDDM_DDI_PARAMETERS(DXGK_PRESENTFLAGS);

// A blit or flip to be turned into a DMA buffer.
typedef struct _DXGKARG_PRESENT {
  VOID* pDmaBuffer;
  UINT DmaSize;
  VOID* pDmaBufferPrivateData;
  UINT DmaBufferPrivateDataSize;
  union {
    DXGK_ALLOCATIONLIST* pAllocationList;
    DXGK_PRESENTALLOCATIONINFO* pAllocationInfo;
    DXGK_PRESENTMULTIPLANEOVERLAYINFO* pPresentMultiPlaneOverlayInfo;
  };
  D3DDDI_PATCHLOCATIONLIST* pPatchLocationListOut;
  UINT PatchLocationListOutSize;
  UINT MultipassOffset;
  UINT Color;
  RECT DstRect;
  RECT SrcRect;
  UINT SubRectCnt;
  const RECT* pDstSubRects;
  D3DDDI_FLIPINTERVAL_TYPE FlipInterval;
  DXGK_PRESENTFLAGS Flags;
  UINT DmaBufferSegmentId;
  PHYSICAL_ADDRESS DmaBufferPhysicalAddress;
  UINT Reserved;
  D3DGPU_VIRTUAL_ADDRESS DmaBufferGpuVirtualAddress;
  UINT NumSrcAllocations;
  UINT NumDstAllocations;
  UINT PrivateDriverDataSize;
  PVOID pPrivateDriverData;
} DXGKARG_PRESENT;
WDDM_DDI_PARAMETERS(DXGKARG_PRESENT);

typedef NTSTATUS DXGKDDI_PRESENT(IN_CONST_HANDLE hContext, INOUT_PDXGKARG_PRESENT pPresent);
typedef DXGKDDI_PRESENT* PDXGKDDI_PRESENT;

typedef NTSTATUS DXGKDDI_PRESENTTOHWQUEUE(IN_CONST_HANDLE hHwQueue,
                                          INOUT_PDXGKARG_PRESENT pPresent);
typedef DXGKDDI_PRESENTTOHWQUEUE* PDXGKDDI_PRESENTTOHWQUEUE;

#endif
