// The libraries of the run: driver image, device and client plug-ins.
#pragma once

#include "conformance/host/interposer.h"
#include "conformance/plugin/client.h"
#include "conformance/plugin/device.h"

namespace wddm::host {

/// DriverEntry of the loaded image.
[[nodiscard]] PDRIVER_INITIALIZE driver_entry();
/// Null if there is none.
[[nodiscard]] const WddmDevice* device_plug_in();
[[nodiscard]] const WddmClient* client_plug_in();

}  // namespace wddm::host
