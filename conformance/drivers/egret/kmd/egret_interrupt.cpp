// Events of the nodes, and what Dxgkrnl hears of them.
//
// All but the DPC runs at the level of the interrupt.
#include "egret_kmd.h"

static bool NotAfter(UINT a, UINT b) {
  return (INT)(a - b) <= 0;
}

void RetireThrough(Node& node, bool reached, UINT fence) {
  while (node.QueueHead != node.QueueTail) {
    const Pending& front = node.Queue[node.QueueHead & (node.QueueEntries - 1)];
    if (!front.Rejected && !(reached && NotAfter(front.Fence, fence))) break;
    node.LastCompleted = front.Fence;
    ++node.QueueHead;
  }
}

static const Pending* FindPending(const Node& node, UINT fence) {
  for (UINT i = node.QueueHead; i != node.QueueTail; ++i) {
    const Pending& p = node.Queue[i & (node.QueueEntries - 1)];
    if (p.Fence == fence) return &p;
  }
  return nullptr;
}

static void NotifyCompleted(Adapter& adapter, Node& node, UINT fence) {
  DXGKARGCB_NOTIFY_INTERRUPT_DATA data;
  RtlZeroMemory(&data, sizeof(data));
  data.InterruptType = DXGK_INTERRUPT_DMA_COMPLETED;
  data.DmaCompleted.SubmissionFenceId = fence;
  data.DmaCompleted.NodeOrdinal = node.Index;
  adapter.Dxgk.DxgkCbNotifyInterrupt(adapter.Dxgk.DeviceHandle, &data);
}

void NotifyPreempted(Adapter& adapter, Node& node, UINT preemption_fence) {
  DXGKARGCB_NOTIFY_INTERRUPT_DATA data;
  RtlZeroMemory(&data, sizeof(data));
  data.InterruptType = DXGK_INTERRUPT_DMA_PREEMPTED;
  data.DmaPreempted.PreemptionFenceId = preemption_fence;
  data.DmaPreempted.LastCompletedFenceId = node.LastCompleted;
  data.DmaPreempted.NodeOrdinal = node.Index;
  adapter.Dxgk.DxgkCbNotifyInterrupt(adapter.Dxgk.DeviceHandle, &data);
}

static void NotifyFaulted(Adapter& adapter, Node& node) {
  const UINT fence = ReadReg(node.Registers, EG_N_FAULT_FENCE);
  const UINT info = ReadReg(node.Registers, EG_N_FAULT_INFO);
  const ULONGLONG address = ReadReg64(node.Registers, EG_N_FAULT_VA);
  const bool instruction = (info & EG_N_FAULT_INSTRUCTION) != 0;
  DXGKARGCB_NOTIFY_INTERRUPT_DATA data;
  RtlZeroMemory(&data, sizeof(data));
  data.InterruptType = DXGK_INTERRUPT_DMA_PAGE_FAULTED;
  auto& fault = data.DmaPageFaulted;
  fault.FaultedFenceId = fence;
  fault.FaultedPrimitiveAPISequenceNumber = DXGK_PRIMITIVE_API_SEQUENCE_NUMBER_UNKNOWN;
  fault.FaultedPipelineStage = DXGK_RENDER_PIPELINE_STAGE_UNKNOWN;
  fault.FaultedBindTableEntry = DXGK_BIND_TABLE_ENTRY_UNKNOWN;
  // The engine stands still until it is reset.
  UINT flags = DXGK_PAGE_FAULT_ENGINE_RESET_REQUIRED;
  if (!instruction && (info & EG_N_FAULT_WRITE)) flags |= DXGK_PAGE_FAULT_WRITE;
  const Pending* job = FindPending(node, fence);
  if (job && job->DxgkProcess) {
    fault.FaultedProcessHandle = job->DxgkProcess;
    flags |= DXGK_PAGE_FAULT_PROCESS_HANDLE_VALID;
  }
  fault.PageFaultFlags = (DXGK_PAGE_FAULT_FLAGS)flags;
  fault.FaultedVirtualAddress = instruction ? D3DGPU_NULL : address;
  fault.NodeOrdinal = node.Index;
  fault.PageTableLevel = instruction ? 0 : EG_N_FAULT_LEVEL(info);
  fault.FaultErrorCode.IsDeviceSpecificCode = 0;
  fault.FaultErrorCode.GeneralErrorCode =
      instruction ? DXGK_GENERAL_ERROR_INVALID_INSTRUCTION : DXGK_GENERAL_ERROR_PAGE_FAULT;
  ++node.Faults;
  RetireThrough(node, true, fence);
  adapter.Dxgk.DxgkCbNotifyInterrupt(adapter.Dxgk.DeviceHandle, &data);
}

