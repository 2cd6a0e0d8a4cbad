// The way from the device's interrupt to the driver's DPC, as the port driver lays it.
#pragma once

#include "conformance/host/adapter/adapter.h"

namespace wddm::host {

/// Connects the driver's interrupt routine and its DPC.
void connect_interrupt(Adapter& adapter);
/// The adapter is stopped: a pending DPC does not run, and no other is queued until the next start.
void disconnect_dpc();
/// DxgkCbQueueDpc: false if the DPC is already pending, or the adapter stopped.
[[nodiscard]] bool queue_dpc(std::uint32_t physical_adapter = 0);
/// DxgkCbSynchronizeExecution: `routine` at device IRQL, excluded from the ISR.
[[nodiscard]] bool synchronize(PKSYNCHRONIZE_ROUTINE routine, PVOID context, ULONG message);

}  // namespace wddm::host
