// The Egret's kernel-mode driver: its objects, and what its sources share.
//
// What the ISR touches is changed only at its level, by AtInterruptLevel.
#pragma once
#include <initguid.h>
#include <ntddk.h>

#include <dispmprt.h>

#include "../client/egret_umd.h"
#include "../device/egret_hw.h"

#define EGRET_TAG 'rgEt'

constexpr UINT kSegmentLocal = 1;
constexpr UINT kSegmentAperture = 2;
constexpr UINT kLocalBit = 1u << (kSegmentLocal - 1);
constexpr UINT kApertureBit = 1u << (kSegmentAperture - 1);
constexpr UINT kPage64K = 0x10000;
constexpr UINT kMaxSpaces = 1024;  // processes; 0 is none
constexpr UINT kPagingBufferBytes = 0x10000;

// What the driver knows of a job that it gave to a node, in the order of submission.
struct Pending {
  UINT Fence;
  BOOLEAN Rejected;  // never reached the hardware; is over when all before it are
  HANDLE DxgkProcess;
};

// An engine.
struct Node {
  UINT Index;
  volatile UCHAR* Registers;
  PUCHAR Ring;  // contiguous system memory
  PHYSICAL_ADDRESS RingAddress;
  UINT RingEntries;  // power of two
  UINT Tail;
  Pending* Queue;
  UINT QueueEntries;  // power of two
  UINT QueueHead, QueueTail;
  UINT LastSubmitted, LastCompleted;
  BOOLEAN PreemptPending;
  UINT PreemptFence;
  UINT PreemptQueueTail;
  UINT ProgressSeen;
  UINT Faults, Resets, Preemptions;  // for debug reports
  struct Context* SystemContext;
};

struct Adapter {
  PDEVICE_OBJECT Pdo;
  DXGKRNL_INTERFACE Dxgk;
  BOOLEAN Started;
  BOOLEAN Powered;
  volatile UCHAR* Registers;
  PHYSICAL_ADDRESS WindowAddress;
  ULONG WindowBytes;
  Node Nodes[EG_NODES];
  KSPIN_LOCK MmioLock;           // of registers that take an index and then a value
  UINT Window[EG_WINDOW_PAGES];  // as programmed, for D0
  ULONGLONG* Gart;               // as programmed, for D0
  FAST_MUTEX SpaceLock;
  ULONG Spaces[kMaxSpaces / 32];
};

struct Process {
  Adapter* Owner;
  HANDLE DxgkProcess;
  UINT Number;  // not 0
  BOOLEAN System;

  // What the hardware tells address spaces apart by.
  UINT ApplicationSpace() const { return Number * 2; }
  UINT PrivilegedSpace() const { return Number * 2 + 1; }
};

struct Device {
  Adapter* Owner;
  HANDLE DxgkDevice;
  Process* Space;
  BOOLEAN System;
};

struct Context {
  Device* Owner;
  UINT NodeIndex;
  BOOLEAN System;
  HANDLE SaveArea;  // context allocation, Dxgkrnl's handle; null: none
  ULONGLONG SaveAddress;
  ULONGLONG Root;  // as the hardware takes it
  UINT RootEntries;
};

struct Allocation {
  ULONGLONG Bytes;
  UINT Flags;
  UINT Width, Height, Pitch, Format;
};

struct OpenedAllocation {
  Device* Owner;
  Allocation* Of;
};

inline UINT ReadReg(volatile UCHAR* base, UINT offset) {
  return READ_REGISTER_ULONG((volatile ULONG*)(base + offset));
}
inline void WriteReg(volatile UCHAR* base, UINT offset, UINT value) {
  WRITE_REGISTER_ULONG((volatile ULONG*)(base + offset), value);
}
inline ULONGLONG ReadReg64(volatile UCHAR* base, UINT offset) {
  return READ_REGISTER_ULONG64((volatile ULONG64*)(base + offset));
}
inline void WriteReg64(volatile UCHAR* base, UINT offset, ULONGLONG value) {
  WRITE_REGISTER_ULONG64((volatile ULONG64*)(base + offset), value);
}

// An address as engines take it, of `offset` in a segment.
inline ULONGLONG HardwareAddress(UINT segment, ULONGLONG offset) {
  if (segment == kSegmentLocal) return EG_VRAM_BASE + offset;
  if (segment == kSegmentAperture) return EG_GART_BASE + offset;
  return EG_SYS_BIT | offset;
}

inline PVOID AllocateZeroed(POOL_TYPE type, SIZE_T bytes) {
  PVOID p = ExAllocatePoolWithTag(type, bytes, EGRET_TAG);
  if (p) RtlZeroMemory(p, bytes);
  return p;
}
inline void Free(PVOID p) {
  if (p) ExFreePoolWithTag(p, EGRET_TAG);
}

