// What the registers are programmed with, and how others keep out of the interrupt routine's way.
#include "wren_kmd.h"

VOID* WrenContiguous(SIZE_T Bytes, PHYSICAL_ADDRESS* Address) {
  PHYSICAL_ADDRESS low, high, boundary;
  low.QuadPart = 0;
  high.QuadPart = (1LL << WREN_PHYSICAL_BITS) - 1;
  boundary.QuadPart = 0;
  VOID* memory = MmAllocateContiguousMemorySpecifyCache(Bytes, low, high, boundary, MmCached);
  if (!memory) return NULL;
  RtlZeroMemory(memory, Bytes);
  *Address = MmGetPhysicalAddress(memory);
  return memory;
}

// What the firmware takes; others may run meanwhile.
VOID WrenNap(VOID) {
  LARGE_INTEGER interval;
  interval.QuadPart = -10 * 1000;
  KeDelayExecutionThread(KernelMode, FALSE, &interval);
}

// ... where a timer says that it is over.
VOID WrenAwaitTimer(VOID) {
  KTIMER timer;
  LARGE_INTEGER interval;
  interval.QuadPart = -10 * 1000;
  KeInitializeTimer(&timer);
  KeSetTimer(&timer, interval, NULL);
  KeWaitForSingleObject(&timer, Executive, KernelMode, FALSE, NULL);
}

VOID WrenAtDirql(WREN_ADAPTER* A, PKSYNCHRONIZE_ROUTINE Routine, VOID* Context) {
  BOOLEAN result = FALSE;
  const NTSTATUS status =
      A->Dxgk.DxgkCbSynchronizeExecution(A->Dxgk.DeviceHandle, Routine, Context, 0, &result);
  // It fails while no interrupt is connected; then there is nothing to synchronize with.
  if (!NT_SUCCESS(status)) Routine(Context);
}

VOID WrenForgetNode(WREN_ADAPTER* A, UINT Index) {
  WREN_NODE* node = &A->Nodes[Index];
  node->Head = node->Tail = 0;
  node->Preempting = FALSE;
  node->LastProgress = ~0u;  // a reset engine counts from 0 again
  node->Status->retired = 0;
  node->Status->stopped = 0;
  node->Status->fence = node->LastCompleted;
}

// Programs the registers of an engine from what the driver knows of it.
VOID WrenProgramNode(WREN_ADAPTER* A, UINT Index) {
  WREN_NODE* node = &A->Nodes[Index];
  const UINT engine = WREN_ENGINE(Index);
  if (!A->Powered || node->FState != 0) return;
  WrenWrite(A, engine + WREN_ENG_RING_LO, (UINT)node->RingAddress.QuadPart);
  WrenWrite(A, engine + WREN_ENG_RING_HI, (UINT)(node->RingAddress.QuadPart >> 32));
  WrenWrite(A, engine + WREN_ENG_ENTRIES, WREN_RING);
  WrenWrite(A, engine + WREN_ENG_HEAD, node->Head);
  WrenWrite(A, engine + WREN_ENG_TAIL, node->Tail);
  WrenWrite(A, engine + WREN_ENG_CTRL, 1);
}

VOID WrenProgramAll(WREN_ADAPTER* A) {
  WrenWrite(A, WREN_REG_MASK, 0);
  WrenWrite(A, WREN_REG_RESET, WREN_DOMAIN_ALL);
  WrenWrite(A, WREN_REG_GTT_LO, (UINT)A->GttAddress.QuadPart);
  WrenWrite(A, WREN_REG_GTT_HI, (UINT)(A->GttAddress.QuadPart >> 32));
  WrenWrite(A, WREN_REG_GTT_CTRL, A->WalkerState == 0 ? 1 : 0);
  WrenWrite(A, WREN_REG_STATUS_LO, (UINT)A->StatusAddress.QuadPart);
  WrenWrite(A, WREN_REG_STATUS_HI, (UINT)(A->StatusAddress.QuadPart >> 32));
  for (UINT i = 0; i < WREN_NODES; i++) {
    WrenWrite(A, WREN_ENGINE(i) + WREN_ENG_CLOCK, A->Nodes[i].FState != 0);
    WrenProgramNode(A, i);
  }
  WrenWrite(A, WREN_REG_CAUSE, WREN_CAUSE_ALL);
  WrenWrite(A, WREN_REG_MASK, WREN_CAUSE_ALL);
}

// No engine works and no interrupt comes when this returns. At the level of the interrupt.
BOOLEAN WrenSilence(PVOID Context) {
  WREN_ADAPTER* A = (WREN_ADAPTER*)Context;
  if (A->Powered) {
    WrenWrite(A, WREN_REG_MASK, 0);
    WrenWrite(A, WREN_REG_RESET, WREN_DOMAIN_ALL);
    WrenWrite(A, WREN_REG_CAUSE, WREN_CAUSE_ALL);
  }
  A->Powered = FALSE;
  return TRUE;
}
