// The Plover's kernel-mode driver: its objects, and what its sources share.
//
// What the ISR touches is touched by others only inside DxgkCbSynchronizeExecution, but for counts
// of what is in flight, which are interlocked.
#pragma once
#include <ntddk.h>

#include <dispmprt.h>

#include "../device/plover_hw.h"

#define PLOVER_TAG 'rvlP'
#define PLOVER_SEGMENT 1u
#define PLOVER_SPACES 256u
#define PLOVER_PAGING_BUFFER_BYTES 8192u

enum PloverType : UINT {
  TypeProcess = 1,
  TypeDevice,
  TypeContext,
  TypeAllocation,
  TypeOpen,
  TypeResource
};

struct Adapter;

// What begins every object that Dxgkrnl knows by a handle of ours.
struct Object {
  PloverType Type;
  HANDLE Handle;
  Adapter* Owner;
};
struct Process : Object {
  static const PloverType kType = TypeProcess;
  UINT Space;  // how the MMU tells it apart
};
struct Device : Object {
  static const PloverType kType = TypeDevice;
  HANDLE DxgkDevice;
  Process* Parent;
};
struct Context : Object {
  static const PloverType kType = TypeContext;
  Device* Parent;
  UINT Node;
  BOOLEAN System;
  ULONG64 Root;
  UINT RootEntries;
  HANDLE SaveAllocation;  // of contexts of user mode; those of the system are not preempted
  D3DGPU_VIRTUAL_ADDRESS SaveAddress;
};
struct Allocation : Object {
  static const PloverType kType = TypeAllocation;
  ULONG64 Bytes;
};
// An allocation that a device has opened.
struct Open : Object {
  static const PloverType kType = TypeOpen;
  Device* Parent;
};
struct Resource : Object {
  static const PloverType kType = TypeResource;
};

struct NodeState {
  UINT Tail;               // of all packets there ever were; under SubmitLock
  volatile LONG InFlight;  // packets that nobody has been told the end of
  volatile UINT LastSubmitted, LastCompleted;
  UINT SeenProgress;  // when Dxgkrnl asked last
  UINT FState;
};

struct Adapter {
  PDEVICE_OBJECT PhysicalDevice;
  DXGKRNL_INTERFACE Dxgk;
  DXGK_START_INFO StartInfo;
  volatile UCHAR* Registers;
  PHYSICAL_ADDRESS MemoryBus;
  UCHAR* Shared;  // event ring and fence words, then a page for each work queue
  ULONG64 SharedPhysical;
  volatile BOOLEAN Powered;
  UINT EventsConsumed;  // of the ISR
  NodeState Nodes[PLOVER_NODES];
  KSPIN_LOCK SubmitLock;
  KSPIN_LOCK SpaceLock;
  HANDLE DxgkProcesses[PLOVER_SPACES];  // by address space; null: free
  Context* SystemContexts[PLOVER_NODES];
};

// The memory that the hardware shares with the driver.
#define PLOVER_FENCE_OFFSET 3072u
#define PLOVER_SHARED_BYTES (PAGE_SIZE * (1 + PLOVER_NODES))

inline UINT Read32(Adapter* a, UINT at) {
  return READ_REGISTER_ULONG((volatile ULONG*)(a->Registers + at));
}
inline void Write32(Adapter* a, UINT at, UINT v) {
  WRITE_REGISTER_ULONG((volatile ULONG*)(a->Registers + at), v);
}
inline void Write64(Adapter* a, UINT at, ULONG64 v) {
  WRITE_REGISTER_ULONG64((volatile ULONG64*)(a->Registers + at), v);
}

inline PVOID Allocate(SIZE_T bytes) {
  return ExAllocatePool2(POOL_FLAG_NON_PAGED, bytes, PLOVER_TAG);
}
inline void Free(PVOID p) {
  ExFreePoolWithTag(p, PLOVER_TAG);
}

// plover_handles.cpp
void HandlesInitialize();
void HandlesDestroy();
// Gives the object a handle; FALSE: there is no memory for it.
BOOLEAN Insert(Object* object, PloverType type, Adapter* owner);
// The object of a handle that is one of ours, alive and of that type; else null.
Object* Find(HANDLE handle, PloverType type);
// Ends the handle and the object; null is none.
void Remove(Object* object);

