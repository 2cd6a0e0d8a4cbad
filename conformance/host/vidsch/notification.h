// What DxgkCbNotifyInterrupt says of packets, whatever the type: one record for the trace.
#pragma once

#include <dispmprt.h>

#include "reference/trace/event.h"

namespace wddm::host {

/// Type and place only, of notifications that speak of no packet.
[[nodiscard]] ev::Notified notified_of(const DXGKARGCB_NOTIFY_INTERRUPT_DATA& data);

/// Whether the scheduler has to take it at its DPC.
[[nodiscard]] bool is_report(const ev::Notified& seen);

}  // namespace wddm::host
