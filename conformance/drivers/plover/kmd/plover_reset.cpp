// Resets of a node and of the adapter, and what is said of a node that hangs.
#include "plover_kmd.h"

// What has ended before the reset counts as such, though Dxgkrnl hears of it by the fence alone. A
// packet that no engine has begun is not aborted: it is submitted again.
static BOOLEAN ResetSynchronized(PVOID context) {
  NodeRequest* r = (NodeRequest*)context;
  Adapter* a = r->Owner;
  NodeState* s = &a->Nodes[r->Node];
  Write32(a, PLOVER_NODE(r->Node) + PLOVER_NODE_RESET, 1);
  if (DrainEvents(a, r->Node)) a->Dxgk.DxgkCbQueueDpc(a->Dxgk.DeviceHandle);
  const UINT aborted = Read32(a, PLOVER_NODE(r->Node) + PLOVER_ABORTED);
  if (aborted) s->LastCompleted = aborted;
  s->InFlight = 0;
  r->Fence = s->LastCompleted;
  return TRUE;
}

NTSTATUS PloverResetEngine(IN_CONST_HANDLE hAdapter, INOUT_PDXGKARG_RESETENGINE args) {
  Adapter* a = (Adapter*)hAdapter;
  NodeRequest r = {a, args->NodeOrdinal, 0};
  if (args->NodeOrdinal >= PLOVER_NODES || args->EngineOrdinal) return STATUS_INVALID_PARAMETER;
  NTSTATUS status = Synchronize(a, ResetSynchronized, &r);
  args->LastAbortedFenceId = r.Fence;
  return status;
}

// Whether it has come on since the last question, or has no need to.
NTSTATUS PloverQueryEngineStatus(IN_CONST_HANDLE hAdapter, INOUT_PDXGKARG_QUERYENGINESTATUS args) {
  Adapter* a = (Adapter*)hAdapter;
  if (args->NodeOrdinal >= PLOVER_NODES || args->EngineOrdinal) return STATUS_INVALID_PARAMETER;
  NodeState* s = &a->Nodes[args->NodeOrdinal];
  const UINT progress = Read32(a, PLOVER_NODE(args->NodeOrdinal) + PLOVER_PROGRESS);
  args->EngineStatus.Value = 0;
  args->EngineStatus.Responsive = !s->InFlight || progress != s->SeenProgress;
  s->SeenProgress = progress;
  return STATUS_SUCCESS;
}

// Nodes are reset one by one.
NTSTATUS PloverQueryDependentEngineGroup(IN_CONST_HANDLE,
                                         INOUT_DXGKARG_QUERYDEPENDENTENGINEGROUP args) {
  if (args->NodeOrdinal >= PLOVER_NODES || args->EngineOrdinal) return STATUS_INVALID_PARAMETER;
  args->DependentNodeOrdinalMask = 1ull << args->NodeOrdinal;
  return STATUS_SUCCESS;
}

// Interrupts stay off until RestartFromTimeout.
static BOOLEAN ResetAllSynchronized(PVOID context) {
  Adapter* a = (Adapter*)context;
  Write32(a, PLOVER_ADAPTER_RESET, 1);
  ProgramNodes(a);
  // All that was submitted counts as completed.
  for (UINT n = 0; n < PLOVER_NODES; ++n) {
    a->Nodes[n].LastCompleted = a->Nodes[n].LastSubmitted;
    a->Nodes[n].InFlight = 0;
  }
  return TRUE;
}

NTSTATUS PloverResetFromTimeout(IN_CONST_HANDLE hAdapter) {
  Adapter* a = (Adapter*)hAdapter;
  return Synchronize(a, ResetAllSynchronized, a);
}

NTSTATUS PloverRestartFromTimeout(IN_CONST_HANDLE hAdapter) {
  Write32((Adapter*)hAdapter, PLOVER_INT_ENABLE, 1);
  return STATUS_SUCCESS;
}

// At any time and level: only reads what the driver keeps itself.
NTSTATUS PloverCollectDbgInfo(IN_CONST_HANDLE hAdapter, IN_CONST_PDXGKARG_COLLECTDBGINFO args) {
  Adapter* a = (Adapter*)hAdapter;
  UINT state[2 + 3 * PLOVER_NODES] = {PLOVER_TAG, args->Reason};
  for (UINT n = 0; n < PLOVER_NODES; ++n) {
    state[2 + 3 * n] = a->Nodes[n].LastSubmitted;
    state[3 + 3 * n] = a->Nodes[n].LastCompleted;
    state[4 + 3 * n] = (UINT)a->Nodes[n].InFlight;
  }
  if (args->pBuffer && args->BufferSize)
    RtlCopyMemory(args->pBuffer, state,
                  args->BufferSize < sizeof state ? args->BufferSize : sizeof state);
  return STATUS_SUCCESS;
}
