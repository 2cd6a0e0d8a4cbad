// The Kestrel's kernel-mode driver: its objects, and what its sources share.
//
// What engines have is touched inside DxgkCbSynchronizeExecution alone, or by the ISR.
#pragma once
#include <ntddk.h>

#include <dispmprt.h>

#include "../device/kestrel_hw.h"

#define KST_TAG 'ltsK'
#define KST_QUEUE 512u  // entries of a ring: one fewer packets
#define KST_SEGMENT_APERTURE 1u
#define KST_SEGMENT_HIDDEN 2u
#define KST_SEGMENT_VISIBLE 3u
#define KST_SET(segment) (1u << ((segment)-1))
#define KST_MAX_ALLOCATIONS 4096u
#define KST_MAX_OPENS 8192u
#define KST_DMA_BYTES 0x4000u

// Of each DMA buffer of user mode: where a preempted one goes on.
struct KstDmaPrivate {
  ULONG Magic;
  ULONG Resume;  // bytes from the start of the DMA buffer
  ULONG Spin;    // units already spent in the packet there
  ULONG Reserved;
};
#define KST_DMA_MAGIC 0x4b444d41u

struct KstRecord {
  volatile ULONG Word[KstRecordWords];
};

// A packet that the hardware has.
struct KstQueued {
  UINT Fence;
  UINT Start;
  KstDmaPrivate* Private;  // null: of paging, or not ours
};

struct KstNode {
  ULONG* Ring;
  PHYSICAL_ADDRESS RingAddress;
  KstRecord* Record;
  PHYSICAL_ADDRESS RecordAddress;
  ULONG Tail;
  // From First on, in order.
  KstQueued Queue[KST_QUEUE];
  ULONG First, Count;
  UINT LastSubmitted, LastCompleted;
  BOOLEAN Preempting;
  UINT PreemptFence;
  ULONG SeenProgress;
};

// What a handle of an allocation, or of an opened one, stands for.
struct KstObject {
  ULONG Serial;
  ULONG NextFree;
  BOOLEAN Used;
  PVOID Owner;  // device of an opened one
  ULONGLONG Bytes;
  KstAllocationData Data;
};

struct KstTable {
  KSPIN_LOCK Lock;
  KstObject* Objects;
  ULONG Limit, FreeList;
};

struct KstAdapter {
  PDEVICE_OBJECT Pdo;
  DXGKRNL_INTERFACE Dxgk;
  BOOLEAN Started;
  PUCHAR Regs;
  PHYSICAL_ADDRESS Visible;
  PVOID Memory;  // rings, records and the table of the aperture
  SIZE_T MemoryBytes;
  PHYSICAL_ADDRESS MemoryAddress;
  PHYSICAL_ADDRESS Gart;
  KstNode Node[KST_NODES];
  KstTable Allocations, Opens;
};

struct KstDevice {
  KstAdapter* Adapter;
};

struct KstContext {
  KstDevice* Device;
  UINT Node;
};

// Registers.
inline ULONG KstRead(KstAdapter* a, ULONG at) {
  return READ_REGISTER_ULONG((volatile ULONG*)(a->Regs + at));
}
inline void KstWrite(KstAdapter* a, ULONG at, ULONG value) {
  WRITE_REGISTER_ULONG((volatile ULONG*)(a->Regs + at), value);
}
inline ULONG KstReadNode(KstAdapter* a, ULONG n, ULONG at) {
  return KstRead(a, KST_NODE(n) + at);
}
inline void KstWriteNode(KstAdapter* a, ULONG n, ULONG at, ULONG v) {
  KstWrite(a, KST_NODE(n) + at, v);
}

// kestrel_table.cpp
NTSTATUS KstTableCreate(KstTable* t, ULONG limit);
void KstTableDestroy(KstTable* t);
// Null: there is no room.
HANDLE KstTableAdd(KstTable* t, const KstObject* object);
// A copy of what the handle stands for; FALSE: of nothing, or of nothing any more.
BOOLEAN KstTableGet(KstTable* t, HANDLE handle, KstObject* object);
void KstTableRemove(KstTable* t, HANDLE handle);
// kestrel_usercopy.cpp
NTSTATUS KstCopyFromUser(PVOID to, const VOID* from, SIZE_T bytes);

// kestrel_adapter.cpp
DXGKDDI_ADD_DEVICE KstAddDevice;
DXGKDDI_START_DEVICE KstStartDevice;
DXGKDDI_STOP_DEVICE KstStopDevice;
DXGKDDI_REMOVE_DEVICE KstRemoveDevice;
DXGKDDI_RESET_DEVICE KstResetDevice;
DXGKDDI_SET_POWER_STATE KstSetPowerState;
// kestrel_caps.cpp
DXGKDDI_QUERYADAPTERINFO KstQueryAdapterInfo;
DXGKDDI_GETNODEMETADATA KstGetNodeMetadata;
DXGKDDI_CALIBRATEGPUCLOCK KstCalibrateGpuClock;
// kestrel_objects.cpp, kestrel_allocation.cpp
DXGKDDI_CREATEDEVICE KstCreateDevice;
DXGKDDI_DESTROYDEVICE KstDestroyDevice;
DXGKDDI_CREATECONTEXT KstCreateContext;
DXGKDDI_DESTROYCONTEXT KstDestroyContext;
DXGKDDI_CREATEALLOCATION KstCreateAllocation;
DXGKDDI_DESTROYALLOCATION KstDestroyAllocation;
DXGKDDI_DESCRIBEALLOCATION KstDescribeAllocation;
DXGKDDI_GETSTANDARDALLOCATIONDRIVERDATA KstGetStandardAllocationDriverData;
DXGKDDI_OPENALLOCATIONINFO KstOpenAllocation;
DXGKDDI_CLOSEALLOCATION KstCloseAllocation;
// kestrel_render.cpp, kestrel_patch.cpp, kestrel_paging.cpp
DXGKDDI_RENDER KstRender;
DXGKDDI_PATCH KstPatch;
DXGKDDI_BUILDPAGINGBUFFER KstBuildPagingBuffer;
// kestrel_queue.cpp
void KstProgram(KstAdapter* a);
void KstSilence(KstAdapter* a);
BOOLEAN KstSynchronize(KstAdapter* a, PKSYNCHRONIZE_ROUTINE routine, PVOID context);
DXGKDDI_INTERRUPT_ROUTINE KstInterrupt;
DXGKDDI_DPC_ROUTINE KstDpc;
DXGKDDI_SUBMITCOMMAND KstSubmitCommand;
DXGKDDI_PREEMPTCOMMAND KstPreemptCommand;
DXGKDDI_CANCELCOMMAND KstCancelCommand;
DXGKDDI_QUERYCURRENTFENCE KstQueryCurrentFence;
// kestrel_reset.cpp
DXGKDDI_RESETENGINE KstResetEngine;
DXGKDDI_QUERYENGINESTATUS KstQueryEngineStatus;
DXGKDDI_QUERYDEPENDENTENGINEGROUP KstQueryDependentEngineGroup;
DXGKDDI_RESETFROMTIMEOUT KstResetFromTimeout;
DXGKDDI_RESTARTFROMTIMEOUT KstRestartFromTimeout;
DXGKDDI_COLLECTDBGINFO KstCollectDbgInfo;
