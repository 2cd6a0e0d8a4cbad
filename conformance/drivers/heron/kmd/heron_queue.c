/* The ring, which both nodes share: submission and preemption. All of it is nonpaged. */
#include "heron_kmd.h"

/* The scheduler keeps no more than RequiredDmaQueueEntry buffers here, and the ring has twice that
 * room; it waits for the engine if it must all the same. */
static VOID HeronPush(HERON_ADAPTER* a, const HeronRingEntry* entry) {
  const UINT mask = a->RingEntries - 1;
  for (UINT tries = 0; tries < 100000; ++tries) {
    if (((a->RingTail + 1) & mask) != (HeronRead(a, HREG_RING_HEAD) & mask)) break;
    KeStallExecutionProcessor(10);
  }
  a->Ring[a->RingTail] = *entry;
  KeMemoryBarrier();
  a->RingTail = (a->RingTail + 1) & mask;
  HeronWrite(a, HREG_RING_TAIL, a->RingTail);
}

static BOOLEAN HeronQueuedSync(PVOID context) {
  HERON_QUEUED* q = context;
  q->Adapter->Node[q->Node].LastQueued = q->Fence;
  return TRUE;
}

NTSTATUS HeronSubmitCommand(IN_CONST_HANDLE hAdapter, IN_CONST_PDXGKARG_SUBMITCOMMAND s) {
  HERON_ADAPTER* a = hAdapter;
  const HERON_CONTEXT* context = s->hContext;
  HERON_QUEUED queued;
  HeronRingEntry entry;
  RtlZeroMemory(&entry, sizeof(entry));
  entry.kind = HRING_EXECUTE;
  entry.node = context ? context->Node : 0; /* paging runs on node 0 */
  entry.fence = s->SubmissionFenceId;
  if (s->Flags.Paging) entry.flags |= HRING_PRIVILEGED;
  if (s->DmaBufferSegmentId == 0) entry.flags |= HRING_SYSTEM;
  entry.address = (UINT64)s->DmaBufferPhysicalAddress.QuadPart + s->DmaBufferSubmissionStartOffset;
  entry.bytes = s->DmaBufferSubmissionEndOffset - s->DmaBufferSubmissionStartOffset;
  if (s->Flags.NullRendering) entry.bytes = 0;

  RtlZeroMemory(&queued, sizeof(queued));
  queued.Adapter = a;
  queued.Node = entry.node;
  queued.Fence = entry.fence;
  if (!HeronSynchronize(a, HeronQueuedSync, &queued)) HeronQueuedSync(&queued);
  HeronPush(a, &entry);
  return STATUS_SUCCESS;
}

static BOOLEAN HeronPreemptSync(PVOID context) {
  HERON_QUEUED* q = context;
  HERON_ADAPTER* a = q->Adapter;
  HERON_NODE* n = &a->Node[q->Node];
  if (HeronCollect(a, q->Node)) q->Told = TRUE;
  if (n->LastQueued == n->LastDone && !n->Preempting) {
    HeronNotifyPreempted(a, q->Node, q->Fence);
    q->Idle = q->Told = TRUE;
  } else {
    n->Preempting = TRUE;
    n->PreemptFence = q->Fence;
    n->QueuedAtPreempt = n->LastQueued;
  }
  return TRUE;
}

NTSTATUS HeronPreemptCommand(IN_CONST_HANDLE hAdapter, IN_CONST_PDXGKARG_PREEMPTCOMMAND p) {
  HERON_ADAPTER* a = hAdapter;
  HERON_QUEUED q;
  if (p->NodeOrdinal >= HERON_NODES) return STATUS_INVALID_PARAMETER;
  RtlZeroMemory(&q, sizeof(q));
  q.Adapter = a;
  q.Node = p->NodeOrdinal;
  q.Fence = p->PreemptionFenceId;
  if (!HeronSynchronize(a, HeronPreemptSync, &q)) {
    /* Not at the level of the interrupt nobody can be told: let the hardware do it. */
    a->Node[q.Node].PreemptFence = q.Fence;
    a->Node[q.Node].QueuedAtPreempt = a->Node[q.Node].LastQueued;
    a->Node[q.Node].Preempting = TRUE;
  }
  if (!q.Idle) {
    HeronRingEntry entry;
    RtlZeroMemory(&entry, sizeof(entry));
    entry.kind = HRING_PREEMPT;
    entry.node = q.Node;
    entry.fence = q.Fence;
    /* First the request, then the marker that ends it. */
    HeronWrite(a, HREG_PREEMPT, 1u << q.Node);
    HeronPush(a, &entry);
  }
  if (q.Told) a->Dxgk.DxgkCbQueueDpc(a->Dxgk.DeviceHandle);
  return STATUS_SUCCESS;
}
