// What a driver reports of its packets, in the place of the interrupt that would bring it.
#pragma once

#include "conformance/host/nt/core/kernel.h"
#include "conformance/host/tests/fake_driver.h"
#include "conformance/host/vidsch/vidsch_worker.h"

namespace wddm::host {

inline DXGKARGCB_NOTIFY_INTERRUPT_DATA completed(std::uint32_t fence, std::uint32_t node = 0) {
  DXGKARGCB_NOTIFY_INTERRUPT_DATA data{};
  data.InterruptType = DXGK_INTERRUPT_DMA_COMPLETED;
  data.DmaCompleted.SubmissionFenceId = fence;
  data.DmaCompleted.NodeOrdinal = node;
  return data;
}

inline DXGKARGCB_NOTIFY_INTERRUPT_DATA preempted(std::uint32_t fence, std::uint32_t last) {
  DXGKARGCB_NOTIFY_INTERRUPT_DATA data{};
  data.InterruptType = DXGK_INTERRUPT_DMA_PREEMPTED;
  data.DmaPreempted.PreemptionFenceId = fence;
  data.DmaPreempted.LastCompletedFenceId = last;
  return data;
}

/// A read that found no translation.
inline DXGKARGCB_NOTIFY_INTERRUPT_DATA page_fault(std::uint32_t fence, std::uint32_t node = 0) {
  DXGKARGCB_NOTIFY_INTERRUPT_DATA data{};
  data.InterruptType = DXGK_INTERRUPT_DMA_PAGE_FAULTED;
  data.DmaPageFaulted.FaultedFenceId = fence;
  data.DmaPageFaulted.NodeOrdinal = node;
  data.DmaPageFaulted.FaultedVirtualAddress = 0x10000;
  return data;
}

/// Interrupt and DPC, and what follows from them.
inline void report(VidSchWorker& vidsch, const DXGKARGCB_NOTIFY_INTERRUPT_DATA& data) {
  vidsch.notified(data);
  vidsch.dpc_ran();
  nt::settle();
}

/// The GPU runs the packet that the driver was given last: of a queue that is one packet deep.
inline void complete_packet(VidSchWorker& vidsch, const FakeDriver& driver) {
  report(vidsch, completed(driver.submitted.back().SubmissionFenceId));
}

/// The GPU runs all there is.
inline void complete_all(VidSchWorker& vidsch, const FakeDriver& driver) {
  nt::settle();
  while (vidsch.packets().size() != 0) complete_packet(vidsch, driver);
}

}  // namespace wddm::host
