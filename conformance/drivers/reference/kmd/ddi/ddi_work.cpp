// Entry points for making, patching and recovering work. PASSIVE_LEVEL, pageable.
#include "../kmd_adapter.h"
#include "../kmd_device.h"
#include "../paging/kmd_paging.h"
#include "../render/patch.h"
#include "../render/present.h"
#include "../render/render.h"
#include "driver_ddis.h"

#pragma code_seg("PAGE")

namespace reference_kmd {

namespace {

Adapter* adapter_of(HANDLE handle) {
  return static_cast<Adapter*>(handle);
}

}  // namespace

NTSTATUS ddi_render(IN_CONST_HANDLE hContext, INOUT_PDXGKARG_RENDER pRender) {
  PAGED_CODE();
  Context* context = context_of(hContext);
  Device* device = context->device();
  const NTSTATUS status = device->adapter()->renderer().render(context, pRender);
  // User mode knew how much room there is: what does not fit is no command buffer.
  const bool too_large = status == STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER;
  return too_large && device->guarantees_contract() ? STATUS_INVALID_USER_BUFFER : status;
}

NTSTATUS ddi_present(IN_CONST_HANDLE hContext, INOUT_PDXGKARG_PRESENT pPresent) {
  PAGED_CODE();
  return present(context_of(hContext)->device()->adapter()->renderer(), pPresent);
}

NTSTATUS ddi_patch(IN_CONST_HANDLE hAdapter, IN_CONST_PDXGKARG_PATCH pPatch) {
  PAGED_CODE();
  if (pPatch->Flags.Paging) {
    adapter_of(hAdapter)->paging().patch(*pPatch);
  } else {
    patch_portion(*pPatch);
  }
  return STATUS_SUCCESS;
}

NTSTATUS ddi_build_paging_buffer(IN_CONST_HANDLE hAdapter,
                                 IN_PDXGKARG_BUILDPAGINGBUFFER pBuildPagingBuffer) {
  PAGED_CODE();
  // On which GPU of a link the buffer is to run, the context says.
  Adapter* gpu = adapter_of(hAdapter);
  if (gpus_of_link() > 1 && pBuildPagingBuffer->hSystemContext != nullptr) {
    gpu = static_cast<Context*>(pBuildPagingBuffer->hSystemContext)->gpu();
  }
  return gpu->paging().build(pBuildPagingBuffer);
}

// What the driver attached to a packet is at most the place where it was stopped.
NTSTATUS ddi_cancel_command(IN_CONST_HANDLE, IN_CONST_PDXGKARG_CANCELCOMMAND pCancelCommand) {
  PAGED_CODE();
  Context* context = context_of(pCancelCommand->hContext);
  if (context == nullptr) return STATUS_SUCCESS;
  context->gpu()->node(context->node())->forget_stop(context);
  return STATUS_SUCCESS;
}

NTSTATUS ddi_query_current_fence(IN_CONST_HANDLE hAdapter,
                                 INOUT_PDXGKARG_QUERYCURRENTFENCE pCurrentFence) {
  PAGED_CODE();
  Node* node = adapter_of(hAdapter)->node(pCurrentFence->NodeOrdinal, pCurrentFence->EngineOrdinal);
  if (node == nullptr) return STATUS_INVALID_PARAMETER;
  pCurrentFence->CurrentFence = node->query_fence();
  return STATUS_SUCCESS;
}

// The engines are reset one by one.
NTSTATUS ddi_query_dependent_engine_group(
    IN_CONST_HANDLE hAdapter, INOUT_DXGKARG_QUERYDEPENDENTENGINEGROUP pQueryDependentEngineGroup) {
  PAGED_CODE();
  if (adapter_of(hAdapter)->node(pQueryDependentEngineGroup->NodeOrdinal,
                                 pQueryDependentEngineGroup->EngineOrdinal) == nullptr) {
    return STATUS_INVALID_PARAMETER;
  }
  pQueryDependentEngineGroup->DependentNodeOrdinalMask = 1ull
                                                         << pQueryDependentEngineGroup->NodeOrdinal;
  return STATUS_SUCCESS;
}

NTSTATUS ddi_query_engine_status(IN_CONST_HANDLE hAdapter,
                                 INOUT_PDXGKARG_QUERYENGINESTATUS pQueryEngineStatus) {
  PAGED_CODE();
  Node* node = adapter_of(hAdapter)->node(pQueryEngineStatus->NodeOrdinal,
                                          pQueryEngineStatus->EngineOrdinal);
  if (node == nullptr) return STATUS_INVALID_PARAMETER;
  pQueryEngineStatus->EngineStatus.Value = 0;
  pQueryEngineStatus->EngineStatus.Responsive = node->responsive();
  return STATUS_SUCCESS;
}

NTSTATUS ddi_reset_engine(IN_CONST_HANDLE hAdapter, INOUT_PDXGKARG_RESETENGINE pResetEngine) {
  PAGED_CODE();
  return adapter_of(hAdapter)->reset_engine(pResetEngine);
}

NTSTATUS ddi_reset_from_timeout(IN_CONST_HANDLE hAdapter) {
  PAGED_CODE();
  adapter_of(hAdapter)->reset_from_timeout();
  return STATUS_SUCCESS;
}

NTSTATUS ddi_restart_from_timeout(IN_CONST_HANDLE hAdapter) {
  PAGED_CODE();
  adapter_of(hAdapter)->restart_from_timeout();
  return STATUS_SUCCESS;
}

}  // namespace reference_kmd
