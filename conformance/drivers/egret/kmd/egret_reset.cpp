// Engines that do not answer: their status, resets, and reports.
#include "egret_kmd.h"

NTSTATUS EgretQueryDependentEngineGroup(IN_CONST_HANDLE,
                                        INOUT_DXGKARG_QUERYDEPENDENTENGINEGROUP args) {
  PAGED_CODE();
  args->DependentNodeOrdinalMask = 1ull << args->NodeOrdinal;  // engines stand alone
  return STATUS_SUCCESS;
}

NTSTATUS EgretQueryEngineStatus(IN_CONST_HANDLE handle, INOUT_PDXGKARG_QUERYENGINESTATUS args) {
  PAGED_CODE();
  Adapter& adapter = *(Adapter*)handle;
  args->EngineStatus.Value = 0;
  if (args->NodeOrdinal >= EG_NODES) return STATUS_INVALID_PARAMETER;
  Node& node = adapter.Nodes[args->NodeOrdinal];
  const UINT state = ReadReg(node.Registers, EG_N_STATE);
  const UINT progress = ReadReg(node.Registers, EG_N_PROGRESS);
  if (!(state & EG_N_STATE_HALTED) && (!(state & EG_N_STATE_BUSY) || progress != node.ProgressSeen))
    args->EngineStatus.Responsive = 1;
  node.ProgressSeen = progress;
  return STATUS_SUCCESS;
}

// Stops a node, aborts what it does and forgets what waits.
static void ResetNode(Adapter& adapter, Node& node, bool all) {
  const UINT events = ReadReg(adapter.Registers, EG_REG_INTR_STATUS) & EG_INTR_NODE(node.Index);
  if (events & EG_INTR_COMPLETE(node.Index))
    RetireThrough(node, true, ReadReg(node.Registers, EG_N_COMPLETED));
  if (events & EG_INTR_FAULT(node.Index))
    RetireThrough(node, true, ReadReg(node.Registers, EG_N_FAULT_FENCE));
  StartNode(node);
  WriteReg(adapter.Registers, EG_REG_INTR_STATUS, EG_INTR_NODE(node.Index));
  if (all)
    node.LastCompleted = node.LastSubmitted;
  else if (ReadReg(node.Registers, EG_N_ABORT_VALID))
    node.LastCompleted = ReadReg(node.Registers, EG_N_ABORTED);
  node.QueueHead = node.QueueTail;
  node.PreemptPending = FALSE;
  node.ProgressSeen = ReadReg(node.Registers, EG_N_PROGRESS);
  ++node.Resets;
}

static BOOLEAN ResetEngineRoutine(PVOID argument) {
  NodeRequest& r = *(NodeRequest*)argument;
  ResetNode(*r.Owner, *r.Of, false);
  r.Result = r.Of->LastCompleted;
  return TRUE;
}

NTSTATUS EgretResetEngine(IN_CONST_HANDLE handle, INOUT_PDXGKARG_RESETENGINE args) {
  PAGED_CODE();
  Adapter& adapter = *(Adapter*)handle;
  if (args->NodeOrdinal >= EG_NODES) return STATUS_INVALID_PARAMETER;
  NodeRequest r = {&adapter, &adapter.Nodes[args->NodeOrdinal], 0, 0};
  AtInterruptLevel(adapter, ResetEngineRoutine, &r);
  args->LastAbortedFenceId = r.Result;
  return STATUS_SUCCESS;
}

static BOOLEAN ResetAllRoutine(PVOID argument) {
  Adapter& adapter = *(Adapter*)argument;
  for (Node& node : adapter.Nodes) ResetNode(adapter, node, true);
  WriteReg(adapter.Registers, EG_REG_TLB_FLUSH, ~0u);
  return TRUE;
}

NTSTATUS EgretResetFromTimeout(IN_CONST_HANDLE handle) {
  PAGED_CODE();
  Adapter& adapter = *(Adapter*)handle;
  if (adapter.Started && adapter.Powered) AtInterruptLevel(adapter, ResetAllRoutine, &adapter);
  return STATUS_SUCCESS;
}

NTSTATUS EgretRestartFromTimeout(IN_CONST_HANDLE) {
  PAGED_CODE();
  return STATUS_SUCCESS;  // the nodes run again since the reset, with empty rings
}

NTSTATUS EgretCollectDbgInfo(IN_CONST_HANDLE handle, IN_CONST_PDXGKARG_COLLECTDBGINFO args) {
  const Adapter& adapter = *(const Adapter*)handle;
  struct Report {
    UINT Magic, Reason;
    struct {
      UINT LastSubmitted, LastCompleted, Queued, Faults, Resets, Preemptions;
    } Nodes[EG_NODES];
  } report;
  RtlZeroMemory(&report, sizeof(report));
  report.Magic = EG_ID_VALUE;
  report.Reason = args->Reason;
  for (UINT i = 0; i < EG_NODES; ++i) {
    const Node& node = adapter.Nodes[i];
    report.Nodes[i] = {node.LastSubmitted, node.LastCompleted, node.QueueTail - node.QueueHead,
                       node.Faults,        node.Resets,        node.Preemptions};
  }
  if (args->pBuffer) {
    SIZE_T bytes = sizeof(report);
    if (bytes > args->BufferSize) bytes = args->BufferSize;
    RtlCopyMemory(args->pBuffer, &report, bytes);
  }
  if (args->pExtension) {
    RtlZeroMemory(args->pExtension, sizeof(*args->pExtension));
    args->pExtension->BucketingKey = EG_DEVICE;
  }
  return STATUS_SUCCESS;
}