// egret_adapter.cpp
DXGKDDI_ADD_DEVICE EgretAddDevice;
DXGKDDI_START_DEVICE EgretStartDevice;
DXGKDDI_STOP_DEVICE EgretStopDevice;
DXGKDDI_REMOVE_DEVICE EgretRemoveDevice;
DXGKDDI_RESET_DEVICE EgretResetDevice;
DXGKDDI_SET_POWER_STATE EgretSetPowerState;
// Resets a node and starts it with an empty ring.
void StartNode(Node& node);
// egret_caps.cpp, egret_clock.cpp
DXGKDDI_QUERYADAPTERINFO EgretQueryAdapterInfo;
DXGKDDI_GETNODEMETADATA EgretGetNodeMetadata;
DXGKDDI_CALIBRATEGPUCLOCK EgretCalibrateGpuClock;
DXGKDDI_FORMATHISTORYBUFFER EgretFormatHistoryBuffer;
// egret_objects.cpp
DXGKDDI_CREATEPROCESS EgretCreateProcess;
DXGKDDI_DESTROYPROCESS EgretDestroyProcess;
DXGKDDI_CREATEDEVICE EgretCreateDevice;
DXGKDDI_DESTROYDEVICE EgretDestroyDevice;
DXGKDDI_CREATECONTEXT EgretCreateContext;
DXGKDDI_DESTROYCONTEXT EgretDestroyContext;
DXGKDDI_SETROOTPAGETABLE EgretSetRootPageTable;
DXGKDDI_GETROOTPAGETABLESIZE EgretGetRootPageTableSize;
// egret_allocation.cpp, egret_window.cpp
DXGKDDI_CREATEALLOCATION EgretCreateAllocation;
DXGKDDI_DESTROYALLOCATION EgretDestroyAllocation;
DXGKDDI_DESCRIBEALLOCATION EgretDescribeAllocation;
DXGKDDI_GETSTANDARDALLOCATIONDRIVERDATA EgretGetStandardAllocationDriverData;
DXGKDDI_OPENALLOCATIONINFO EgretOpenAllocation;
DXGKDDI_CLOSEALLOCATION EgretCloseAllocation;
DXGKDDI_MAPCPUHOSTAPERTURE EgretMapCpuHostAperture;
DXGKDDI_UNMAPCPUHOSTAPERTURE EgretUnmapCpuHostAperture;
// egret_paging.cpp, egret_tables.cpp
DXGKDDI_BUILDPAGINGBUFFER EgretBuildPagingBuffer;
NTSTATUS UpdatePageTable(DXGKARG_BUILDPAGINGBUFFER* args);
NTSTATUS FlushTlb(DXGKARG_BUILDPAGINGBUFFER* args);
NTSTATUS CopyPageTableEntries(DXGKARG_BUILDPAGINGBUFFER* args);
// egret_interrupt.cpp
DXGKDDI_INTERRUPT_ROUTINE EgretInterruptRoutine;
DXGKDDI_DPC_ROUTINE EgretDpcRoutine;
// Runs `routine` at the level of the interrupt, where all of the following belong.
void AtInterruptLevel(Adapter& adapter, PKSYNCHRONIZE_ROUTINE routine, PVOID argument);
// Takes what is over from the front of the queue: jobs up to `fence` if `reached`, and rejected
// ones that nothing precedes.
void RetireThrough(Node& node, bool reached, UINT fence);
void NotifyPreempted(Adapter& adapter, Node& node, UINT preemption_fence);
// Looks for events of a node that no interrupt has brought yet; true: the DPC has what to tell.
bool PollNode(Adapter& adapter, Node& node);
// egret_queue.cpp
DXGKDDI_SUBMITCOMMANDVIRTUAL EgretSubmitCommandVirtual;
DXGKDDI_PREEMPTCOMMAND EgretPreemptCommand;
DXGKDDI_QUERYCURRENTFENCE EgretQueryCurrentFence;
// egret_reset.cpp
DXGKDDI_QUERYDEPENDENTENGINEGROUP EgretQueryDependentEngineGroup;
DXGKDDI_QUERYENGINESTATUS EgretQueryEngineStatus;
DXGKDDI_RESETENGINE EgretResetEngine;
DXGKDDI_RESETFROMTIMEOUT EgretResetFromTimeout;
DXGKDDI_RESTARTFROMTIMEOUT EgretRestartFromTimeout;
DXGKDDI_COLLECTDBGINFO EgretCollectDbgInfo;

// What a routine of AtInterruptLevel gets to work with.
struct NodeRequest {
  Adapter* Owner;
  Node* Of;
  UINT Value;
  UINT Result;
};
