// What a driver says of an allocation that it has made, as far as VidMm and the host mind it.
#pragma once

#include "conformance/host/adapter/objects/objects.h"

namespace wddm::host {

/// More pages would only exhaust the machine; drivers round sizes up by far less.
inline constexpr std::uint64_t kMostPages = 1u << 16;

/// Of an allocation that nobody has opened yet. Pages are counted up to one more than kMostPages.
[[nodiscard]] AllocationObject described(const Adapter& adapter, const DXGK_ALLOCATIONINFO& info,
                                         const WddmAllocationRequest& asked, bool primary);
/// The same for the trace, but for its handle. A primary is nobody's in particular.
[[nodiscard]] ev::AllocationCreated told(AllocationId id, DeviceId device,
                                         const DXGK_ALLOCATIONINFO& info,
                                         const WddmAllocationRequest& asked, bool primary);

}  // namespace wddm::host
