// Rings, fences, interrupts and preemption.
#include "kestrel_kmd.h"

// Programs everything that the hardware forgets without power. Engines have nothing to do.
void KstProgram(KstAdapter* a) {
  KstWrite(a, KST_INT_ENABLE, 0);
  KstWrite(a, KST_GART_HIGH, a->Gart.HighPart);
  KstWrite(a, KST_GART_LOW, a->Gart.LowPart);
  for (ULONG n = 0; n < KST_NODES; n++) {
    KstNode* node = &a->Node[n];
    KstWriteNode(a, n, KST_CONTROL, KST_CONTROL_RESET);
    KstWriteNode(a, n, KST_RING_HIGH, node->RingAddress.HighPart);
    KstWriteNode(a, n, KST_RING_LOW, node->RingAddress.LowPart);
    KstWriteNode(a, n, KST_RING_ENTRIES, KST_QUEUE);
    KstWriteNode(a, n, KST_RECORD_HIGH, node->RecordAddress.HighPart);
    KstWriteNode(a, n, KST_RECORD_LOW, node->RecordAddress.LowPart);
    KstWriteNode(a, n, KST_RING_TAIL, 0);
    node->Tail = 0;
    node->First = node->Count = 0;
    node->Preempting = FALSE;
    node->Record->Word[KstRecordCompleted] = node->LastCompleted;
    KeMemoryBarrier();
    KstWriteNode(a, n, KST_CONTROL, KST_CONTROL_RUN);
  }
  KstWrite(a, KST_INT_STATUS, 0xffffffff);
  KstWrite(a, KST_INT_ENABLE, 0xffffffff);
}

void KstSilence(KstAdapter* a) {
  KstWrite(a, KST_INT_ENABLE, 0);
  for (ULONG n = 0; n < KST_NODES; n++) KstWriteNode(a, n, KST_CONTROL, KST_CONTROL_RESET);
  KstWrite(a, KST_INT_STATUS, 0xffffffff);
}

BOOLEAN KstSynchronize(KstAdapter* a, PKSYNCHRONIZE_ROUTINE routine, PVOID context) {
  BOOLEAN result = FALSE;
  a->Dxgk.DxgkCbSynchronizeExecution(a->Dxgk.DeviceHandle, routine, context, 0, &result);
  return result;
}

// At the IRQL of the interrupt: tells of packets that have ended. TRUE if there were any.
static BOOLEAN ReportCompleted(KstAdapter* a, ULONG n) {
  KstNode* node = &a->Node[n];
  KeMemoryBarrier();
  UINT done = node->Record->Word[KstRecordCompleted];
  ULONG ended = 0;
  for (ULONG i = 0; i < node->Count; i++) {
    if (node->Queue[(node->First + i) % KST_QUEUE].Fence == done) {
      ended = i + 1;
      break;
    }
  }
  for (ULONG i = 0; i < ended; i++) {
    DXGKARGCB_NOTIFY_INTERRUPT_DATA data;
    RtlZeroMemory(&data, sizeof(data));
    data.InterruptType = DXGK_INTERRUPT_DMA_COMPLETED;
    data.DmaCompleted.SubmissionFenceId = node->Queue[node->First].Fence;
    data.DmaCompleted.NodeOrdinal = n;
    node->LastCompleted = node->Queue[node->First].Fence;
    node->First = (node->First + 1) % KST_QUEUE;
    node->Count--;
    a->Dxgk.DxgkCbNotifyInterrupt(a->Dxgk.DeviceHandle, &data);
  }
  return ended != 0;
}

static void ReportPreempted(KstAdapter* a, ULONG n, UINT fence) {
  KstNode* node = &a->Node[n];
  DXGKARGCB_NOTIFY_INTERRUPT_DATA data;
  RtlZeroMemory(&data, sizeof(data));
  data.InterruptType = DXGK_INTERRUPT_DMA_PREEMPTED;
  data.DmaPreempted.PreemptionFenceId = fence;
  data.DmaPreempted.LastCompletedFenceId = node->LastCompleted;
  data.DmaPreempted.NodeOrdinal = n;
  a->Dxgk.DxgkCbNotifyInterrupt(a->Dxgk.DeviceHandle, &data);
}

