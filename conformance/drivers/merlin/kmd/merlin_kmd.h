// The Merlin's kernel-mode driver: its objects, and what its sources share.
//
// Each GPU has a context of its own from AddDevice. What concerns work and memory comes with that
// of the lead, and says by an index or an ordinal which GPU is meant (MerlinGpuOf). Handles are
// pointers to the objects.
#pragma once
#include <ntddk.h>

#include <dispmprt.h>

#include <d3dkmddi.h>

#include "../client/merlin_umd.h"
#include "../device/merlin_hw.h"

#define MERLIN_TAG 'nlrM'
#define MERLIN_PAGING_BUFFER_BYTES (16u * 1024u)
#define MERLIN_PAGING_PRIVATE_BYTES 4096u
#define MERLIN_DMA_PRIVATE_BYTES 64u
#define MERLIN_SEGMENT_LOCAL 1u
#define MERLIN_SEGMENT_APERTURE 2u
#define MERLIN_MAX_SPACES 1024u

template <class T>
T* MerlinNew() {
  void* p = ExAllocatePoolWithTag(NonPagedPoolNx, sizeof(T), MERLIN_TAG);
  if (p) RtlZeroMemory(p, sizeof(T));
  return static_cast<T*>(p);
}
inline void MerlinFree(void* p) {
  if (p) ExFreePoolWithTag(p, MERLIN_TAG);
}

struct MerlinGpu;
struct MerlinContext;

// The GPUs of one board.
struct MerlinLink {
  LIST_ENTRY entry;
  ULONG uid;
  MerlinGpu* gpu[MERLIN_LINKS];
  FAST_MUTEX lock;                       // the spaces
  ULONG spaces[MERLIN_MAX_SPACES / 32];  // bit set: in use
};

struct MerlinEngine {
  MerlinJob* ring;  // MERLIN_RING_ENTRIES of MERLIN_JOB_STRIDE bytes
  PHYSICAL_ADDRESS ring_address;
  UINT tail;
  UINT submitted;  // last fence given to the engine
  UINT completed;  // last fence that is over; changed at interrupt level alone
  UINT seen_progress;
  UINT packets;
  MerlinContext* system;
};

struct MerlinGpu {
  MerlinLink* link;
  UINT index;  // in the link
  PDEVICE_OBJECT pdo;
  DXGKRNL_INTERFACE dxgk;
  BOOLEAN started;
  BOOLEAN powered;  // registers may be touched
  PUCHAR regs;
  PHYSICAL_ADDRESS vram;
  UINT64 vram_bytes;
  MerlinEngine engine[MERLIN_NODES];
};

struct MerlinProcess {
  MerlinLink* link;
  HANDLE dxgk;
  UINT space;  // twice this: what applications run in; one more: the privileged space
};

struct MerlinDevice {
  MerlinLink* link;
  HANDLE dxgk;
  MerlinProcess* process;
  BOOLEAN system;
};

struct MerlinContext {
  MerlinDevice* device;
  UINT space;
  MerlinGpu* gpu;
  UINT node;
  BOOLEAN system;
  UINT64 root;
  BOOLEAN root_system;
  UINT root_entries;
};

struct MerlinAllocation {
  UINT64 bytes;
  UINT place;
  UINT flags;
  UINT gpu;
  UINT pitch;
};
struct MerlinResource {
  UINT reserved;
};
struct MerlinOpened {
  MerlinAllocation* allocation;
  D3DKMT_HANDLE handle;
};

// What BuildPagingBuffer leaves for the submission: whose buffer it is.
struct MerlinPagingRecord {
  UINT magic;
  UINT gpu;
};

inline UINT MerlinRead(MerlinGpu* gpu, UINT reg) {
  return READ_REGISTER_ULONG(reinterpret_cast<volatile ULONG*>(gpu->regs + reg));
}
inline void MerlinWrite(MerlinGpu* gpu, UINT reg, UINT value) {
  WRITE_REGISTER_ULONG(reinterpret_cast<volatile ULONG*>(gpu->regs + reg), value);
}
inline MerlinGpu* MerlinGpuOf(const void* adapter, UINT index) {
  MerlinGpu* gpu = static_cast<MerlinGpu*>(const_cast<void*>(adapter));
  if (!gpu || index >= MERLIN_LINKS) return nullptr;
  return gpu->link->gpu[index];
}

