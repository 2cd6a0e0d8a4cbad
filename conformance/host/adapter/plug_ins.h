// The libraries of the run: driver image, device and client plug-ins.
#pragma once

#include <string>

#include "conformance/host/interposer.h"
#include "conformance/sdk/client.h"
#include "conformance/sdk/device.h"

namespace wddm::host {

/// DriverEntry of the loaded image; null without one.
[[nodiscard]] PDRIVER_INITIALIZE driver_entry();
/// Remembers the driver's static variables; it must not have been called yet. Only the first call
/// counts.
void keep_driver_pristine();
/// Makes them what they were then. Without an image there are none.
void restore_driver();
/// Whether an address lies in the loaded image. Async-signal-safe.
[[nodiscard]] bool is_of_driver(const void* address);
/// As this host lays them out, whatever header the plug-in was built with. Null if there is none.
[[nodiscard]] const WddmDevice* device_plug_in();
[[nodiscard]] const WddmClient* client_plug_in();
/// What the image imports of the memory manager: names, a line each (ev::MemoryImports). Null
/// without an image.
[[nodiscard]] const std::string* memory_imports_of_driver();
/// What the INF of its package says (ev::PackageRead); null if none is known.
[[nodiscard]] const std::string* package_of_driver();

}  // namespace wddm::host