// What the hardware dropped and stopped; the stopped packet goes on where it was.
static BOOLEAN TakePreemption(KstAdapter* a, ULONG n) {
  KstNode* node = &a->Node[n];
  KstRecord* record = node->Record;
  KeMemoryBarrier();
  if (!node->Preempting || record->Word[KstRecordPreempt] != node->PreemptFence) return FALSE;
  if (record->Word[KstRecordStopped] && node->Count) {
    KstQueued* q = &node->Queue[node->First];
    if (q->Private && q->Fence == record->Word[KstRecordStopped]) {
      q->Private->Resume = q->Start + record->Word[KstRecordOffset];
      q->Private->Spin = record->Word[KstRecordSpin];
    }
  }
  node->First = node->Count = 0;
  node->Preempting = FALSE;
  ReportPreempted(a, n, node->PreemptFence);
  return TRUE;
}

BOOLEAN KstInterrupt(IN_CONST_PVOID context, ULONG) {
  KstAdapter* a = (KstAdapter*)context;
  if (!a->Started) return FALSE;
  ULONG status = KstRead(a, KST_INT_STATUS);
  if (!status) return FALSE;
  KstWrite(a, KST_INT_STATUS, status);
  BOOLEAN any = FALSE;
  for (ULONG n = 0; n < KST_NODES; n++) {
    if (status & (KST_INT_DONE(n) | KST_INT_PREEMPTED(n))) any |= ReportCompleted(a, n);
    if (status & KST_INT_PREEMPTED(n)) any |= TakePreemption(a, n);
  }
  if (any) a->Dxgk.DxgkCbQueueDpc(a->Dxgk.DeviceHandle);
  return TRUE;
}

VOID KstDpc(IN_CONST_PVOID context) {
  KstAdapter* a = (KstAdapter*)context;
  a->Dxgk.DxgkCbNotifyDpc(a->Dxgk.DeviceHandle);
}

struct SubmitRequest {
  KstAdapter* Adapter;
  ULONG Node;
  ULONG Entry[KstEntryWords];
  KstQueued Queued;
};

static BOOLEAN SubmitAtInterrupt(PVOID context) {
  SubmitRequest* r = (SubmitRequest*)context;
  KstNode* node = &r->Adapter->Node[r->Node];
  if (node->Count + 1 == KST_QUEUE) return FALSE;
  RtlCopyMemory(node->Ring + node->Tail * KstEntryWords, r->Entry, sizeof(r->Entry));
  node->Queue[(node->First + node->Count++) % KST_QUEUE] = r->Queued;
  node->LastSubmitted = r->Queued.Fence;
  node->Tail = (node->Tail + 1) % KST_QUEUE;
  KeMemoryBarrier();  // the packet lies there before the tail says so
  KstWriteNode(r->Adapter, r->Node, KST_RING_TAIL, node->Tail);
  return TRUE;
}

