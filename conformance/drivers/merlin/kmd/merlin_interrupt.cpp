// Interrupts, and what Dxgkrnl is told by them: completion, preemption, page faults.
#include "merlin_kmd.h"

static void MerlinNotify(MerlinGpu* gpu, const DXGKARGCB_NOTIFY_INTERRUPT_DATA* data) {
  gpu->dxgk.DxgkCbNotifyInterrupt(gpu->dxgk.DeviceHandle, data);
}

void MerlinNotifyCompleted(MerlinGpu* gpu, UINT node, UINT fence) {
  if (gpu->engine[node].completed == fence) return;
  gpu->engine[node].completed = fence;
  DXGKARGCB_NOTIFY_INTERRUPT_DATA data;
  RtlZeroMemory(&data, sizeof(data));
  data.InterruptType = DXGK_INTERRUPT_DMA_COMPLETED;
  data.DmaCompleted.SubmissionFenceId = fence;
  data.DmaCompleted.NodeOrdinal = node;
  data.DmaCompleted.EngineOrdinal = gpu->index;
  MerlinNotify(gpu, &data);
}

void MerlinNotifyPreempted(MerlinGpu* gpu, UINT node, UINT fence) {
  DXGKARGCB_NOTIFY_INTERRUPT_DATA data;
  RtlZeroMemory(&data, sizeof(data));
  data.InterruptType = DXGK_INTERRUPT_DMA_PREEMPTED;
  data.DmaPreempted.PreemptionFenceId = fence;
  data.DmaPreempted.LastCompletedFenceId = gpu->engine[node].completed;
  data.DmaPreempted.NodeOrdinal = node;
  data.DmaPreempted.EngineOrdinal = gpu->index;
  MerlinNotify(gpu, &data);
}

static void MerlinNotifyFault(MerlinGpu* gpu, UINT node) {
  const UINT base = MR_ENGINE(node);
  const UINT info = MerlinRead(gpu, base + ME_FAULT_INFO);
  const UINT fence = MerlinRead(gpu, base + ME_FAULT_FENCE);
  const UINT job = (MerlinRead(gpu, base + ME_HEAD) - 1) % MERLIN_RING_ENTRIES;
  const MerlinJob* at = reinterpret_cast<const MerlinJob*>(
      reinterpret_cast<PUCHAR>(gpu->engine[node].ring) + job * MERLIN_JOB_STRIDE);
  DXGKARGCB_NOTIFY_INTERRUPT_DATA data;
  RtlZeroMemory(&data, sizeof(data));
  data.InterruptType = DXGK_INTERRUPT_DMA_PAGE_FAULTED;
  data.DmaPageFaulted.FaultedFenceId = fence;
  data.DmaPageFaulted.FaultedPrimitiveAPISequenceNumber =
      DXGK_PRIMITIVE_API_SEQUENCE_NUMBER_UNKNOWN;
  data.DmaPageFaulted.FaultedPipelineStage = DXGK_RENDER_PIPELINE_STAGE_UNKNOWN;
  data.DmaPageFaulted.FaultedBindTableEntry = DXGK_BIND_TABLE_ENTRY_UNKNOWN;
  UINT flags = DXGK_PAGE_FAULT_ENGINE_RESET_REQUIRED;
  if (MF_CODE(info) == MF_CODE_PAGE) {
    if (info & MF_WRITE) flags |= DXGK_PAGE_FAULT_WRITE;
    data.DmaPageFaulted.FaultedVirtualAddress =
        static_cast<UINT64>(MerlinRead(gpu, base + ME_FAULT_VA_HI)) << 32 |
        MerlinRead(gpu, base + ME_FAULT_VA_LO);
    data.DmaPageFaulted.PageTableLevel = MF_LEVEL(info);
    data.DmaPageFaulted.FaultErrorCode.GeneralErrorCode = DXGK_GENERAL_ERROR_PAGE_FAULT;
  } else {
    data.DmaPageFaulted.FaultErrorCode.GeneralErrorCode = DXGK_GENERAL_ERROR_INVALID_INSTRUCTION;
  }
  // The job carries the process beside what the hardware reads.
  HANDLE process;
  RtlCopyMemory(&process, at->reserved, sizeof(process));
  data.DmaPageFaulted.FaultedProcessHandle = process;
  if (process) flags |= DXGK_PAGE_FAULT_PROCESS_HANDLE_VALID;
  data.DmaPageFaulted.PageFaultFlags = static_cast<DXGK_PAGE_FAULT_FLAGS>(flags);
  data.DmaPageFaulted.NodeOrdinal = node;
  data.DmaPageFaulted.EngineOrdinal = gpu->index;
  // From now on the faulted packet counts as over.
  gpu->engine[node].completed = fence;
  MerlinWrite(gpu, base + ME_DONE_FENCE, fence);
  MerlinNotify(gpu, &data);
}

// At interrupt level. Says whether there was anything.
static BOOLEAN MerlinServiceInterrupts(MerlinGpu* gpu) {
  BOOLEAN any = FALSE;
  for (;;) {
    const UINT status = MerlinRead(gpu, MR_INT_STATUS) & MI_ALL;
    if (!status) return any;
    any = TRUE;
    MerlinWrite(gpu, MR_INT_STATUS, status);
    for (UINT n = 0; n < MERLIN_NODES; n++) {
      const UINT base = MR_ENGINE(n);
      if (status & MI_PREEMPTED(n)) {
        MerlinNotifyCompleted(gpu, n, MerlinRead(gpu, base + ME_PREEMPT_DONE));
        MerlinNotifyPreempted(gpu, n, MerlinRead(gpu, base + ME_PREEMPTED));
      }
      if (status & (MI_DONE(n) | MI_FAULT(n)))
        MerlinNotifyCompleted(gpu, n, MerlinRead(gpu, base + ME_DONE_FENCE));
      if (status & MI_FAULT(n)) MerlinNotifyFault(gpu, n);
    }
  }
}

BOOLEAN MerlinInterruptRoutine(IN_CONST_PVOID context, IN_ULONG) {
  MerlinGpu* gpu = static_cast<MerlinGpu*>(context);
  if (!gpu->powered) return FALSE;
  if (!MerlinServiceInterrupts(gpu)) return FALSE;
  gpu->dxgk.DxgkCbQueueDpc(gpu->dxgk.DeviceHandle);
  return TRUE;
}

VOID MerlinDpcRoutine(IN_CONST_PVOID context) {
  MerlinGpu* gpu = static_cast<MerlinGpu*>(context);
  gpu->dxgk.DxgkCbNotifyDpc(gpu->dxgk.DeviceHandle);
}
