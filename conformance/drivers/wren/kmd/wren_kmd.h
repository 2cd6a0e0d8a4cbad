// The Wren's kernel-mode driver: its objects, and what its sources share.
//
// What the interrupt routine works on is touched by others only inside WrenAtDirql. All that has to
// outlive a loss of power lies in system memory: rings, the table of the aperture, and how far each
// node came. Handles are pointers to the objects.
#pragma once
#include <ntddk.h>

#include <dispmprt.h>

#include "../client/wren_umd.h"
#include "../device/wren_hw.h"

#define WREN_TAG 'nerW'
#define WREN_RING 1024u
#define WREN_COMPONENTS 4u  // three engines, and the aperture's walker
#define WREN_COMPONENT_WALKER 3u
#define WREN_SEGMENT 1u

// Private data of a DMA buffer: where a stopped portion of it goes on.
struct WREN_DMA_PRIVATE {
  UINT Magic;
  UINT Stopped;
  UINT StoppedAt;  // bytes from the start of the DMA buffer
  UINT Reserved;
};
#define WREN_DMA_MAGIC 0x414D4457u

struct WREN_PACKET {
  UINT Fence;
  UINT Start;  // bytes from the start of the DMA buffer
  WREN_DMA_PRIVATE* Private;
};

struct WREN_NODE {
  WrenDescriptor* Ring;
  PHYSICAL_ADDRESS RingAddress;
  volatile WrenStatus* Status;
  WREN_PACKET Packets[WREN_RING];
  UINT Head, Tail;
  UINT LastCompleted, LastSubmitted;
  BOOLEAN Preempting;
  UINT PreemptFence, PreemptMark;
  BOOLEAN Lost;  // by a reset of the other node of its group
  UINT LostFence;
  UINT LastProgress;
  ULONG64 Ended;
  UINT FState;
};

struct WREN_ADAPTER {
  PDEVICE_OBJECT Pdo;
  DXGKRNL_INTERFACE Dxgk;
  BOOLEAN Started;
  volatile BOOLEAN Powered;  // registers may be touched
  BOOLEAN Recovering;        // between ResetFromTimeout and RestartFromTimeout
  UCHAR* Registers;
  UINT32* Gtt;
  PHYSICAL_ADDRESS GttAddress;
  VOID* StatusPage;
  PHYSICAL_ADDRESS StatusAddress;
  VOID* Scratch;
  PHYSICAL_ADDRESS ScratchAddress;
  VOID* Rings;
  UINT WalkerState;
  WREN_NODE Nodes[WREN_NODES];
};

struct WREN_DEVICE_OBJECT {
  WREN_ADAPTER* Adapter;
  HANDLE hDevice;
};
struct WREN_CONTEXT {
  WREN_DEVICE_OBJECT* Device;
  UINT Node;
  VOID* Save;
  PHYSICAL_ADDRESS SaveAddress;
};
struct WREN_ALLOCATION {
  ULONG64 Bytes;
  UINT Flags, Width, Height, Pitch;
};
struct WREN_OPEN {
  WREN_ALLOCATION* Allocation;
};

// What Render makes of one command of user mode.
struct WREN_REFERENCE {
  UINT At;  // dword in the group
  UINT Index, Slot, Offset;
};

struct WREN_GROUP {
  UINT Words[16];
  UINT Count;
  WREN_REFERENCE References[4];
  UINT ReferenceCount;
  UINT Splits[4];  // dword in the group
};

// What Render is asked for, in copies that user mode cannot change any more.
struct WREN_TRANSLATION {
  const UINT* Command;
  UINT CommandWords;
  const D3DDDI_PATCHLOCATIONLIST* Patches;
  UINT PatchCount;
  const DXGK_ALLOCATIONLIST* List;
  UINT ListSize;
  UINT Null;  // an element that names no allocation, or ~0u
  UINT Node;
};

inline VOID* WrenAllocate(POOL_TYPE Type, SIZE_T Bytes) {
  VOID* memory = ExAllocatePoolWithTag(Type, Bytes, WREN_TAG);
  if (memory) RtlZeroMemory(memory, Bytes);
  return memory;
}
inline VOID WrenFree(VOID* Memory) {
  if (Memory) ExFreePoolWithTag(Memory, WREN_TAG);
}
inline UINT WrenRead(WREN_ADAPTER* A, UINT Offset) {
  return READ_REGISTER_ULONG((volatile ULONG*)(A->Registers + Offset));
}
inline VOID WrenWrite(WREN_ADAPTER* A, UINT Offset, UINT Value) {
  WRITE_REGISTER_ULONG((volatile ULONG*)(A->Registers + Offset), Value);
}
inline UINT WrenPte(ULONG64 Pfn, UINT Flags) {
  return (UINT)(Pfn << WREN_PTE_PFN_SHIFT) | Flags;
}

