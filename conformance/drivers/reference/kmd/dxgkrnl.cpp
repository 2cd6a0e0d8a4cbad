#include "dxgkrnl.h"

namespace reference_kmd {

void* Dxgkrnl::allocation_data(D3DKMT_HANDLE allocation) {
  DXGKARGCB_GETHANDLEDATA query = {};
  query.hObject = allocation;
  query.Type = DXGK_HANDLE_ALLOCATION;
  return callbacks_.DxgkCbGetHandleData(&query);
}

void Dxgkrnl::notify_completed(UINT node, UINT fence) {
  DXGKARGCB_NOTIFY_INTERRUPT_DATA data = {};
  data.InterruptType = DXGK_INTERRUPT_DMA_COMPLETED;
  data.DmaCompleted.SubmissionFenceId = fence;
  data.DmaCompleted.NodeOrdinal = node;
  callbacks_.DxgkCbNotifyInterrupt(callbacks_.DeviceHandle, &data);
}

void Dxgkrnl::notify_preempted(UINT node, UINT request, UINT last_completed) {
  DXGKARGCB_NOTIFY_INTERRUPT_DATA data = {};
  data.InterruptType = DXGK_INTERRUPT_DMA_PREEMPTED;
  data.DmaPreempted.PreemptionFenceId = request;
  data.DmaPreempted.LastCompletedFenceId = last_completed;
  data.DmaPreempted.NodeOrdinal = node;
  callbacks_.DxgkCbNotifyInterrupt(callbacks_.DeviceHandle, &data);
}

}  // namespace reference_kmd
