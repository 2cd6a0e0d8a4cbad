// Memory segments and their description.
//
// Layouts are those of WDDM 2.7 on x64, whatever DXGKDDI_INTERFACE_VERSION says.
#ifndef WDDM_DDI_D3DKMDDI_SEGMENTS_H
#define WDDM_DDI_D3DKMDDI_SEGMENTS_H

#include "../d3d_base.h"
#include "memory_caps.h"

// Properties of a segment: aperture, CPU visibility, use for pages.
typedef struct _DXGK_SEGMENTFLAGS {
  union {
    struct {
      UINT Aperture : 1;
      UINT Agp : 1;
      UINT CpuVisible : 1;
      UINT UseBanking : 1;
      UINT CacheCoherent : 1;
      UINT PitchAlignment : 1;
      UINT PopulatedFromSystemMemory : 1;
      UINT PreservedDuringStandby : 1;
      UINT PreservedDuringHibernate : 1;
      UINT PartiallyPreservedDuringHibernate : 1;
      UINT DirectFlip : 1;
      UINT Use64KBPages : 1;
      UINT ReservedSysMem : 1;
      UINT SupportsCpuHostAperture : 1;
      UINT SupportsCachedCpuHostAperture : 1;
      UINT ApplicationTarget : 1;
      UINT VprSupported : 1;
      UINT VprPreservedDuringStandby : 1;
      UINT EncryptedPagingSupported : 1;
      UINT LocalBudgetGroup : 1;
      UINT NonLocalBudgetGroup : 1;
      UINT Reserved : 11;
    };
    UINT Value;
  };
} DXGK_SEGMENTFLAGS;
WDDM_DDI_PARAMETERS(DXGK_SEGMENTFLAGS);

typedef struct _DXGK_SEGMENTDESCRIPTOR {
  PHYSICAL_ADDRESS BaseAddress;
  PHYSICAL_ADDRESS CpuTranslatedAddress;
  SIZE_T Size;
  UINT NbOfBanks;
  SIZE_T* pBankRangeTable;
  SIZE_T CommitLimit;
  DXGK_SEGMENTFLAGS Flags;
} DXGK_SEGMENTDESCRIPTOR;
WDDM_DDI_PARAMETERS(DXGK_SEGMENTDESCRIPTOR);

// A memory segment as WDDM 1.x drivers describe it.
typedef struct _DXGK_SEGMENTDESCRIPTOR3 {
  DXGK_SEGMENTFLAGS Flags;
  PHYSICAL_ADDRESS BaseAddress;
  PHYSICAL_ADDRESS CpuTranslatedAddress;
  SIZE_T Size;
  UINT NbOfBanks;
  SIZE_T* pBankRangeTable;
  SIZE_T CommitLimit;
  SIZE_T SystemMemoryEndAddress;
  SIZE_T Reserved;
} DXGK_SEGMENTDESCRIPTOR3;
WDDM_DDI_PARAMETERS(DXGK_SEGMENTDESCRIPTOR3);

typedef struct _DXGK_CPUHOSTAPERTURE {
  UINT64 PhysicalAddress;
  UINT32 SizeInPages;
} DXGK_CPUHOSTAPERTURE;
WDDM_DDI_PARAMETERS(DXGK_CPUHOSTAPERTURE);

// A memory segment as WDDM 2.0 drivers describe it.
typedef struct _DXGK_SEGMENTDESCRIPTOR4 {
  DXGK_SEGMENTFLAGS Flags;
  PHYSICAL_ADDRESS BaseAddress;
  SIZE_T Size;
  SIZE_T CommitLimit;
  SIZE_T SystemMemoryEndAddress;
  union {
    PHYSICAL_ADDRESS CpuTranslatedAddress;
    DXGK_CPUHOSTAPERTURE CpuHostAperture;
  };
  UINT NumInvalidMemoryRanges;
  SIZE_T VprRangeStartOffset;
  SIZE_T VprRangeSize;
  UINT VprAlignment;
  UINT NumVprSupported;
  UINT VprReserveSize;
  UINT NumUEFIFrameBufferRanges;
} DXGK_SEGMENTDESCRIPTOR4;
WDDM_DDI_PARAMETERS(DXGK_SEGMENTDESCRIPTOR4);

typedef struct _DXGK_QUERYSEGMENTOUT {
  UINT NbSegment;
  DXGK_SEGMENTDESCRIPTOR* pSegmentDescriptor;
  UINT PagingBufferSegmentId;
  UINT PagingBufferSize;
  UINT PagingBufferPrivateDataSize;
} DXGK_QUERYSEGMENTOUT;
WDDM_DDI_PARAMETERS(DXGK_QUERYSEGMENTOUT);

// The segment list of WDDM 1.x; asked twice, first for the count.
typedef struct _DXGK_QUERYSEGMENTOUT3 {
  UINT NbSegment;
  DXGK_SEGMENTDESCRIPTOR3* pSegmentDescriptor;
  UINT PagingBufferSegmentId;
  UINT PagingBufferSize;
  UINT PagingBufferPrivateDataSize;
} DXGK_QUERYSEGMENTOUT3;
WDDM_DDI_PARAMETERS(DXGK_QUERYSEGMENTOUT3);

