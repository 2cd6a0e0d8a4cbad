/* Fences and interrupts. What the engine has done stands in the fence page; the scheduler is told
 * of it at the level of the interrupt alone. All of it is nonpaged. */
#include "heron_kmd.h"

BOOLEAN HeronSynchronize(HERON_ADAPTER* a, PKSYNCHRONIZE_ROUTINE routine, PVOID context) {
  BOOLEAN result = FALSE;
  NTSTATUS status =
      a->Dxgk.DxgkCbSynchronizeExecution(a->Dxgk.DeviceHandle, routine, context, 0, &result);
  return NT_SUCCESS(status);
}

static VOID HeronNotify(HERON_ADAPTER* a, const DXGKARGCB_NOTIFY_INTERRUPT_DATA* data) {
  a->Dxgk.DxgkCbNotifyInterrupt(a->Dxgk.DeviceHandle, data);
}

static VOID HeronNotifyDone(HERON_ADAPTER* a, UINT node, UINT fence) {
  DXGKARGCB_NOTIFY_INTERRUPT_DATA data;
  RtlZeroMemory(&data, sizeof(data));
  data.InterruptType = DXGK_INTERRUPT_DMA_COMPLETED;
  data.DmaCompleted.SubmissionFenceId = fence;
  data.DmaCompleted.NodeOrdinal = node;
  a->Node[node].LastDone = fence;
  HeronNotify(a, &data);
}

VOID HeronNotifyPreempted(HERON_ADAPTER* a, UINT node, UINT fence) {
  DXGKARGCB_NOTIFY_INTERRUPT_DATA data;
  RtlZeroMemory(&data, sizeof(data));
  data.InterruptType = DXGK_INTERRUPT_DMA_PREEMPTED;
  data.DmaPreempted.PreemptionFenceId = fence;
  data.DmaPreempted.LastCompletedFenceId = a->Node[node].LastDone;
  data.DmaPreempted.NodeOrdinal = node;
  HeronNotify(a, &data);
}

/* The engine writes fences in order, so a fence other than the last one is a newer one. */
BOOLEAN HeronCollect(HERON_ADAPTER* a, UINT node) {
  HERON_NODE* n = &a->Node[node];
  volatile HeronFenceCell* cell = &a->Fences[node];
  BOOLEAN told = FALSE;

  if (n->Preempting && cell->preempt == n->PreemptFence) {
    if (cell->done_at_preempt != n->LastDone) HeronNotifyDone(a, node, cell->done_at_preempt);
    n->Preempting = FALSE;
    if (n->LastQueued == n->QueuedAtPreempt) n->LastQueued = n->LastDone;
    HeronNotifyPreempted(a, node, n->PreemptFence);
    told = TRUE;
  }
  if (cell->done != n->LastDone) {
    HeronNotifyDone(a, node, cell->done);
    told = TRUE;
  }
  return told;
}

BOOLEAN HeronInterruptRoutine(IN_CONST_PVOID MiniportDeviceContext, IN_ULONG MessageNumber) {
  HERON_ADAPTER* a = MiniportDeviceContext;
  UNREFERENCED_PARAMETER(MessageNumber);
  /* The line is shared: somebody else may raise it while our registers sleep. */
  if (!a->Powered || !a->Registers) return FALSE;
  ULONG status = HeronRead(a, HREG_INT_STATUS);
  if (status == 0xffffffff) return FALSE;
  status &= HeronRead(a, HREG_INT_ENABLE) & HINT_ALL;
  if (!status) return FALSE;
  HeronWrite(a, HREG_INT_STATUS, status);
  /* A fault stops the engine. No interrupt type tells the scheduler of that in this version of the
   * interface; it will find that nothing moves, and reset the adapter. */
  BOOLEAN told = FALSE;
  for (UINT node = 0; node < HERON_NODES; ++node)
    if (HeronCollect(a, node)) told = TRUE;
  if (told) a->Dxgk.DxgkCbQueueDpc(a->Dxgk.DeviceHandle);
  return TRUE;
}

VOID HeronDpcRoutine(IN_CONST_PVOID MiniportDeviceContext) {
  HERON_ADAPTER* a = MiniportDeviceContext;
  a->Dxgk.DxgkCbNotifyDpc(a->Dxgk.DeviceHandle);
}

static BOOLEAN HeronQuerySync(PVOID context) {
  HERON_QUEUED* q = context;
  if (HeronCollect(q->Adapter, q->Node)) q->Told = TRUE;
  q->Fence = q->Adapter->Node[q->Node].LastDone;
  return TRUE;
}

NTSTATUS HeronQueryCurrentFence(IN_CONST_HANDLE hAdapter, INOUT_PDXGKARG_QUERYCURRENTFENCE f) {
  PAGED_CODE();
  HERON_ADAPTER* a = hAdapter;
  HERON_QUEUED q;
  if (f->NodeOrdinal >= HERON_NODES || f->EngineOrdinal != 0) return STATUS_INVALID_PARAMETER;
  RtlZeroMemory(&q, sizeof(q));
  q.Adapter = a;
  q.Node = f->NodeOrdinal;
  if (!HeronSynchronize(a, HeronQuerySync, &q)) return STATUS_UNSUCCESSFUL;
  f->CurrentFence = q.Fence;
  if (q.Told) a->Dxgk.DxgkCbQueueDpc(a->Dxgk.DeviceHandle);
  return STATUS_SUCCESS;
}

NTSTATUS HeronControlInterrupt(IN_CONST_HANDLE hAdapter, IN_CONST_DXGK_INTERRUPT_TYPE InterruptType,
                               IN_BOOLEAN EnableInterrupt) {
  PAGED_CODE();
  UNREFERENCED_PARAMETER(hAdapter);
  UNREFERENCED_PARAMETER(InterruptType);
  UNREFERENCED_PARAMETER(EnableInterrupt);
  return STATUS_NOT_IMPLEMENTED; /* no scan-out, no vertical retrace */
}