template <class T>
T* FindAs(HANDLE handle) {
  return static_cast<T*>(Find(handle, T::kType));
}
template <class T>
T* Make(Adapter* owner) {
  T* object = (T*)Allocate(sizeof(T));
  if (!object || Insert(object, T::kType, owner)) return object;
  Free(object);
  return NULL;
}

// plover_adapter.cpp
DXGKDDI_ADD_DEVICE PloverAddDevice;
DXGKDDI_START_DEVICE PloverStartDevice;
DXGKDDI_STOP_DEVICE PloverStopDevice;
DXGKDDI_REMOVE_DEVICE PloverRemoveDevice;
DXGKDDI_RESET_DEVICE PloverResetDevice;
DXGKDDI_SET_POWER_STATE PloverSetPowerState;
DXGKDDISETPOWERCOMPONENTFSTATE PloverSetPowerComponentFState;
// plover_caps.cpp, plover_clock.cpp
DXGKDDI_QUERYADAPTERINFO PloverQueryAdapterInfo;
DXGKDDI_GETNODEMETADATA PloverGetNodeMetadata;
DXGKDDI_CALIBRATEGPUCLOCK PloverCalibrateGpuClock;
DXGKDDI_FORMATHISTORYBUFFER PloverFormatHistoryBuffer;
// plover_objects.cpp, plover_memory.cpp
DXGKDDI_CREATEPROCESS PloverCreateProcess;
DXGKDDI_DESTROYPROCESS PloverDestroyProcess;
DXGKDDI_CREATEDEVICE PloverCreateDevice;
DXGKDDI_DESTROYDEVICE PloverDestroyDevice;
DXGKDDI_CREATECONTEXT PloverCreateContext;
DXGKDDI_DESTROYCONTEXT PloverDestroyContext;
DXGKDDI_CREATEALLOCATION PloverCreateAllocation;
DXGKDDI_DESTROYALLOCATION PloverDestroyAllocation;
DXGKDDI_DESCRIBEALLOCATION PloverDescribeAllocation;
DXGKDDI_GETSTANDARDALLOCATIONDRIVERDATA PloverGetStandardAllocationDriverData;
DXGKDDI_OPENALLOCATIONINFO PloverOpenAllocation;
DXGKDDI_CLOSEALLOCATION PloverCloseAllocation;
// plover_paging.cpp
DXGKDDI_BUILDPAGINGBUFFER PloverBuildPagingBuffer;
DXGKDDI_SETROOTPAGETABLE PloverSetRootPageTable;
DXGKDDI_GETROOTPAGETABLESIZE PloverGetRootPageTableSize;
// plover_queue.cpp
void ProgramNodes(Adapter* a);
// At the level of the interrupt. Of `quiet_node`, which is being reset, Dxgkrnl hears no more.
UINT DrainEvents(Adapter* a, UINT quiet_node);
DXGKDDI_INTERRUPT_ROUTINE PloverInterrupt;
DXGKDDI_DPC_ROUTINE PloverDpc;
DXGKDDI_SUBMITCOMMANDVIRTUAL PloverSubmitCommandVirtual;
DXGKDDI_PREEMPTCOMMAND PloverPreemptCommand;
// plover_reset.cpp
DXGKDDI_RESETENGINE PloverResetEngine;
DXGKDDI_QUERYENGINESTATUS PloverQueryEngineStatus;
DXGKDDI_QUERYDEPENDENTENGINEGROUP PloverQueryDependentEngineGroup;
DXGKDDI_RESETFROMTIMEOUT PloverResetFromTimeout;
DXGKDDI_RESTARTFROMTIMEOUT PloverRestartFromTimeout;
DXGKDDI_COLLECTDBGINFO PloverCollectDbgInfo;

// What a routine of DxgkCbSynchronizeExecution gets to work with.
struct NodeRequest {
  Adapter* Owner;
  UINT Node, Fence;
};
inline NTSTATUS Synchronize(Adapter* a, PKSYNCHRONIZE_ROUTINE routine, PVOID context) {
  BOOLEAN result;
  return a->Dxgk.DxgkCbSynchronizeExecution(a->Dxgk.DeviceHandle, routine, context, 0, &result);
}
