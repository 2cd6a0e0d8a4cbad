// What Dxgkrnl hands to a starting driver: its service key, its device information and resources.
#pragma once

#include "conformance/host/adapter/bus.h"
#include "conformance/host/interposer.h"

namespace wddm::host {

/// DMA buffers that the driver must be able to hold in its queue (DXGK_START_INFO), if no scenario
/// says another number.
inline constexpr UINT kRequiredDmaQueueEntry = 16;

/// `\Registry\Machine\System\CurrentControlSet\Services\wddmcheck`; lives as long as the process.
[[nodiscard]] UNICODE_STRING service_key_path();
/// The same in another place: what DriverEntry is given, which is freed behind it.
[[nodiscard]] UNICODE_STRING entry_path();

/// BARs and interrupt as a translated resource list, memory size and registry path.
[[nodiscard]] DXGK_DEVICE_INFO device_information(const Bus& bus, PVOID miniport,
                                                  PDEVICE_OBJECT physical_device,
                                                  UNICODE_STRING registry_path);

/// Members of the initialization table that are reserved for the system and not zero (LIFE-001).
[[nodiscard]] std::uint32_t count_reserved_members(const DRIVER_INITIALIZATION_DATA& data);

}  // namespace wddm::host
