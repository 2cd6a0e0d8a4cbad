// The little of the Direct3D 12 user-mode interface that private data of allocations and commands
// carries.
#ifndef WDDM_DDI_D3D12UMDDI_H
#define WDDM_DDI_D3D12UMDDI_H

#include "d3d10umddi.h"

typedef ULONGLONG D3D12DDI_GPU_VIRTUAL_ADDRESS;

typedef enum D3D12DDI_TEXTURE_LAYOUT {
  D3D12DDI_TL_UNDEFINED = 0,
  D3D12DDI_TL_ROW_MAJOR = 1,
  D3D12DDI_TL_64KB_TILE_UNDEFINED_SWIZZLE = 2,
  D3D12DDI_TL_64KB_TILE_STANDARD_SWIZZLE = 3
} D3D12DDI_TEXTURE_LAYOUT;

// The page gives the names alone; the values are those of D3D10DDIRESOURCE_TYPE and
// D3D12_RESOURCE_DIMENSION, which begin with 1 too.
typedef enum D3D12DDI_RESOURCE_DIMENSION {
  D3D12DDI_RD_BUFFER = 1,
  D3D12DDI_RD_TEXTURE1D = 2,
  D3D12DDI_RD_TEXTURE2D = 3,
  D3D12DDI_RD_TEXTURE3D = 4,
  D3D12DDI_RD_TEXTURECUBE = 5,
  D3D12DDI_RD_RAYTRACING_ACCELERATION_STRUCTURE_0042 = 6
} D3D12DDI_RESOURCE_DIMENSION;

// It has no page; the members are those of D3D12_BUFFER_UAV, whose content it carries.
typedef struct D3D12DDIARG_BUFFER_UNORDERED_ACCESS_VIEW {
  ULONGLONG FirstElement;
  UINT NumElements;
  UINT StructureByteStride;
  ULONGLONG CounterOffsetInBytes;
  UINT Flags;
} D3D12DDIARG_BUFFER_UNORDERED_ACCESS_VIEW;

#endif