NTSTATUS KstSubmitCommand(IN_CONST_HANDLE hAdapter, IN_CONST_PDXGKARG_SUBMITCOMMAND args) {
  KstAdapter* a = (KstAdapter*)hAdapter;
  KstContext* context = (KstContext*)args->hContext;
  SubmitRequest r;
  RtlZeroMemory(&r, sizeof(r));
  r.Adapter = a;
  r.Node = context ? context->Node : args->NodeOrdinal;
  if (r.Node >= KST_NODES) return STATUS_INVALID_PARAMETER;
  UINT start = args->DmaBufferSubmissionStartOffset, end = args->DmaBufferSubmissionEndOffset;
  ULONGLONG address = args->DmaBufferPhysicalAddress.QuadPart + start;
  r.Entry[KstEntryOp] = KST_ENTRY_EXECUTE;
  r.Entry[KstEntryHigh] = (ULONG)(address >> 32) | (args->DmaBufferSegmentId ? 0 : KST_SYSTEM);
  r.Entry[KstEntryLow] = (ULONG)address;
  r.Entry[KstEntryBytes] = args->Flags.NullRendering ? 0 : end - start;
  r.Entry[KstEntryFence] = args->SubmissionFenceId;
  r.Queued.Fence = args->SubmissionFenceId;
  r.Queued.Start = start;
  if (args->Flags.Paging) {
    // Operations of a paging buffer must not run twice.
    r.Entry[KstEntryFlags] = KST_ENTRY_WHOLE;
  } else if (args->pDmaBufferPrivateData &&
             args->DmaBufferPrivateDataSize >= sizeof(KstDmaPrivate)) {
    KstDmaPrivate* p = (KstDmaPrivate*)((PUCHAR)args->pDmaBufferPrivateData +
                                        args->DmaBufferPrivateDataSubmissionStartOffset);
    if (p->Magic == KST_DMA_MAGIC) {
      r.Queued.Private = p;
      if (p->Resume > start && !args->Flags.NullRendering) {
        r.Entry[KstEntrySkip] = min(p->Resume, end) - start;
      }
      if (p->Resume >= start && p->Resume < end) r.Entry[KstEntrySpin] = p->Spin;
    }
  }
  return KstSynchronize(a, SubmitAtInterrupt, &r) ? STATUS_SUCCESS : STATUS_UNSUCCESSFUL;
}

struct PreemptRequest {
  KstAdapter* Adapter;
  ULONG Node;
  UINT Fence;
};

static BOOLEAN PreemptAtInterrupt(PVOID context) {
  PreemptRequest* r = (PreemptRequest*)context;
  KstNode* node = &r->Adapter->Node[r->Node];
  if (!node->Count) {  // all has ended, and was reported
    ReportPreempted(r->Adapter, r->Node, r->Fence);
    r->Adapter->Dxgk.DxgkCbQueueDpc(r->Adapter->Dxgk.DeviceHandle);
    return TRUE;
  }
  node->Preempting = TRUE;
  node->PreemptFence = r->Fence;
  KstWriteNode(r->Adapter, r->Node, KST_PREEMPT, r->Fence);
  return TRUE;
}

NTSTATUS KstPreemptCommand(IN_CONST_HANDLE hAdapter, IN_CONST_PDXGKARG_PREEMPTCOMMAND args) {
  PreemptRequest r = {(KstAdapter*)hAdapter, args->NodeOrdinal, args->PreemptionFenceId};
  if (r.Node >= KST_NODES) return STATUS_INVALID_PARAMETER;
  KstSynchronize(r.Adapter, PreemptAtInterrupt, &r);
  return STATUS_SUCCESS;
}

NTSTATUS KstCancelCommand(IN_CONST_HANDLE, IN_CONST_PDXGKARG_CANCELCOMMAND args) {
  if (args->pDmaBufferPrivateData && args->DmaBufferPrivateDataSize >= sizeof(KstDmaPrivate)) {
    KstDmaPrivate* p = (KstDmaPrivate*)((PUCHAR)args->pDmaBufferPrivateData +
                                        args->DmaBufferPrivateDataSubmissionStartOffset);
    if (p->Magic == KST_DMA_MAGIC) p->Resume = p->Spin = 0;
  }
  return STATUS_SUCCESS;
}

static BOOLEAN QueryAtInterrupt(PVOID context) {
  PreemptRequest* r = (PreemptRequest*)context;
  if (ReportCompleted(r->Adapter, r->Node))
    r->Adapter->Dxgk.DxgkCbQueueDpc(r->Adapter->Dxgk.DeviceHandle);
  r->Fence = r->Adapter->Node[r->Node].LastCompleted;
  return TRUE;
}

NTSTATUS KstQueryCurrentFence(IN_CONST_HANDLE hAdapter, INOUT_PDXGKARG_QUERYCURRENTFENCE args) {
  PreemptRequest r = {(KstAdapter*)hAdapter, args->NodeOrdinal, 0};
  if (r.Node >= KST_NODES) return STATUS_INVALID_PARAMETER;
  KstSynchronize(r.Adapter, QueryAtInterrupt, &r);
  args->CurrentFence = r.Fence;
  return STATUS_SUCCESS;
}
