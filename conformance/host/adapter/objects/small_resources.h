// Where a user-mode driver puts small resources: in allocations of their own, or packed into larger
// ones (PGSZ-004). The client plug-in says so; one that does not is played.
#pragma once

#include <cstdint>

#include "conformance/host/adapter/objects/objects.h"

namespace wddm::host {

/// Asks for so many resources of so many bytes, and tells what their allocations come to in a
/// segment of the driver that is managed in pages of 64 KB, or in pages if there is none.
void place_small_resources(const Adapter& adapter, const Objects& objects, std::uint32_t count,
                           std::uint64_t bytes);

}  // namespace wddm::host
