/* The Heron's kernel-mode driver: its objects, and what its sources share.
 *
 * HERON_NODE is changed at the level of the interrupt: by the ISR, or in HeronSynchronize. */
#ifndef HERON_KMD_H
#define HERON_KMD_H

#include <ntddk.h>

#include <dispmprt.h>

#include "../device/heron_hw.h"
#include "../device/heron_um.h"

#define HERON_TAG 'nreH'
#define HERON_SEGMENT_APERTURE 1
#define HERON_SEGMENT_LOCAL 2
#define HERON_MIN_RING 256
#define HERON_DMA_BYTES 8192
#define HERON_PAGING_BYTES 16384
#define HERON_LIST_ENTRIES 64
#define HERON_PATCH_ENTRIES 512

/* DriverId of a patch location. */
#define HERON_PATCH_WINDOW 1
#define HERON_PATCH_RELEASE 2

typedef struct _HERON_NODE {
  UINT LastQueued; /* fence of the last packet handed to the hardware */
  UINT LastDone;   /* last fence told to the scheduler */
  BOOLEAN Preempting;
  UINT PreemptFence;
  UINT QueuedAtPreempt;
} HERON_NODE;

typedef struct _HERON_ADAPTER {
  PDEVICE_OBJECT Pdo;
  BOOLEAN Started;
  volatile LONG Powered;   /* registers may be touched */
  volatile LONG Resetting; /* between ResetFromTimeout and RestartFromTimeout */
  DXGKRNL_INTERFACE Dxgk;
  PHYSICAL_ADDRESS RegisterBase;
  PHYSICAL_ADDRESS LocalBase;
  PUCHAR Registers;
  HeronRingEntry* Ring;
  PHYSICAL_ADDRESS RingAddress;
  UINT RingEntries;
  UINT RingTail;
  volatile HeronFenceCell* Fences;
  PHYSICAL_ADDRESS FenceAddress;
  ULONG64* Gart; /* what the remapping table holds, for when the power comes back */
  HERON_NODE Node[HERON_NODES];
} HERON_ADAPTER;

typedef struct _HERON_DEVICE {
  HERON_ADAPTER* Adapter;
  HANDLE hDxgk;
} HERON_DEVICE;

typedef struct _HERON_CONTEXT {
  HERON_DEVICE* Device;
  UINT Node;
} HERON_CONTEXT;

typedef struct _HERON_ALLOCATION {
  HeronAllocationData Data;
} HERON_ALLOCATION;

typedef struct _HERON_OPEN {
  HERON_DEVICE* Device;
  HERON_ALLOCATION* Allocation;
} HERON_OPEN;

typedef struct _HERON_DMA_PRIVATE { /* beside each DMA buffer of a context */
  UINT Bytes;
  UINT Node;
  UINT Pass;
  UINT Reserved;
} HERON_DMA_PRIVATE;

/* What a routine of HeronSynchronize is about, and what it found. */
typedef struct _HERON_QUEUED {
  HERON_ADAPTER* Adapter;
  UINT Node;
  UINT Fence;
  BOOLEAN Idle;
  BOOLEAN Told;
} HERON_QUEUED;

static inline ULONG HeronRead(HERON_ADAPTER* a, ULONG reg) {
  return READ_REGISTER_ULONG((volatile ULONG*)(a->Registers + reg));
}
static inline VOID HeronWrite(HERON_ADAPTER* a, ULONG reg, ULONG value) {
  WRITE_REGISTER_ULONG((volatile ULONG*)(a->Registers + reg), value);
}

/* heron_start.c */
DXGKDDI_ADD_DEVICE HeronAddDevice;
DXGKDDI_START_DEVICE HeronStartDevice;
DXGKDDI_STOP_DEVICE HeronStopDevice;
DXGKDDI_REMOVE_DEVICE HeronRemoveDevice;

/* heron_power.c. HeronProgram tells the hardware all that it forgets without power or in a reset.
 * The interrupt is off before. */
VOID HeronProgram(HERON_ADAPTER* a);
/* For HeronSynchronize, with the adapter: registers may be touched from here on, or no longer. */
BOOLEAN HeronPowerUpSync(PVOID context);
BOOLEAN HeronPowerDownSync(PVOID context);
DXGKDDI_SET_POWER_STATE HeronSetPowerState;
DXGKDDI_RESET_DEVICE HeronResetDevice;

/* heron_caps.c */
DXGKDDI_QUERYADAPTERINFO HeronQueryAdapterInfo;
DXGKDDI_ESCAPE HeronEscapeCall;

/* heron_objects.c */
DXGKDDI_CREATEDEVICE HeronCreateDevice;
DXGKDDI_DESTROYDEVICE HeronDestroyDevice;
DXGKDDI_CREATECONTEXT HeronCreateContext;
DXGKDDI_DESTROYCONTEXT HeronDestroyContext;
DXGKDDI_OPENALLOCATIONINFO HeronOpenAllocation;
DXGKDDI_CLOSEALLOCATION HeronCloseAllocation;

/* heron_allocation.c */
DXGKDDI_CREATEALLOCATION HeronCreateAllocation;
DXGKDDI_DESTROYALLOCATION HeronDestroyAllocation;
DXGKDDI_DESCRIBEALLOCATION HeronDescribeAllocation;
DXGKDDI_GETSTANDARDALLOCATIONDRIVERDATA HeronGetStandardAllocationDriverData;

/* heron_paging.c */
DXGKDDI_BUILDPAGINGBUFFER HeronBuildPagingBuffer;
DXGKDDI_ACQUIRESWIZZLINGRANGE HeronAcquireSwizzlingRange;
DXGKDDI_RELEASESWIZZLINGRANGE HeronReleaseSwizzlingRange;

/* heron_usercopy.c. The token at `offset`, as it is now: user mode may change it meanwhile. */
NTSTATUS HeronFetch(const DXGKARG_RENDER* r, UINT offset, ULONG* token, UINT* bytes);

/* heron_render.c, heron_present.c, heron_build.c */
DXGKDDI_RENDER HeronRender;
DXGKDDI_PRESENT HeronPresent;
DXGKDDI_PATCH HeronPatch;

/* heron_interrupt.c. HeronSynchronize runs `routine` at the level of the interrupt; FALSE if it did
 * not. */
BOOLEAN HeronSynchronize(HERON_ADAPTER* a, PKSYNCHRONIZE_ROUTINE routine, PVOID context);
/* Both at the level of the interrupt. HeronCollect tells the scheduler what the fence page says and
 * it doesn't know yet; whether that was anything. */
VOID HeronNotifyPreempted(HERON_ADAPTER* a, UINT node, UINT fence);
BOOLEAN HeronCollect(HERON_ADAPTER* a, UINT node);
DXGKDDI_INTERRUPT_ROUTINE HeronInterruptRoutine;
DXGKDDI_DPC_ROUTINE HeronDpcRoutine;
DXGKDDI_QUERYCURRENTFENCE HeronQueryCurrentFence;
DXGKDDI_CONTROLINTERRUPT HeronControlInterrupt;

/* heron_queue.c */
DXGKDDI_SUBMITCOMMAND HeronSubmitCommand;
DXGKDDI_PREEMPTCOMMAND HeronPreemptCommand;

/* heron_reset.c */
DXGKDDI_RESETFROMTIMEOUT HeronResetFromTimeout;
DXGKDDI_RESTARTFROMTIMEOUT HeronRestartFromTimeout;
DXGKDDI_COLLECTDBGINFO HeronCollectDbgInfo;

#endif
