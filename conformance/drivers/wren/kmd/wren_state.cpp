// What the driver tells of its state: to user mode, and to those who look into a crash.
#include "wren_kmd.h"

NTSTATUS WrenEscape(IN_CONST_HANDLE hAdapter, IN_CONST_PDXGKARG_ESCAPE Args) {
  PAGED_CODE();
  WREN_ADAPTER* A = (WREN_ADAPTER*)hAdapter;
  if (!Args->pPrivateDriverData || Args->PrivateDriverDataSize < sizeof(WrenUmdEscape))
    return STATUS_INVALID_PARAMETER;
  WrenUmdEscape* escape = (WrenUmdEscape*)Args->pPrivateDriverData;
  const UINT node = escape->node;
  if (escape->magic != WREN_UMD_MAGIC || escape->version != WREN_UMD_VERSION || escape->what != 0 ||
      node >= WREN_NODES)
    return STATUS_INVALID_PARAMETER;
  escape->answer = A->Nodes[node].Ended;
  return STATUS_SUCCESS;
}

struct WREN_DEBUG_NODE {
  UINT Head, Tail, LastCompleted, LastSubmitted, State, Pc, Fence, Progress;
};
struct WREN_DEBUG {
  UINT Magic, Reason;
  WREN_DEBUG_NODE Nodes[WREN_NODES];
};

// May run at any level: no locks, no memory, nothing pageable.
NTSTATUS WrenCollectDbgInfo(IN_CONST_HANDLE hAdapter, IN_CONST_PDXGKARG_COLLECTDBGINFO Args) {
  WREN_ADAPTER* A = (WREN_ADAPTER*)hAdapter;
  WREN_DEBUG debug;
  RtlZeroMemory(&debug, sizeof(debug));
  debug.Magic = WREN_ID;
  debug.Reason = Args->Reason;
  for (UINT i = 0; i < WREN_NODES && A->Started; i++) {
    const WREN_NODE* node = &A->Nodes[i];
    WREN_DEBUG_NODE* out = &debug.Nodes[i];
    out->Head = node->Head;
    out->Tail = node->Tail;
    out->LastCompleted = node->LastCompleted;
    out->LastSubmitted = node->LastSubmitted;
    if (!A->Powered || node->FState != 0) continue;
    out->State = WrenRead(A, WREN_ENGINE(i) + WREN_ENG_CTRL);
    out->Pc = WrenRead(A, WREN_ENGINE(i) + WREN_ENG_PC);
    out->Fence = WrenRead(A, WREN_ENGINE(i) + WREN_ENG_FENCE);
    out->Progress = WrenRead(A, WREN_ENGINE(i) + WREN_ENG_PROGRESS);
  }
  if (Args->pBuffer) {
    const SIZE_T bytes = Args->BufferSize < sizeof(debug) ? Args->BufferSize : sizeof(debug);
    RtlCopyMemory(Args->pBuffer, &debug, bytes);
  }
  if (Args->pExtension) {
    Args->pExtension->BucketingKey = Args->Reason;
    Args->pExtension->CurrentDmaBufferOffset = 0;
  }
  return STATUS_SUCCESS;
}
