// Resets, and what is said of an engine that hangs.
#include "kestrel_kmd.h"

struct ResetRequest {
  KstAdapter* Adapter;
  ULONG Node;
  BOOLEAN WholeAdapter;
  UINT LastAborted;
};

// What has ended without anybody having been told counts all the same.
static void DropEnded(KstNode* node) {
  const UINT done = node->Record->Word[KstRecordCompleted];
  for (ULONG i = 0; i < node->Count; i++) {
    if (node->Queue[(node->First + i) % KST_QUEUE].Fence != done) continue;
    node->First = (node->First + i + 1) % KST_QUEUE;
    node->Count -= i + 1;
    node->LastCompleted = done;
    return;
  }
}

// Drops what a node has. A packet that it has begun is aborted; those behind it are submitted
// again.
static BOOLEAN ResetAtInterrupt(PVOID context) {
  ResetRequest* r = (ResetRequest*)context;
  KstAdapter* a = r->Adapter;
  KstNode* node = &a->Node[r->Node];
  KstWriteNode(a, r->Node, KST_CONTROL, KST_CONTROL_STOP);
  const ULONG waiting =
      (node->Tail + KST_QUEUE - KstReadNode(a, r->Node, KST_RING_HEAD)) % KST_QUEUE;
  KstWriteNode(a, r->Node, KST_CONTROL, KST_CONTROL_RESET);
  KstWrite(a, KST_INT_STATUS, KST_INT_DONE(r->Node) | KST_INT_PREEMPTED(r->Node));
  KeMemoryBarrier();
  DropEnded(node);
  if (node->Count > waiting) {
    KstQueued* begun = &node->Queue[node->First];
    node->LastCompleted = begun->Fence;
    if (begun->Private) begun->Private->Resume = 0;
  }
  if (r->WholeAdapter) node->LastCompleted = node->LastSubmitted;
  r->LastAborted = node->LastCompleted;
  node->First = node->Count = 0;
  node->Preempting = FALSE;
  node->Record->Word[KstRecordCompleted] = node->LastCompleted;
  node->Tail = 0;
  KeMemoryBarrier();
  KstWriteNode(a, r->Node, KST_RING_TAIL, 0);
  KstWriteNode(a, r->Node, KST_CONTROL, KST_CONTROL_RUN);
  return TRUE;
}

NTSTATUS KstResetEngine(IN_CONST_HANDLE hAdapter, INOUT_PDXGKARG_RESETENGINE args) {
  ResetRequest r = {(KstAdapter*)hAdapter, args->NodeOrdinal, FALSE, 0};
  if (r.Node >= KST_NODES) return STATUS_INVALID_PARAMETER;
  KstSynchronize(r.Adapter, ResetAtInterrupt, &r);
  args->LastAbortedFenceId = r.LastAborted;
  return STATUS_SUCCESS;
}

NTSTATUS KstQueryEngineStatus(IN_CONST_HANDLE hAdapter, INOUT_PDXGKARG_QUERYENGINESTATUS args) {
  KstAdapter* a = (KstAdapter*)hAdapter;
  if (args->NodeOrdinal >= KST_NODES) return STATUS_INVALID_PARAMETER;
  KstNode* node = &a->Node[args->NodeOrdinal];
  ULONG progress = KstReadNode(a, args->NodeOrdinal, KST_PROGRESS);
  args->EngineStatus.Value = 0;
  args->EngineStatus.Responsive = !node->Count || progress != node->SeenProgress;
  node->SeenProgress = progress;
  return STATUS_SUCCESS;
}

NTSTATUS KstQueryDependentEngineGroup(IN_CONST_HANDLE,
                                      INOUT_DXGKARG_QUERYDEPENDENTENGINEGROUP args) {
  if (args->NodeOrdinal >= KST_NODES) return STATUS_INVALID_PARAMETER;
  args->DependentNodeOrdinalMask = 1ull << args->NodeOrdinal;  // engines are reset one by one
  return STATUS_SUCCESS;
}

NTSTATUS KstResetFromTimeout(IN_CONST_HANDLE hAdapter) {
  for (ULONG n = 0; n < KST_NODES; n++) {
    ResetRequest r = {(KstAdapter*)hAdapter, n, TRUE, 0};
    KstSynchronize(r.Adapter, ResetAtInterrupt, &r);
  }
  return STATUS_SUCCESS;
}

NTSTATUS KstRestartFromTimeout(IN_CONST_HANDLE) {
  return STATUS_SUCCESS;
}

NTSTATUS KstCollectDbgInfo(IN_CONST_HANDLE hAdapter, IN_CONST_PDXGKARG_COLLECTDBGINFO args) {
  KstAdapter* a = (KstAdapter*)hAdapter;
  ULONG words[1 + KST_NODES * 2] = {args->Reason};
  for (ULONG n = 0; n < KST_NODES; n++) {
    words[1 + n * 2] = a->Node[n].LastSubmitted;
    words[2 + n * 2] = a->Node[n].LastCompleted;
  }
  if (args->pBuffer) RtlCopyMemory(args->pBuffer, words, min(args->BufferSize, sizeof(words)));
  return STATUS_SUCCESS;
}