// Takes events of a node from `status`, which has been acknowledged, and tells of them.
static bool ServeNode(Adapter& adapter, Node& node, UINT status) {
  bool told = false;
  if (status & EG_INTR_COMPLETE(node.Index)) {
    const UINT fence = ReadReg(node.Registers, EG_N_COMPLETED);
    if (node.QueueHead != node.QueueTail) {
      const UINT head = node.QueueHead;
      RetireThrough(node, true, fence);
      if (head != node.QueueHead) {
        NotifyCompleted(adapter, node, fence);
        told = true;
      }
    }
  }
  if (status & EG_INTR_FAULT(node.Index)) {
    NotifyFaulted(adapter, node);
    told = true;
  }
  if ((status & EG_INTR_PREEMPT(node.Index)) && node.PreemptPending) {
    node.PreemptPending = FALSE;
    if ((INT)(node.PreemptQueueTail - node.QueueHead) > 0) node.QueueHead = node.PreemptQueueTail;
    NotifyPreempted(adapter, node, node.PreemptFence);
    told = true;
  }
  return told;
}

bool PollNode(Adapter& adapter, Node& node) {
  const UINT status = ReadReg(adapter.Registers, EG_REG_INTR_STATUS) & EG_INTR_NODE(node.Index);
  if (!status) return false;
  WriteReg(adapter.Registers, EG_REG_INTR_STATUS, status);
  return ServeNode(adapter, node, status);
}

BOOLEAN EgretInterruptRoutine(IN_CONST_PVOID context, IN_ULONG) {
  Adapter& adapter = *(Adapter*)context;
  if (!adapter.Started || !adapter.Powered) return FALSE;
  const UINT status = ReadReg(adapter.Registers, EG_REG_INTR_STATUS) & EG_INTR_ALL;
  if (!status) return FALSE;
  WriteReg(adapter.Registers, EG_REG_INTR_STATUS, status);
  bool told = false;
  for (Node& node : adapter.Nodes) told |= ServeNode(adapter, node, status);
  if (told) adapter.Dxgk.DxgkCbQueueDpc(adapter.Dxgk.DeviceHandle);
  return TRUE;
}

VOID EgretDpcRoutine(IN_CONST_PVOID context) {
  Adapter& adapter = *(Adapter*)context;
  adapter.Dxgk.DxgkCbNotifyDpc(adapter.Dxgk.DeviceHandle);
}

// Should Dxgkrnl be unable to, the interrupt is not connected, and nothing competes with it.
void AtInterruptLevel(Adapter& adapter, PKSYNCHRONIZE_ROUTINE routine, PVOID argument) {
  BOOLEAN result = FALSE;
  const NTSTATUS status = adapter.Dxgk.DxgkCbSynchronizeExecution(adapter.Dxgk.DeviceHandle,
                                                                  routine, argument, 0, &result);
  if (!NT_SUCCESS(status)) {
    KIRQL irql;
    KeRaiseIrql(DISPATCH_LEVEL, &irql);
    routine(argument);
    KeLowerIrql(irql);
  }
}
