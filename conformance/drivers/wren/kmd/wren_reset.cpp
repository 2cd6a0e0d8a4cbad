// Timeouts: which engines hang, and the reset of a group of them or of the whole adapter.
//
// Video and copy share a front end, so that one of them cannot be reset without the other.
#include "wren_kmd.h"

static UINT GroupOf(UINT Node) {
  return Node == WREN_NODE_3D ? 1u << WREN_NODE_3D : 1u << WREN_NODE_VIDEO | 1u << WREN_NODE_COPY;
}

NTSTATUS WrenQueryDependentEngineGroup(IN_CONST_HANDLE,
                                       INOUT_DXGKARG_QUERYDEPENDENTENGINEGROUP Args) {
  PAGED_CODE();
  if (Args->NodeOrdinal >= WREN_NODES || Args->EngineOrdinal != 0) return STATUS_INVALID_PARAMETER;
  Args->DependentNodeOrdinalMask = GroupOf(Args->NodeOrdinal);
  return STATUS_SUCCESS;
}

NTSTATUS WrenQueryEngineStatus(IN_CONST_HANDLE hAdapter, INOUT_PDXGKARG_QUERYENGINESTATUS Args) {
  PAGED_CODE();
  WREN_ADAPTER* A = (WREN_ADAPTER*)hAdapter;
  if (Args->NodeOrdinal >= WREN_NODES || Args->EngineOrdinal != 0) return STATUS_INVALID_PARAMETER;
  WREN_NODE* node = &A->Nodes[Args->NodeOrdinal];
  Args->EngineStatus.Value = 0;
  Args->EngineStatus.Responsive = 1;
  if (!A->Powered || node->FState != 0 || node->Status->retired == node->Tail)
    return STATUS_SUCCESS;
  // A busy engine counts what it does.
  const UINT engine = WREN_ENGINE(Args->NodeOrdinal);
  const UINT progress = WrenRead(A, engine + WREN_ENG_PROGRESS);
  Args->EngineStatus.Responsive =
      progress != node->LastProgress && WrenRead(A, engine + WREN_ENG_CTRL) != WREN_STATE_FAULTED;
  node->LastProgress = progress;
  return STATUS_SUCCESS;
}

struct RESET_ARGS {
  WREN_ADAPTER* A;
  UINT Node;
  UINT Aborted;
};

// The fence of the packet that is cut off in the middle, or of the last that was whole.
static UINT AbortedOn(WREN_ADAPTER* A, UINT Index) {
  const UINT running = WrenRead(A, WREN_ENGINE(Index) + WREN_ENG_FENCE);
  return running ? running : A->Nodes[Index].LastCompleted;
}

static BOOLEAN ResetAtDirql(PVOID Context) {
  RESET_ARGS* reset = (RESET_ARGS*)Context;
  WREN_ADAPTER* A = reset->A;
  const UINT group = GroupOf(reset->Node);
  for (UINT i = 0; i < WREN_NODES; i++) {
    if (!(group & 1u << i)) continue;
    WREN_NODE* node = &A->Nodes[i];
    // The scheduler doesn't listen to the node that it resets; to the other one it does.
    WrenRetire(A, i, i != reset->Node);
    // Stopped for a preemption that nobody was told of: it isn't cut off, and may go on.
    WrenKeepStopped(node);
    UINT aborted = AbortedOn(A, i);
    if (node->Head == node->Tail) aborted = node->Lost ? node->LostFence : node->LastCompleted;
    if (i == reset->Node) {
      reset->Aborted = aborted;
      node->Lost = FALSE;
    } else if (node->Head != node->Tail) {
      node->Lost = TRUE;
      node->LostFence = aborted;
    }
  }
  WrenWrite(A, WREN_REG_RESET,
            reset->Node == WREN_NODE_3D ? WREN_DOMAIN_RENDER : WREN_DOMAIN_MEDIA);
  A->Nodes[reset->Node].LastCompleted = reset->Aborted;
  for (UINT i = 0; i < WREN_NODES; i++) {
    if (!(group & 1u << i)) continue;
    WrenForgetNode(A, i);
    WrenProgramNode(A, i);
  }
  A->Dxgk.DxgkCbQueueDpc(A->Dxgk.DeviceHandle);
  return TRUE;
}

NTSTATUS WrenResetEngine(IN_CONST_HANDLE hAdapter, INOUT_PDXGKARG_RESETENGINE Args) {
  PAGED_CODE();
  RESET_ARGS reset = {(WREN_ADAPTER*)hAdapter, Args->NodeOrdinal, 0};
  if (Args->NodeOrdinal >= WREN_NODES || Args->EngineOrdinal != 0) return STATUS_INVALID_PARAMETER;
  if (!reset.A->Powered) return STATUS_UNSUCCESSFUL;
  WrenAtDirql(reset.A, ResetAtDirql, &reset);
  WrenNap();  // the engine comes out of its reset
  Args->LastAbortedFenceId = reset.Aborted;
  return STATUS_SUCCESS;
}

static BOOLEAN ResetAllAtDirql(PVOID Context) {
  WREN_ADAPTER* A = (WREN_ADAPTER*)Context;
  if (A->Powered) {
    WrenWrite(A, WREN_REG_MASK, 0);
    WrenWrite(A, WREN_REG_RESET, WREN_DOMAIN_ALL);
    WrenWrite(A, WREN_REG_CAUSE, WREN_CAUSE_ALL);
  }
  for (UINT i = 0; i < WREN_NODES; i++) {
    WREN_NODE* node = &A->Nodes[i];
    if (node->LastSubmitted) node->LastCompleted = node->LastSubmitted;
    node->Lost = FALSE;
    WrenForgetNode(A, i);
  }
  A->Recovering = TRUE;
  return TRUE;
}

NTSTATUS WrenResetFromTimeout(IN_CONST_HANDLE hAdapter) {
  PAGED_CODE();
  WREN_ADAPTER* A = (WREN_ADAPTER*)hAdapter;
  WrenAtDirql(A, ResetAllAtDirql, A);
  return STATUS_SUCCESS;
}

static BOOLEAN RestartAtDirql(PVOID Context) {
  WREN_ADAPTER* A = (WREN_ADAPTER*)Context;
  A->Recovering = FALSE;
  if (A->Powered) WrenProgramAll(A);
  return TRUE;
}

NTSTATUS WrenRestartFromTimeout(IN_CONST_HANDLE hAdapter) {
  PAGED_CODE();
  WREN_ADAPTER* A = (WREN_ADAPTER*)hAdapter;
  WrenAtDirql(A, RestartAtDirql, A);
  return STATUS_SUCCESS;
}
