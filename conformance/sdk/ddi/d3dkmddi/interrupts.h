// Interrupt types, their data and control.
//
// Layouts are those of WDDM 2.7 on x64, whatever DXGKDDI_INTERFACE_VERSION says.
#ifndef WDDM_DDI_D3DKMDDI_INTERRUPTS_H
#define WDDM_DDI_D3DKMDDI_INTERRUPTS_H

#include "../d3d_base.h"
#include "../d3dkmdt/faults.h"
#include "../d3dukmdt/display.h"
#include "overlays.h"

// What an interrupt reports.
typedef enum _DXGK_INTERRUPT_TYPE {
  DXGK_INTERRUPT_DMA_COMPLETED = 1,
  DXGK_INTERRUPT_DMA_PREEMPTED = 2,
  DXGK_INTERRUPT_CRTC_VSYNC = 3,
  DXGK_INTERRUPT_DMA_FAULTED = 4,
  DXGK_INTERRUPT_DISPLAYONLY_VSYNC = 5,
  DXGK_INTERRUPT_DISPLAYONLY_PRESENT_PROGRESS = 6,
  DXGK_INTERRUPT_CRTC_VSYNC_WITH_MULTIPLANE_OVERLAY = 7,
  DXGK_INTERRUPT_MICACAST_CHUNK_PROCESSING_COMPLETE = 8,
  DXGK_INTERRUPT_DMA_PAGE_FAULTED = 9,
  DXGK_INTERRUPT_CRTC_VSYNC_WITH_MULTIPLANE_OVERLAY2 = 10,
  DXGK_INTERRUPT_MONITORED_FENCE_SIGNALED = 11,
  DXGK_INTERRUPT_HWQUEUE_PAGE_FAULTED = 12,
  DXGK_INTERRUPT_HWCONTEXTLIST_SWITCH_COMPLETED = 13,
  DXGK_INTERRUPT_PERIODIC_MONITORED_FENCE_SIGNALED = 14,
  DXGK_INTERRUPT_SCHEDULING_LOG_INTERRUPT = 15,
  DXGK_INTERRUPT_GPU_ENGINE_TIMEOUT = 16,
  DXGK_INTERRUPT_SUSPEND_CONTEXT_COMPLETED = 17,
  DXGK_INTERRUPT_CRTC_VSYNC_WITH_MULTIPLANE_OVERLAY3 = 18,
  DXGK_INTERRUPT_NATIVE_FENCE_SIGNALED = 19,
  DXGK_INTERRUPT_GPU_ENGINE_STATE_CHANGE = 20,
} DXGK_INTERRUPT_TYPE;
WDDM_DDI_PARAMETERS(DXGK_INTERRUPT_TYPE);

typedef enum _DXGK_PRESENT_DISPLAY_ONLY_PROGRESS_ID {
  DXGK_PRESENT_DISPLAYONLY_PROGRESS_ID_COMPLETE = 0,
  DXGK_PRESENT_DISPLAYONLY_PROGRESS_ID_FAILED = 1,
} DXGK_PRESENT_DISPLAY_ONLY_PROGRESS_ID;
WDDM_DDI_PARAMETERS(DXGK_PRESENT_DISPLAY_ONLY_PROGRESS_ID);

typedef struct _DXGKARGCB_PRESENT_DISPLAYONLY_PROGRESS {
  D3DDDI_VIDEO_PRESENT_SOURCE_ID VidPnSourceId;
  DXGK_PRESENT_DISPLAY_ONLY_PROGRESS_ID ProgressId;
} DXGKARGCB_PRESENT_DISPLAYONLY_PROGRESS;
WDDM_DDI_PARAMETERS(DXGKARGCB_PRESENT_DISPLAYONLY_PROGRESS);

typedef struct _DXGKCB_NOTIFY_INTERRUPT_DATA_FLAGS {
  union {
    struct {
      UINT ValidPhysicalAdapterMask : 1;
      UINT HsyncFlipCompletion : 1;
      UINT Reserved : 30;
    };
    UINT Value;
  };
} DXGKCB_NOTIFY_INTERRUPT_DATA_FLAGS;
WDDM_DDI_PARAMETERS(DXGKCB_NOTIFY_INTERRUPT_DATA_FLAGS);

