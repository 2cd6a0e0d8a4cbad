// Patch, submit, preempt, cancel, fences.
//
// Layouts are those of WDDM 2.7 on x64, whatever DXGKDDI_INTERFACE_VERSION says.
#ifndef WDDM_DDI_D3DKMDDI_SUBMISSION_H
#define WDDM_DDI_D3DKMDDI_SUBMISSION_H

#include "../d3d_base.h"
#include "../d3dukmdt/patch_location.h"
#include "../d3dukmdt/queues.h"
#include "render.h"

typedef struct _DXGK_PATCHFLAGS {
  union {
    struct {
      UINT Paging : 1;
      UINT Present : 1;
      UINT RedirectedPresent : 1;
      UINT NullRendering : 1;
      UINT Reserved : 28;
    };
    UINT Value;
  };
} DXGK_PATCHFLAGS;
WDDM_DDI_PARAMETERS(DXGK_PATCHFLAGS);

// A DMA buffer whose addresses are to be filled in.
typedef struct _DXGKARG_PATCH {
  union {
    HANDLE hDevice;
    HANDLE hContext;
  };
  UINT DmaBufferSegmentId;
  PHYSICAL_ADDRESS DmaBufferPhysicalAddress;
  VOID* pDmaBuffer;
  UINT DmaBufferSize;
  UINT DmaBufferSubmissionStartOffset;
  UINT DmaBufferSubmissionEndOffset;
  VOID* pDmaBufferPrivateData;
  UINT DmaBufferPrivateDataSize;
  UINT DmaBufferPrivateDataSubmissionStartOffset;
  UINT DmaBufferPrivateDataSubmissionEndOffset;
  const DXGK_ALLOCATIONLIST* pAllocationList;
  UINT AllocationListSize;
  const D3DDDI_PATCHLOCATIONLIST* pPatchLocationList;
  UINT PatchLocationListSize;
  UINT PatchLocationListSubmissionStart;
  UINT PatchLocationListSubmissionLength;
  UINT SubmissionFenceId;
  DXGK_PATCHFLAGS Flags;
  UINT EngineOrdinal;
} DXGKARG_PATCH;
WDDM_DDI_PARAMETERS(DXGKARG_PATCH);

typedef struct _DXGK_SUBMITCOMMANDFLAGS {
  union {
    struct {
      UINT Paging : 1;
      UINT Present : 1;
      UINT RedirectedPresent : 1;
      UINT NullRendering : 1;
      UINT Flip : 1;
      UINT FlipWithNoWait : 1;
      UINT ContextSwitch : 1;
      UINT Resubmission : 1;
      UINT VirtualMachineData : 1;
      UINT Reserved : 23;
    };
    UINT Value;
  };
} DXGK_SUBMITCOMMANDFLAGS;
WDDM_DDI_PARAMETERS(DXGK_SUBMITCOMMANDFLAGS);

// A range of a DMA buffer handed to an engine under a fence.
typedef struct _DXGKARG_SUBMITCOMMAND {
  union {
    HANDLE hDevice;
    HANDLE hContext;
  };
  UINT DmaBufferSegmentId;
  PHYSICAL_ADDRESS DmaBufferPhysicalAddress;
  UINT DmaBufferSize;
  UINT DmaBufferSubmissionStartOffset;
  UINT DmaBufferSubmissionEndOffset;
  VOID* pDmaBufferPrivateData;
  UINT DmaBufferPrivateDataSize;
  UINT DmaBufferPrivateDataSubmissionStartOffset;
  UINT DmaBufferPrivateDataSubmissionEndOffset;
  UINT SubmissionFenceId;
  D3DDDI_VIDEO_PRESENT_SOURCE_ID VidPnSourceId;
  D3DDDI_FLIPINTERVAL_TYPE FlipInterval;
  DXGK_SUBMITCOMMANDFLAGS Flags;
  UINT EngineOrdinal;
  D3DGPU_VIRTUAL_ADDRESS DmaBufferVirtualAddress;
  UINT NodeOrdinal;
} DXGKARG_SUBMITCOMMAND;
WDDM_DDI_PARAMETERS(DXGKARG_SUBMITCOMMAND);