// What a routine of DxgkCbSynchronizeExecution gets to work with.
struct MerlinEngineCall {
  MerlinGpu* gpu;
  UINT node;
  UINT fence;
};
inline bool MerlinSynchronize(MerlinGpu* gpu, PKSYNCHRONIZE_ROUTINE routine,
                              MerlinEngineCall* call) {
  BOOLEAN result = FALSE;
  return NT_SUCCESS(
      gpu->dxgk.DxgkCbSynchronizeExecution(gpu->dxgk.DeviceHandle, routine, call, 0, &result));
}

// merlin_adapter.cpp
void MerlinInitializeLinks(void);
void MerlinProgramEngine(MerlinGpu* gpu, UINT node);
void MerlinQuiesce(MerlinGpu* gpu);
void MerlinResume(MerlinGpu* gpu);
DXGKDDI_ADD_DEVICE MerlinAddDevice;
DXGKDDI_REMOVE_DEVICE MerlinRemoveDevice;
DXGKDDI_LINK_DEVICE MerlinLinkDevice;
DXGKDDI_START_DEVICE MerlinStartDevice;
DXGKDDI_STOP_DEVICE MerlinStopDevice;
DXGKDDI_SET_POWER_STATE MerlinSetPowerState;
DXGKDDI_RESET_DEVICE MerlinResetDevice;
// merlin_caps.cpp
DXGKDDI_QUERYADAPTERINFO MerlinQueryAdapterInfo;
DXGKDDI_GETNODEMETADATA MerlinGetNodeMetadata;
// merlin_state.cpp
DXGKDDI_CALIBRATEGPUCLOCK MerlinCalibrateGpuClock;
DXGKDDI_ESCAPE MerlinEscapeCall;
DXGKDDI_COLLECTDBGINFO MerlinCollectDbgInfo;
// merlin_objects.cpp
DXGKDDI_CREATEPROCESS MerlinCreateProcess;
DXGKDDI_DESTROYPROCESS MerlinDestroyProcess;
DXGKDDI_CREATEDEVICE MerlinCreateDevice;
DXGKDDI_DESTROYDEVICE MerlinDestroyDevice;
DXGKDDI_CREATECONTEXT MerlinCreateContext;
DXGKDDI_DESTROYCONTEXT MerlinDestroyContext;
// merlin_allocation.cpp
DXGKDDI_CREATEALLOCATION MerlinCreateAllocation;
DXGKDDI_DESTROYALLOCATION MerlinDestroyAllocation;
DXGKDDI_DESCRIBEALLOCATION MerlinDescribeAllocation;
DXGKDDI_GETSTANDARDALLOCATIONDRIVERDATA MerlinGetStandardAllocation;
DXGKDDI_OPENALLOCATIONINFO MerlinOpenAllocation;
DXGKDDI_CLOSEALLOCATION MerlinCloseAllocation;
DXGKDDI_VALIDATEUPDATEALLOCATIONPROPERTY MerlinValidateUpdate;
// merlin_tables.cpp, merlin_paging.cpp
UINT64 MerlinEntry(const DXGK_PTE* pte, UINT level, UINT64 protection, UINT gpu);
DXGKDDI_GETROOTPAGETABLESIZE MerlinGetRootPageTableSize;
DXGKDDI_SETROOTPAGETABLE MerlinSetRootPageTable;
DXGKDDI_BUILDPAGINGBUFFER MerlinBuildPagingBuffer;
// merlin_interrupt.cpp: notifications at the level of the interrupt
void MerlinNotifyCompleted(MerlinGpu* gpu, UINT node, UINT fence);
void MerlinNotifyPreempted(MerlinGpu* gpu, UINT node, UINT fence);
DXGKDDI_INTERRUPT_ROUTINE MerlinInterruptRoutine;
DXGKDDI_DPC_ROUTINE MerlinDpcRoutine;
// merlin_queue.cpp
DXGKDDI_SUBMITCOMMANDVIRTUAL MerlinSubmitCommandVirtual;
DXGKDDI_PREEMPTCOMMAND MerlinPreemptCommand;
DXGKDDI_QUERYCURRENTFENCE MerlinQueryCurrentFence;
// merlin_reset.cpp
DXGKDDI_QUERYDEPENDENTENGINEGROUP MerlinQueryDependentEngineGroup;
DXGKDDI_QUERYENGINESTATUS MerlinQueryEngineStatus;
DXGKDDI_RESETENGINE MerlinResetEngine;
DXGKDDI_RESETFROMTIMEOUT MerlinResetFromTimeout;
DXGKDDI_RESTARTFROMTIMEOUT MerlinRestartFromTimeout;