// What the ISR reports. InterruptType selects the arm of the union.
typedef struct _DXGKARGCB_NOTIFY_INTERRUPT_DATA {
  DXGK_INTERRUPT_TYPE InterruptType;
  union {
    struct {
      UINT SubmissionFenceId;
      UINT NodeOrdinal;
      UINT EngineOrdinal;
    } DmaCompleted;
    struct {
      UINT PreemptionFenceId;
      UINT LastCompletedFenceId;
      UINT NodeOrdinal;
      UINT EngineOrdinal;
    } DmaPreempted;
    struct {
      UINT FaultedFenceId;
      NTSTATUS Status;
      UINT NodeOrdinal;
      UINT EngineOrdinal;
    } DmaFaulted;
    struct {
      D3DDDI_VIDEO_PRESENT_TARGET_ID VidPnTargetId;
      PHYSICAL_ADDRESS PhysicalAddress;
      UINT PhysicalAdapterMask;
    } CrtcVsync;
    struct {
      D3DDDI_VIDEO_PRESENT_TARGET_ID VidPnTargetId;
    } DisplayOnlyVsync;
    struct {
      D3DDDI_VIDEO_PRESENT_TARGET_ID VidPnTargetId;
      UINT PhysicalAdapterMask;
      UINT MultiPlaneOverlayVsyncInfoCount;
      DXGK_MULTIPLANE_OVERLAY_VSYNC_INFO* pMultiPlaneOverlayVsyncInfo;
    } CrtcVsyncWithMultiPlaneOverlay;
    DXGKARGCB_PRESENT_DISPLAYONLY_PROGRESS DisplayOnlyPresentProgress;
    struct {
      D3DDDI_VIDEO_PRESENT_TARGET_ID VidPnTargetId;
      DXGK_MIRACAST_CHUNK_INFO ChunkInfo;
      PVOID pPrivateDriverData;
      UINT PrivateDataDriverSize;
      NTSTATUS Status;
    } MiracastEncodeChunkCompleted;
    struct {
      UINT FaultedFenceId;
      UINT64 FaultedPrimitiveAPISequenceNumber;
      DXGK_RENDER_PIPELINE_STAGE FaultedPipelineStage;
      UINT FaultedBindTableEntry;
      DXGK_PAGE_FAULT_FLAGS PageFaultFlags;
      D3DGPU_VIRTUAL_ADDRESS FaultedVirtualAddress;
      UINT NodeOrdinal;
      UINT EngineOrdinal;
      UINT PageTableLevel;
      DXGK_FAULT_ERROR_CODE FaultErrorCode;
      HANDLE FaultedProcessHandle;
    } DmaPageFaulted;
    struct {
      D3DDDI_VIDEO_PRESENT_TARGET_ID VidPnTargetId;
      UINT PhysicalAdapterMask;
      UINT MultiPlaneOverlayVsyncInfoCount;
      DXGK_MULTIPLANE_OVERLAY_VSYNC_INFO2* pMultiPlaneOverlayVsyncInfo;
      ULONGLONG GpuFrequency;
      ULONGLONG GpuClockCounter;
    } CrtcVsyncWithMultiPlaneOverlay2;
    struct {
      UINT NodeOrdinal;
      UINT EngineOrdinal;
    } MonitoredFenceSignaled;
    struct {
      UINT NodeOrdinal;
      UINT EngineOrdinal;
      UINT64 ContextSwitchFence;
    } HwContextListSwitchCompleted;
    struct {
      UINT64 FaultedFenceId;
      D3DGPU_VIRTUAL_ADDRESS FaultedVirtualAddress;
      UINT64 FaultedPrimitiveAPISequenceNumber;
      union {
        HANDLE FaultedHwQueue;
        HANDLE FaultedHwContext;
        HANDLE FaultedProcessHandle;
      };
      UINT NodeOrdinal;
      UINT EngineOrdinal;
      DXGK_RENDER_PIPELINE_STAGE FaultedPipelineStage;
      UINT FaultedBindTableEntry;
      DXGK_PAGE_FAULT_FLAGS PageFaultFlags;
      UINT PageTableLevel;
      DXGK_FAULT_ERROR_CODE FaultErrorCode;
    } HwQueuePageFaulted;
    struct {
      D3DDDI_VIDEO_PRESENT_TARGET_ID VidPnTargetId;
      UINT NotificationID;
    } PeriodicMonitoredFenceSignaled;
    struct {
      UINT NodeOrdinal;
      UINT EngineOrdinal;
    } SchedulingLogInterrupt;
    struct {
      UINT NodeOrdinal;
      UINT EngineOrdinal;
    } GpuEngineTimeout;
    struct {
      HANDLE hContext;
      UINT64 ContextSuspendFence;
    } SuspendContextCompleted;
    struct {
      UINT Reserved[16];
    } Reserved;
  };
  DXGKCB_NOTIFY_INTERRUPT_DATA_FLAGS Flags;
} DXGKARGCB_NOTIFY_INTERRUPT_DATA;
WDDM_DDI_PARAMETERS(DXGKARGCB_NOTIFY_INTERRUPT_DATA);

typedef VOID (*DXGKCB_NOTIFY_INTERRUPT)(IN_CONST_HANDLE hAdapter,
                                        IN_CONST_PDXGKARGCB_NOTIFY_INTERRUPT_DATA);

