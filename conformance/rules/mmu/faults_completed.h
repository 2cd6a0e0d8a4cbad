// A seeded fault that lets packets which have faulted count as completed.
#pragma once

#include "conformance/host/interposer.h"

namespace wddm::mmu {

/// A device that drops what it cannot reach and goes on, or a driver that keeps the fault to
/// itself.
class CompletesWhatFaulted final : public Interposer {
 public:
  void NotifyInterrupt(HANDLE adapter, const DXGKARGCB_NOTIFY_INTERRUPT_DATA* data) override {
    DXGKARGCB_NOTIFY_INTERRUPT_DATA altered = *data;
    if (data->InterruptType == DXGK_INTERRUPT_DMA_PAGE_FAULTED) {
      altered = {};
      altered.InterruptType = DXGK_INTERRUPT_DMA_COMPLETED;
      altered.DmaCompleted.SubmissionFenceId = data->DmaPageFaulted.FaultedFenceId;
      altered.DmaCompleted.NodeOrdinal = data->DmaPageFaulted.NodeOrdinal;
      altered.DmaCompleted.EngineOrdinal = data->DmaPageFaulted.EngineOrdinal;
    }
    Interposer::NotifyInterrupt(adapter, &altered);
  }
};

}  // namespace wddm::mmu
