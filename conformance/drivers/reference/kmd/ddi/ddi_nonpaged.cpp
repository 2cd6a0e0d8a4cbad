// Entry points at raised IRQL. Code and data must be nonpageable, and nothing may wait.
#include "driver_ddis.h"
#include "../kmd_adapter.h"
#include "../kmd_device.h"

namespace reference_kmd {

namespace {

Adapter* adapter_of(PVOID handle) {
  return static_cast<Adapter*>(handle);
}

}  // namespace

BOOLEAN ddi_interrupt_routine(IN_CONST_PVOID MiniportDeviceContext, IN_ULONG) {
  return adapter_of(MiniportDeviceContext)->handle_interrupt();
}

VOID ddi_dpc_routine(IN_CONST_PVOID MiniportDeviceContext) {
  adapter_of(MiniportDeviceContext)->handle_dpc();
}

NTSTATUS ddi_submit_command(IN_CONST_HANDLE hAdapter,
                            IN_CONST_PDXGKARG_SUBMITCOMMAND pSubmitCommand) {
  // Packets without a context name their node, and in a link the GPU that has it; others run where
  // their context was made for.
  const Context* context = context_of(pSubmitCommand->hContext);
  Adapter* adapter = adapter_of(hAdapter);
  Node* node = context != nullptr
                   ? adapter->node(context->node())
                   : adapter->node(pSubmitCommand->NodeOrdinal, pSubmitCommand->EngineOrdinal);
  NT_ASSERT(node != nullptr);
  return node != nullptr ? node->submit(*pSubmitCommand) : STATUS_INVALID_PARAMETER;
}

NTSTATUS ddi_submit_command_virtual(IN_CONST_HANDLE hAdapter,
                                    IN_CONST_PDXGKARG_SUBMITCOMMANDVIRTUAL pSubmitCommand) {
  const auto* context = static_cast<const Context*>(pSubmitCommand->hContext);
  Node* node = context != nullptr ? context->gpu()->node(context->node())
                                  : adapter_of(hAdapter)->node(pSubmitCommand->NodeOrdinal,
                                                               pSubmitCommand->EngineOrdinal);
  NT_ASSERT(node != nullptr);
  return node != nullptr ? node->submit_virtual(*pSubmitCommand) : STATUS_INVALID_PARAMETER;
}

NTSTATUS ddi_preempt_command(IN_CONST_HANDLE hAdapter,
                             IN_CONST_PDXGKARG_PREEMPTCOMMAND pPreemptCommand) {
  Node* node =
      adapter_of(hAdapter)->node(pPreemptCommand->NodeOrdinal, pPreemptCommand->EngineOrdinal);
  NT_ASSERT(node != nullptr);
  if (node != nullptr) node->preempt(pPreemptCommand->PreemptionFenceId);
  return STATUS_SUCCESS;
}

VOID ddi_reset_device(IN_CONST_PVOID MiniportDeviceContext) {
  adapter_of(MiniportDeviceContext)->quiesce();
}

NTSTATUS ddi_collect_dbg_info(IN_CONST_HANDLE hAdapter,
                              IN_CONST_PDXGKARG_COLLECTDBGINFO pCollectDbgInfo) {
  return adapter_of(hAdapter)->collect_debug_information(*pCollectDbgInfo);
}

}  // namespace reference_kmd
