// The Tern's kernel-mode driver: its objects, and what its sources share.
//
// Everything that the ISR touches is touched by others only inside DxgkCbSynchronizeExecution.
#ifndef TERN_KMD_H
#define TERN_KMD_H

#include <ntddk.h>

#include <dispmprt.h>

#include "../device/tern_hw.h"

#define TERN_TAG 'nreT'
#define TERN_SEGMENT_APERTURE 1u
#define TERN_SEGMENT_LOCAL 2u
#define TERN_SEGMENT_TABLES 3u     /* with big pages: page tables, in pages of 4 KB */
#define TERN_SMALL_BYTES 0x1e0000u /* of video memory, behind what is the driver's own */
#define TERN_BIG_BYTES 0x400000u   /* with big pages, behind the segment of page tables */
#define TERN_TABLES_BYTES 0x100000u
#define TERN_BLOCK_BYTES (TERN_BLOCK_PAGES * PAGE_SIZE)
#define TERN_MOST_PROCESSES 64u
#define TERN_KERNEL_SPACE(process) ((process)->Space + TERN_MOST_PROCESSES)
#define TERN_MOST_PRIVATE 64u /* bytes of private data of a submission */

/* The registry value BigPages, read in DriverEntry: video memory in pages of 64 KB, and page tables
 * that the GPU updates through its own translation. */
extern BOOLEAN tern_big_pages;

typedef struct TernContext TernContext;

typedef struct TernAdapter {
  PDEVICE_OBJECT Pdo;
  DXGKRNL_INTERFACE Dxgk;
  PUCHAR Registers;
  TernPacket* Ring; /* in video memory, through BAR 1 */
  PHYSICAL_ADDRESS LocalBus;
  KSPIN_LOCK SpacesLock;
  ULONG64 SpacesInUse; /* bit n: address space number n + 1 */
  /* In flight: [Head, Tail) of the ring. The ISR's from here on. */
  struct {
    UINT Fence;
    ULONG64 Va;
    TernContext* Context;
  } InFlight[TERN_RING_ENTRIES];
  UINT Head, Tail;
  UINT LastSubmitted;
} TernAdapter;

typedef struct TernProcess {
  TernAdapter* Adapter;
  HANDLE Dxgk;
  UINT Space;  /* of its contexts; what the kernel runs for it has a root of its own, and so the
                  number behind: TERN_KERNEL_SPACE */
} TernProcess;

typedef struct TernDevice {
  TernAdapter* Adapter;
  TernProcess* Process;
} TernDevice;

struct TernContext {
  TernDevice* Device;
  BOOLEAN IsSystem;
  ULONG64 Root; /* with TERN_SYSTEM */
  UINT RootEntries;
  /* The packet that was stopped, and where it goes on. The ISR's. */
  BOOLEAN Stopped;
  ULONG64 StoppedVa;
  UINT StoppedOffset, StoppedSpin;
};

typedef struct TernAllocation {
  TernAllocationData Data;
} TernAllocation;

static inline ULONG tern_read(TernAdapter* adapter, ULONG offset) {
  return READ_REGISTER_ULONG((volatile ULONG*)(adapter->Registers + offset));
}
static inline void tern_write(TernAdapter* adapter, ULONG offset, ULONG value) {
  WRITE_REGISTER_ULONG((volatile ULONG*)(adapter->Registers + offset), value);
}
static inline PVOID tern_allocate(SIZE_T bytes) {
  PVOID block = ExAllocatePoolWithTag(NonPagedPoolNx, bytes, TERN_TAG);
  if (block != NULL) RtlZeroMemory(block, bytes);
  return block;
}
static inline void tern_free(PVOID block) {
  if (block != NULL) ExFreePoolWithTag(block, TERN_TAG);
}
/* Where a segment of video memory lies in it. */
static inline ULONG tern_segment_start(UINT segment) {
  const BOOLEAN behind_tables = tern_big_pages && segment == TERN_SEGMENT_LOCAL;
  return TERN_RESERVED_BYTES + (behind_tables ? TERN_TABLES_BYTES : 0);
}
/* As the GPU sees a place in a segment; with TERN_SYSTEM. */
static inline ULONG64 tern_gpu_address(UINT segment, ULONG64 offset) {
  return segment == 0 ? offset | TERN_SYSTEM
                      : TERN_LOCAL_BASE + tern_segment_start(segment) + offset;
}

/* tern_queue.c */
void tern_power_on(TernAdapter* adapter);
void tern_power_off(TernAdapter* adapter);

DXGKDDI_QUERYADAPTERINFO TernQueryAdapterInfo;
DXGKDDI_GETNODEMETADATA TernGetNodeMetadata;
DXGKDDI_GETROOTPAGETABLESIZE TernGetRootPageTableSize;
DXGKDDI_CREATEPROCESS TernCreateProcess;
DXGKDDI_DESTROYPROCESS TernDestroyProcess;
DXGKDDI_CREATEDEVICE TernCreateDevice;
DXGKDDI_DESTROYDEVICE TernDestroyDevice;
DXGKDDI_CREATECONTEXT TernCreateContext;
DXGKDDI_DESTROYCONTEXT TernDestroyContext;
DXGKDDI_SETROOTPAGETABLE TernSetRootPageTable;
DXGKDDI_CREATEALLOCATION TernCreateAllocation;
DXGKDDI_DESTROYALLOCATION TernDestroyAllocation;
DXGKDDI_DESCRIBEALLOCATION TernDescribeAllocation;
DXGKDDI_GETSTANDARDALLOCATIONDRIVERDATA TernGetStandardAllocationDriverData;
DXGKDDI_OPENALLOCATIONINFO TernOpenAllocation;
DXGKDDI_CLOSEALLOCATION TernCloseAllocation;
DXGKDDI_BUILDPAGINGBUFFER TernBuildPagingBuffer;
DXGKDDI_SUBMITCOMMANDVIRTUAL TernSubmitCommandVirtual;
DXGKDDI_PREEMPTCOMMAND TernPreemptCommand;
DXGKDDI_QUERYCURRENTFENCE TernQueryCurrentFence;
DXGKDDI_INTERRUPT_ROUTINE TernInterruptRoutine;
DXGKDDI_DPC_ROUTINE TernDpcRoutine;
DXGKDDI_RESETFROMTIMEOUT TernResetFromTimeout;
DXGKDDI_RESTARTFROMTIMEOUT TernRestartFromTimeout;
DXGKDDI_QUERYDEPENDENTENGINEGROUP TernQueryDependentEngineGroup;
DXGKDDI_QUERYENGINESTATUS TernQueryEngineStatus;
DXGKDDI_RESETENGINE TernResetEngine;

#endif
