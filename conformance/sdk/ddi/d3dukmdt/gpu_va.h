// GPU addresses, page table entries and protection of GPU virtual ranges.
//
// Layouts are those of WDDM 2.7 on x64, whatever DXGKDDI_INTERFACE_VERSION says.
#ifndef WDDM_DDI_D3DUKMDT_GPU_VA_H
#define WDDM_DDI_D3DUKMDT_GPU_VA_H

#include "../d3d_base.h"

#define D3DGPU_NULL 0
#define D3DGPU_UNIQUE_DRIVER_PROTECTION 0x8000000000000000ULL

typedef struct _D3DGPU_PHYSICAL_ADDRESS {
  UINT SegmentId;
  UINT64 SegmentOffset;
} D3DGPU_PHYSICAL_ADDRESS;
WDDM_DDI_PARAMETERS(D3DGPU_PHYSICAL_ADDRESS);

// A page table entry in the form the kernel hands to drivers.
typedef struct _DXGK_PTE {
  union {
    struct {
      ULONGLONG Valid : 1;
      ULONGLONG Zero : 1;
      ULONGLONG CacheCoherent : 1;
      ULONGLONG ReadOnly : 1;
      ULONGLONG NoExecute : 1;
      ULONGLONG Segment : 5;
      ULONGLONG LargePage : 1;
      ULONGLONG PhysicalAdapterIndex : 6;
      ULONGLONG PageTablePageSize : 2;
      ULONGLONG SystemReserved0 : 1;
      ULONGLONG Reserved : 44;
    };
    ULONGLONG Flags;
  };
  union {
    ULONGLONG PageAddress;
    ULONGLONG PageTableAddress;
  };
} DXGK_PTE;
WDDM_DDI_PARAMETERS(DXGK_PTE);

typedef struct _D3DDDIGPUVIRTUALADDRESS_PROTECTION_TYPE {
  union {
    struct {
      UINT64 Write : 1;
      UINT64 Execute : 1;
      UINT64 Zero : 1;
      UINT64 NoAccess : 1;
      UINT64 SystemUseOnly : 1;
      UINT64 Reserved : 59;
    };
    UINT64 Value;
  };
} D3DDDIGPUVIRTUALADDRESS_PROTECTION_TYPE;
WDDM_DDI_PARAMETERS(D3DDDIGPUVIRTUALADDRESS_PROTECTION_TYPE);

typedef struct D3DDDI_UPDATEALLOCPROPERTY_FLAGS {
  union {
    struct {
      UINT AccessedPhysically : 1;
      UINT Reserved : 31;
    };
    UINT Value;
  };
} D3DDDI_UPDATEALLOCPROPERTY_FLAGS;
WDDM_DDI_PARAMETERS(D3DDDI_UPDATEALLOCPROPERTY_FLAGS);

typedef enum _DXGK_PTE_PAGE_SIZE {
  DXGK_PTE_PAGE_TABLE_PAGE_4KB = 0,
  DXGK_PTE_PAGE_TABLE_PAGE_64KB = 1,
} DXGK_PTE_PAGE_SIZE;
WDDM_DDI_PARAMETERS(DXGK_PTE_PAGE_SIZE);

#endif
