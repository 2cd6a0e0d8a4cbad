// The engine's queue: submission, preemption, interrupts, resets.
//
// What is in flight lies between Head and Tail of the ring. A packet that was stopped goes on at
// the command where it stopped when it is submitted again: the first of its context that is. Its
// fence may be another then.
#include "tern_kmd.h"

void tern_power_on(TernAdapter* adapter) {
  tern_write(adapter, TERN_REG_RESET, TERN_RESET_ALL);
  adapter->Head = adapter->Tail = 0;
  tern_write(adapter, TERN_REG_INT_ENABLE, 1);
}

void tern_power_off(TernAdapter* adapter) {
  tern_write(adapter, TERN_REG_INT_ENABLE, 0);
  tern_write(adapter, TERN_REG_RESET, TERN_RESET_ALL);
}

// Runs `routine` at the level of the ISR, and never together with it.
static void synchronize(TernAdapter* adapter, KSYNCHRONIZE_ROUTINE* routine, PVOID context) {
  BOOLEAN result;
  adapter->Dxgk.DxgkCbSynchronizeExecution(adapter->Dxgk.DeviceHandle, routine, context, 0,
                                           &result);
}

// ---- Interrupts. All at the level of the ISR.

static void notify(TernAdapter* adapter, const DXGKARGCB_NOTIFY_INTERRUPT_DATA* data) {
  adapter->Dxgk.DxgkCbNotifyInterrupt(adapter->Dxgk.DeviceHandle, data);
}

// The packet has ended, and with it all before it. Until then it may be stopped again, also before
// it goes on.
static void forget_through(TernAdapter* adapter, UINT fence) {
  while (adapter->Head != adapter->Tail) {
    const UINT slot = adapter->Head;
    TernContext* context = adapter->InFlight[slot].Context;
    if (context->StoppedVa == adapter->InFlight[slot].Va) context->Stopped = FALSE;
    adapter->Head = (slot + 1) % TERN_RING_ENTRIES;
    if (adapter->InFlight[slot].Fence == fence) return;
  }
}

static UINT slot_of(TernAdapter* adapter, UINT fence) {
  UINT slot = adapter->Head;
  while (slot != adapter->Tail && adapter->InFlight[slot].Fence != fence) {
    slot = (slot + 1) % TERN_RING_ENTRIES;
  }
  return slot;
}

static void report_completed(TernAdapter* adapter, UINT fence) {
  DXGKARGCB_NOTIFY_INTERRUPT_DATA data;
  RtlZeroMemory(&data, sizeof(data));
  data.InterruptType = DXGK_INTERRUPT_DMA_COMPLETED;
  data.DmaCompleted.SubmissionFenceId = fence;
  forget_through(adapter, fence);
  notify(adapter, &data);
}

