// What a driver asks DxgkCbCreateContextAllocation for.
#pragma once

#include <cstdint>
#include <optional>

#include "conformance/host/adapter/objects/objects.h"

namespace wddm::host {

/// What hContext or, of all contexts, hDevice is: ContextAllocationMade::named.
[[nodiscard]] std::uint32_t named_how(const DXGKARGCB_CREATECONTEXTALLOCATION& request,
                                      const Objects& objects);
/// The preferred segment of that GPU, or the first that is supported: memory before apertures.
[[nodiscard]] std::optional<SegmentId> segment_for(const DXGKARGCB_CREATECONTEXTALLOCATION& request,
                                                   const Adapter& adapter,
                                                   std::uint32_t physical_adapter);

/// Whether InitContextResource has an address for the CPU.
[[nodiscard]] bool has_cpu_address(const DXGKARGCB_CREATECONTEXTALLOCATION& request,
                                   const Adapter& adapter, std::uint32_t physical_adapter);

}  // namespace wddm::host
