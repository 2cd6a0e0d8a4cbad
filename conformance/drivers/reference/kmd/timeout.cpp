// Timeout detection and recovery: one engine, the whole adapter, and what is left for the report.
#include "kmd_adapter.h"

namespace reference_kmd {

NTSTATUS Adapter::reset_engine(DXGKARG_RESETENGINE* request) {
  Node* engine = node(request->NodeOrdinal, request->EngineOrdinal);
  if (engine == nullptr) return STATUS_INVALID_PARAMETER;
  // Dxgkrnl resets the adapter then.
  if (settings_.engine_resets == 0 && engine->is_occupied()) return STATUS_UNSUCCESSFUL;
  request->LastAbortedFenceId = engine->reset();
  return STATUS_SUCCESS;
}

void Adapter::reset_from_timeout() {
  for (Adapter* each : gpus_) {
    if (each == nullptr) continue;
    each->quiesce();
    for (UINT i = 0; i < HW_NODE_COUNT; ++i) each->nodes_[i]->settle_all();
  }
}

void Adapter::restart_from_timeout() {
  for (Adapter* each : gpus_) {
    if (each != nullptr) each->resume();
  }
}

void Adapter::resume() {
  for (UINT i = 0; i < HW_NODE_COUNT; ++i) nodes_[i]->program();
  begin_work();
}

NTSTATUS Adapter::collect_debug_information(const DXGKARG_COLLECTDBGINFO& request) {
  struct {
    ULONG magic;
    ULONG reason;
    struct {
      ULONG state, current_fence, current_offset, last_completed, last_submitted;
    } nodes[HW_NODE_COUNT];
  } dump = {};
  dump.magic = HW_ID_VALUE;
  dump.reason = request.Reason;
  for (UINT i = 0; registers_.mapped() && i < HW_NODE_COUNT; ++i) {
    dump.nodes[i].state = registers_.read(HW_REG_NODE(i, HW_NODE_STATE));
    dump.nodes[i].current_fence = registers_.read(HW_REG_NODE(i, HW_NODE_CURRENT_FENCE));
    dump.nodes[i].current_offset = registers_.read(HW_REG_NODE(i, HW_NODE_CURRENT_OFFSET));
    dump.nodes[i].last_completed = nodes_[i]->last_completed_fence();
    dump.nodes[i].last_submitted = nodes_[i]->last_submitted_fence();
  }
  if (request.pExtension != nullptr) {
    request.pExtension->BucketingKey = dump.nodes[HW_NODE_RENDER].state;
    request.pExtension->CurrentDmaBufferOffset = dump.nodes[HW_NODE_RENDER].current_offset;
  }
  if (request.pBuffer != nullptr) {
    RtlCopyMemory(request.pBuffer, &dump, min(request.BufferSize, sizeof dump));
  }
  return STATUS_SUCCESS;
}

}  // namespace reference_kmd