// A DMA buffer at a GPU virtual address, handed to an engine.
typedef struct _DXGKARG_SUBMITCOMMANDVIRTUAL {
  HANDLE hContext;
  D3DGPU_VIRTUAL_ADDRESS DmaBufferVirtualAddress;
  UINT DmaBufferSize;
  VOID* pDmaBufferPrivateData;
  UINT DmaBufferPrivateDataSize;
  UINT DmaBufferUmdPrivateDataSize;
  UINT SubmissionFenceId;
  D3DDDI_VIDEO_PRESENT_SOURCE_ID VidPnSourceId;
  D3DDDI_FLIPINTERVAL_TYPE FlipInterval;
  DXGK_SUBMITCOMMANDFLAGS Flags;
  UINT EngineOrdinal;
  UINT NodeOrdinal;
} DXGKARG_SUBMITCOMMANDVIRTUAL;
WDDM_DDI_PARAMETERS(DXGKARG_SUBMITCOMMANDVIRTUAL);

typedef struct _DXGK_PREEMPTCOMMANDFLAGS {
  union {
    struct {
      UINT Reserved : 32;
    };
    UINT Value;
  };
} DXGK_PREEMPTCOMMANDFLAGS;
WDDM_DDI_PARAMETERS(DXGK_PREEMPTCOMMANDFLAGS);

// A request to stop the running DMA buffer of an engine.
typedef struct _DXGKARG_PREEMPTCOMMAND {
  UINT PreemptionFenceId;
  UINT NodeOrdinal;
  UINT EngineOrdinal;
  DXGK_PREEMPTCOMMANDFLAGS Flags;
} DXGKARG_PREEMPTCOMMAND;
WDDM_DDI_PARAMETERS(DXGKARG_PREEMPTCOMMAND);

// A DMA buffer that will not be submitted after all.
typedef struct _DXGKARG_CANCELCOMMAND {
  HANDLE hContext;
  VOID* pDmaBuffer;
  UINT DmaBufferSize;
  UINT DmaBufferSubmissionStartOffset;
  UINT DmaBufferSubmissionEndOffset;
  VOID* pDmaBufferPrivateData;
  UINT DmaBufferPrivateDataSize;
  UINT DmaBufferPrivateDataSubmissionStartOffset;
  UINT DmaBufferPrivateDataSubmissionEndOffset;
  const DXGK_ALLOCATIONLIST* pAllocationList;
  UINT AllocationListSize;
  const D3DDDI_PATCHLOCATIONLIST* pPatchLocationList;
  UINT PatchLocationListSize;
  UINT PatchLocationListSubmissionStart;
  UINT PatchLocationListSubmissionLength;
  D3DGPU_VIRTUAL_ADDRESS DmaBufferVirtualAddress;
  UINT DmaBufferUmdPrivateDataSize;
} DXGKARG_CANCELCOMMAND;
WDDM_DDI_PARAMETERS(DXGKARG_CANCELCOMMAND);

// Asks for the last fence that an engine has completed.
typedef struct _DXGKARG_QUERYCURRENTFENCE {
  UINT CurrentFence;
  UINT NodeOrdinal;
  UINT EngineOrdinal;
} DXGKARG_QUERYCURRENTFENCE;
WDDM_DDI_PARAMETERS(DXGKARG_QUERYCURRENTFENCE);

typedef NTSTATUS DXGKDDI_PATCH(IN_CONST_HANDLE hAdapter, IN_CONST_PDXGKARG_PATCH pPatch);
typedef DXGKDDI_PATCH* PDXGKDDI_PATCH;

typedef NTSTATUS DXGKDDI_SUBMITCOMMAND(IN_CONST_HANDLE hAdapter,
                                       IN_CONST_PDXGKARG_SUBMITCOMMAND pSubmitCommand);
typedef DXGKDDI_SUBMITCOMMAND* PDXGKDDI_SUBMITCOMMAND;

typedef NTSTATUS DXGKDDI_PREEMPTCOMMAND(IN_CONST_HANDLE hAdapter,
                                        IN_CONST_PDXGKARG_PREEMPTCOMMAND pPreemptCommand);
typedef DXGKDDI_PREEMPTCOMMAND* PDXGKDDI_PREEMPTCOMMAND;

typedef NTSTATUS DXGKDDI_QUERYCURRENTFENCE(IN_CONST_HANDLE hAdapter,
                                           INOUT_PDXGKARG_QUERYCURRENTFENCE pCurrentFence);
typedef DXGKDDI_QUERYCURRENTFENCE* PDXGKDDI_QUERYCURRENTFENCE;

typedef NTSTATUS DXGKDDI_CANCELCOMMAND(IN_CONST_HANDLE hAdapter,
                                       IN_CONST_PDXGKARG_CANCELCOMMAND pCancelCommand);
typedef DXGKDDI_CANCELCOMMAND* PDXGKDDI_CANCELCOMMAND;

typedef NTSTATUS DXGKDDI_SUBMITCOMMANDVIRTUAL(
    IN_CONST_HANDLE hAdapter, IN_CONST_PDXGKARG_SUBMITCOMMANDVIRTUAL pSubmitCommand);
