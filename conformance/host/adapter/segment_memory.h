// The bytes of a memory segment that the CPU sees, where its descriptor says that they are: behind
// a memory BAR, or in RAM. A driver without hardware reports contiguous memory of its own as a
// segment.
#pragma once

#include <cstdint>

#include "conformance/host/adapter/bus.h"

namespace wddm::host {

/// They lie one behind the other; they may be written. Null if no BAR shows all of them, nor has
/// the driver set all of them aside.
[[nodiscard]] std::uint8_t* segment_memory_at(const Bus& bus, std::uint64_t address,
                                              std::uint64_t bytes);

}  // namespace wddm::host