typedef VOID (*DXGKCB_NOTIFY_DPC)(IN_CONST_HANDLE hAdapter);

typedef NTSTATUS DXGKDDI_CONTROLINTERRUPT(IN_CONST_HANDLE hAdapter,
                                          IN_CONST_DXGK_INTERRUPT_TYPE InterruptType,
                                          IN_BOOLEAN EnableInterrupt);
typedef DXGKDDI_CONTROLINTERRUPT* PDXGKDDI_CONTROLINTERRUPT;

typedef enum _DXGK_INTERRUPT_STATE {
  DXGK_INTERRUPT_ENABLE = 0,
  DXGK_INTERRUPT_DISABLE = 1,
} DXGK_INTERRUPT_STATE;
WDDM_DDI_PARAMETERS(DXGK_INTERRUPT_STATE);

typedef enum _DXGK_CRTC_VSYNC_STATE {
  DXGK_VSYNC_ENABLE = 0,
  DXGK_VSYNC_DISABLE_KEEP_PHASE = 1,
  DXGK_VSYNC_DISABLE_NO_PHASE = 2,
} DXGK_CRTC_VSYNC_STATE;
WDDM_DDI_PARAMETERS(DXGK_CRTC_VSYNC_STATE);

typedef struct _DXGKARG_CONTROLINTERRUPT2 {
  DXGK_INTERRUPT_TYPE InterruptType;
  union {
    DXGK_INTERRUPT_STATE InterruptState;
    DXGK_CRTC_VSYNC_STATE CrtcVsyncState;
  };
} DXGKARG_CONTROLINTERRUPT2;
WDDM_DDI_PARAMETERS(DXGKARG_CONTROLINTERRUPT2);

typedef NTSTATUS DXGKDDI_CONTROLINTERRUPT2(IN_CONST_HANDLE hAdapter,
                                           IN_CONST_DXGKARG_CONTROLINTERRUPT2 InterruptControl);
typedef DXGKDDI_CONTROLINTERRUPT2* PDXGKDDI_CONTROLINTERRUPT2;

typedef struct _DXGKARG_CREATEPERIODICFRAMENOTIFICATION {
  HANDLE hAdapter;
  D3DDDI_VIDEO_PRESENT_SOURCE_ID VidPnTargetId;
  UINT64 Time;
  UINT NotificationID;
  HANDLE hNotification;
} DXGKARG_CREATEPERIODICFRAMENOTIFICATION;
WDDM_DDI_PARAMETERS(DXGKARG_CREATEPERIODICFRAMENOTIFICATION);

typedef NTSTATUS DXGKDDI_CREATEPERIODICFRAMENOTIFICATION(
    INOUT_PDXGKARG_CREATEPERIODICFRAMENOTIFICATION pCreatePeriodicFrameNotification);
typedef DXGKDDI_CREATEPERIODICFRAMENOTIFICATION* PDXGKDDI_CREATEPERIODICFRAMENOTIFICATION;

typedef struct _DXGKARG_DESTROYPERIODICFRAMENOTIFICATION {
  HANDLE hNotification;
  HANDLE hAdapter;
} DXGKARG_DESTROYPERIODICFRAMENOTIFICATION;
WDDM_DDI_PARAMETERS(DXGKARG_DESTROYPERIODICFRAMENOTIFICATION);

typedef NTSTATUS DXGKDDI_DESTROYPERIODICFRAMENOTIFICATION(
    IN_CONST_PDXGKARG_DESTROYPERIODICFRAMENOTIFICATION pDestroyPeriodicFrameNotification);
typedef DXGKDDI_DESTROYPERIODICFRAMENOTIFICATION* PDXGKDDI_DESTROYPERIODICFRAMENOTIFICATION;

typedef struct _DXGKARG_CONTROLINTERRUPT3 {
  DXGK_INTERRUPT_TYPE InterruptType;
  union {
    DXGK_INTERRUPT_STATE InterruptState;
    DXGK_CRTC_VSYNC_STATE CrtcVsyncState;
  };
  D3DDDI_VIDEO_PRESENT_SOURCE_ID VidPnSourceId;
} DXGKARG_CONTROLINTERRUPT3;
WDDM_DDI_PARAMETERS(DXGKARG_CONTROLINTERRUPT3);

typedef NTSTATUS DXGKDDI_CONTROLINTERRUPT3(IN_CONST_HANDLE hAdapter,
                                           IN_CONST_PDXGKARG_CONTROLINTERRUPT3 InterruptControl);
typedef DXGKDDI_CONTROLINTERRUPT3* PDXGKDDI_CONTROLINTERRUPT3;

typedef VOID (*DXGKCB_PRESENT_DISPLAYONLY_PROGRESS)(
    IN_CONST_HANDLE hAdapter, IN_CONST_PDXGKARGCB_PRESENT_DISPLAYONLY_PROGRESS);

#endif
