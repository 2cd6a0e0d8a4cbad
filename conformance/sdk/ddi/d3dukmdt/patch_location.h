// Patch locations and segment preferences that user and kernel mode share.
//
// Layouts are those of WDDM 2.7 on x64, whatever DXGKDDI_INTERFACE_VERSION says.
#ifndef WDDM_DDI_D3DUKMDT_PATCH_LOCATION_H
#define WDDM_DDI_D3DUKMDT_PATCH_LOCATION_H

#include "../d3d_base.h"

// One place in a DMA buffer that takes the address of an allocation.
typedef struct _D3DDDI_PATCHLOCATIONLIST {
  UINT AllocationIndex;
  union {
    struct {
      UINT SlotId : 24;
      UINT Reserved : 8;
    };
    UINT Value;
  };
  UINT DriverId;
  UINT AllocationOffset;
  UINT PatchOffset;
  UINT SplitOffset;
} D3DDDI_PATCHLOCATIONLIST;
WDDM_DDI_PARAMETERS(D3DDDI_PATCHLOCATIONLIST);

typedef struct _D3DDDI_SEGMENTPREFERENCE {
  union {
    struct {
      UINT SegmentId0 : 5;
      UINT Direction0 : 1;
      UINT SegmentId1 : 5;
      UINT Direction1 : 1;
      UINT SegmentId2 : 5;
      UINT Direction2 : 1;
      UINT SegmentId3 : 5;
      UINT Direction3 : 1;
      UINT SegmentId4 : 5;
      UINT Direction4 : 1;
      UINT Reserved : 2;
    };
    UINT Value;
  };
} D3DDDI_SEGMENTPREFERENCE;
WDDM_DDI_PARAMETERS(D3DDDI_SEGMENTPREFERENCE);
typedef D3DDDI_SEGMENTPREFERENCE DXGK_SEGMENTPREFERENCE;
WDDM_DDI_PARAMETERS(DXGK_SEGMENTPREFERENCE);

#endif
