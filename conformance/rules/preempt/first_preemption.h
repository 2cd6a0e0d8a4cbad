// Where a trace tells first of packets that were stopped. What memory holds from there on may be
// the work of a packet that went on, or was never finished: of the clauses of preemption first.
#pragma once

#include <d3dkmddi.h>

#include "conformance/rules/rule.h"

namespace wddm::preempt {

/// The first report of DXGK_INTERRUPT_DMA_PREEMPTED, or kNone: behind every event.
[[nodiscard]] inline std::uint32_t first_preemption(const Trace& trace) {
  for (const std::uint32_t index : trace.of<ev::Notified>()) {
    if (trace.at<ev::Notified>(index).type == DXGK_INTERRUPT_DMA_PREEMPTED) return index;
  }
  return kNone;
}

}  // namespace wddm::preempt