// wren_hardware.cpp: what the registers are programmed with
VOID* WrenContiguous(SIZE_T Bytes, PHYSICAL_ADDRESS* Address);
VOID WrenAtDirql(WREN_ADAPTER* A, PKSYNCHRONIZE_ROUTINE Routine, VOID* Context);
VOID WrenProgramAll(WREN_ADAPTER* A);
VOID WrenProgramNode(WREN_ADAPTER* A, UINT Node);
VOID WrenForgetNode(WREN_ADAPTER* A, UINT Node);
BOOLEAN WrenSilence(PVOID Context);
// wren_adapter.cpp
DXGKDDI_ADD_DEVICE WrenAddDevice;
DXGKDDI_REMOVE_DEVICE WrenRemoveDevice;
DXGKDDI_START_DEVICE WrenStartDevice;
DXGKDDI_STOP_DEVICE WrenStopDevice;
DXGKDDI_RESET_DEVICE WrenResetDevice;
// wren_power.cpp
DXGKDDI_SET_POWER_STATE WrenSetPowerState;
DXGKDDISETPOWERCOMPONENTFSTATE WrenSetPowerComponentFState;
DXGKDDIPOWERRUNTIMECONTROLREQUEST WrenPowerRuntimeControlRequest;
// wren_caps.cpp
DXGKDDI_QUERYADAPTERINFO WrenQueryAdapterInfo;
DXGKDDI_GETNODEMETADATA WrenGetNodeMetadata;
// wren_state.cpp
DXGKDDI_ESCAPE WrenEscape;
DXGKDDI_COLLECTDBGINFO WrenCollectDbgInfo;
// wren_objects.cpp
DXGKDDI_CREATEDEVICE WrenCreateDevice;
DXGKDDI_DESTROYDEVICE WrenDestroyDevice;
DXGKDDI_CREATECONTEXT WrenCreateContext;
DXGKDDI_DESTROYCONTEXT WrenDestroyContext;
// wren_allocation.cpp
DXGKDDI_CREATEALLOCATION WrenCreateAllocation;
DXGKDDI_DESTROYALLOCATION WrenDestroyAllocation;
DXGKDDI_DESCRIBEALLOCATION WrenDescribeAllocation;
DXGKDDI_OPENALLOCATIONINFO WrenOpenAllocation;
DXGKDDI_CLOSEALLOCATION WrenCloseAllocation;
DXGKDDI_GETSTANDARDALLOCATIONDRIVERDATA WrenGetStandardAllocationDriverData;
// wren_paging.cpp
DXGKDDI_BUILDPAGINGBUFFER WrenBuildPagingBuffer;
// wren_usercopy.cpp
BOOLEAN WrenCopyFromUser(VOID* To, const VOID* From, SIZE_T Bytes);
// wren_command.cpp: the commands of user mode, one by one
NTSTATUS WrenTranslate(const WREN_TRANSLATION* Translation, UINT At, UINT* Next, UINT* Patch,
                       WREN_GROUP* Group);
// wren_render.cpp
DXGKDDI_RENDER WrenRender;
DXGKDDI_PATCH WrenPatch;
// wren_interrupt.cpp: all at the level of the interrupt, but for the DPC
BOOLEAN WrenRetire(WREN_ADAPTER* A, UINT Node, BOOLEAN Tell);
VOID WrenNap(VOID);
VOID WrenAwaitTimer(VOID);
VOID WrenKeepStopped(WREN_NODE* Node);
VOID WrenTellPreempted(WREN_ADAPTER* A, UINT Node, UINT Fence);
DXGKDDI_INTERRUPT_ROUTINE WrenInterruptRoutine;
DXGKDDI_DPC_ROUTINE WrenDpcRoutine;
// wren_queue.cpp
DXGKDDI_SUBMITCOMMAND WrenSubmitCommand;
DXGKDDI_PREEMPTCOMMAND WrenPreemptCommand;
DXGKDDI_QUERYCURRENTFENCE WrenQueryCurrentFence;
// wren_reset.cpp
DXGKDDI_QUERYDEPENDENTENGINEGROUP WrenQueryDependentEngineGroup;
DXGKDDI_QUERYENGINESTATUS WrenQueryEngineStatus;
DXGKDDI_RESETENGINE WrenResetEngine;
DXGKDDI_RESETFROMTIMEOUT WrenResetFromTimeout;
DXGKDDI_RESTARTFROMTIMEOUT WrenRestartFromTimeout;