// The packet is lost and the engine halts until it is reset.
static void report_fault(TernAdapter* adapter, UINT fence) {
  const ULONG info = tern_read(adapter, TERN_REG_EVENT_INFO);
  const UINT slot = slot_of(adapter, fence);
  DXGKARGCB_NOTIFY_INTERRUPT_DATA data;
  RtlZeroMemory(&data, sizeof(data));
  data.InterruptType = DXGK_INTERRUPT_DMA_PAGE_FAULTED;
  data.DmaPageFaulted.FaultedFenceId = fence;
  data.DmaPageFaulted.FaultedPrimitiveAPISequenceNumber =
      DXGK_PRIMITIVE_API_SEQUENCE_NUMBER_UNKNOWN;
  data.DmaPageFaulted.FaultedPipelineStage = DXGK_RENDER_PIPELINE_STAGE_UNKNOWN;
  data.DmaPageFaulted.FaultedBindTableEntry = DXGK_BIND_TABLE_ENTRY_UNKNOWN;
  data.DmaPageFaulted.PageFaultFlags = DXGK_PAGE_FAULT_ENGINE_RESET_REQUIRED;
  if ((info & TERN_INFO_COMMAND) != 0) {
    data.DmaPageFaulted.FaultErrorCode.GeneralErrorCode = DXGK_GENERAL_ERROR_INVALID_INSTRUCTION;
  } else {
    if ((info & TERN_INFO_WRITE) != 0) {
      data.DmaPageFaulted.PageFaultFlags =
          (DXGK_PAGE_FAULT_FLAGS)(data.DmaPageFaulted.PageFaultFlags | DXGK_PAGE_FAULT_WRITE);
    }
    data.DmaPageFaulted.FaultedVirtualAddress = (ULONG64)tern_read(adapter, TERN_REG_EVENT_VA_HIGH)
                                                    << 32 |
                                                tern_read(adapter, TERN_REG_EVENT_VA_LOW);
    data.DmaPageFaulted.PageTableLevel = info & TERN_INFO_LEVEL;
    data.DmaPageFaulted.FaultErrorCode.GeneralErrorCode = DXGK_GENERAL_ERROR_PAGE_FAULT;
  }
  if (slot != adapter->Tail) {
    data.DmaPageFaulted.FaultedProcessHandle =
        adapter->InFlight[slot].Context->Device->Process->Dxgk;
    data.DmaPageFaulted.PageFaultFlags =
        (DXGK_PAGE_FAULT_FLAGS)(data.DmaPageFaulted.PageFaultFlags |
                                DXGK_PAGE_FAULT_PROCESS_HANDLE_VALID);
  }
  forget_through(adapter, fence);
  notify(adapter, &data);
}

static void report_preempted(TernAdapter* adapter, UINT fence, UINT last_completed) {
  DXGKARGCB_NOTIFY_INTERRUPT_DATA data;
  RtlZeroMemory(&data, sizeof(data));
  data.InterruptType = DXGK_INTERRUPT_DMA_PREEMPTED;
  data.DmaPreempted.PreemptionFenceId = fence;
  data.DmaPreempted.LastCompletedFenceId = last_completed;
  notify(adapter, &data);
}

static void keep_stopped(TernAdapter* adapter) {
  const UINT slot = slot_of(adapter, tern_read(adapter, TERN_REG_EVENT_STOPPED));
  TernContext* context;
  if ((tern_read(adapter, TERN_REG_EVENT_INFO) & TERN_INFO_STOPPED) == 0) return;
  if (slot == adapter->Tail) return;
  context = adapter->InFlight[slot].Context;
  context->Stopped = TRUE;
  context->StoppedVa = adapter->InFlight[slot].Va;
  context->StoppedOffset = tern_read(adapter, TERN_REG_EVENT_OFFSET);
  context->StoppedSpin = tern_read(adapter, TERN_REG_EVENT_SPIN);
}

// Reports all events, oldest first. FALSE: there was none.
static BOOLEAN take_events(TernAdapter* adapter) {
  BOOLEAN any = FALSE;
  for (;; any = TRUE) {
    const ULONG kind = tern_read(adapter, TERN_REG_EVENT_KIND);
    const ULONG fence = tern_read(adapter, TERN_REG_EVENT_FENCE);
    if (kind == TERN_EVENT_NONE) break;
    if (kind == TERN_EVENT_COMPLETED) report_completed(adapter, fence);
    if (kind == TERN_EVENT_FAULT) report_fault(adapter, fence);
    if (kind == TERN_EVENT_PREEMPTED) {
      keep_stopped(adapter);
      adapter->Head = adapter->Tail;
      report_preempted(adapter, fence, tern_read(adapter, TERN_REG_EVENT_COMPLETED));
    }
    tern_write(adapter, TERN_REG_EVENT_NEXT, 1);
  }
  if (any) adapter->Dxgk.DxgkCbQueueDpc(adapter->Dxgk.DeviceHandle);
  return any;
}

BOOLEAN TernInterruptRoutine(const PVOID miniport, ULONG message) {
  UNREFERENCED_PARAMETER(message);
  return take_events((TernAdapter*)miniport);
}

VOID TernDpcRoutine(const PVOID miniport) {
  TernAdapter* adapter = (TernAdapter*)miniport;
  adapter->Dxgk.DxgkCbNotifyDpc(adapter->Dxgk.DeviceHandle);
}

// ---- Submission

