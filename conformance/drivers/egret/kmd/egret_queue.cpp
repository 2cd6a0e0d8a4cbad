// Submission and preemption: jobs go into the ring of their node.
#include "egret_kmd.h"

struct Submission {
  Adapter* Owner;
  Node* To;
  HANDLE DxgkProcess;
  eg_job Job;
  bool Rejected;
};

static BOOLEAN SubmitRoutine(PVOID argument) {
  Submission& s = *(Submission*)argument;
  Node& node = *s.To;
  Pending& entry = node.Queue[node.QueueTail & (node.QueueEntries - 1)];
  entry.Fence = s.Job.fence;
  entry.Rejected = s.Rejected;
  entry.DxgkProcess = s.DxgkProcess;
  ++node.QueueTail;
  node.LastSubmitted = s.Job.fence;
  if (s.Rejected) {
    RetireThrough(node, false, 0);
    return TRUE;
  }
  RtlCopyMemory(node.Ring + (SIZE_T)node.Tail * EG_JOB_SLOT, &s.Job, sizeof(s.Job));
  node.Tail = (node.Tail + 1) & (node.RingEntries - 1);
  KeMemoryBarrier();
  WriteReg(node.Registers, EG_N_TAIL, node.Tail);
  return TRUE;
}

static bool WellFormed(const DXGKARG_SUBMITCOMMANDVIRTUAL* args) {
  eg_submit_data data;
  if (!args->pDmaBufferPrivateData || args->DmaBufferPrivateDataSize < sizeof(data) ||
      args->DmaBufferUmdPrivateDataSize != sizeof(data))
    return false;
  RtlCopyMemory(&data, args->pDmaBufferPrivateData, sizeof(data));
  if (data.magic != EG_SUBMIT_MAGIC || data.version != EG_UMD_VERSION || data.flags != 0)
    return false;
  if (data.bytes != args->DmaBufferSize || args->DmaBufferSize % 4) return false;
  if (args->DmaBufferVirtualAddress % 4) return false;
  const ULONGLONG limit = 1ull << EG_VA_BITS;
  return args->DmaBufferVirtualAddress < limit &&
         args->DmaBufferSize <= limit - args->DmaBufferVirtualAddress;
}

NTSTATUS EgretSubmitCommandVirtual(IN_CONST_HANDLE handle,
                                   IN_CONST_PDXGKARG_SUBMITCOMMANDVIRTUAL args) {
  Adapter& adapter = *(Adapter*)handle;
  const Context* context = (const Context*)args->hContext;
  const UINT index = context ? context->NodeIndex : args->NodeOrdinal;
  if (index >= EG_NODES) return STATUS_INVALID_PARAMETER;
  Node& node = adapter.Nodes[index];
  if (!context) context = node.SystemContext;
  if (!context) return STATUS_INVALID_PARAMETER;
  const Process* process = context->Owner->Space;

  Submission s;
  RtlZeroMemory(&s, sizeof(s));
  s.Owner = &adapter;
  s.To = &node;
  s.DxgkProcess = process ? process->DxgkProcess : nullptr;
  s.Job.fence = args->SubmissionFenceId;
  s.Job.root = context->Root;
  s.Job.root_entries = context->RootEntries;
  if (process)
    s.Job.space = context->System && !context->Owner->System ? process->PrivilegedSpace()
                                                             : process->ApplicationSpace();
  if (!args->Flags.ContextSwitch) {
    s.Job.buffer = args->DmaBufferVirtualAddress;
    s.Job.length = args->Flags.NullRendering ? 0 : args->DmaBufferSize;
    s.Job.context = context->SaveAddress;
    if (context->System) s.Job.flags |= EG_JOB_PRIVILEGED;
    if (args->Flags.Resubmission) s.Job.flags |= EG_JOB_RESUME;
    s.Rejected = !context->System && !WellFormed(args);
  }
  AtInterruptLevel(adapter, SubmitRoutine, &s);
  return s.Rejected ? STATUS_INVALID_PARAMETER : STATUS_SUCCESS;
}

static BOOLEAN PreemptRoutine(PVOID argument) {
  NodeRequest& r = *(NodeRequest*)argument;
  Node& node = *r.Of;
  ++node.Preemptions;
  if (PollNode(*r.Owner, node)) r.Owner->Dxgk.DxgkCbQueueDpc(r.Owner->Dxgk.DeviceHandle);
  if (node.QueueHead == node.QueueTail && !node.PreemptPending) {
    // All that was submitted is over and told of.
    NotifyPreempted(*r.Owner, node, r.Value);
    r.Owner->Dxgk.DxgkCbQueueDpc(r.Owner->Dxgk.DeviceHandle);
    return TRUE;
  }
  node.PreemptPending = TRUE;
  node.PreemptFence = r.Value;
  node.PreemptQueueTail = node.QueueTail;
  WriteReg(node.Registers, EG_N_PREEMPT, r.Value);
  return TRUE;
}

NTSTATUS EgretPreemptCommand(IN_CONST_HANDLE handle, IN_CONST_PDXGKARG_PREEMPTCOMMAND args) {
  Adapter& adapter = *(Adapter*)handle;
  if (args->NodeOrdinal >= EG_NODES) return STATUS_INVALID_PARAMETER;
  NodeRequest r = {&adapter, &adapter.Nodes[args->NodeOrdinal], args->PreemptionFenceId, 0};
  AtInterruptLevel(adapter, PreemptRoutine, &r);
  return STATUS_SUCCESS;
}

static BOOLEAN FenceRoutine(PVOID argument) {
  NodeRequest& r = *(NodeRequest*)argument;
  if (PollNode(*r.Owner, *r.Of)) r.Owner->Dxgk.DxgkCbQueueDpc(r.Owner->Dxgk.DeviceHandle);
  r.Result = r.Of->LastCompleted;
  return TRUE;
}

NTSTATUS EgretQueryCurrentFence(IN_CONST_HANDLE handle, INOUT_PDXGKARG_QUERYCURRENTFENCE args) {
  PAGED_CODE();
  Adapter& adapter = *(Adapter*)handle;
  if (args->NodeOrdinal >= EG_NODES) return STATUS_INVALID_PARAMETER;
  NodeRequest r = {&adapter, &adapter.Nodes[args->NodeOrdinal], 0, 0};
  AtInterruptLevel(adapter, FenceRoutine, &r);
  args->CurrentFence = r.Result;
  return STATUS_SUCCESS;
}
