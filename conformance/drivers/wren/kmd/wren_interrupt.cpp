// What the engines tell, and what the scheduler is told of it.
//
// All that the interrupt routine works on is touched at its level only.
#include "wren_kmd.h"

static VOID Notify(WREN_ADAPTER* A, DXGKARGCB_NOTIFY_INTERRUPT_DATA* Data) {
  A->Dxgk.DxgkCbNotifyInterrupt(A->Dxgk.DeviceHandle, Data);
}

// Takes note of what the engine has finished. Returns whether there was anything.
BOOLEAN WrenRetire(WREN_ADAPTER* A, UINT Index, BOOLEAN Tell) {
  WREN_NODE* node = &A->Nodes[Index];
  const UINT retired = node->Status->retired;
  if (retired == node->Head || retired - node->Head > node->Tail - node->Head) return FALSE;
  while (node->Head != retired) {
    WREN_PACKET* packet = &node->Packets[node->Head % WREN_RING];
    if (packet->Private) packet->Private->Stopped = 0;
    node->LastCompleted = packet->Fence;
    node->Head++;
    node->Ended++;
  }
  if (Tell) {
    DXGKARGCB_NOTIFY_INTERRUPT_DATA data;
    RtlZeroMemory(&data, sizeof(data));
    data.InterruptType = DXGK_INTERRUPT_DMA_COMPLETED;
    data.DmaCompleted.SubmissionFenceId = node->LastCompleted;
    data.DmaCompleted.NodeOrdinal = Index;
    Notify(A, &data);
  }
  return TRUE;
}

VOID WrenTellPreempted(WREN_ADAPTER* A, UINT Index, UINT Fence) {
  DXGKARGCB_NOTIFY_INTERRUPT_DATA data;
  RtlZeroMemory(&data, sizeof(data));
  data.InterruptType = DXGK_INTERRUPT_DMA_PREEMPTED;
  data.DmaPreempted.PreemptionFenceId = Fence;
  data.DmaPreempted.LastCompletedFenceId = A->Nodes[Index].LastCompleted;
  data.DmaPreempted.NodeOrdinal = Index;
  Notify(A, &data);
}

// Takes note of where a packet goes on that the engine was stopped in.
VOID WrenKeepStopped(WREN_NODE* Node) {
  if (!Node->Status->stopped || Node->Head == Node->Tail) return;
  WREN_PACKET* packet = &Node->Packets[Node->Head % WREN_RING];
  if (!packet->Private) return;
  packet->Private->StoppedAt = packet->Start + Node->Status->stopped_at;
  packet->Private->Stopped = 1;
}

static VOID Halted(WREN_ADAPTER* A, UINT Index) {
  WREN_NODE* node = &A->Nodes[Index];
  if (!node->Preempting) return;
  const UINT engine = WREN_ENGINE(Index);
  WrenKeepStopped(node);
  // What was queued behind the request stays.
  node->Status->stopped = 0;
  node->Head = node->PreemptMark;
  node->Status->retired = node->Head;
  node->Preempting = FALSE;
  WrenWrite(A, engine + WREN_ENG_HEAD, node->Head);
  WrenWrite(A, engine + WREN_ENG_CTRL, 1);
  WrenTellPreempted(A, Index, node->PreemptFence);
}

BOOLEAN WrenInterruptRoutine(IN_CONST_PVOID Context, IN_ULONG) {
  WREN_ADAPTER* A = (WREN_ADAPTER*)Context;
  if (!A->Started || !A->Powered) return FALSE;
  const UINT cause = WrenRead(A, WREN_REG_CAUSE);
  if (!(cause & WREN_CAUSE_ALL) || (cause & ~WREN_CAUSE_ALL)) return FALSE;
  WrenWrite(A, WREN_REG_CAUSE, cause);
  for (UINT i = 0; i < WREN_NODES; i++) {
    if (cause & (WREN_CAUSE_DONE(i) | WREN_CAUSE_HALT(i) | WREN_CAUSE_FAULT(i)))
      WrenRetire(A, i, TRUE);
    // After a fault the engine stands still, and says so when it is asked: nothing can be reported.
    if (cause & WREN_CAUSE_HALT(i)) Halted(A, i);
  }
  A->Dxgk.DxgkCbQueueDpc(A->Dxgk.DeviceHandle);
  return TRUE;
}

VOID WrenDpcRoutine(IN_CONST_PVOID Context) {
  WREN_ADAPTER* A = (WREN_ADAPTER*)Context;
  A->Dxgk.DxgkCbNotifyDpc(A->Dxgk.DeviceHandle);
}