typedef struct Submission {
  TernAdapter* Adapter;
  TernContext* Context;
  BOOLEAN Again;
  TernPacket Packet;
} Submission;

static BOOLEAN put_in_ring(PVOID parameter) {
  Submission* submission = (Submission*)parameter;
  TernAdapter* adapter = submission->Adapter;
  TernContext* context = submission->Context;
  const UINT slot = adapter->Tail;
  if (context->Stopped && submission->Again && context->StoppedVa == submission->Packet.va) {
    submission->Packet.start = context->StoppedOffset;
    submission->Packet.spin_left = context->StoppedSpin;
  }
  RtlCopyMemory(&adapter->Ring[slot], &submission->Packet, sizeof(TernPacket));
  adapter->InFlight[slot].Fence = submission->Packet.fence;
  adapter->InFlight[slot].Va = submission->Packet.va;
  adapter->InFlight[slot].Context = context;
  adapter->Tail = (slot + 1) % TERN_RING_ENTRIES;
  adapter->LastSubmitted = submission->Packet.fence;
  tern_write(adapter, TERN_REG_RING_TAIL, adapter->Tail);
  return TRUE;
}

// Only as much as user mode set for this submission is its word.
static BOOLEAN well_formed(const DXGKARG_SUBMITCOMMANDVIRTUAL* args) {
  TernSubmissionData data;
  if (args->DmaBufferSize % 8 != 0) return FALSE;
  if (args->DmaBufferUmdPrivateDataSize == 0) return TRUE;
  if (args->DmaBufferUmdPrivateDataSize < sizeof(data) ||
      args->DmaBufferPrivateDataSize < sizeof(data)) {
    return FALSE;
  }
  RtlCopyMemory(&data, args->pDmaBufferPrivateData, sizeof(data));
  return data.magic == TERN_MAGIC && data.command_bytes == args->DmaBufferSize;
}

NTSTATUS TernSubmitCommandVirtual(HANDLE hAdapter, const DXGKARG_SUBMITCOMMANDVIRTUAL* args) {
  TernContext* context = (TernContext*)args->hContext;
  Submission submission;
  NTSTATUS status = STATUS_SUCCESS;
  RtlZeroMemory(&submission, sizeof(submission));
  submission.Adapter = (TernAdapter*)hAdapter;
  submission.Context = context;
  submission.Again = args->Flags.Resubmission;
  submission.Packet.va = args->DmaBufferVirtualAddress;
  submission.Packet.bytes = args->DmaBufferSize;
  submission.Packet.fence = args->SubmissionFenceId;
  submission.Packet.root = context->Root;
  submission.Packet.root_entries = context->RootEntries;
  submission.Packet.space = context->IsSystem ? TERN_KERNEL_SPACE(context->Device->Process)
                                              : context->Device->Process->Space;
  if (context->IsSystem) submission.Packet.flags |= TERN_PACKET_PRIVILEGED;
  if (!context->IsSystem && !well_formed(args)) {
    // Counts as completed once all before it are.
    submission.Packet.flags |= TERN_PACKET_VOID;
    status = STATUS_INVALID_PARAMETER;
  }
  if (args->Flags.NullRendering) submission.Packet.bytes = 0;
  synchronize(submission.Adapter, put_in_ring, &submission);
  return status;
}

// ---- Preemption and fences

typedef struct Preemption {
  TernAdapter* Adapter;
  UINT Fence;
} Preemption;

// With nothing in flight the hardware need not be asked.
static BOOLEAN ask_for_preemption(PVOID parameter) {
  const Preemption* preemption = (const Preemption*)parameter;
  TernAdapter* adapter = preemption->Adapter;
  if (adapter->Head != adapter->Tail) {
    tern_write(adapter, TERN_REG_PREEMPT, preemption->Fence);
    return TRUE;
  }
  report_preempted(adapter, preemption->Fence, tern_read(adapter, TERN_REG_COMPLETED));
  adapter->Dxgk.DxgkCbQueueDpc(adapter->Dxgk.DeviceHandle);
  return TRUE;
}

