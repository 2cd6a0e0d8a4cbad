// Recovery from a timeout: of an engine alone, or of all GPUs of the board.
#include "merlin_kmd.h"

NTSTATUS MerlinQueryDependentEngineGroup(IN_CONST_HANDLE adapter,
                                         INOUT_DXGKARG_QUERYDEPENDENTENGINEGROUP q) {
  PAGED_CODE();
  if (!adapter || !q) return STATUS_INVALID_PARAMETER;
  q->DependentNodeOrdinalMask = 1ull << q->NodeOrdinal;  // engines are reset one by one
  return STATUS_SUCCESS;
}

NTSTATUS MerlinQueryEngineStatus(IN_CONST_HANDLE adapter, INOUT_PDXGKARG_QUERYENGINESTATUS q) {
  PAGED_CODE();
  MerlinGpu* gpu = q ? MerlinGpuOf(adapter, q->EngineOrdinal) : nullptr;
  if (!gpu || q->NodeOrdinal >= MERLIN_NODES) return STATUS_INVALID_PARAMETER;
  q->EngineStatus.Value = 0;
  if (!gpu->powered) return STATUS_SUCCESS;
  MerlinEngine* engine = &gpu->engine[q->NodeOrdinal];
  const UINT status = MerlinRead(gpu, MR_ENGINE(q->NodeOrdinal) + ME_STATUS);
  const UINT progress = MerlinRead(gpu, MR_ENGINE(q->NodeOrdinal) + ME_PROGRESS);
  const bool idle = !(status & ME_STATUS_BUSY);
  q->EngineStatus.Responsive =
      !(status & ME_STATUS_FAULTED) && (idle || progress != engine->seen_progress);
  engine->seen_progress = progress;
  return STATUS_SUCCESS;
}

// Forgets what the engine has, and says which packet it was in the middle of.
static BOOLEAN MerlinResetSynchronized(PVOID argument) {
  MerlinEngineCall* call = static_cast<MerlinEngineCall*>(argument);
  MerlinGpu* gpu = call->gpu;
  MerlinEngine* engine = &gpu->engine[call->node];
  const UINT base = MR_ENGINE(call->node);
  MerlinWrite(gpu, MR_INT_ENABLE, MI_ALL & ~MI_ENGINE(call->node));
  const UINT status = MerlinRead(gpu, base + ME_STATUS);
  const UINT current = MerlinRead(gpu, base + ME_CURRENT_FENCE);
  const UINT done = MerlinRead(gpu, base + ME_DONE_FENCE);
  MerlinWrite(gpu, base + ME_CONTROL, ME_CONTROL_RESET);
  MerlinWrite(gpu, MR_INT_STATUS, MI_ENGINE(call->node));
  call->fence = status & (ME_STATUS_BUSY | ME_STATUS_FAULTED) ? current : done;
  engine->completed = call->fence;
  engine->submitted = call->fence;
  MerlinProgramEngine(gpu, call->node);
  MerlinWrite(gpu, MR_INT_ENABLE, MI_ALL);
  return TRUE;
}

NTSTATUS MerlinResetEngine(IN_CONST_HANDLE adapter, INOUT_PDXGKARG_RESETENGINE r) {
  PAGED_CODE();
  MerlinGpu* gpu = r ? MerlinGpuOf(adapter, r->EngineOrdinal) : nullptr;
  if (!gpu || r->NodeOrdinal >= MERLIN_NODES || !gpu->powered) return STATUS_INVALID_PARAMETER;
  MerlinEngineCall call = {gpu, r->NodeOrdinal, 0};
  if (!MerlinSynchronize(gpu, MerlinResetSynchronized, &call)) return STATUS_UNSUCCESSFUL;
  r->LastAbortedFenceId = call.fence;
  return STATUS_SUCCESS;
}

NTSTATUS MerlinResetFromTimeout(IN_CONST_HANDLE adapter) {
  PAGED_CODE();
  for (UINT i = 0; i < MERLIN_LINKS; i++) {
    MerlinGpu* gpu = MerlinGpuOf(adapter, i);
    if (!gpu || !gpu->started) continue;
    if (gpu->powered) MerlinQuiesce(gpu);
    for (UINT n = 0; n < MERLIN_NODES; n++) gpu->engine[n].completed = gpu->engine[n].submitted;
  }
  return STATUS_SUCCESS;
}

NTSTATUS MerlinRestartFromTimeout(IN_CONST_HANDLE adapter) {
  PAGED_CODE();
  for (UINT i = 0; i < MERLIN_LINKS; i++) {
    MerlinGpu* gpu = MerlinGpuOf(adapter, i);
    if (gpu && gpu->started && !gpu->powered) MerlinResume(gpu);
  }
  return STATUS_SUCCESS;
}
