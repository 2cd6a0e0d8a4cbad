// Submission to the rings of the engines, preemption, and how far an engine has come.
#include "merlin_kmd.h"

// Puts a packet into the ring of its engine. Calls come one at a time.
static void MerlinEnqueue(MerlinGpu* gpu, UINT node, const MerlinContext* context, UINT64 commands,
                          UINT bytes, UINT fence, bool privileged) {
  MerlinEngine* engine = &gpu->engine[node];
  MerlinJob job;
  RtlZeroMemory(&job, sizeof(job));
  job.commands = commands;
  job.command_bytes = bytes;
  job.fence = fence;
  if (context) {
    job.root = context->root;
    job.root_entries = context->root_entries;
    job.space = context->space;
    if (context->root_system) job.flags |= MERLIN_JOB_ROOT_SYSTEM;
    RtlCopyMemory(job.reserved, &context->device->process->dxgk, sizeof(HANDLE));
  }
  if (privileged) job.flags |= MERLIN_JOB_PRIVILEGED;
  engine->submitted = fence;
  if (!gpu->powered) return;
  while (engine->tail - MerlinRead(gpu, MR_ENGINE(node) + ME_HEAD) >= MERLIN_RING_ENTRIES - 1)
    KeStallExecutionProcessor(10);
  RtlCopyMemory(reinterpret_cast<PUCHAR>(engine->ring) +
                    (engine->tail % MERLIN_RING_ENTRIES) * MERLIN_JOB_STRIDE,
                &job, sizeof(job));
  KeMemoryBarrier();
  engine->tail++;
  engine->packets++;
  MerlinWrite(gpu, MR_ENGINE(node) + ME_TAIL, engine->tail);
}

static bool MerlinGoodSubmission(const DXGKARG_SUBMITCOMMANDVIRTUAL* s) {
  MerlinSubmitData data;
  if (!s->pDmaBufferPrivateData || s->DmaBufferUmdPrivateDataSize != sizeof(data) ||
      s->DmaBufferPrivateDataSize < sizeof(data))
    return false;
  RtlCopyMemory(&data, s->pDmaBufferPrivateData, sizeof(data));
  return data.magic == MERLIN_MAGIC_SUBMIT && data.abi == MERLIN_ABI &&
         data.command_bytes == s->DmaBufferSize &&
         data.check == (data.magic ^ data.abi ^ data.command_bytes ^
                        static_cast<UINT>(s->DmaBufferVirtualAddress)) &&
         s->DmaBufferSize % 4 == 0 && s->DmaBufferVirtualAddress % 4 == 0;
}

NTSTATUS MerlinSubmitCommandVirtual(IN_CONST_HANDLE adapter,
                                    IN_CONST_PDXGKARG_SUBMITCOMMANDVIRTUAL s) {
  if (!adapter || !s) return STATUS_INVALID_PARAMETER;
  MerlinContext* context = static_cast<MerlinContext*>(s->hContext);
  if (s->Flags.Paging) {
    MerlinGpu* gpu = context ? context->gpu : nullptr;
    if (!gpu) {
      UINT index = s->EngineOrdinal;
      if (s->pDmaBufferPrivateData && s->DmaBufferPrivateDataSize >= sizeof(MerlinPagingRecord)) {
        MerlinPagingRecord record;
        RtlCopyMemory(&record, s->pDmaBufferPrivateData, sizeof(record));
        if (record.magic == MERLIN_MAGIC_PAGING) index = record.gpu;
      }
      gpu = MerlinGpuOf(adapter, index);
    }
    const UINT node = context ? context->node : s->NodeOrdinal;
    if (!gpu || node >= MERLIN_NODES) return STATUS_INVALID_PARAMETER;
    if (!context) context = gpu->engine[node].system;
    MerlinEnqueue(gpu, node, context, s->DmaBufferVirtualAddress, s->DmaBufferSize,
                  s->SubmissionFenceId, true);
    return STATUS_SUCCESS;
  }
  if (!context) return STATUS_INVALID_PARAMETER;
  const bool empty = s->Flags.NullRendering || s->DmaBufferSize == 0;
  const bool good = s->Flags.ContextSwitch || context->system || MerlinGoodSubmission(s);
  // What is refused takes its turn all the same, as a packet of its fence alone.
  MerlinEnqueue(context->gpu, context->node, context, s->DmaBufferVirtualAddress,
                empty || !good ? 0 : s->DmaBufferSize, s->SubmissionFenceId, false);
  return good ? STATUS_SUCCESS : STATUS_INVALID_PARAMETER;
}

static BOOLEAN MerlinPreemptSynchronized(PVOID argument) {
  MerlinEngineCall* call = static_cast<MerlinEngineCall*>(argument);
  MerlinGpu* gpu = call->gpu;
  MerlinEngine* engine = &gpu->engine[call->node];
  if (engine->completed == engine->submitted) {
    // All is over and told of: there is nothing for the hardware to do.
    MerlinNotifyPreempted(gpu, call->node, call->fence);
    gpu->dxgk.DxgkCbQueueDpc(gpu->dxgk.DeviceHandle);
  } else {
    MerlinWrite(gpu, MR_ENGINE(call->node) + ME_PREEMPT, call->fence);
  }
  return TRUE;
}

NTSTATUS MerlinPreemptCommand(IN_CONST_HANDLE adapter, IN_CONST_PDXGKARG_PREEMPTCOMMAND p) {
  MerlinGpu* gpu = p ? MerlinGpuOf(adapter, p->EngineOrdinal) : nullptr;
  if (!gpu || p->NodeOrdinal >= MERLIN_NODES || !gpu->powered) return STATUS_SUCCESS;
  MerlinEngineCall call = {gpu, p->NodeOrdinal, p->PreemptionFenceId};
  // Without the interrupt the hardware does it, which an idle engine can do too.
  if (!MerlinSynchronize(gpu, MerlinPreemptSynchronized, &call))
    MerlinWrite(gpu, MR_ENGINE(p->NodeOrdinal) + ME_PREEMPT, p->PreemptionFenceId);
  return STATUS_SUCCESS;
}

static BOOLEAN MerlinFenceSynchronized(PVOID argument) {
  MerlinEngineCall* call = static_cast<MerlinEngineCall*>(argument);
  MerlinGpu* gpu = call->gpu;
  if (gpu->powered) {
    const UINT done = MerlinRead(gpu, MR_ENGINE(call->node) + ME_DONE_FENCE);
    if (done != gpu->engine[call->node].completed) {
      MerlinNotifyCompleted(gpu, call->node, done);
      gpu->dxgk.DxgkCbQueueDpc(gpu->dxgk.DeviceHandle);
    }
  }
  call->fence = gpu->engine[call->node].completed;
  return TRUE;
}

NTSTATUS MerlinQueryCurrentFence(IN_CONST_HANDLE adapter, INOUT_PDXGKARG_QUERYCURRENTFENCE q) {
  PAGED_CODE();
  MerlinGpu* gpu = q ? MerlinGpuOf(adapter, q->EngineOrdinal) : nullptr;
  if (!gpu || q->NodeOrdinal >= MERLIN_NODES) return STATUS_INVALID_PARAMETER;
  MerlinEngineCall call = {gpu, q->NodeOrdinal, 0};
  if (!MerlinSynchronize(gpu, MerlinFenceSynchronized, &call)) return STATUS_UNSUCCESSFUL;
  q->CurrentFence = call.fence;
  return STATUS_SUCCESS;
}