NTSTATUS TernPreemptCommand(HANDLE hAdapter, const DXGKARG_PREEMPTCOMMAND* args) {
  Preemption preemption;
  preemption.Adapter = (TernAdapter*)hAdapter;
  preemption.Fence = args->PreemptionFenceId;
  synchronize(preemption.Adapter, ask_for_preemption, &preemption);
  return STATUS_SUCCESS;
}

typedef struct FenceQuery {
  TernAdapter* Adapter;
  UINT Fence;
} FenceQuery;

// What is named has been reported, though its interrupt be lost or late.
static BOOLEAN find_current_fence(PVOID parameter) {
  FenceQuery* query = (FenceQuery*)parameter;
  do {
    take_events(query->Adapter);
    query->Fence = tern_read(query->Adapter, TERN_REG_COMPLETED);
  } while (tern_read(query->Adapter, TERN_REG_EVENT_KIND) != TERN_EVENT_NONE);
  return TRUE;
}

NTSTATUS TernQueryCurrentFence(HANDLE hAdapter, DXGKARG_QUERYCURRENTFENCE* args) {
  FenceQuery query = {(TernAdapter*)hAdapter, 0};
  if (args->NodeOrdinal != 0) return STATUS_INVALID_PARAMETER;
  synchronize(query.Adapter, find_current_fence, &query);
  args->CurrentFence = query.Fence;
  return STATUS_SUCCESS;
}

// ---- Resets

typedef struct Reset {
  TernAdapter* Adapter;
  BOOLEAN WholeAdapter;
  UINT LastAborted;
} Reset;

// What has happened so far is reported first. The last completed fence moves to what is aborted.
static BOOLEAN reset_engine(PVOID parameter) {
  Reset* reset = (Reset*)parameter;
  TernAdapter* adapter = reset->Adapter;
  take_events(adapter);
  reset->LastAborted = tern_read(adapter, TERN_REG_COMPLETED);
  if (reset->WholeAdapter) {
    reset->LastAborted = adapter->LastSubmitted;
  } else if ((tern_read(adapter, TERN_REG_STATUS) & TERN_STATUS_RUNNING) != 0) {
    reset->LastAborted = tern_read(adapter, TERN_REG_RUNNING);
  }
  tern_write(adapter, TERN_REG_RESET, TERN_RESET_ENGINE);
  tern_write(adapter, TERN_REG_COMPLETED, reset->LastAborted);
  adapter->Head = adapter->Tail = 0;
  return TRUE;
}

NTSTATUS TernResetEngine(HANDLE hAdapter, DXGKARG_RESETENGINE* args) {
  Reset reset = {(TernAdapter*)hAdapter, FALSE, 0};
  if (args->NodeOrdinal != 0) return STATUS_INVALID_PARAMETER;
  synchronize(reset.Adapter, reset_engine, &reset);
  args->LastAbortedFenceId = reset.LastAborted;
  return STATUS_SUCCESS;
}

NTSTATUS TernResetFromTimeout(HANDLE hAdapter) {
  Reset reset = {(TernAdapter*)hAdapter, TRUE, 0};
  synchronize(reset.Adapter, reset_engine, &reset);
  return STATUS_SUCCESS;
}

NTSTATUS TernRestartFromTimeout(HANDLE hAdapter) {
  tern_write((TernAdapter*)hAdapter, TERN_REG_INT_ENABLE, 1);
  return STATUS_SUCCESS;
}

NTSTATUS TernQueryDependentEngineGroup(HANDLE hAdapter, DXGKARG_QUERYDEPENDENTENGINEGROUP* args) {
  UNREFERENCED_PARAMETER(hAdapter);
  args->DependentNodeOrdinalMask = 1;
  return STATUS_SUCCESS;
}

NTSTATUS TernQueryEngineStatus(HANDLE hAdapter, DXGKARG_QUERYENGINESTATUS* args) {
  const ULONG status = tern_read((TernAdapter*)hAdapter, TERN_REG_STATUS);
  args->EngineStatus.Value = 0;
  args->EngineStatus.Responsive = (status & (TERN_STATUS_HALTED | TERN_STATUS_STALLED)) == 0;
  return STATUS_SUCCESS;
}