typedef DXGKDDI_SUBMITCOMMANDVIRTUAL* PDXGKDDI_SUBMITCOMMANDVIRTUAL;

typedef struct _DXGK_VIRTUALMACHINEDATAFLAGS {
  union {
    struct {
      UINT SecureVirtualMachine : 1;
    };
    UINT Value;
  };
} DXGK_VIRTUALMACHINEDATAFLAGS;
WDDM_DDI_PARAMETERS(DXGK_VIRTUALMACHINEDATAFLAGS);

typedef struct _DXGKARG_SETVIRTUALMACHINEDATA {
  HANDLE hKmdVmWorkerProcess;
  GUID* pVmGuid;
  DXGK_VIRTUALMACHINEDATAFLAGS Flags;
} DXGKARG_SETVIRTUALMACHINEDATA;
WDDM_DDI_PARAMETERS(DXGKARG_SETVIRTUALMACHINEDATA);

typedef NTSTATUS DXGKDDI_SETVIRTUALMACHINEDATA(IN_CONST_HANDLE hAdapter,
                                               IN_CONST_PDXGKARG_SETVIRTUALMACHINEDATA Args);
typedef DXGKDDI_SETVIRTUALMACHINEDATA* PDXGKDDI_SETVIRTUALMACHINEDATA;

typedef enum _DXGK_KERNEL_SUBMISSION_TYPE {
  DXGK_KERNEL_SUBMISSION_BUILD_PAGING_BUFFER = 0,
  DXGK_KERNEL_SUBMISSION_RENDERGDI = 1,
  DXGK_KERNEL_SUBMISSION_PRESENTBLT = 2,
} DXGK_KERNEL_SUBMISSION_TYPE;
WDDM_DDI_PARAMETERS(DXGK_KERNEL_SUBMISSION_TYPE);

typedef struct _DXGKARG_SIGNALMONITOREDFENCE {
  DXGK_KERNEL_SUBMISSION_TYPE KernelSubmissionType;
  VOID* pDmaBuffer;
  D3DGPU_VIRTUAL_ADDRESS DmaBufferGpuVirtualAddress;
  UINT DmaSize;
  VOID* pDmaBufferPrivateData;
  UINT DmaBufferPrivateDataSize;
  UINT MultipassOffset;
  D3DGPU_VIRTUAL_ADDRESS MonitoredFenceGpuVa;
  UINT64 MonitoredFenceValue;
  VOID* MonitoredFenceCpuVa;
  HANDLE hHwQueue;
} DXGKARG_SIGNALMONITOREDFENCE;
WDDM_DDI_PARAMETERS(DXGKARG_SIGNALMONITOREDFENCE);

typedef NTSTATUS DXGKDDI_SIGNALMONITOREDFENCE(
    IN_CONST_HANDLE hContext, INOUT_PDXGKARG_SIGNALMONITOREDFENCE pSignalMonitoredFence);
typedef DXGKDDI_SIGNALMONITOREDFENCE* PDXGKDDI_SIGNALMONITOREDFENCE;

typedef struct _DXGK_VALIDATESUBMITCOMMANDFLAGS {
  union {
    struct {
      UINT HardwareQueueSubmission : 1;
      UINT Reserved : 31;
    };
    UINT Value;
  };
} DXGK_VALIDATESUBMITCOMMANDFLAGS;
WDDM_DDI_PARAMETERS(DXGK_VALIDATESUBMITCOMMANDFLAGS);

typedef struct _DXGKARG_VALIDATESUBMITCOMMAND {
  D3DGPU_VIRTUAL_ADDRESS Commands;
  UINT CommandLength;
  DXGK_VALIDATESUBMITCOMMANDFLAGS Flags;
  UINT ContextCount;
  HANDLE Context[D3DDDI_MAX_BROADCAST_CONTEXT];
  VOID* pPrivateDriverData;
  UINT PrivateDriverDataSize;
  UINT UmdPrivateDataSize;
  UINT64 HwQueueProgressFenceId;
} DXGKARG_VALIDATESUBMITCOMMAND;
WDDM_DDI_PARAMETERS(DXGKARG_VALIDATESUBMITCOMMAND);

typedef NTSTATUS DXGKDDI_VALIDATESUBMITCOMMAND(IN_CONST_HANDLE hContext,
                                               INOUT_PDXGKARG_VALIDATESUBMITCOMMAND pArgs);
typedef DXGKDDI_VALIDATESUBMITCOMMAND* PDXGKDDI_VALIDATESUBMITCOMMAND;

#endif
