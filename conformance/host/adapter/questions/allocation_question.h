// DescribeAllocation: what the driver says of an allocation that it has.
#pragma once

#include <cstdint>

#include "conformance/host/adapter/adapter.h"

namespace wddm::host {

/// ev::AllocationDescribed, where the driver has the entry point. `allocation`: a slot, or kNone;
/// `handle`: what CreateAllocation gave for it.
void ask_description(const Adapter& adapter, std::uint32_t allocation, HANDLE handle);

}  // namespace wddm::host
