// Which page frames an allocation has.
#pragma once

#include <span>

#include "conformance/host/memory/memory.h"

namespace wddm::host {

/// Fills `out` with zeroed frames, scattered but for a pair that follows each other where there are
/// at least four: neither all nor none of them do.
void take_allocation_frames(std::span<memory::Frame> out);

}  // namespace wddm::host
