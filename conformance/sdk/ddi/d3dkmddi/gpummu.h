// GPU MMU capabilities, page table levels, root page tables.
//
// Layouts are those of WDDM 2.7 on x64, whatever DXGKDDI_INTERFACE_VERSION says.
#ifndef WDDM_DDI_D3DKMDDI_GPUMMU_H
#define WDDM_DDI_D3DKMDDI_GPUMMU_H

#include "../d3d_base.h"
#include "../d3dukmdt/gpu_va.h"

typedef struct _DXGK_PAGETABLEUPDATEADDRESS {
  union {
    PVOID CpuVirtual;
    D3DGPU_PHYSICAL_ADDRESS GpuPhysical;
    D3DGPU_VIRTUAL_ADDRESS GpuVirtual;
  };
} DXGK_PAGETABLEUPDATEADDRESS;
WDDM_DDI_PARAMETERS(DXGK_PAGETABLEUPDATEADDRESS);

typedef struct _DXGK_UPDATEPAGETABLEFLAGS {
  UINT Repeat : 1;
  UINT InitialUpdate : 1;
  UINT NotifyEviction : 1;
  UINT Use64KBPages : 1;
  UINT Reserved : 28;
} DXGK_UPDATEPAGETABLEFLAGS;
WDDM_DDI_PARAMETERS(DXGK_UPDATEPAGETABLEFLAGS);

typedef enum _DXGK_PAGETABLEUPDATEMODE {
  DXGK_PAGETABLEUPDATE_CPU_VIRTUAL = 0,
  DXGK_PAGETABLEUPDATE_GPU_VIRTUAL = 1,
  DXGK_PAGETABLEUPDATE_GPU_PHYSICAL = 2,
} DXGK_PAGETABLEUPDATEMODE;
WDDM_DDI_PARAMETERS(DXGK_PAGETABLEUPDATEMODE);

// The answer to DXGKQAITYPE_GPUMMUCAPS.
typedef struct _DXGK_GPUMMUCAPS {
  union {
    struct {
      UINT ReadOnlyMemorySupported : 1;
      UINT NoExecuteMemorySupported : 1;
      UINT ZeroInPteSupported : 1;
      UINT ExplicitPageTableInvalidation : 1;
      UINT CacheCoherentMemorySupported : 1;
      UINT PageTableUpdateRequireAddressSpaceIdle : 1;
      UINT LargePageSupported : 1;
      UINT DualPteSupported : 1;
      UINT AllowNonAlignedLargePageAddress : 1;
      UINT SysMem64KBPageSupported : 1;
      UINT InvalidTlbEntriesNotCached : 1;
      UINT Reserved : 21;
    };
    UINT Value;
  };
  DXGK_PAGETABLEUPDATEMODE PageTableUpdateMode;
  UINT VirtualAddressBitCount;
  UINT LeafPageTableSizeFor64KPagesInBytes;
  UINT PageTableLevelCount;
  struct {
    UINT SourcePageTableVaInTransfer : 1;
    UINT Reserved : 31;
  } LegacyBehaviors;
} DXGK_GPUMMUCAPS;
WDDM_DDI_PARAMETERS(DXGK_GPUMMUCAPS);

typedef struct _DXGK_PAGE_TABLE_LEVEL_DESC {
  UINT PageTableIndexBitCount;
  UINT PageTableSegmentId;
  UINT PagingProcessPageTableSegmentId;
  UINT PageTableSizeInBytes;
  UINT PageTableAlignmentInBytes;
} DXGK_PAGE_TABLE_LEVEL_DESC;
WDDM_DDI_PARAMETERS(DXGK_PAGE_TABLE_LEVEL_DESC);

// Points a context at its root page table.
typedef struct _DXGKARG_SETROOTPAGETABLE {
  HANDLE hContext;
  D3DGPU_PHYSICAL_ADDRESS Address;
  UINT NumEntries;
} DXGKARG_SETROOTPAGETABLE;
WDDM_DDI_PARAMETERS(DXGKARG_SETROOTPAGETABLE);

typedef struct _DXGKARG_GETROOTPAGETABLESIZE {
  UINT NumberOfPte;
  UINT PhysicalAdapterIndex;
} DXGKARG_GETROOTPAGETABLESIZE;
WDDM_DDI_PARAMETERS(DXGKARG_GETROOTPAGETABLESIZE);

typedef VOID DXGKDDI_SETROOTPAGETABLE(IN_CONST_HANDLE hAdapter,
                                      IN_CONST_PDXGKARG_SETROOTPAGETABLE pSetPageTable);
typedef DXGKDDI_SETROOTPAGETABLE* PDXGKDDI_SETROOTPAGETABLE;

typedef SIZE_T DXGKDDI_GETROOTPAGETABLESIZE(IN_CONST_HANDLE hAdapter,
                                            INOUT_PDXGKARG_GETROOTPAGETABLESIZE pArgs);
typedef DXGKDDI_GETROOTPAGETABLESIZE* PDXGKDDI_GETROOTPAGETABLESIZE;

typedef struct _DXGK_QUERYGPUMMUCAPSIN {
  UINT PhysicalAdapterIndex;
} DXGK_QUERYGPUMMUCAPSIN;
WDDM_DDI_PARAMETERS(DXGK_QUERYGPUMMUCAPSIN);

typedef struct _DXGK_QUERYPAGETABLELEVELDESCIN {
  WORD LevelIndex;
  WORD PhysicalAdapterIndex;
} DXGK_QUERYPAGETABLELEVELDESCIN;
WDDM_DDI_PARAMETERS(DXGK_QUERYPAGETABLELEVELDESCIN);

typedef struct _DXGK_QUERYPHYSICALADAPTERCAPSIN {
  UINT PhysicalAdapterIndex;
} DXGK_QUERYPHYSICALADAPTERCAPSIN;
WDDM_DDI_PARAMETERS(DXGK_QUERYPHYSICALADAPTERCAPSIN);

#endif
