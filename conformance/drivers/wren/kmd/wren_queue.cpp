// The rings of the engines: submission, preemption, and what an interrupt may have missed.
#include "wren_kmd.h"

struct SUBMIT_ARGS {
  WREN_ADAPTER* A;
  const DXGKARG_SUBMITCOMMAND* Args;
};

static BOOLEAN SubmitAtDirql(PVOID Context) {
  SUBMIT_ARGS* submit = (SUBMIT_ARGS*)Context;
  WREN_ADAPTER* A = submit->A;
  const DXGKARG_SUBMITCOMMAND* args = submit->Args;
  const WREN_CONTEXT* context = (const WREN_CONTEXT*)args->hContext;
  const UINT index = context ? context->Node : args->NodeOrdinal;
  WREN_NODE* node = &A->Nodes[index];
  WREN_DMA_PRIVATE* data = NULL;
  if (!args->Flags.Paging && args->pDmaBufferPrivateData &&
      args->DmaBufferPrivateDataSize >= sizeof(*data)) {
    data = (WREN_DMA_PRIVATE*)args->pDmaBufferPrivateData;
    if (data->Magic != WREN_DMA_MAGIC) data = NULL;
  }
  WrenDescriptor* d = &node->Ring[node->Tail % WREN_RING];
  RtlZeroMemory(d, sizeof(*d));
  d->fence = args->SubmissionFenceId;
  d->flags = args->Flags.Paging ? WREN_RUN_PAGING : 0;
  d->start =
      (uint64_t)args->DmaBufferPhysicalAddress.QuadPart + args->DmaBufferSubmissionStartOffset;
  if (args->DmaBufferSegmentId == 0) d->start |= (uint64_t)WREN_PHYSICAL << 32;
  d->bytes = args->DmaBufferSubmissionEndOffset - args->DmaBufferSubmissionStartOffset;
  if (args->Flags.NullRendering) d->bytes = 0;
  if (context) d->save = (uint64_t)context->SaveAddress.QuadPart;
  if (data && data->Stopped && context && context->Save &&
      data->StoppedAt >= args->DmaBufferSubmissionStartOffset &&
      data->StoppedAt < args->DmaBufferSubmissionEndOffset) {
    d->flags |= WREN_RUN_RESUME;
    d->resume = data->StoppedAt - args->DmaBufferSubmissionStartOffset;
  }
  WREN_PACKET* packet = &node->Packets[node->Tail % WREN_RING];
  packet->Fence = args->SubmissionFenceId;
  packet->Start = args->DmaBufferSubmissionStartOffset;
  packet->Private = data;
  node->LastSubmitted = args->SubmissionFenceId;
  node->Lost = FALSE;
  node->Tail++;
  KeMemoryBarrier();
  if (A->Powered && node->FState == 0) WrenWrite(A, WREN_ENGINE(index) + WREN_ENG_TAIL, node->Tail);
  return TRUE;
}

NTSTATUS WrenSubmitCommand(IN_CONST_HANDLE hAdapter, IN_CONST_PDXGKARG_SUBMITCOMMAND Args) {
  SUBMIT_ARGS submit = {(WREN_ADAPTER*)hAdapter, Args};
  WrenAtDirql(submit.A, SubmitAtDirql, &submit);
  return STATUS_SUCCESS;
}

struct PREEMPT_ARGS {
  WREN_ADAPTER* A;
  const DXGKARG_PREEMPTCOMMAND* Args;
};

static BOOLEAN PreemptAtDirql(PVOID Context) {
  PREEMPT_ARGS* preempt = (PREEMPT_ARGS*)Context;
  WREN_ADAPTER* A = preempt->A;
  const UINT index = preempt->Args->NodeOrdinal;
  WREN_NODE* node = &A->Nodes[index];
  if (WrenRetire(A, index, TRUE)) A->Dxgk.DxgkCbQueueDpc(A->Dxgk.DeviceHandle);
  if (node->Head == node->Tail || !A->Powered || node->FState != 0) {
    WrenTellPreempted(A, index, preempt->Args->PreemptionFenceId);
    A->Dxgk.DxgkCbQueueDpc(A->Dxgk.DeviceHandle);
    return TRUE;
  }
  node->Preempting = TRUE;
  node->PreemptFence = preempt->Args->PreemptionFenceId;
  node->PreemptMark = node->Tail;
  WrenWrite(A, WREN_ENGINE(index) + WREN_ENG_PREEMPT, 1);
  return TRUE;
}

NTSTATUS WrenPreemptCommand(IN_CONST_HANDLE hAdapter, IN_CONST_PDXGKARG_PREEMPTCOMMAND Args) {
  PREEMPT_ARGS preempt = {(WREN_ADAPTER*)hAdapter, Args};
  if (Args->NodeOrdinal < WREN_NODES) WrenAtDirql(preempt.A, PreemptAtDirql, &preempt);
  return STATUS_SUCCESS;
}

struct QUERY_ARGS {
  WREN_ADAPTER* A;
  UINT Node;
};

static BOOLEAN ReportMissed(PVOID Context) {
  QUERY_ARGS* query = (QUERY_ARGS*)Context;
  if (WrenRetire(query->A, query->Node, TRUE))
    query->A->Dxgk.DxgkCbQueueDpc(query->A->Dxgk.DeviceHandle);
  return TRUE;
}

NTSTATUS WrenQueryCurrentFence(IN_CONST_HANDLE hAdapter, INOUT_PDXGKARG_QUERYCURRENTFENCE Args) {
  PAGED_CODE();
  WREN_ADAPTER* A = (WREN_ADAPTER*)hAdapter;
  if (Args->NodeOrdinal >= WREN_NODES || Args->EngineOrdinal != 0) return STATUS_INVALID_PARAMETER;
  QUERY_ARGS query = {A, Args->NodeOrdinal};
  WrenAtDirql(A, ReportMissed, &query);
  Args->CurrentFence = A->Nodes[Args->NodeOrdinal].LastCompleted;
  return STATUS_SUCCESS;
}
