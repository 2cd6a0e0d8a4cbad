// Engines leave the contexts of a device ahead of what moves memory of those contexts: an empty
// packet with ContextSwitch, behind all that they have.
#pragma once

#include "conformance/host/vidmm/paging/paging_operations.h"
#include "conformance/host/vidmm/paging/paging_queue.h"

namespace wddm::host {

/// Whether an engine is in a context of the device.
[[nodiscard]] bool is_entered(DeviceId device, const Adapter& adapter, const PagingScene& scene,
                              const PagingQueue& queue);
/// Null, or why an engine does not leave. Drivers without PreemptionAware have no such packets.
[[nodiscard]] const char* leave_contexts(DeviceId device, const Adapter& adapter,
                                         const PagingScene& scene, PagingQueue& queue);

}  // namespace wddm::host
