// A resource of several allocations: created and opened in one call each, closed and destroyed in
// one, and then once more in parts: of these the last alone has DestroyResource. Then it grows:
// some of its allocations come in calls that name the resource of an earlier one, and some of those
// calls find no memory at first.
//
// A shared one is opened by another device as well, which closes it first, and then last. Nothing
// is placed or rendered with them: that is for what ops create.
#pragma once

#include <cstdint>
#include <optional>

#include "conformance/host/adapter/objects/objects.h"

namespace wddm::host {

/// Each is of so many bytes, but where one is larger on purpose.
inline constexpr std::uint32_t kGroupBytes = 4 * static_cast<std::uint32_t>(kPageSize);

/// `standard`: 0, or the D3DKMDT_STANDARDALLOCATION_TYPE of all of them. `other`: a device that the
/// client's are shared with, if they are.
void try_allocation_group(const Adapter& adapter, Objects& objects, std::uint32_t count,
                          std::uint32_t standard, std::optional<DeviceId> other = std::nullopt);
/// One of the client's, on this device, and nothing is made of it: what others do meanwhile changes
/// what the driver holds.
void make_and_destroy_one(const Adapter& adapter, Objects& objects, DeviceId device);

}  // namespace wddm::host
