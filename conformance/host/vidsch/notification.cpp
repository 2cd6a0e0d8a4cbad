#include "conformance/host/vidsch/notification.h"

#include "conformance/host/boundary/ddi_call.h"

namespace wddm::host {

ev::Notified notified_of(const DXGKARGCB_NOTIFY_INTERRUPT_DATA& data) {
  ev::Notified seen{.type = number_in(data.InterruptType),
                    .place = static_cast<std::uint32_t>(call_place())};
  seen.flags = data.Flags.Value;
  switch (seen.type) {
    case DXGK_INTERRUPT_DMA_COMPLETED:
      seen.fence = data.DmaCompleted.SubmissionFenceId;
      seen.node = data.DmaCompleted.NodeOrdinal;
      seen.engine = data.DmaCompleted.EngineOrdinal;
      break;
    case DXGK_INTERRUPT_DMA_PREEMPTED:
      seen.fence = data.DmaPreempted.PreemptionFenceId;
      seen.last_completed = data.DmaPreempted.LastCompletedFenceId;
      seen.node = data.DmaPreempted.NodeOrdinal;
      seen.engine = data.DmaPreempted.EngineOrdinal;
      break;
    case DXGK_INTERRUPT_DMA_PAGE_FAULTED:
      seen.fence = data.DmaPageFaulted.FaultedFenceId;
      seen.node = data.DmaPageFaulted.NodeOrdinal;
      seen.engine = data.DmaPageFaulted.EngineOrdinal;
      break;
    default:  // of no packet
      break;
  }
  return seen;
}

bool is_report(const ev::Notified& seen) {
  return seen.type == DXGK_INTERRUPT_DMA_COMPLETED || seen.type == DXGK_INTERRUPT_DMA_PREEMPTED ||
         seen.type == DXGK_INTERRUPT_DMA_PAGE_FAULTED;
}

}  // namespace wddm::host