// The segment list of WDDM 2.0; asked twice, first for the count.
typedef struct _DXGK_QUERYSEGMENTOUT4 {
  UINT NbSegment;
  BYTE* pSegmentDescriptor;
  UINT PagingBufferSegmentId;
  UINT PagingBufferSize;
  UINT PagingBufferPrivateDataSize;
  SIZE_T SegmentDescriptorStride;
} DXGK_QUERYSEGMENTOUT4;
WDDM_DDI_PARAMETERS(DXGK_QUERYSEGMENTOUT4);

typedef struct _DXGK_SEGMENTBANKPREFERENCE {
  union {
    struct {
      UINT Bank0 : 7;
      UINT Direction0 : 1;
      UINT Bank1 : 7;
      UINT Direction1 : 1;
      UINT Bank2 : 7;
      UINT Direction2 : 1;
      UINT Bank3 : 7;
      UINT Direction3 : 1;
    };
    UINT Value;
  };
} DXGK_SEGMENTBANKPREFERENCE;
WDDM_DDI_PARAMETERS(DXGK_SEGMENTBANKPREFERENCE);

typedef struct _DXGKARG_MAPCPUHOSTAPERTURE {
  HANDLE hAllocation;
  WORD SegmentId;
  WORD PhysicalAdapterIndex;
  UINT64 NumberOfPages;
  UINT32* pCpuHostAperturePages;
  UINT64* pMemorySegmentPages;
} DXGKARG_MAPCPUHOSTAPERTURE;
WDDM_DDI_PARAMETERS(DXGKARG_MAPCPUHOSTAPERTURE);

typedef NTSTATUS DXGKDDI_MAPCPUHOSTAPERTURE(IN_CONST_HANDLE hAdapter,
                                            IN_CONST_PDXGKARG_MAPCPUHOSTAPERTURE pArgs);
typedef DXGKDDI_MAPCPUHOSTAPERTURE* PDXGKDDI_MAPCPUHOSTAPERTURE;

typedef struct _DXGKARG_UNMAPCPUHOSTAPERTURE {
  UINT64 NumberOfPages;
  UINT32* pCpuHostAperturePages;
  WORD SegmentId;
  WORD PhysicalAdapterIndex;
} DXGKARG_UNMAPCPUHOSTAPERTURE;
WDDM_DDI_PARAMETERS(DXGKARG_UNMAPCPUHOSTAPERTURE);

typedef NTSTATUS DXGKDDI_UNMAPCPUHOSTAPERTURE(IN_CONST_HANDLE hAdapter,
                                              IN_CONST_PDXGKARG_UNMAPCPUHOSTAPERTURE pArgs);
typedef DXGKDDI_UNMAPCPUHOSTAPERTURE* PDXGKDDI_UNMAPCPUHOSTAPERTURE;

typedef struct _DXGK_QUERYSEGMENTIN {
  PHYSICAL_ADDRESS AgpApertureBase;
  LARGE_INTEGER AgpApertureSize;
  DXGK_SEGMENTFLAGS AgpFlags;
} DXGK_QUERYSEGMENTIN;
WDDM_DDI_PARAMETERS(DXGK_QUERYSEGMENTIN);

typedef struct _DXGK_QUERYSEGMENTIN4 {
  UINT PhysicalAdapterIndex;
} DXGK_QUERYSEGMENTIN4;
WDDM_DDI_PARAMETERS(DXGK_QUERYSEGMENTIN4);

typedef struct _DXGK_QUERYSEGMENTMEMORYSTATE {
  WORD DriverSegmentId;
  WORD PhysicalAdapterIndex;
  union {
    UINT NumInvalidMemoryRanges;
    UINT NumUEFIFrameBufferRanges;
  };
  DXGK_MEMORYRANGE* pMemoryRanges;
} DXGK_QUERYSEGMENTMEMORYSTATE, DXGK_SEGMENTMEMORYSTATE;
WDDM_DDI_PARAMETERS(DXGK_QUERYSEGMENTMEMORYSTATE);

typedef struct _DXGK_SEGMENTFLAGS2 {
  union {
    struct {
      UINT Aperture : 1;
      UINT PopulatedFromSystemMemory : 1;
      UINT SystemMemoryReservedByBios : 1;
      UINT CpuVisible : 1;
      UINT Reserved : 28;
    };
    UINT Value;
  };
} DXGK_SEGMENTFLAGS2;
WDDM_DDI_PARAMETERS(DXGK_SEGMENTFLAGS2);

typedef struct _DXGK_SEGMENTDESCRIPTOR2 {
  DXGK_SEGMENTFLAGS2 Flags;
  SIZE_T Size;
  PMDL pMdl;
  PHYSICAL_ADDRESS BaseAddress;
  PHYSICAL_ADDRESS CpuTranslatedAddress;
} DXGK_SEGMENTDESCRIPTOR2;
WDDM_DDI_PARAMETERS(DXGK_SEGMENTDESCRIPTOR2);

typedef struct _DXGK_QUERYSEGMENTOUT2 {
  UINT SegmentCount;
  DXGK_SEGMENTDESCRIPTOR2* pSegmentDescriptor;
} DXGK_QUERYSEGMENTOUT2;
WDDM_DDI_PARAMETERS(DXGK_QUERYSEGMENTOUT2);

#endif
